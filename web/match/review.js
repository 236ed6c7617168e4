/** The decisions of a seat in rounds that were played, beside what the policy plays there. A policy has shares
 * and no values: how often it plays an action is known, what another one costs is not. */

import { advise } from "../policy/advice.js";
import { endedOf, play, settle } from "../game/round.js";
import { roundOf } from "./match.js";
import { isWhole } from "./table.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../game/round.js").Round} Round */
/** @typedef {import("../policy/policy.js").PocketPolicy} PocketPolicy */
/** @typedef {import("../policy/advice.js").Advice} Advice */
/** @typedef {import("./match.js").PlayedRound} PlayedRound */
/** @typedef {import("./table.js").TableRound} TableRound */

/** How an action stands to the advice. `often`: the policy plays it nearly as often as its first
 * choice, or more; `sometimes`: more rarely; `never`. Off the policy's lines `advised` or `other`.
 * @typedef {"often" | "sometimes" | "never" | "advised" | "other"} Grade */

/** @typedef {object} Decision
 * @property {Round} round  the position
 * @property {readonly number[]} hand
 * @property {number} action  what you did
 * @property {Advice} advice
 * @property {Grade} grade */

/** How a round ended. At a table with real dice nobody may have seen all of them: then `counted` is null,
 * and `loser` too unless somebody said who lost.
 * @typedef {{bid: import("../game/rules.js").Bid, counted: number | null, loser: number | null, points: number}} Settled */

/** @typedef {object} ReviewedRound
 * @property {Round} round  as it ended
 * @property {readonly number[] | null} hand  of the seat, null if it is not known
 * @property {Settled | null} settled  null if the round has not ended
 * @property {Decision[]} decisions  of the seat, in order */

/** Return the review of a round. Throws RangeError if it cannot have been played by the rules.
 * @param {Rules} rules
 * @param {PocketPolicy | null} policy
 * @param {PlayedRound | TableRound} played
 * @param {number} seat  whose decisions
 * @returns {ReviewedRound} */
export function reviewRound(rules, policy, played, seat) {
  const round = roundOf(rules, played);
  const its = policy?.at(round) ?? null;
  const hand = knownHand(rules, played.hands[seat]);
  const program = "program" in played ? (played.program ?? []) : [];
  /** @type {Decision[]} */
  const decisions = [];
  let before = roundOf(rules, { ...played, history: [], ending: null });
  for (const [place, action] of actionsOf(played).entries()) {
    if (hand && before.turn === seat && !program.includes(place)) decisions.push(decided(its, before, hand, action));
    before = play(before, action);
  }
  return { round, hand, settled: settledOf(round, played), decisions };
}

/** @param {PlayedRound | TableRound} played */
function actionsOf({ history, ending }) {
  return ending === null ? history : [...history, ending];
}

/** Return a hand if all its dice are known, or null.
 * @param {Rules} rules
 * @param {number[]} [hand] */
function knownHand(rules, hand = []) {
  return hand.length > 0 && (rules.match || isWhole(rules, hand)) ? hand : null;
}

/** @param {Round} round  as it ended
 * @param {PlayedRound | TableRound} played
 * @returns {Settled | null} */
function settledOf(round, played) {
  if (round.ending === null) return null;
  if (isSeen(round.rules, played)) return settle(round, played.hands);
  const { bid, points } = endedOf(round);
  return { bid, points, counted: null, loser: "loser" in played ? played.loser : null };
}

/** Return whether all dice of a round that has ended are known.
 * @param {Rules} rules
 * @param {PlayedRound | TableRound} played
 * @returns {played is PlayedRound} */
export function isSeen(rules, played) {
  const { hands, ending } = played;
  return ending !== null && (rules.match !== null || hands.every((hand) => isWhole(rules, hand)));
}

/** Return the decisions of a seat in a round, none if the round was played by other rules.
 * @param {Rules} rules
 * @param {PocketPolicy | null} policy
 * @param {PlayedRound} played
 * @param {number} seat
 * @returns {Decision[]} */
export function decisionsIn(rules, policy, played, seat) {
  try {
    return reviewRound(rules, policy, played, seat).decisions;
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}

/** @param {PocketPolicy | null} policy
 * @param {Round} round
 * @param {readonly number[]} hand
 * @param {number} action
 * @returns {Decision} */
function decided(policy, round, hand, action) {
  const advice = advise(round.rules, policy, round, hand);
  return { round, hand, action, advice, grade: graded(advice, action) };
}

/** Return how an action stands to the advice.
 * @param {Advice} advice
 * @param {number} action
 * @returns {Grade} */
export function graded({ ground, best, equal, rows }, action) {
  const first = action === best || equal.includes(action);
  if (ground === "reading") return first ? "advised" : "other";
  if (first) return "often";
  return rows.some((row) => row.action === action) ? "sometimes" : "never";
}

/** Return whether a decision differs from the advice.
 * @param {Grade} grade */
export function differs(grade) {
  return grade === "never" || grade === "other";
}

/** Return whether a decision is a mistake: the policy never makes it. Where the advice is only
 * estimated from the bids, nothing is called a mistake.
 * @param {Decision} decision */
export function isMistake({ grade }) {
  return grade === "never";
}
