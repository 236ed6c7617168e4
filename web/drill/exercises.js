/** The exercises of the drill, and which of them are due. It loads nothing, as the first screen
 * counts them. */

/** A decision of a match that was played, to be made again.
 * @typedef {object} Exercise
 * @property {string} match  when the match began, in ISO format
 * @property {string} rules  the name of the rules
 * @property {(string | null)[]} seats  who sat there: the id of an opponent, or null for you
 * @property {number} opener  a seat
 * @property {number[]} history  the actions before the decision
 * @property {number[]} hand  yours
 * @property {number} action  what you did
 * @property {import("../vendor/ts-fsrs.js").KeptCard | null} card  when it comes again; null until
 *   it was answered once */
/** @typedef {{exercises: Exercise[], searched: string[]}} Drill
 *   `searched`: when the matches began that were searched for mistakes */

/** @type {Drill} */
export const NO_DRILL = { exercises: [], searched: [] };

/** @type {(keyof import("../vendor/ts-fsrs.js").KeptCard)[]} */
const NUMBERS = [
  "stability", "difficulty", "elapsed_days", "scheduled_days", "learning_steps", "reps", "lapses", "state",
];

/** Return whether what was kept is a drill. Throws where parts of it are missing.
 * @param {any} kept
 * @returns {boolean} */
export function isDrill({ exercises, searched }) {
  return Array.isArray(searched) && exercises.every(isExercise);
}

/** @param {any} kept */
function isExercise({ match, rules, seats, opener, history, hand, action, card }) {
  return (
    isDate(match) &&
    typeof rules === "string" &&
    [seats, history, hand].every(Array.isArray) &&
    [opener, action].every(Number.isInteger) &&
    (card === null || isCard(card))
  );
}

/** @param {any} kept */
function isCard(kept) {
  return isDate(kept.due) && isDate(kept.last_review) && NUMBERS.every((name) => Number.isFinite(kept[name]));
}

/** @param {unknown} kept */
function isDate(kept) {
  return typeof kept === "string" && Number.isFinite(Date.parse(kept));
}

/** Return what tells exercises apart, whoever sat there.
 * @param {Exercise} exercise */
export function placeOf({ rules, seats, history, hand }) {
  return JSON.stringify([rules, seats.length, history, hand]);
}

/** Return the drill without an exercise.
 * @param {Drill} drill
 * @param {Exercise} exercise
 * @returns {Drill} */
export function without({ exercises, searched }, exercise) {
  return { exercises: exercises.filter((one) => placeOf(one) !== placeOf(exercise)), searched };
}

/** Return when an exercise is due. One that was never answered is so since its match.
 * @param {Exercise} exercise */
export function dueAt({ match, card }) {
  return new Date(card?.due ?? match);
}

/** Return the exercises that are due, the longest first. A day begins at midnight: what is due in
 * the evening may be answered in the morning.
 * @param {Drill} drill
 * @param {Date} now
 * @param {string} [when]  only of the match that began at these milliseconds
 * @returns {Exercise[]} */
export function dueExercises({ exercises }, now, when) {
  return exercises
    .filter((one) => daysUntil(dueAt(one), now) <= 0 && (!when || when === String(Date.parse(one.match))))
    .sort((one, other) => Number(dueAt(one)) - Number(dueAt(other)));
}

/** Return in how many days the next exercise comes, null if there is none.
 * @param {Drill} drill
 * @param {Date} now */
export function daysToNext({ exercises }, now) {
  return exercises.length === 0 ? null : Math.min(...exercises.map((one) => daysUntil(dueAt(one), now)));
}

/** Return how many midnights lie between, negative for a date before today.
 * @param {Date} date
 * @param {Date} now */
export function daysUntil(date, now) {
  return Math.round((midnight(date) - midnight(now)) / 86400000); // a day may have 23 or 25 hours
}

/** Return the milliseconds at which a day began here.
 * @param {Date} date */
function midnight(date) {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}
