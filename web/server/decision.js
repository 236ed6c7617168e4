/** The values of all actions at a position, which the server works out from your dice alone. */

import { LEARNS, PERSON } from "../parts/players.js";
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
 * @property {Ground} ground
 * @property {string[]} [people]  what rounds have shown of each of the others, "" for nothing */

/** Who sits there, as far as it is known.
 * @typedef {object} Known
 * @property {string[]} others  in turn order after you: the name of a player, how they bid, or ""
 * @property {SeenRound[]} seen  the earlier rounds that are sent, oldest first */

/** A round of this table; hands that nobody saw are empty.
 * @typedef {{opener: number, hands: number[][], history: number[], ending: number}} SeenRound */

/** Ask for the values at a position. Throws as `ask` does.
 * @param {Round} round
 * @param {readonly number[]} hand  your dice
 * @param {Known} known
 * @returns {Promise<Answer>} */
export function askDecision({ rules, history }, hand, { others, seen }) {
  const { name, players } = rules;
  return ask("advice/decision", { rules: name, players, hand, history, others, ...(seen.length > 0 && { seen }) });
}

/** Return who sits there, as the server calls them: nothing is known of people, nor of who learns.
 * @param {Round} round
 * @param {(string | null)[]} seats  [seat] the id of an opponent, or how somebody bids */
export function othersOf({ rules, turn }, seats) {
  return Array.from({ length: rules.players - 1 }, (_, place) => {
    const id = seats[(turn + 1 + place) % rules.players] ?? "";
    return id.startsWith(PERSON) || id.endsWith(LEARNS) ? "" : id;
  });
}

/** Most rounds that are sent, and most bytes of them: `MOST_SEEN` in `app/server/advice/decisions.py`,
 * and room for the round itself within `LONGEST` in `app/server/asked.py`. */
const MOST_ROUNDS = 50;
const MOST_BYTES = 12000;

/** Return the newest rounds of a table that show how the others bid, as many as are sent.
 * @param {import("../game/rules.js").Rules} rules
 * @param {import("../match/table.js").TableRound[]} rounds
 * @returns {SeenRound[]} */
export function seenOf(rules, rounds) {
  /** @type {SeenRound[]} */
  const found = [];
  let bytes = 0;
  for (const { opener, hands, history, ending } of [...rounds].reverse()) {
    const whole = hands.map((hand) => (hand.length === rules.dice ? hand : []));
    if (ending === null || !whole.slice(1).some(({ length }) => length > 0)) continue;
    const round = { opener, hands: whole, history, ending };
    bytes += JSON.stringify(round).length + 1;
    if (found.length === MOST_ROUNDS || bytes > MOST_BYTES) break;
    found.unshift(round);
  }
  return found;
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
