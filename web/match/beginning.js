/** Beginning a match. */

import { Random } from "../game/random.js";
import { loadRules } from "../game/rules.js";
import { defaultSeats } from "../parts/players.js";
import { state, update } from "../store.js";
import { newMatch } from "./match.js";

/** @typedef {import("./match.js").Goal} Goal */

/** @type {Goal[]} */
export const GOALS = [
  { kind: "points", number: 3 },
  { kind: "points", number: 5 },
  { kind: "rounds", number: 10 },
  { kind: "rounds", number: 20 },
];

/** Return the goal of a match in which each has this many dice at first.
 * @param {number} number
 * @returns {Goal} */
export function forDice(number) {
  return { kind: "dice", number };
}

export function newRandom() {
  return new Random(crypto.getRandomValues(new Uint32Array(1))[0] ?? 1);
}

/** Begin a match and go to it.
 * @param {string} name  of the rules
 * @param {(string | null)[]} seats
 * @param {Goal} goal */
export async function beginMatch(name, seats, goal) {
  const rules = await loadRules(name, seats.length);
  // Where dice are lost there is no choice of a goal: the next match for points has the one before.
  const setup = { rules: name, seats, goal: rules.match ? lastSetup().goal : goal };
  const own = rules.match ? forDice(rules.dice) : goal;
  update({ match: newMatch(rules, seats, own, newRandom()), setup });
  location.hash = "#/play";
}

/** Return how the last match was set up, or how the first one is.
 * @returns {import("../store.js").Setup} */
export function lastSetup() {
  return state.setup ?? { rules: "zhaifei", seats: defaultSeats(3), goal: /** @type {Goal} */ (GOALS[0]) };
}
