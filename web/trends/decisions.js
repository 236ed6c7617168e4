/** Decisions of matches that were reviewed, as they are kept: trends need no rules and no policy. */

import { bidOf, sayAction } from "../game/round.js";

/** @typedef {import("../match/review.js").Decision} Decision */
/** @typedef {import("../match/review.js").Grade} Grade */
/** @typedef {import("../game/round.js").Said} Said */
/** @typedef {import("../game/rules.js").Bid} Bid */

/** @typedef {object} Kept
 * @property {number} round  of the match, from 1
 * @property {"opening" | "later" | "challenge"} kind  a challenge is whatever is no bid
 * @property {Said["kind"]} said
 * @property {Pick<Bid, "mode" | "count" | "face">} bid  that was made or, by other actions, answered
 * @property {number} place  of the seat: 0 opens the round, 1 is the next, and so on
 * @property {Grade} grade */

/** Return what is kept of a decision.
 * @param {Decision} decision
 * @param {number} number  of its round
 * @returns {Kept} */
export function keptOf({ round, action, grade }, number) {
  const { rules, opener, turn, history } = round;
  const { kind: said, bid: made, distance = 1 } = sayAction(rules, action);
  const { mode, count, face } = made ?? bidOf(rules, history[history.length - distance] ?? 0);
  const isBid = said === "bid";
  return {
    round: number,
    kind: !isBid ? "challenge" : history.length === 0 ? "opening" : "later",
    said,
    bid: { mode, count, face },
    place: (turn - opener + rules.players) % rules.players,
    grade,
  };
}
