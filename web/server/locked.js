/** Decisions against an opponent who is supposed to play in some way, as the server works them out. */

import { ask } from "./asking.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../explore/locks.js").Lock} Lock */
/** @typedef {import("../explore/spots.js").Spot} Spot */
/** @typedef {import("./decision.js").Row} Row */

/** Best response: the opponent otherwise plays the policy. Solve: both know the locks and adapt.
 * @typedef {"best-response" | "solve"} LockAnswer */

/** As `app/server/advice/locks.py` writes it.
 * @typedef {object} LockedAnswer
 * @property {Row[]} actions  all legal ones, those most often taken first
 * @property {number | null} chance  that the last bid is true
 * @property {number[]} used  the places of the locks that count here
 * @property {boolean} read  whether the opponent never bids like this, so that the bids tell of the hand
 * @property {number | null} gap  how far the solution got, in points; null for a best response */

/** Ask for the values of a decision. Throws as `ask` does.
 * @param {Spot} spot  with a whole hand
 * @param {readonly Lock[]} locks
 * @param {LockAnswer} answer
 * @returns {Promise<LockedAnswer>} */
export function askLocked({ round, held }, locks, answer) {
  const question = { hand: held, history: round.history, locks: locks.map(asSent), answer };
  return ask("advice/locked", { ...named(round.rules), ...question });
}

/** Ask for the text of a lock file. Throws as `ask` does.
 * @param {Rules} rules
 * @param {readonly Lock[]} locks
 * @returns {Promise<{text: string}>} */
export function askLockFile(rules, locks) {
  return ask("advice/lock-file", { ...named(rules), locks: locks.map(asSent) });
}

/** @param {Rules} rules */
function named({ name, players }) {
  return { rules: name, players };
}

/** @param {Lock} lock */
function asSent({ round, held, action, percent }) {
  return { after: round.history, held, action, percent };
}
