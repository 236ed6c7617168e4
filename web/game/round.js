/** A round: who may do what, and what an ending settles. Functions of values that never change. */

import { dieCount, handNumber } from "./tables.js";

/** @typedef {import("./rules.js").Rules} Rules */
/** @typedef {import("./rules.js").Bid} Bid */

/** A round so far.
 * @typedef {object} Round
 * @property {Rules} rules
 * @property {number} opener  the seat that bids first
 * @property {readonly number[]} history  bids and doubles as actions, without the ending
 * @property {number} state  the state of the automaton
 * @property {number} turn  the seat to move, -1 when the round has ended
 * @property {number | null} ending  the action that ended it */

/** What a round settles.
 * @typedef {object} Settlement
 * @property {Bid} bid
 * @property {number} bidder  a seat
 * @property {number} challenger  a seat
 * @property {number} counted  how many dice count for the bid
 * @property {boolean} isTrue
 * @property {number} loser  a seat
 * @property {number} points  what the loser pays
 * @property {boolean[][]} counting  [seat][die] whether the die counts */

/** What a round has ended about.
 * @typedef {object} Ended
 * @property {number} action  the bid or double that is settled
 * @property {Bid} bid
 * @property {number} bidder  a seat
 * @property {number} challenger  a seat
 * @property {number} claimed  the count from which on the challenger loses
 * @property {number} points  what the loser pays */

/** What an action is called. `distance`: how many bids ago the challenged bid was made.
 * @typedef {{kind: "bid" | "challenge" | "double" | "give-up" | "jump", bid?: Bid, distance?: number}} Said */

/** Return a round in which nobody has bid.
 * @param {Rules} rules
 * @param {number} opener
 * @returns {Round} */
export function newRound(rules, opener) {
  return Object.freeze({ rules, opener, history: [], state: 0, turn: opener, ending: null });
}

/** Return the legal actions, ascending.
 * @param {Round} round
 * @returns {number[]} */
export function legalActions({ rules, history, state, ending }) {
  if (ending !== null) return [];
  /** @type {number[]} */
  const legal = [];
  rules.tables.after[state]?.forEach((after, bid) => {
    if (after >= 0) legal.push(bid);
  });
  rules.tables.back.forEach((_, place) => {
    if (costOf(rules, history, place) > 0) legal.push(rules.tables.actions + place);
  });
  return legal;
}

/** Return what the loser of an ending pays, 0 if it is not legal.
 * @param {Rules} rules
 * @param {readonly number[]} history
 * @param {number} place  of the ending among the endings */
function costOf({ tables }, history, place) {
  const settled = history[history.length - (tables.back[place] ?? 0)];
  return settled === undefined ? 0 : (tables.cost[place]?.[settled] ?? 0);
}

/** @param {Rules} rules
 * @param {number} action */
export function isEnding(rules, action) {
  return action >= rules.tables.actions;
}

/** Return the round after an action. Throws RangeError if the action is not legal.
 * @param {Round} round
 * @param {number} action
 * @returns {Round} */
export function play(round, action) {
  const { rules, history, state, turn, ending } = round;
  const place = action - rules.tables.actions;
  const after = rules.tables.after[state]?.[action] ?? -1;
  if (ending !== null || (place >= 0 ? costOf(rules, history, place) === 0 : after < 0)) {
    throw new RangeError(`action ${action} is not legal after ${history.join(" ") || "nothing"}`);
  }
  if (place >= 0) return Object.freeze({ ...round, turn: -1, ending: action });
  const next = seatAfter(rules, turn, turnsOn(rules, action));
  return Object.freeze({ ...round, history: [...history, action], state: after, turn: next });
}

/** Return how many turns after a bid or double the next turn comes.
 * @param {Rules} rules
 * @param {number} bid */
function turnsOn({ tables }, bid) {
  return tables.turns[Math.floor(bid / tables.plain)] ?? 1;
}

/** @param {Rules} rules
 * @param {number} seat
 * @param {number} turns  may be negative */
function seatAfter({ players }, seat, turns) {
  return (((seat + turns) % players) + players) % players;
}

/** Return who made each bid or double of the history, and last who moves after it: seats.
 * @param {Rules} rules
 * @param {number} opener
 * @param {readonly number[]} history */
export function moversOf(rules, opener, history) {
  const movers = [opener];
  for (const bid of history) {
    movers.push(seatAfter(rules, movers[movers.length - 1] ?? 0, turnsOn(rules, bid)));
  }
  return movers;
}

/** Return which bid a round that has ended is about, and between whom.
 * @param {Round} round
 * @returns {Ended} */
export function endedOf({ rules, opener, history, ending }) {
  if (ending === null) throw new RangeError("the round has not ended");
  const { tables } = rules;
  const place = ending - tables.actions;
  const back = tables.back[place] ?? 1;
  const settled = history[history.length - back] ?? 0;
  const ends = moversOf(rules, opener, history)[history.length] ?? 0;
  const other = seatAfter(rules, ends, -back * turnsOn(rules, settled));
  const [challenger, bidder] = tables.turned[place]?.[settled] ? [other, ends] : [ends, other];
  return {
    action: settled,
    bid: bidOf(rules, settled),
    bidder,
    challenger,
    claimed: tables.claimed[place]?.[settled] ?? 0,
    points: tables.cost[place]?.[settled] ?? 0,
  };
}

/** Return what a round that has ended settles.
 * @param {Round} round
 * @param {number[][]} hands  [seat] faces
 * @returns {Settlement} */
export function settle(round, hands) {
  const { rules } = round;
  const { action, bid, bidder, challenger, claimed, points } = endedOf(round);
  const counted = countedOf(rules, action, hands);
  const isTrue = counted >= claimed;
  return {
    bid,
    bidder,
    challenger,
    counted,
    isTrue,
    loser: isTrue ? challenger : bidder,
    points,
    counting: hands.map((hand) => countingDice(rules, action, hand)),
  };
}

/** Return how many dice on the table count for a bid.
 * @param {Rules} rules
 * @param {number} bid
 * @param {number[][]} hands */
export function countedOf({ tables }, bid, hands) {
  return hands.reduce((sum, hand) => sum + dieCount(tables, bid, handNumber(tables, hand)), 0);
}

/** Return [die] whether each die of a hand counts for a bid. Where the whole hand counts nothing,
 * no die does.
 * @param {Rules} rules
 * @param {number} bid
 * @param {readonly number[]} hand */
export function countingDice({ tables }, bid, hand) {
  const faces = tables.shows[tables.kind[bid] ?? 0] ?? [];
  const any = dieCount(tables, bid, handNumber(tables, hand)) > 0;
  return hand.map((face) => any && faces.includes(face));
}

/** Return the bid that a bid or double claims.
 * @param {Rules} rules
 * @param {number} action
 * @returns {Bid} */
export function bidOf({ bids, tables }, action) {
  const bid = bids[action % tables.plain];
  if (!bid || action >= tables.actions) throw new RangeError(`action ${action} is no bid`);
  return bid;
}

/** Return what an action is called.
 * @param {Rules} rules
 * @param {number} action
 * @returns {Said} */
export function sayAction(rules, action) {
  const { plain, actions, back, claimed } = rules.tables;
  if (action < plain) return { kind: "bid", bid: bidOf(rules, action) };
  if (action < actions) return { kind: "double", bid: bidOf(rules, action) };
  const distance = back[action - actions];
  if (distance === undefined) throw new RangeError(`no action ${action}`);
  if (claimed[action - actions]?.every((count) => count === 0)) return { kind: "give-up" };
  return distance === 1 ? { kind: "challenge", distance } : { kind: "jump", distance };
}
