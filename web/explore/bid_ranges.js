/** What the players who have bid may hold. */

import { moversOf } from "../game/round.js";
import { rangesOf } from "../policy/ranges.js";

/** @typedef {import("../game/round.js").Round} Round */
/** @typedef {import("../policy/hand_grid.js").GridHand} GridHand */
/** @typedef {import("../policy/policy.js").PocketPolicy} PocketPolicy */

/** Return the seats that have bid, in their order.
 * @param {Round} round
 * @returns {number[]} */
export function haveBid(round) {
  return [...new Set(moversOf(round).slice(0, -1))].sort((one, other) => one - other);
}

/** Return [hand] how likely each hand of a seat is. For the player in turn these are the weights by
 * which what is played is counted, where the policy has a line.
 * @param {PocketPolicy} policy
 * @param {Round} round
 * @param {GridHand[] | null} grid
 * @param {number} seat
 * @returns {Float64Array} */
export function rangeOf(policy, round, grid, seat) {
  const { rules } = round;
  const isOwn = seat === round.turn && grid?.some(({ weight }) => weight > 0);
  const range = Float64Array.from(isOwn ? rules.tables.prior : (rangesOf(rules, policy, round)[seat] ?? rules.tables.prior));
  if (isOwn) for (const { faces, weight } of grid ?? []) range[rules.tables.hands.get(faces.join("")) ?? 0] = weight;
  return range;
}
