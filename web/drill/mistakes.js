/** Mistakes as exercises. */

import { isMistake } from "../match/review.js";
import { dueAt, placeOf } from "./exercises.js";

/** @typedef {import("../match/match.js").Played} Played */
/** @typedef {import("../match/review.js").Decision} Decision */
/** @typedef {import("./exercises.js").Exercise} Exercise */

/** The most exercises that are kept, of about 500 bytes each. */
export const MOST = 200;

/** Return the mistakes among decisions of a match.
 * @param {Pick<Played, "begun" | "seats">} match
 * @param {Decision[]} decisions
 * @returns {Exercise[]} */
export function mistakesIn({ begun, seats }, decisions) {
  return decisions.filter(isMistake).map(({ round, hand, action }) => ({
    match: begun,
    rules: round.rules.name,
    seats,
    opener: round.opener,
    history: [...round.history],
    hand: [...hand],
    action,
    card: null,
  }));
}

/** Return the exercises with mistakes added. A mistake that is made again begins anew.
 * @param {Exercise[]} exercises
 * @param {Exercise[]} mistakes
 * @param {Date} now
 * @returns {Exercise[]} */
export function withMistakes(exercises, mistakes, now) {
  const all = new Map(exercises.map((one) => [placeOf(one), one]));
  for (const one of mistakes) {
    const before = all.get(placeOf(one));
    if (!before || Date.parse(before.match) < Date.parse(one.match)) all.set(placeOf(one), one);
  }
  return bounded([...all.values()], now);
}

/** Return the exercises that are kept. Dropped are those that come last, as they are known best, and
 * those that have waited longest.
 * @param {Exercise[]} exercises
 * @param {Date} now */
function bounded(exercises, now) {
  const away = (/** @type {Exercise} */ one) => Math.abs(Number(dueAt(one)) - Number(now));
  return exercises.sort((one, other) => away(one) - away(other)).slice(0, MOST);
}
