/** Locking an action: which one, and how often it is taken. */

import { legalActions } from "../game/round.js";
import { actionInWords } from "../parts/bid.js";
import { Choice } from "../parts/choice.js";
import { Sheet } from "../parts/sheet.js";
import { html, useState } from "../vendor/htm-preact.js";
import { percent, say } from "../words.js";
import { spotInWords } from "./spot_in_words.js";

/** @typedef {import("./locks.js").Lock} Lock */
/** @typedef {import("./spots.js").Spot} Spot */
/** @typedef {import("../policy/hand_grid.js").Played} Played */

/** How often a locked action may be taken, in percent. */
const OFTEN = [100, 75, 50, 25];

/** @param {{spot: Spot, played: Played[], onLock: (lock: Lock) => void, onClose: () => void}} props
 *   played: what the policy plays there, which comes first in the list */
export function LockSheet({ spot, played, onLock, onClose }) {
  const { round, held } = spot;
  const shares = new Map(played.map((one) => [one.action, one.share]));
  const actions = [...shares.keys(), ...legalActions(round).filter((action) => !shares.has(action))];
  const [action, setAction] = useState(actions[0] ?? 0);
  const [often, setOften] = useState(OFTEN[0] ?? 100);
  const chosen = (/** @type {Event} */ event) => setAction(Number(/** @type {HTMLSelectElement} */ (event.target).value));
  return html`<${Sheet} title=${say("Lock an Action")} onClose=${onClose}>
    <p class="quiet">${spotInWords(spot)}</p>
    <label class="field">
      <span>${say("Action")}</span>
      <select onChange=${chosen}>
        ${actions.map((one) => html`<option key=${one} value=${one} selected=${one === action}>${optionInWords(round, one, shares.get(one))}</option>`)}
      </select>
    </label>
    <${Choice} name=${say("How Often")} options=${OFTEN.map((value) => ({ value, text: percent(value / 100) }))} chosen=${often} onChoose=${setOften} />
    ${often < 100 && html`<p class="quiet">${say("Otherwise these hands play as before.")}</p>`}
    <button class="main wide" onClick=${() => onLock({ round, held, action, percent: often })}>${say("Lock")}</button>
  <//>`;
}

/** @param {import("../game/round.js").Round} round
 * @param {number} action
 * @param {number | undefined} share  how often the policy takes it */
function optionInWords({ rules }, action, share) {
  const words = actionInWords(rules, action);
  return share === undefined ? words : say("{action} (now {share})", { action: words, share: percent(share) });
}
