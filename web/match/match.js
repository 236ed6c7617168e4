/** A match: rounds of one table until somebody has enough points, or for a number of rounds.
 * Everything in it can be written as JSON, so a match outlives the page. */

import { rollHand } from "../game/hands.js";
import { nextStarter } from "../game/dice_lost.js";
import { isEnding, newRound, play, settle } from "../game/round.js";
import { diceLeft } from "./score.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../game/round.js").Round} Round */
/** @typedef {import("../game/round.js").Settlement} Settlement */
/** @typedef {import("../game/random.js").Random} Random */
/** Where dice are lost, a match lasts until one player has dice; `number` is how many all have at first.
 * @typedef {{kind: "points" | "rounds" | "dice", number: number}} Goal */
/** @typedef {{loser: number, points: number}} Result */
/**
 * @typedef {object} Match
 * @property {string} begun  when, in ISO format
 * @property {string} rules  the name of the rules
 * @property {number} players
 * @property {(string | null)[]} seats  who sits there: the id of an opponent, or null for you
 * @property {Goal} goal
 * @property {number[]} points  the points or dice that each seat has lost; the fewest win
 * @property {number} opener  the seat that opens the round
 * @property {number[][]} hands  [seat][die], sorted
 * @property {number[]} history  the actions of the round, with those of players who let a bid stand
 * @property {number | null} ending  the action that ended the round
 * @property {Result[]} results  of the rounds that have ended, this one included
 * @property {PlayedRound[]} [log]  those rounds themselves; none in a match that an older page began
 */
/**
 * @typedef {object} PlayedRound  a round that has ended
 * @property {number} opener
 * @property {number[][]} hands  [seat][die], sorted
 * @property {number[]} history
 * @property {number} ending
 * @property {number[]} [program]  the places of actions that the program took for people who were away
 */
/**
 * @typedef {object} Played  a match that has ended
 * @property {string} begun
 * @property {string} rules
 * @property {(string | null)[]} seats
 * @property {number[]} points
 * @property {number} rounds  how many
 * @property {Goal} [goal]  of a match for dice
 * @property {PlayedRound[]} [log]  all of them; none if only the result was kept
 */

/** @param {Rules} rules
 * @param {(string | null)[]} seats
 * @param {Goal} goal
 * @param {Random} random
 * @returns {Match} */
export function newMatch(rules, seats, goal, random) {
  return {
    begun: new Date().toISOString(),
    rules: rules.name,
    players: rules.players,
    seats,
    goal,
    points: seats.map(() => 0),
    results: [],
    log: [],
    ...deal(rules, Math.floor(random.next() * rules.players), random, seats.map(() => rules.dice)),
  };
}

/** @param {Rules} rules
 * @param {number} opener
 * @param {Random} random
 * @param {readonly number[]} dice  [seat] */
function deal(rules, opener, random, dice) {
  const hands = dice.map((number) => rollHand(rules, random, number));
  return { opener, hands, history: [], ending: null };
}

/** Return the round of a match as the rules see it. Throws RangeError if an action is not legal.
 * @param {Rules} rules
 * @param {Pick<Match, "opener" | "hands" | "history" | "ending">} match
 * @returns {Round} */
export function roundOf(rules, match) {
  const actions = match.ending === null ? match.history : [...match.history, match.ending];
  const dice = rules.match ? match.hands.map(({ length }) => length) : undefined;
  return actions.reduce(play, newRound(rules, match.opener, dice));
}

/** Return the match after an action of the seat whose turn it is.
 * @param {Rules} rules
 * @param {Match} match
 * @param {number} action
 * @returns {Match} */
export function act(rules, match, action) {
  const round = play(roundOf(rules, match), action); // throws if it is not legal
  if (!isEnding(round.rules, action)) return { ...match, history: [...match.history, action] };
  const { loser, points } = settle(round, match.hands);
  const { opener, hands, history } = match;
  return {
    ...match,
    ending: action,
    points: match.points.map((before, seat) => (seat === loser ? before + points : before)),
    results: [...match.results, { loser, points }],
    log: [...(match.log ?? []), { opener, hands, history, ending: action }],
  };
}

/** Return the match with the next round dealt; the loser of the last opens it, unless the rules say
 * otherwise.
 * @param {Rules} rules
 * @param {Match} match
 * @param {Random} random
 * @returns {Match} */
export function nextRound(rules, match, random) {
  const loser = match.results[match.results.length - 1]?.loser ?? match.opener;
  const dice = diceLeft(match);
  if (!rules.match || !dice) return { ...match, ...deal(rules, loser, random, match.seats.map(() => rules.dice)) };
  const { challenger, bidder } = settle(roundOf(rules, match), match.hands);
  const winner = loser === challenger ? bidder : challenger;
  return { ...match, ...deal(rules, nextStarter(rules.match, dice, { winner, loser }), random, dice) };
}

/** Return what is kept of a match that has ended.
 * @param {Match} match
 * @returns {Played} */
export function played({ begun, rules, seats, goal, points, results, log = [] }) {
  const kept = goal.kind === "dice" ? { goal } : {};
  const result = { begun, rules, seats, points, rounds: results.length, ...kept };
  return log.length === results.length ? { ...result, log } : result;
}
