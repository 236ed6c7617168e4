/** How two positions differ in what is played. */

/** @typedef {import("../policy/hand_grid.js").GridHand} GridHand */
/** @typedef {import("../policy/hand_grid.js").Played} Played */

/** An action, and how often it is played at either position.
 * @typedef {{action: number, here: number, there: number}} Both */

/** Return the actions of two positions, those most often played at either first.
 * @param {readonly Played[]} here
 * @param {readonly Played[]} there
 * @returns {Both[]} */
export function sideBySide(here, there) {
  const [own, other] = [sharesOf(here), sharesOf(there)];
  const actions = [...new Set([...own.keys(), ...other.keys()])];
  return actions
    .map((action) => ({ action, here: own.get(action) ?? 0, there: other.get(action) ?? 0 }))
    .sort((one, two) => Math.max(two.here, two.there) - Math.max(one.here, one.there) || one.action - two.action);
}

/** @param {readonly Played[]} played */
function sharesOf(played) {
  return new Map(played.map(({ action, share }) => [action, share]));
}

/** Return how much of what is played with a hand differs, from 0 to 1; null if it does not come to both
 * positions.
 * @param {GridHand | undefined} here
 * @param {GridHand | undefined} there */
export function differenceOf(here, there) {
  if (!here || !there || here.weight === 0 || there.weight === 0) return null;
  const actions = new Set([...here.shares.keys(), ...there.shares.keys()]);
  let sum = 0;
  for (const action of actions) sum += Math.abs((here.shares.get(action) ?? 0) - (there.shares.get(action) ?? 0));
  return Math.min(sum / 2, 1);
}
