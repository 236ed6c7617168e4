/** What is known of one hand. */

import { actionInWords } from "../parts/bid.js";
import { Dice } from "../parts/die.js";
import { colourOf } from "../parts/hand_cells.js";
import { Sheet } from "../parts/sheet.js";
import { html } from "../vendor/htm-preact.js";
import { percent, say, sentences } from "../words.js";
import { differenceOf, sideBySide } from "./differences.js";
import { smallShare } from "./shares.js";
import { SharesOfBoth } from "./shares_of_both.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../policy/hand_grid.js").GridHand} GridHand */

/** What is played with one hand.
 * @param {{
 *   rules: Rules, hand: GridHand, actions: number[], onHold: (hand: readonly number[]) => void, onClose: () => void,
 * }} props */
export function HandSheet({ rules, hand, actions, onHold, onClose }) {
  const rows = [...hand.shares].sort((one, other) => other[1] - one[1]);
  return html`<${Sheet} title=${say("Dice {faces}", { faces: hand.faces.join(" ") })} onClose=${onClose}>
    <${Dice} faces=${hand.faces} />
    ${hand.weight === 0 && html`<p class="quiet">${say("The policy does not come here with this hand.")}</p>`}
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
    <button class="second" onClick=${() => onHold(hand.faces)}>${say("Select This Hand")}</button>
  <//>`;
}

/** What is played with one hand at two positions.
 * @param {{rules: Rules, here: GridHand, there: GridHand, onClose: () => void}} props */
export function DifferenceSheet({ rules, here, there, onClose }) {
  const difference = differenceOf(here, there);
  const [own, other] = [here, there].map(({ shares }) => [...shares].map(([action, share]) => ({ action, share })));
  return html`<${Sheet} title=${say("Dice {faces}", { faces: here.faces.join(" ") })} onClose=${onClose}>
    <${Dice} faces=${here.faces} />
    <p>${difference === null ? say("The policy does not come to both positions with this hand.") : say("{share} of what is played differs.", { share: percent(difference) })}</p>
    <${SharesOfBoth} rules=${rules} rows=${sideBySide(own ?? [], other ?? [])} />
  <//>`;
}

/** How likely one hand is.
 * @param {{faces: readonly number[], name: string, share: number, dealt: number, onClose: () => void}} props
 *   name: of the player; dealt: how often the hand is dealt */
export function LikelySheet({ faces, name, share, dealt, onClose }) {
  return html`<${Sheet} title=${say("Dice {faces}", { faces: faces.join(" ") })} onClose=${onClose}>
    <${Dice} faces=${faces} />
    <p>${sentences([
      say("After these bids {name} has this hand {share} of the time.", { name, share: smallShare(share) }),
      say("It is dealt {share} of the time.", { share: smallShare(dealt) }),
    ])}</p>
  <//>`;
}
