/** Cards of rules of thumb, as Python writes them (`app/pocket/cards.py`). */

import { dataUrl } from "../game/rules.js";

/** @typedef {"fei" | "zhai"} Mode */

/** A bid in words. `mode` null keeps the mode and the face of the last bid. `extra`: how many dice
 * more than must be. `count`: how many, if it opens. `high`: of several such faces the highest.
 * @typedef {{mode: Mode | null, extra: number, count: number | null, high: boolean}} ThumbBid */
/**
 * @typedef {object} Thumb
 * @property {Mode | null} after  the mode of the last bid, null to open
 * @property {[number, number | null] | null} own  the most dice of a face, from and to; null for a
 *   challenge. Ones are included where you open.
 * @property {ThumbBid | null} bid
 * @property {{missing: number, chance: number} | null} challenge  `missing`: the number of the others'
 *   dice that the bid needs, or more; `chance`: that this number counts
 * @property {number} arises  the share of the policy's decisions to which it applies
 * @property {number} right  the share of those in which the policy does so
 */
/**
 * @typedef {object} Card
 * @property {number} players
 * @property {number} right  the share of decisions in which the policy does what the card says
 * @property {number} cost  points a round that the card loses among copies of the policy
 * @property {number} margin  half of its 95% confidence interval
 * @property {Thumb[]} thumbs
 */

/** For how many players there is a card. */
export const SIZES = [2, 3, 4, 5, 6];

/** Load a card.
 * @param {number} players
 * @returns {Promise<Card>} */
export async function loadCard(players) {
  const answer = await fetch(dataUrl(`cards/zhaifei-${players}.json`));
  if (!answer.ok) throw new Error(`${players}: ${answer.status}`);
  return answer.json();
}
