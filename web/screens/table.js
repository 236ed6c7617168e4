/** At a real table: tap your dice and each bid; the page says how likely it is and what to do. */

import { sayAction } from "../game/round.js";
import { standing } from "../match/bidders.js";
import { again, newTable, roundAt, withDie } from "../match/table.js";
import { Bar } from "../parts/bar.js";
import { actionInWords, bidInWords } from "../parts/bid.js";
import { BidsMade } from "../parts/bids_made.js";
import { Challenges } from "../parts/challenges.js";
import { Dice } from "../parts/die.js";
import { Numbers, othersInWords } from "../parts/hint.js";
import { Icon } from "../parts/icon.js";
import { useRules, Waiting } from "../parts/loading.js";
import { Pad } from "../parts/pad.js";
import { click } from "../parts/sound.js";
import { placeName, TableDice, TableSeats, WhoLost } from "../parts/table_steps.js";
import { advise } from "../policy/advice.js";
import { state, update } from "../store.js";
import { html, useMemo, useState } from "../vendor/htm-preact.js";
import { percent, say } from "../words.js";
import { useChances } from "./play.js";

/** @typedef {import("../match/table.js").Table} Table */
/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../policy/policy.js").PocketPolicy} PocketPolicy */

/** @param {Partial<Table>} change */
function change(change) {
  update({ table: { ...(state.table ?? newTable()), ...change } });
}

export function TableScreen() {
  const table = state.table ?? newTable();
  const { rules, policy, failed } = useRules(table.rules, table.players);
  return html`<main class=${table.step === "bids" ? "play at-table" : "page"}>
    <${Bar} title=${say("At the Table")} rules=${`rules/${table.rules}/${table.players}`}>
      ${table.step !== "seats" &&
      html`<button class="tool" aria-label=${say("Undo")} onClick=${() => update({ table: undo(table) })}>
        <${Icon} name="undo" />
      </button>`}
    <//>
    ${rules ? html`<${Step} table=${table} rules=${rules} policy=${policy} />` : html`<${Waiting} failed=${failed} />`}
  </main>`;
}

/** Return the table before the last tap.
 * @param {Table} table
 * @returns {Table} */
function undo(table) {
  if (table.step === "over") return { ...table, step: "bids" };
  if (table.history.length > 0) return { ...table, history: table.history.slice(0, -1) };
  if (table.hand.length > 0) return { ...table, hand: table.hand.slice(0, -1), step: "dice" };
  return { ...table, step: "seats" };
}

/** Return whether the rules know what was kept: an update may have changed them.
 * @param {Rules} rules
 * @param {Table} table */
function canGoOn(rules, table) {
  try {
    return Boolean(roundAt(rules, table));
  } catch {
    return false;
  }
}

/** @param {{table: Table, rules: Rules, policy: PocketPolicy | null}} props */
function Step({ table, rules, policy }) {
  if (table.step === "seats" || !canGoOn(rules, table)) return html`<${TableSeats} table=${table} onChange=${change} />`;
  if (table.step === "dice") {
    const add = (/** @type {number} */ face) => update({ table: withDie(rules, table, face) });
    return html`<${TableDice} table=${table} rules=${rules} onDie=${add} />`;
  }
  if (table.step === "over") {
    return html`<${WhoLost} table=${table} onLost=${(/** @type {number} */ seat) => update({ table: again(table, seat) })} />`;
  }
  return html`<${Bids} table=${table} rules=${rules} policy=${policy} />`;
}

/** @param {{table: Table, rules: Rules, policy: PocketPolicy | null}} props */
function Bids({ table, rules, policy }) {
  const round = useMemo(() => roundAt(rules, table), [rules, table]);
  const [numbers, setNumbers] = useState(false);
  const own = round.turn === 0;
  const advice = useMemo(() => (own ? advise(rules, policy, round, table.hand) : null), [rules, policy, round, own]);
  const chance = useChances(rules, policy, round, table.hand);
  const last = standing(round);
  const lastChance = last ? chance(last.bid.id) : null;
  /** @param {number} action */
  const act = (action) => {
    click();
    const { kind } = sayAction(rules, action);
    if (kind === "bid" || kind === "double") change({ history: [...table.history, action] });
    else change({ step: "over" });
  };
  return html`<section class="advice">
      <p class="who">${last ? html`${placeName(last.seat, table.players)} ${bidInWords(last.bid)}` : say("{name} to open", { name: placeName(round.turn, table.players) })}</p>
      <p class="huge">
        ${advice
          ? html`<button class="advice-now" onClick=${() => setNumbers(true)}>${actionInWords(rules, advice.best)}</button>`
          : say("{name} to act", { name: placeName(round.turn, table.players) })}
      </p>
      ${advice && advice.equal.length > 0 && html`<p class="others-good">${othersInWords(advice)}</p>`}
      ${lastChance !== null && html`<p class="last-chance" style=${`--chance: ${lastChance}`}>${say("The last bid holds: {chance}", { chance: percent(lastChance) })}</p>`}
      <${BidsMade} round=${round} nameOf=${(/** @type {number} */ seat) => placeName(seat, table.players)} />
    </section>
    <div class="own" role="group" aria-label=${say("Your dice")}><${Dice} faces=${table.hand} /></div>
    <${Pad} round=${round} chance=${chance} active=${true} advised=${advice?.best ?? null} onBid=${act}>
      <${Challenges} round=${round} active=${true} advised=${advice?.best ?? null} onAct=${act} />
    <//>
    ${numbers && advice && html`<${Numbers} round=${round} hand=${table.hand} policy=${policy} advice=${advice} onClose=${() => setNumbers(false)} />`}`;
}
