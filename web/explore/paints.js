/** How the map colours hands. A paint returns the stops of a gradient, or null for a hand that does not
 * come up. Hands are named by their faces. */

import { stripes, tint } from "../parts/hand_cells.js";
import { partsLeft } from "../policy/hand_grid.js";
import { differenceOf } from "./differences.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../policy/hand_grid.js").GridHand} GridHand */
/** @typedef {ReadonlyMap<string, GridHand>} ByName */
/** @typedef {(name: string) => string | null} Paint */

/** Return the hands by their names.
 * @param {readonly GridHand[] | null} grid
 * @returns {ByName} */
export function byName(grid) {
  return new Map((grid ?? []).map((hand) => [hand.faces.join(""), hand]));
}

/** By what is played with each hand.
 * @param {ByName} hands
 * @param {number[]} actions  those played, most often first
 * @returns {Paint} */
export function playedPaint(hands, actions) {
  return (name) => {
    const hand = hands.get(name);
    return hand && hand.weight > 0 ? stripes(hand, actions) : null;
  };
}

/** By how often each hand bids so.
 * @param {Rules} rules
 * @param {ArrayLike<number>} range  [hand]
 * @returns {Paint} */
export function rangePaint(rules, range) {
  const parts = partsLeft(rules, range);
  return (name) => {
    const part = parts[rules.tables.hands.get(name) ?? 0] ?? 0;
    return part > 0 ? tint(part) : null;
  };
}

/** By how much of what is played differs.
 * @param {ByName} here
 * @param {ByName} there
 * @returns {Paint} */
export function differencePaint(here, there) {
  return (name) => {
    const difference = differenceOf(here.get(name), there.get(name));
    return difference === null ? null : tint(difference);
  };
}
