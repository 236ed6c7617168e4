/** Matches in stretches of time: who won, and at how many points a round. */

import { winners } from "../match/score.js";

/** @typedef {import("../match/match.js").Played} Played */

/** A stretch of matches that follow each other.
 * @typedef {object} Stretch
 * @property {Played[]} matches  the newest first
 * @property {number} won
 * @property {number} own  points that you took, a round
 * @property {number} others  points that each of the others took, a round, in the mean */

const SHORT = 5;
const LONG = 10;

/** Return whether points were taken in a match, and no dice lost.
 * @param {Played} match */
export function isForPoints({ goal }) {
  return goal === undefined;
}

/** Return all matches in stretches, the newest first; the last of them may be shorter.
 * @param {readonly Played[]} records  the newest first
 * @returns {Stretch[]} */
export function stretches(records) {
  const size = records.length < 2 * LONG ? SHORT : LONG;
  return Array.from({ length: Math.ceil(records.length / size) }, (_, place) =>
    stretchOf(records.slice(place * size, (place + 1) * size)),
  );
}

/** @param {Played[]} matches
 * @returns {Stretch} */
function stretchOf(matches) {
  const sum = (/** @type {(match: Played) => number} */ part) => matches.reduce((all, one) => all + part(one), 0);
  const rounds = Math.max(1, sum((match) => match.rounds));
  return {
    matches,
    won: sum((match) => Number(winners(match.points).includes(seatOf(match)))),
    own: sum((match) => match.points[seatOf(match)] ?? 0) / rounds,
    others: sum(meanOfOthers) / rounds,
  };
}

/** @param {Played} match */
function seatOf({ seats }) {
  return seats.indexOf(null);
}

/** @param {Played} match */
function meanOfOthers(match) {
  const others = match.points.filter((_, seat) => seat !== seatOf(match));
  return others.reduce((all, one) => all + one, 0) / Math.max(1, others.length);
}
