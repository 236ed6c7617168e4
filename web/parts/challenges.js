/** What ends the bidding: a challenge above all, and doubles, giving up or earlier bids where the
 * rules have them. */

import { isEnding, legalActions, sayAction } from "../game/round.js";
import { html } from "../vendor/htm-preact.js";
import { actionInWords } from "./bid.js";

/** @typedef {import("../game/round.js").Round} Round */

/** Return the legal actions that are no bids, the challenge first.
 * @param {Round} round */
export function otherActions(round) {
  const { rules } = round;
  const others = legalActions(round).filter(
    (action) => isEnding(rules, action) || sayAction(rules, action).kind !== "bid",
  );
  const place = (/** @type {number} */ action) => (isChallenge(rules, action) ? 0 : 1);
  return others.sort((one, other) => place(one) - place(other));
}

/** The keys of actions.
 * @type {Partial<Record<import("../game/round.js").Said["kind"], string>>} */
const KEYS = { challenge: "C", decline: "N" };

/** @param {import("../game/rules.js").Rules} rules
 * @param {number} action */
function isChallenge(rules, action) {
  return sayAction(rules, action).kind === "challenge";
}

/** @param {{
 *   round: Round, active: boolean, advised: number | null, onAct: (action: number) => void,
 * }} props */
export function Challenges({ round, active, advised, onAct }) {
  const found = otherActions(round);
  const kinds = found.map((action) => sayAction(round.rules, action).kind);
  return html`<div class="challenges">
    ${found.map(
      (action, place) =>
        html`<button
          key=${action}
          class=${kinds[place] === "challenge" ? "main" : "second"}
          data-action=${action}
          disabled=${!active}
          data-advised=${advised === action}
          aria-keyshortcuts=${KEYS[kinds[place] ?? "bid"] ?? null}
          onClick=${() => onAct(action)}
        >
          ${actionInWords(round.rules, action)}
        </button>`,
    )}
  </div>`;
}
