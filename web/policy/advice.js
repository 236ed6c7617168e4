/** Which action to take, and on what ground. */

import { DECLINE, isAsked, legalActions, moversOf, raisesAfter } from "../game/round.js";
import { chanceOf } from "./chances.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../game/round.js").Round} Round */
/** @typedef {import("./policy.js").PocketPolicy} PocketPolicy */
/** @typedef {import("./ranges.js").Person} Person */

/** An action that may be taken: how often it is, and the chance that its bid is true.
 * @typedef {{action: number, share: number, chance: number | null}} Row */

/** @typedef {object} Advice
 * @property {number} best  the action to take
 * @property {number[]} equal  others that are as good
 * @property {Row[]} rows  the actions that are taken, most often first
 * @property {number | null} chance  that the last bid is true; null at the start
 * @property {"policy" | "reading" | "people"} ground
 *   what it rests on: the policy's own line, the bids, or the bids as these people make them */

/** The chance of a bid for the player to move.
 * @typedef {(bid: number) => number} Chance */

/** Actions that the policy takes at least this often, relative to the most frequent, are equal. */
const AS_OFTEN = 0.1;
/** Actions whose risks differ by at most this are equal. */
const AS_RISKY = 0.02;
/** Stands for the risk of what the reader never does. */
const NEVER = 2;

/** Return advice for the player to move. Among people of whom something is known, it is the action of
 * least risk.
 * @param {Rules} rules
 * @param {PocketPolicy | null} policy
 * @param {Round} round
 * @param {readonly number[]} hand
 * @param {readonly (Person | null)[]} [people]  [seat] those of whom something is known
 * @returns {Advice} */
export function advise(rules, policy, round, hand, people = []) {
  const known = people.some(Boolean);
  const shares = known ? null : policy && ownLine(rules, policy, round, hand);
  const chance = chanceIn(rules, policy, round, hand, people);
  if (shares) return byPolicy(rules, round, shares, chance);
  return { ...byReading(rules, round, chance), ground: known ? "people" : "reading" };
}

/** Return the policy's shares, or null unless it makes the player's bids so far with this hand.
 * @param {Rules} rules
 * @param {PocketPolicy} policy
 * @param {Round} round
 * @param {readonly number[]} hand */
export function ownLine(rules, policy, round, hand) {
  const movers = moversOf(round);
  const mine = round.history.every((bid, place) => {
    if (movers[place] !== round.turn) return true;
    return (policy.shares(round.history.slice(0, place), hand)?.get(bid) ?? 0) > 0;
  });
  return mine ? policy.shares(round.history, hand) : null;
}

/** @param {Rules} rules
 * @param {PocketPolicy | null} policy
 * @param {Round} round
 * @param {readonly number[]} hand
 * @param {readonly (Person | null)[]} [people]
 * @returns {Chance} */
function chanceIn(rules, policy, round, hand, people = []) {
  return (bid) => chanceOf(rules, policy, round, hand, bid, round.turn, people);
}

/** @param {Rules} rules
 * @param {Round} round
 * @param {Map<number, number>} shares
 * @param {Chance} chance
 * @returns {Advice} */
function byPolicy(rules, round, shares, chance) {
  const played = [...shares].sort((one, other) => other[1] - one[1] || one[0] - other[0]);
  const rows = played.map(([action, share]) => rowOf(rules, action, share, chance));
  const [best, ...rest] = rows;
  if (!best) throw new RangeError("the table is damaged: no action");
  const equal = rest.filter(({ share }) => share >= AS_OFTEN * best.share);
  return {
    best: best.action,
    equal: equal.map(({ action }) => action),
    rows,
    chance: chanceOfLast(round, chance),
    ground: "policy",
  };
}

/** @param {Rules} rules
 * @param {Round} round
 * @param {Chance} chance */
function byReading(rules, round, chance) {
  const risks = risksOf(rules, round, chance);
  const best = leastRisk(rules, risks);
  const risk = risks.get(best) ?? 0;
  const equal = [...risks]
    .filter(([action, its]) => action !== best && its <= risk + AS_RISKY)
    .map(([action]) => action);
  const rows = [best, ...equal].map((action) => rowOf(rules, action, action === best ? 1 : 0, chance));
  return { best, equal, rows, chance: chanceOfLast(round, chance) };
}

/** Return the action of least risk if the others are read from their bids: `Reading` in
 * `policies/players/reading.py`.
 * @param {Rules} rules
 * @param {PocketPolicy | null} policy  null: everybody bids what their own dice support
 * @param {Round} round
 * @param {readonly number[]} hand */
export function readersAction(rules, policy, round, hand) {
  return leastRisk(rules, risksOf(rules, round, chanceIn(rules, policy, round, hand)));
}

/** Return the first action of least risk; raises come before challenges.
 * @param {Rules} rules
 * @param {Map<number, number>} risks */
function leastRisk({ tables }, risks) {
  const least = Math.min(...risks.values());
  for (const [action, risk] of risks) if (risk <= least + tables.reading.tie) return action;
  throw new RangeError("there is no legal action");
}

/** Return the risk of each action: that a raise is false, or that a challenge finds the bid true.
 * The reader neither doubles nor jumps. It shows the dice after a double, or gives up, whichever is
 * expected to cost less.
 * @param {Rules} rules
 * @param {Round} round
 * @param {Chance} chance
 * @returns {Map<number, number>} by action, ascending */
function risksOf(rules, round, chance) {
  if (isAsked(round)) return risksOfAsked(rules, round, chance);
  const { plain, actions } = rules.tables;
  const last = chanceOfLast(round, chance) ?? 0;
  /** @type {Map<number, number>} */
  const risks = new Map();
  for (const action of legalActions(round)) {
    if (action < plain) risks.set(action, 1 - chance(action));
    else if (action === actions) risks.set(action, last);
  }
  if (givesUp(rules, round, last)) {
    risks.set(actions, NEVER);
    risks.set(actions + 1, 0);
  }
  return risks;
}

/** Return the risks of a player who is asked whether to challenge. Who bids next would risk what the
 * safest raise does. The others risk nothing by letting the bid stand, so they challenge only if one
 * of the others losing a die weighs more than losing one themselves.
 * @param {Rules} rules
 * @param {Round} round
 * @param {Chance} chance
 * @returns {Map<number, number>} */
function risksOfAsked(rules, round, chance) {
  const raising = raisesAfter(round).map((bid) => 1 - chance(bid));
  const standing = round.declined === 0 ? Math.min(NEVER, ...raising) : 1 / round.seats.length;
  return new Map([
    [DECLINE, standing],
    [rules.tables.actions, chanceOfLast(round, chance) ?? 0],
  ]);
}

/** Return whether showing the dice after a double is expected to cost more than giving up.
 * @param {Rules} rules
 * @param {Round} round
 * @param {number} likely  that the bid is true */
function givesUp({ tables, players }, { history }, likely) {
  const bid = history[history.length - 1] ?? 0;
  const price = bid < tables.plain ? 0 : (tables.cost[1]?.[bid] ?? 0);
  if (price === 0) return false;
  const loses = tables.turned[0]?.[bid] ? 1 - likely : likely;
  const win = 1 / (players - 1);
  return (tables.cost[0]?.[bid] ?? 0) * ((1 + win) * loses - win) > price;
}

/** @param {Round} round
 * @param {Chance} chance */
function chanceOfLast({ history }, chance) {
  const bid = history[history.length - 1];
  return bid === undefined ? null : chance(bid);
}

/** @param {Rules} rules
 * @param {number} action
 * @param {number} share
 * @param {Chance} chance
 * @returns {Row} */
function rowOf(rules, action, share, chance) {
  const isBid = action !== DECLINE && action < rules.tables.actions;
  return { action, share, chance: isBid ? chance(action) : null };
}
