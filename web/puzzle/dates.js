/** Dates of puzzles, like 2026-11-27. The day is the one that the clock of the browser shows. */

/** Return the date of a moment.
 * @param {Date} now */
export function dateOf(now) {
  const parts = [now.getFullYear(), now.getMonth() + 1, now.getDate()];
  return parts.map((part) => String(part).padStart(2, "0")).join("-");
}

/** Return the date whose puzzle an address asks for. Without a date, or with one that is still to
 * come, that is today's.
 * @param {string | undefined} asked
 * @param {Date} now */
export function puzzleDate(asked, now) {
  const today = dateOf(now);
  return asked !== undefined && isDate(asked) && asked <= today ? asked : today;
}

/** @param {string} text */
function isDate(text) {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && dateOf(noonOf(text)) === text;
}

/** @param {string} date */
export function dayBefore(date) {
  const noon = noonOf(date);
  return dateOf(new Date(noon.getFullYear(), noon.getMonth(), noon.getDate() - 1, 12));
}

/** Return the middle of the day.
 * @param {string} date */
export function noonOf(date) {
  return new Date(`${date}T12:00`);
}
