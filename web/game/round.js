/** A round: who may do what, and what an ending settles. Functions of values that never change. */

import { rulesWith } from "./dice_lost.js";
import { dieCount, handNumber } from "./tables.js";

/** @typedef {import("./rules.js").Rules} Rules */
/** @typedef {import("./rules.js").Bid} Bid */

/** The action of a player who is asked whether to challenge and does not. */
export const DECLINE = -1;

/** A round so far.
 * @typedef {object} Round
 * @property {Rules} rules  with the dice that are on the table
 * @property {number} opener  the seat that bids first
 * @property {readonly number[]} dice  [seat] how many dice, 0 for players who are out
 * @property {readonly number[]} seats  those with dice, in turn order from the opener on
 * @property {readonly number[]} history  bids and doubles as actions, without the ending
 * @property {number} declined  how many were asked whether to challenge the last bid and did not
 * @property {number} state  the state of the automaton
 * @property {number} turn  the seat to move, -1 when the round has ended
 * @property {number | null} ending  the action that ended it
 * @property {number | null} ender  the seat that took it */

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
 * @typedef {{kind: "bid" | "challenge" | "double" | "give-up" | "jump" | "decline", bid?: Bid, distance?: number}} Said */

/** Return a round in which nobody has bid. Throws RangeError if the opener is out, or nobody else is in.
 * @param {Rules} rules  of the round, or of the match that it belongs to
 * @param {number} opener
 * @param {readonly number[]} [dice]  [seat] how many dice, where dice are lost
 * @returns {Round} */
export function newRound(rules, opener, dice = Array.from({ length: rules.players }, () => rules.dice)) {
  const turns = dice.map((_, place) => (opener + place) % dice.length);
  const seats = turns.filter((seat) => dice[seat]);
  if (!dice[opener] || seats.length < 2) throw new RangeError(`seat ${opener} cannot open: ${dice.join(" ")}`);
  const its = rulesWith(rules, dice.reduce((sum, one) => sum + one, 0));
  return Object.freeze({
    rules: its, opener, dice, seats, history: [], declined: 0, state: 0, turn: opener, ending: null, ender: null,
  });
}

/** Return the legal actions, ascending.
 * @param {Round} round
 * @returns {number[]} */
export function legalActions(round) {
  const { rules, history, ending } = round;
  if (ending !== null) return [];
  const { actions, back } = rules.tables;
  const endings = back.flatMap((_, place) => (costOf(rules, history, place) > 0 ? [actions + place] : []));
  if (isAsked(round)) return [DECLINE, ...endings];
  const raises = raisesAfter(round);
  return allDeclined(round) && raises.length > 0 ? raises : [...raises, ...endings];
}

/** Return the bids and doubles that may follow, for whoever is next to bid.
 * @param {Pick<Round, "rules" | "state">} round
 * @returns {number[]} */
export function raisesAfter({ rules, state }) {
  /** @type {number[]} */
  const raises = [];
  rules.tables.after[state]?.forEach((after, bid) => {
    if (after >= 0) raises.push(bid);
  });
  return raises;
}

/** Return why bids of the mode and face of `bid` may not follow, by language, unless all of them may.
 * @param {Pick<Round, "rules" | "state">} round
 * @param {Bid} bid
 * @returns {{zh: string, en: string} | null} */
export function whyNot({ rules, state }, bid) {
  const { texts, rows, of } = rules.tables.why;
  const place = rows[of[state] ?? -1]?.[rules.tables.kind[bid.id] ?? -1] ?? -1;
  const [zh, en] = [texts.zh[place], texts.en[place]];
  return zh === undefined || en === undefined ? null : { zh, en };
}

/** Return whether the player to move is asked whether to challenge, and may not bid yet. Between two,
 * who is asked bids next: then both are one decision.
 * @param {Round} round */
export function isAsked(round) {
  return areAsked(round) && round.declined < round.seats.length - 1;
}

/** Return whether all others were asked and nobody has challenged, so that the next player must bid.
 * @param {Round} round */
function allDeclined(round) {
  return areAsked(round) && round.declined === round.seats.length - 1;
}

/** @param {Round} round */
function areAsked({ rules, seats, history, ending }) {
  return ending === null && Boolean(rules.match?.asks) && seats.length > 2 && history.length > 0;
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
  const { rules, history, state, turn } = round;
  if (!legalActions(round).includes(action)) {
    throw new RangeError(`action ${action} is not legal after ${history.join(" ") || "nothing"}`);
  }
  if (isEnding(rules, action)) return Object.freeze({ ...round, turn: -1, ending: action, ender: turn });
  if (action === DECLINE) return declinedBy(round);
  const next = seatAfter(round, turn, turnsOn(rules, action));
  const after = rules.tables.after[state]?.[action] ?? 0;
  return Object.freeze({ ...round, history: [...history, action], declined: 0, state: after, turn: next });
}

/** Return the round after the player who is asked has let the bid stand. The last who is asked sits
 * before the bidder, and the player after the bidder bids next.
 * @param {Round} round
 * @returns {Round} */
function declinedBy(round) {
  const declined = round.declined + 1;
  const isLast = declined === round.seats.length - 1;
  return Object.freeze({ ...round, declined, turn: seatAfter(round, round.turn, isLast ? 2 : 1) });
}

/** Return how many turns after a bid or double the next turn comes.
 * @param {Rules} rules
 * @param {number} bid */
function turnsOn({ tables }, bid) {
  return tables.turns[Math.floor(bid / tables.plain)] ?? 1;
}

/** @param {Pick<Round, "seats">} round
 * @param {number} seat
 * @param {number} turns  may be negative */
function seatAfter({ seats }, seat, turns) {
  const place = (seats.indexOf(seat) + turns) % seats.length;
  return seats[(place + seats.length) % seats.length] ?? 0;
}

/** Return who made each bid or double of the history, and last who is next to bid after it: seats.
 * @param {Round} round */
export function moversOf({ rules, opener, seats, history }) {
  const movers = [opener];
  for (const bid of history) {
    movers.push(seatAfter({ seats }, movers[movers.length - 1] ?? 0, turnsOn(rules, bid)));
  }
  return movers;
}

/** Return which bid a round that has ended is about, and between whom.
 * @param {Round} round
 * @returns {Ended} */
export function endedOf(round) {
  const { rules, history, ending, ender } = round;
  if (ending === null || ender === null) throw new RangeError("the round has not ended");
  const { tables } = rules;
  const place = ending - tables.actions;
  const back = tables.back[place] ?? 1;
  const settled = history[history.length - back] ?? 0;
  const other = moversOf(round)[history.length - back] ?? 0;
  const [challenger, bidder] = tables.turned[place]?.[settled] ? [other, ender] : [ender, other];
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
  const held = hands.filter(({ length }) => length > 0);
  return held.reduce((sum, hand) => sum + dieCount(tables, bid, handNumber(tables, hand)), 0);
}

/** Return [die] whether each die of a hand counts for a bid. Where the whole hand counts nothing,
 * no die does.
 * @param {Rules} rules
 * @param {number} bid
 * @param {readonly number[]} hand */
export function countingDice({ tables }, bid, hand) {
  const faces = tables.shows[tables.kind[bid] ?? 0] ?? [];
  const any = hand.length > 0 && dieCount(tables, bid, handNumber(tables, hand)) > 0;
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
  if (action === DECLINE) return { kind: "decline" };
  if (action < plain) return { kind: "bid", bid: bidOf(rules, action) };
  if (action < actions) return { kind: "double", bid: bidOf(rules, action) };
  const distance = back[action - actions];
  if (distance === undefined) throw new RangeError(`no action ${action}`);
  if (claimed[action - actions]?.every((count) => count === 0)) return { kind: "give-up" };
  return distance === 1 ? { kind: "challenge", distance } : { kind: "jump", distance };
}
