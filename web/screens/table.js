/** At a real table: tap your dice and each bid; the page says how likely it is and what to do. */

import { standing } from "../match/bidders.js";
import { newTable, sittingAt } from "../match/table.js";
import { tap, undo } from "../match/table_keeping.js";
import { useAwake } from "../parts/awake.js";
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
import { TableOver } from "../parts/table_over.js";
import { mannerInWords, TablePeople } from "../parts/table_people.js";
import { placeName, TableDice, TableSeats } from "../parts/table_steps.js";
import { advise } from "../policy/advice.js";
import { personWho } from "../policy/people.js";
import { state } from "../store.js";
import { html, useMemo, useState } from "../vendor/htm-preact.js";
import { noted, percent, say } from "../words.js";
import { useChances } from "./play.js";

/** @typedef {import("../match/table.js").Table} Table */
/** @typedef {import("../match/table.js").Sitting} Sitting */
/** @typedef {import("../match/table.js").Tap} Tap */
/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../policy/policy.js").PocketPolicy} PocketPolicy */

/** How many bids fit above the pad of a phone. */
const MOST_BIDS = 6;

export function TableScreen() {
  const table = state.table ?? newTable();
  const { rules, policy, failed } = useRules(table.rules, table.players);
  const sitting = useMemo(() => rules && sat(rules, table), [rules, table]);
  if (rules && sitting) return html`<${Sat} rules=${rules} policy=${policy} table=${table} sitting=${sitting} />`;
  return html`<main class="page">
    <${TableBar} table=${table} />
    ${rules ? html`<${TableSeats} table=${table} />` : html`<${Waiting} failed=${failed} />`}
  </main>`;
}

/** Return how things stand at a table; null before anybody sits there, and where the rules do not know
 * what was kept: an update may have changed them.
 * @param {Rules} rules
 * @param {Table} table */
function sat(rules, table) {
  if (!table.begun) return null;
  try {
    return sittingAt(rules, table);
  } catch {
    return null;
  }
}

/** @param {{table: Table, children?: unknown}} props */
function TableBar({ table, children }) {
  return html`<${Bar} title=${say("At the Table")} rules=${`rules/${table.rules}/${table.players}`}>${children}<//>`;
}

/** @param {{rules: Rules, policy: PocketPolicy | null, table: Table, sitting: Sitting}} props */
function Sat({ rules, policy, table, sitting }) {
  useAwake();
  const [people, setPeople] = useState(false);
  const onTap = (/** @type {Tap} */ one) => {
    click();
    tap(rules, table, one);
  };
  const kind = { dice: "page", bids: "play at-table", over: "play table-over" }[sitting.step];
  return html`<main class=${kind}>
    <${TableBar} table=${table}>
      <button class="tool" aria-label=${say("Undo")} onClick=${() => undo(rules, table)}><${Icon} name="undo" /></button>
      <button class="tool" aria-label=${say("Who Sits Here")} onClick=${() => setPeople(true)}><${Icon} name="people" /></button>
    <//>
    ${sitting.step === "dice"
      ? html`<${TableDice} rules=${rules} sitting=${sitting} onTap=${onTap} />`
      : sitting.step === "bids"
        ? html`<${Bids} rules=${rules} policy=${policy} sitting=${sitting} onTap=${onTap} />`
        : html`<${TableOver} rules=${rules} sitting=${sitting} onTap=${onTap} />`}
    ${people && html`<${TablePeople} rules=${rules} table=${table} sitting=${sitting} onTap=${onTap} onClose=${() => setPeople(false)} />`}
  </main>`;
}

/** @param {{rules: Rules, policy: PocketPolicy | null, sitting: Sitting, onTap: (tap: Tap) => void}} props */
function Bids({ rules, policy, sitting, onTap }) {
  const { manners } = sitting;
  // The pad goes back to its first rows with another round, and not when something is said of a player.
  const round = useMemo(() => sitting.round, [rules, sitting.round.opener, sitting.round.history.join()]);
  const hand = sitting.hands[0] ?? [];
  const [numbers, setNumbers] = useState(false);
  const own = round.turn === 0;
  const said = manners.join();
  const people = useMemo(() => manners.map((manner) => manner && personWho(rules, manner)), [rules, said]);
  const advice = useMemo(() => (own ? advise(rules, policy, round, hand, people) : null), [rules, policy, round, own, people]);
  const chance = useChances(rules, policy, round, hand, people);
  const last = standing(round);
  const lastChance = last ? chance(last.bid.id) : null;
  const nameOf = (/** @type {number} */ seat) => placeName(seat, rules.players);
  const act = (/** @type {number} */ action) => onTap({ act: action });
  const known = { rounds: sitting.rounds, nameOf, manners: manners.map((manner) => (manner ? mannerInWords(manner) : "")) };
  return html`<section class="advice">
      <p class="who">${last ? html`${withManner(nameOf(last.seat), manners[last.seat])} ${bidInWords(last.bid)}` : say("{name} to open", { name: nameOf(round.turn) })}</p>
      <p class="huge">
        ${advice
          ? html`<button class="advice-now" onClick=${() => setNumbers(true)}>${actionInWords(rules, advice.best)}</button>`
          : say("{name} to act", { name: nameOf(round.turn) })}
      </p>
      ${advice && advice.equal.length > 0 && html`<p class="others-good">${othersInWords(advice)}</p>`}
      ${lastChance !== null && html`<p class="last-chance" style=${`--chance: ${lastChance}`}>${say("The last bid holds: {chance}", { chance: percent(lastChance) })}</p>`}
      <${BidsMade} round=${round} nameOf=${nameOf} most=${MOST_BIDS} />
    </section>
    <div class="own" role="group" aria-label=${say("Your dice")}><${Dice} faces=${hand} /></div>
    <${Pad} round=${round} chance=${chance} active=${true} advised=${advice?.best ?? null} onBid=${act}>
      <${Challenges} round=${round} active=${true} advised=${advice?.best ?? null} onAct=${act} />
    <//>
    ${numbers && advice && html`<${Numbers} round=${round} hand=${hand} seats=${manners} policy=${policy} advice=${advice} table=${known} onClose=${() => setNumbers(false)} />`}`;
}

/** Return a name with how its bearer bids, if that is known.
 * @param {string} name
 * @param {import("../policy/people.js").Manner | null | undefined} manner */
function withManner(name, manner) {
  return manner ? noted(name, mannerInWords(manner)) : name;
}
