/** A table with real dice: what was tapped there, and how things stand after it. */

import { countedOf, endedOf, newRound, play } from "../game/round.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../game/round.js").Round} Round */
/** @typedef {import("../policy/people.js").Manner} Manner */

/** A tap: a die of a seat, an action of whoever is in turn, who lost, who opens, the next round, or how
 * a seat bids.
 * @typedef {{die: number, seat: number} | {act: number} | {lost: number} | {opens: number} | {next: true}
 *   | {manner: Manner | null, seat: number}} Tap */
/**
 * @typedef {object} Table
 * @property {string} rules  the name of the rules
 * @property {number} players
 * @property {number} opener  the seat that opens first; you sit at 0, the others follow in turn order
 * @property {string | null} begun  when, in ISO format; null before anybody has sat down
 * @property {Tap[]} taps  all of them, so that each can be taken back
 */
/**
 * @typedef {object} TableRound  a round that was played with real dice
 * @property {number} opener
 * @property {number[][]} hands  [seat][die], sorted; fewer dice than the rules have if nobody saw them
 * @property {number[]} history
 * @property {number | null} ending  null if the round has not ended
 * @property {number | null} loser  null if nobody knows
 */
/**
 * @typedef {object} Sitting  how things stand at a table
 * @property {Round} round
 * @property {number[][]} hands  [seat][die] of this round, sorted, as far as they are known
 * @property {number | null} loser
 * @property {(Manner | null)[]} manners  [seat] how they bid, as somebody said
 * @property {TableRound[]} rounds  those before this one
 * @property {number[]} points  [seat] what these have cost
 * @property {"dice" | "bids" | "over"} step
 */

/** Most rounds at one table. */
export const MOST_ROUNDS = 200;

/** @returns {Table} */
export function newTable() {
  return { rules: "zhaifei", players: 4, opener: 0, begun: null, taps: [] };
}

/** Return how things stand at a table. Throws RangeError for taps that cannot be by the rules.
 * @param {Rules} rules
 * @param {Table} table
 * @returns {Sitting} */
export function sittingAt(rules, { opener, taps }) {
  let sitting = roundOpened(rules, opener, {
    manners: Array.from({ length: rules.players }, () => null),
    rounds: [],
    points: Array.from({ length: rules.players }, () => 0),
  });
  for (const tap of taps) sitting = tapped(rules, sitting, tap);
  return sitting;
}

/** @param {Rules} rules
 * @param {number} opener
 * @param {Pick<Sitting, "manners" | "rounds" | "points">} lasting
 * @returns {Sitting} */
function roundOpened(rules, opener, lasting) {
  const hands = Array.from({ length: rules.players }, () => []);
  return { ...lasting, round: newRound(rules, opener), hands, loser: null, step: "dice" };
}

/** @param {Rules} rules
 * @param {Sitting} sitting
 * @param {Tap} tap
 * @returns {Sitting} */
function tapped(rules, sitting, tap) {
  if ("next" in tap) return nextRound(rules, sitting);
  if ("opens" in tap) return { ...sitting, round: newRound(rules, tap.opens) };
  if ("manner" in tap) return { ...sitting, manners: replaced(sitting.manners, tap.seat, tap.manner) };
  const after = tappedInRound(sitting, tap);
  return { ...after, loser: loserByDice(after) ?? after.loser, step: stepOf(after) };
}

/** @param {Sitting} sitting
 * @param {Exclude<Tap, {next: true} | {opens: number} | {manner: Manner | null}>} tap
 * @returns {Sitting} */
function tappedInRound(sitting, tap) {
  if ("lost" in tap) return { ...sitting, loser: tap.lost };
  if ("act" in tap) return { ...sitting, round: play(sitting.round, tap.act) };
  const hand = [...(sitting.hands[tap.seat] ?? []), tap.die].sort((one, other) => one - other);
  return { ...sitting, hands: replaced(sitting.hands, tap.seat, hand) };
}

/** Return what is to be tapped now.
 * @param {Sitting} sitting
 * @returns {Sitting["step"]} */
function stepOf({ round, hands }) {
  if (!isWhole(round.rules, hands[0])) return "dice";
  return round.ending === null ? "bids" : "over";
}

/** @param {Rules} rules
 * @param {Sitting} sitting */
function nextRound(rules, { round, hands, loser, manners, rounds, points }) {
  const { points: cost } = endedOf(round);
  if (loser === null) throw new RangeError("nobody knows who lost");
  return roundOpened(rules, loser, {
    manners,
    rounds: [...rounds, kept(round, hands, loser)],
    points: replaced(points, loser, (points[loser] ?? 0) + cost),
  });
}

/** @param {Round} round
 * @param {number[][]} hands
 * @param {number | null} loser
 * @returns {TableRound} */
function kept({ opener, history, ending }, hands, loser) {
  return { opener, hands, history: [...history], ending, loser };
}

/** Return the rounds of a table, and the one that is played if anybody has bid.
 * @param {Sitting} sitting */
export function allRounds({ rounds, round, hands, loser }) {
  return round.history.length > 0 ? [...rounds, kept(round, hands, loser)] : rounds;
}

/** @template T
 * @param {T[]} all
 * @param {number} place
 * @param {T} value */
function replaced(all, place, value) {
  return all.map((one, its) => (its === place ? value : one));
}

/** Return whether all dice of a hand are known.
 * @param {Rules} rules
 * @param {readonly number[]} [hand] */
export function isWhole({ dice }, hand = []) {
  return hand.length === dice;
}

/** Return who lost by the dice; null while they do not tell.
 * @param {Sitting} sitting */
function loserByDice({ round, hands }) {
  const { rules } = round;
  if (round.ending === null) return null;
  const { action, bidder, challenger, claimed } = endedOf(round);
  const known = hands.filter((hand) => isWhole(rules, hand));
  const counted = countedOf(rules, action, known);
  if (counted >= claimed) return challenger;
  return counted + (hands.length - known.length) * rules.tables.most < claimed ? bidder : null;
}
