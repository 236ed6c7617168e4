/** The values of all actions at a position, which the server works out from your dice alone. */

import { PERSON } from "../parts/players.js";
import { ask } from "./asking.js";

/** @typedef {import("../game/round.js").Round} Round */

/** What the numbers rest on: the policy's own lines, a solution from here, rounds that were played
 * out from here, or the bids.
 * @typedef {object} Ground
 * @property {"policy" | "unreached" | "solved" | "played" | "read" | "described"} kind
 * @property {number} [rounds]  that were played out
 * @property {boolean} [known]  whether something was known of the others */

/** An action: how often it is played, and its value in points with half its interval, null where
 * that is not known.
 * @typedef {{action: number, share: number, value: number | null, error: number | null}} Row */

/** As `app/server/advice/decisions.py` writes it.
 * @typedef {object} Answer
 * @property {number} best
 * @property {number[]} equal  others that are as good
 * @property {Row[]} actions  all legal ones, the best first
 * @property {number | null} chance  that the last bid is true
 * @property {Ground} ground */

/** Ask for the values at a position. Throws as `ask` does.
 * @param {Round} round
 * @param {readonly number[]} hand  your dice
 * @param {string[]} others  who is believed to sit there, in turn order after you
 * @returns {Promise<Answer>} */
export function askDecision({ rules, history }, hand, others) {
  const { name, players } = rules;
  return ask("advice/decision", { rules: name, players, hand, history, others });
}

/** Return who sits there, as the server calls them: nothing is known of people.
 * @param {Round} round
 * @param {(string | null)[]} seats  [seat] the id of an opponent */
export function othersOf({ rules, turn }, seats) {
  return Array.from({ length: rules.players - 1 }, (_, place) => {
    const id = seats[(turn + 1 + place) % rules.players] ?? "";
    return id.startsWith(PERSON) ? "" : id;
  });
}

/** How many actions that are not as good are shown. */
const MORE = 3;

/** Return the rows to show: the best, what is as good, and the next best of known value.
 * @param {Answer} answer */
export function rowsToShow({ best, equal, actions }) {
  const good = new Set([best, ...equal]);
  const rest = actions
    .filter(({ action, value }) => !good.has(action) && value !== null)
    .sort((one, other) => (other.value ?? 0) - (one.value ?? 0));
  return [...actions.filter(({ action }) => good.has(action)), ...rest.slice(0, MORE)];
}
