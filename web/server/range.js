/** The values of all actions over what a player may hold, as the server works them out. */

import { ask } from "./asking.js";

/** @typedef {import("../game/round.js").Round} Round */
/** @typedef {import("./decision.js").Ground} Ground */

/** An action over a range, with values in points and half their intervals; null where not known.
 * @typedef {object} Row
 * @property {number} action
 * @property {number} share  how often it is played
 * @property {number | null} value  with the hands that take it
 * @property {number | null} error
 * @property {number | null} value_of_all  if all hands took it
 * @property {number | null} error_of_all */

/** As `app/server/advice/ranges.py` writes it.
 * @typedef {object} RangeAnswer
 * @property {number} selected  how likely the player holds the dice that were asked about
 * @property {number} value  what the hands earn on average, in points
 * @property {number} error
 * @property {Row[]} actions  all legal ones, those most often played first
 * @property {number | null} chance  that the last bid is true
 * @property {"policy" | "trembling" | "read" | "unknown"} believed  where the range comes from
 * @property {Ground} ground */

/** Ask for the values at a position. Throws as `ask` does.
 * @param {Round} round
 * @param {readonly number[]} held  dice of the player in turn
 * @returns {Promise<RangeAnswer>} */
export function askRange({ rules, history }, held) {
  const { name, players } = rules;
  return ask("advice/range", { rules: name, players, history, held });
}

/** Actions that are played less often than this are not shown at first. */
const SELDOM = 0.0005;

/** Return the actions that are played, and those that hardly are or not at all.
 * @param {RangeAnswer} answer
 * @returns {{played: Row[], others: Row[]}} */
export function divided({ actions }) {
  const isPlayed = (/** @type {Row} */ { share }) => share >= SELDOM;
  return { played: actions.filter(isPlayed), others: actions.filter((row) => !isPlayed(row)) };
}
