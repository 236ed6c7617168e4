/** Two positions side by side. */

import { gridAt, selected } from "../policy/hand_grid.js";
import { html, useMemo } from "../vendor/htm-preact.js";
import { say } from "../words.js";
import { sideBySide } from "./differences.js";
import { addressOf, turnTo } from "./links.js";
import { SharesOfBoth } from "./shares_of_both.js";
import { spotInWords } from "./spot_in_words.js";
import { isSameSpot } from "./spots.js";

/** @typedef {import("../policy/hand_grid.js").GridHand} GridHand */
/** @typedef {import("../policy/hand_grid.js").Selected} Selected */
/** @typedef {import("../policy/policy.js").PocketPolicy} PocketPolicy */
/** @typedef {import("./place.js").Place} Place */

/** What the policy plays at the position that is kept beside, null where it has no line.
 * @typedef {{grid: GridHand[] | null, found: Selected | null}} Beside */

/** Return what is kept beside a place, if it is another position.
 * @param {PocketPolicy} policy
 * @param {Place} place
 * @returns {Beside | null} */
export function useBeside(policy, { round, held, beside }) {
  const isOther = beside !== null && !isSameSpot(beside, { round, held });
  return useMemo(() => {
    if (!beside || !isOther) return null;
    const grid = gridAt(policy, beside.round);
    return { grid, found: grid && selected(beside.round.rules, grid, beside.held) };
  }, [policy, beside, isOther]);
}

/** @param {{place: Place, here: Selected | null, beside: Beside | null}} props */
export function Compared({ place, here, beside }) {
  const { round, held, beside: kept } = place;
  if (!kept) return null;
  const swapped = addressOf({ ...place, ...kept, beside: { round, held } });
  return html`<section class="paper compared">
    <h2>${say("Compared")}</h2>
    ${beside
      ? html`<p>${say("Here: {spot}", { spot: spotInWords(place) })}</p>
          <a class="second" href=${swapped}>${say("There: {spot}", { spot: spotInWords(kept) })}</a>
          ${here && beside.found
            ? html`<${SharesOfBoth} rules=${round.rules} rows=${sideBySide(here.played, beside.found.played)} />`
            : html`<p class="quiet">${say("The policy does not have a line at both.")}</p>`}`
      : html`<p class="quiet">${say("This position is kept. Go on to another one, or tap dice, to see both side by side.")}</p>`}
    <button class="plain" onClick=${() => turnTo({ ...place, beside: null })}>${say("Stop Comparing")}</button>
  </section>`;
}
