/** Who made which bid of a round. */

import { moversOf, sayAction } from "../game/round.js";

/** @typedef {import("../game/rules.js").Bid} Bid */
/** @typedef {import("../game/round.js").Round} Round */

/** Return the actions of a round and who took them, in order.
 * @param {Round} round
 * @returns {{action: number, seat: number}[]} */
export function moves(round) {
  const seats = moversOf(round);
  const bids = round.history.map((action, place) => ({ action, seat: seats[place] ?? 0 }));
  const { ending, ender } = round;
  return ending === null || ender === null ? bids : [...bids, { action: ending, seat: ender }];
}

/** Return the bids of a round and who made them, in order.
 * @param {Round} round
 * @returns {{bid: Bid, seat: number}[]} */
export function bidsMade(round) {
  return moves(round).flatMap(({ action, seat }) => {
    const { kind, bid } = sayAction(round.rules, action);
    return kind === "bid" && bid ? [{ bid, seat }] : [];
  });
}

/** Return each seat's last bid of the round, null for a seat that has made none.
 * @param {Round} round
 * @returns {(Bid | null)[]} */
export function lastBids(round) {
  /** @type {(Bid | null)[]} */
  const bids = Array.from({ length: round.rules.players }, () => null);
  for (const { bid, seat } of bidsMade(round)) bids[seat] = bid;
  return bids;
}

/** Return the last bid of a round and who made it, or null at the start.
 * @param {Round} round
 * @returns {{bid: Bid, seat: number} | null} */
export function standing(round) {
  return bidsMade(round).pop() ?? null;
}
