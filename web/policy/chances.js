/** The chance that a bid is true for a player who sees their own dice and the bids. */

import { dieCount, handNumber } from "../game/tables.js";
import { rangesOf, tailsOf } from "./ranges.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../game/round.js").Round} Round */
/** @typedef {import("./policy.js").PocketPolicy} PocketPolicy */
/** @typedef {import("./ranges.js").Person} Person */

/** What a seat believes after a history.
 * @typedef {object} Beliefs
 * @property {string} key
 * @property {PocketPolicy | null} policy
 * @property {Float64Array[]} others  the ranges of the others
 * @property {Map<number, Float64Array>} tails  by kind of bid, as `tailsOf` */

/** @type {WeakMap<Rules, Beliefs>} */
const last = new WeakMap();

/** Return the chance that a bid is true for the player in a seat who holds `hand`.
 * @param {Rules} rules
 * @param {PocketPolicy | null} policy  what others may follow; null if nobody follows one
 * @param {Round} round
 * @param {readonly number[]} hand
 * @param {number} bid  or double
 * @param {number} [seat]  whose hand it is; the seat to move if it is left out
 * @param {readonly (Person | null)[]} [people]  [seat] those of whom something is known */
export function chanceOf(rules, policy, round, hand, bid, seat = round.turn, people = []) {
  const beliefs = believed(rules, policy, round, seat, people);
  const { tables, bids } = rules;
  const kind = tables.kind[bid] ?? 0;
  const tails = beliefs.tails.get(kind) ?? tailsOf(rules, kind, beliefs.others);
  beliefs.tails.set(kind, tails);
  const own = dieCount(tables, bid, handNumber(tables, hand));
  return tails[Math.max(0, (bids[bid % tables.plain]?.count ?? 0) - own)] ?? 0;
}

/** Return what a seat believes; the last answer is kept.
 * @param {Rules} rules
 * @param {PocketPolicy | null} policy
 * @param {Round} round
 * @param {number} seat
 * @param {readonly (Person | null)[]} people
 * @returns {Beliefs} */
function believed(rules, policy, round, seat, people) {
  const manners = people.map((person) => person?.manner);
  const key = [round.opener, seat, ...round.dice, ...round.history, ...manners].join();
  const before = last.get(rules);
  if (before && before.key === key && before.policy === policy) return before;
  const ranges = rangesOf(rules, policy, round, people);
  const others = ranges.filter((_, one) => one !== seat && round.dice[one]);
  const found = { key, policy, others, tails: new Map() };
  last.set(rules, found);
  return found;
}
