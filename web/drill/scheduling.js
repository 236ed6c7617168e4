/** When an exercise comes again, by the scheduler FSRS: the better an answer is remembered, the
 * longer it waits. */

import { createEmptyCard, fsrs, Rating } from "../vendor/ts-fsrs.js";

/** @typedef {import("./exercises.js").Exercise} Exercise */
/** @typedef {import("../match/review.js").Grade} Grade */

/** Whole days alone: nobody waits ten minutes for the same position. */
const SCHEDULER = fsrs({ enable_short_term: false, enable_fuzz: false });

/** Return an exercise after an answer.
 * @param {Exercise} exercise
 * @param {Grade | null} grade  null if the answer was shown at once
 * @param {Date} now
 * @returns {Exercise} */
export function answered(exercise, grade, now) {
  const card = cardAfter(exercise.card, ratingOf(grade), now);
  return { ...exercise, card: JSON.parse(JSON.stringify(card)) };
}

/** Return a card after a rating. One that cannot be scheduled begins anew: the clock was set back, or
 * what was kept is damaged.
 * @param {Exercise["card"]} card
 * @param {1 | 2 | 3 | 4} rating
 * @param {Date} now */
function cardAfter(card, rating, now) {
  const fresh = createEmptyCard(now);
  try {
    return SCHEDULER.next(card ?? fresh, now, rating).card;
  } catch {
    return SCHEDULER.next(fresh, now, rating).card;
  }
}

/** @param {Grade | null} grade */
function ratingOf(grade) {
  if (grade === "often" || grade === "advised") return Rating.Good;
  return grade === "sometimes" ? Rating.Hard : Rating.Again;
}
