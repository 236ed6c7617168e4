/** What the policy plays with every hand: `#/explore/RULES/PLAYERS/ACTIONS`, the actions of the round
 * so far with "-" between them. */

import { isEnding, newRound, play } from "../game/round.js";
import { exploreAddress } from "../match/addresses.js";
import { Bar } from "../parts/bar.js";
import { actionInWords } from "../parts/bid.js";
import { Choice } from "../parts/choice.js";
import { Dice } from "../parts/die.js";
import { colourOf, HandCells } from "../parts/hand_cells.js";
import { figureInWords } from "../parts/hint.js";
import { useRules, Waiting } from "../parts/loading.js";
import { Sheet } from "../parts/sheet.js";
import { useStateOf } from "../parts/state_of.js";
import { gridAt } from "../policy/hand_grid.js";
import { html, useEffect, useMemo, useState } from "../vendor/htm-preact.js";
import { inLanguage, percent, say } from "../words.js";
import { eachOnce, useIndex } from "./rules.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../game/round.js").Round} Round */
/** @typedef {import("../policy/policy.js").PocketPolicy} PocketPolicy */
/** @typedef {import("../policy/hand_grid.js").GridHand} GridHand */
/** @typedef {import("../policy/hand_grid.js").Arrangement} Arrangement */

/** The number of bids whose positions are read ahead, and the milliseconds between them. */
const [AHEAD, PAUSE] = [4, 400];

/** @param {{path: string[]}} props */
export function ExploreScreen({ path }) {
  const name = path[0] || "zhaifei";
  const players = Number(path[1]) || 2;
  const { rules, policy, failed, lost } = useRules(name, players);
  const round = useMemo(() => rules && roundAt(rules, path[2] ?? ""), [rules, path[2]]);
  return html`<main class="page explore">
    <${Bar} title=${say("Explorer")} rules=${`rules/${name}/${players}`} />
    ${rules && round
      ? html`<${Trail} round=${round} />
          ${round.history.length === 0 && html`<${Games} name=${name} players=${players} />`}
          ${policy
            ? html`<${Position} round=${round} policy=${policy} />`
            : html`<p class="waiting" role="status">${withoutPolicy(rules, lost)}</p>`}`
      : html`<${Waiting} failed=${failed} />`}
  </main>`;
}

/** @param {Rules} rules
 * @param {boolean} lost */
function withoutPolicy(rules, lost) {
  if (rules.policy === null) return say("There is no policy for this table.");
  return lost ? say("The policy could not be loaded. Once you are online, open the page again.") : "斋飞";
}

/** The games with a policy, to choose from.
 * @param {{name: string, players: number}} props */
function Games({ name, players }) {
  const solved = useIndex().filter((one) => one.solved);
  const sizes = (/** @type {string} */ chosen) => solved.filter((one) => one.name === chosen).map((one) => one.players);
  /** @param {string} chosen
   * @param {number} size */
  const go = (chosen, size) => {
    location.hash = exploreAddress({ name: chosen, players: size }, []);
  };
  return html`<div class="paper">
    <${Choice}
      name=${say("Players")}
      options=${sizes(name).map((value) => ({ value, text: value }))}
      chosen=${players}
      onChoose=${(/** @type {number} */ size) => go(name, size)}
    />
    <${Choice}
      name=${say("Rules")}
      options=${eachOnce(solved).map(({ name: value, title }) => ({ value, text: inLanguage(title) }))}
      chosen=${name}
      onChoose=${(/** @type {string} */ chosen) => go(chosen, sizes(chosen).includes(players) ? players : (sizes(chosen)[0] ?? 2))}
    />
  </div>`;
}

/** Return the round after the actions of an address, or as far as they are legal bids.
 * @param {Rules} rules
 * @param {string} actions */
function roundAt(rules, actions) {
  let round = newRound(rules, 0);
  for (const action of actions.split("-").filter(Boolean).map(Number)) {
    try {
      if (isEnding(rules, action)) return round;
      round = play(round, action);
    } catch {
      return round;
    }
  }
  return round;
}

/** The bids so far, each a link to the position after it.
 * @param {{round: Round}} props */
function Trail({ round }) {
  const { rules, history } = round;
  return html`<nav class="others" aria-label=${say("Bids of the round")}>
    <a href=${exploreAddress(rules, [])} aria-current=${history.length === 0 ? "page" : null}>${say("Opening")}</a>
    ${history.map(
      (bid, place) => html`<a
        key=${place}
        href=${exploreAddress(rules, history.slice(0, place + 1))}
        aria-current=${place === history.length - 1 ? "page" : null}
        >${actionInWords(rules, bid)}</a
      >`,
    )}
  </nav>`;
}

/** @param {{round: Round, policy: PocketPolicy}} props */
function Position({ round, policy }) {
  const grid = useMemo(() => gridAt(policy, round), [policy, round]);
  useAhead(policy, round, grid?.played ?? []);
  const [arrangement, setArrangement] = useState(/** @type {Arrangement} */ ("ones"));
  const [hand, setHand] = /** @type {typeof useStateOf<GridHand>} */ (useStateOf)(round);
  if (!grid) return html`<p class="paper">${say("The policy has no line here. Go back to one of its bids.")}</p>`;
  const actions = grid.played.map(({ action }) => action);
  const ways = [
    { value: "ones", text: say("Ones") },
    { value: "shape", text: say("Shape") },
    { value: "order", text: say("Order") },
  ];
  return html`<div class="paper">
      <p>${say("What the policy plays here. Tap a bid to go on, or a hand to see its row.")}</p>
      <${Legend} round=${round} played=${grid.played} />
      <${Choice} name=${say("Arranged by")} options=${ways} chosen=${arrangement} onChoose=${setArrangement} />
    </div>
    <${HandCells} hands=${grid.hands} actions=${actions} arrangement=${arrangement} onTap=${setHand} />
    <p class="small-print">${figureInWords(round.rules, policy)}</p>
    ${hand && html`<${Row} rules=${round.rules} hand=${hand} actions=${actions} onClose=${() => setHand(null)} />`}`;
}

/** Read what follows the likeliest bids while the position is looked at, so that the next one comes at
 * once. A part takes some tenths of a second on a slow phone.
 * @param {PocketPolicy} policy
 * @param {Round} round
 * @param {import("../policy/hand_grid.js").Played[]} played */
function useAhead(policy, { rules, history }, played) {
  useEffect(() => {
    const bids = played.map(({ action }) => action).filter((action) => !isEnding(rules, action)).slice(0, AHEAD);
    const timers = bids.map((bid, place) => setTimeout(() => policy.prepare([...history, bid]), (place + 1) * PAUSE));
    return () => timers.forEach(clearTimeout);
  }, [policy, history]);
}

/** The actions played, with their colours; bids lead on.
 * @param {{round: Round, played: import("../policy/hand_grid.js").Played[]}} props */
function Legend({ round, played }) {
  const { rules, history } = round;
  return html`<ul class="legend">
    ${played.map(({ action, share }, place) => {
      const words = html`<i class="swatch" style=${`--colour: ${colourOf(place)}`}></i>
        <b>${actionInWords(rules, action)}</b> ${percent(share)}`;
      const address = exploreAddress(rules, [...history, action]);
      return html`<li key=${action}>
        ${isEnding(rules, action) ? html`<span>${words}</span>` : html`<a href=${address}>${words}</a>`}
      </li>`;
    })}
  </ul>`;
}

/** What is played with one hand.
 * @param {{rules: Rules, hand: GridHand, actions: number[], onClose: () => void}} props */
function Row({ rules, hand, actions, onClose }) {
  const rows = [...hand.shares].sort((one, other) => other[1] - one[1]);
  return html`<${Sheet} title=${say("Dice {faces}", { faces: hand.faces.join(" ") })} onClose=${onClose}>
    <${Dice} faces=${hand.faces} />
    ${!hand.reached && html`<p class="quiet">${say("The policy does not come here with this hand.")}</p>`}
    <table class="numbers">
      <tbody>
        ${rows.map(
          ([action, share]) => html`<tr key=${action}>
            <th scope="row">${actionInWords(rules, action)}</th>
            <td><i class="share" style=${`--share: ${share}; background: ${colourOf(actions.indexOf(action))}`}></i>${percent(share)}</td>
          </tr>`,
        )}
      </tbody>
    </table>
  <//>`;
}
