/** Dice by which hands are selected: tap one to add it, and one of those that are held to take it away. */

import { Die } from "../parts/die.js";
import { html } from "../vendor/htm-preact.js";
import { say, sayNumber } from "../words.js";
import { smallShare } from "./shares.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../policy/hand_grid.js").Selected} Selected */

/** @param {{rules: Rules, held: readonly number[], selected: Selected | null, onChange: (held: number[]) => void}} props
 *   selected: what the policy plays with these dice, null where it has no line */
export function HeldDice({ rules, held, selected, onChange }) {
  const faces = Array.from({ length: rules.faces }, (_, place) => place + 1);
  const without = (/** @type {number} */ place) => onChange(held.filter((_, other) => other !== place));
  const withFace = (/** @type {number} */ face) => onChange([...held, face].sort((one, other) => one - other));
  return html`<div class="choice" role="group" aria-label=${say("Dice in Hand")}>
    <span class="choice-name">${say("Dice in Hand")}</span>
    ${held.length > 0 &&
    html`<div class="held-dice">
      ${held.map(
        (face, place) => html`<button key=${place} class="held-die" aria-label=${say("Take away a {face}", { face })} onClick=${() => without(place)}>
          <${Die} face=${face} />
        </button>`,
      )}
    </div>`}
    ${held.length < rules.dice &&
    html`<div class="choice-options dice-to-hold">
      ${faces.map(
        (face) => html`<button key=${face} type="button" aria-label=${say("Add a {face}", { face })} onClick=${() => withFace(face)}>
          <${Die} face=${face} />
        </button>`,
      )}
    </div>`}
    <p class="quiet">${selectedInWords(held, selected)}</p>
  </div>`;
}

/** @param {readonly number[]} held
 * @param {Selected | null} selected */
function selectedInWords(held, selected) {
  if (held.length === 0) return say("All hands. Tap dice to see only those that have them.");
  if (selected === null) return "";
  if (!selected.reached) return say("The policy does not come here with these dice. Their shares are for hands as dealt.");
  const share = smallShare(selected.share);
  return sayNumber("{n} hand, {share} of what the player may hold", "{n} hands, {share} of what the player may hold", selected.hands.size, { share });
}
