/** What players are supposed to do at some positions, as an address has it: "36-41.16.42.100" says that
 * after the actions 36 and 41 the hands with a 1 and a 6 take action 42 in 100 % of cases. */

import { legalActions } from "../game/round.js";
import { isSameSpot, spotOf, writtenSpot } from "./spots.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("./spots.js").Spot} Spot */

/** What the player in turn at a spot is supposed to do, with the hands that have its dice. Otherwise
 * they play as before.
 * @typedef {Spot & {action: number, percent: number}} Lock */

/** The most locks that a server takes: `MOST_LOCKS` in `app/server/advice/locks.py`. */
export const MOST_LOCKS = 20;
const BETWEEN = "_";

/** Return the locks of an address, without those that cannot be.
 * @param {Rules} rules
 * @param {string} text
 * @returns {Lock[]} */
export function locksOf(rules, text) {
  return text.split(BETWEEN).filter(Boolean).map((one) => lockOf(rules, one)).filter((lock) => lock !== null);
}

/** Return the text of locks.
 * @param {readonly Lock[]} locks */
export function writtenLocks(locks) {
  return locks.map((lock) => [...writtenSpot(lock), lock.action, lock.percent].join(".")).join(BETWEEN);
}

/** Return locks with one more, which comes first. It takes the place of one for the same hands there.
 * @param {readonly Lock[]} locks
 * @param {Lock} lock
 * @returns {Lock[]} */
export function withLock(locks, lock) {
  return [lock, ...locks.filter((one) => !isSameSpot(one, lock))].slice(0, MOST_LOCKS);
}

/** @param {Rules} rules
 * @param {string} text
 * @returns {Lock | null} */
function lockOf(rules, text) {
  const [actions = "", faces = "", action = "", percent = ""] = text.split(".");
  const lock = { ...spotOf(rules, actions, faces), action: Number(action), percent: Number(percent) };
  const isWhole = writtenLocks([lock]) === text;
  const isShare = Number.isInteger(lock.percent) && lock.percent >= 1 && lock.percent <= 100;
  return isWhole && isShare && legalActions(lock.round).includes(lock.action) ? lock : null;
}
