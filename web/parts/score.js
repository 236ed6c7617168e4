/** The score of a match in words. */

import { diceLeft, scoreOf } from "../match/score.js";
import { say, sayNumber } from "../words.js";

/** Return what a seat has, as it is shown beside its name: points, or the dice that it has left.
 * @param {{goal?: import("../match/match.js").Goal, points: readonly number[]}} match
 * @param {number} seat */
export function scoreInWords(match, seat) {
  const score = scoreOf(match, seat);
  if (diceLeft(match) === null) return String(score);
  return score === 0 ? say("Out") : sayNumber("{n} die left", "{n} dice left", score);
}
