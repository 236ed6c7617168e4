/** What players may hold, given their bids: for each hand its probability. */

import { moversOf } from "../game/round.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../game/round.js").Round} Round */
/** @typedef {import("./policy.js").PocketPolicy} PocketPolicy */

/** Return [count] the probability that hands of a range show exactly this many dice of a kind.
 * @param {Rules} rules
 * @param {number} kind
 * @param {Float64Array} range */
export function countsOf({ tables }, kind, range) {
  const counts = new Float64Array(tables.most + 1);
  const matches = tables.matches[kind];
  range.forEach((mass, hand) => {
    const dice = matches?.[hand] ?? 0;
    counts[dice] = (counts[dice] ?? 0) + mass;
  });
  return counts;
}

/** Return [count] the probability that the dice of all these ranges show at least this many of a
 * kind.
 * @param {Rules} rules
 * @param {number} kind
 * @param {Float64Array[]} ranges */
export function tailsOf(rules, kind, ranges) {
  let total = Float64Array.of(1);
  for (const range of ranges) total = convolved(total, countsOf(rules, kind, range));
  for (let count = total.length - 2; count >= 0; count--) {
    total[count] = (total[count] ?? 0) + (total[count + 1] ?? 0);
  }
  const whole = total[0] ?? 1;
  return total.map((mass) => mass / whole);
}

/** @param {Float64Array} one
 * @param {Float64Array} other */
function convolved(one, other) {
  const sum = new Float64Array(one.length + other.length - 1);
  one.forEach((mass, count) =>
    other.forEach((its, more) => (sum[count + more] = (sum[count + more] ?? 0) + mass * its)),
  );
  return sum;
}

/** Return [bid][own dice] the chance of each bid or double for a player who knows no other dice.
 * @param {Rules} rules
 * @param {number} [dice]  of the player
 * @returns {Float64Array[]}  empty where players cannot have this many dice */
export function chancesByOwn(rules, dice = rules.dice) {
  const { tables } = rules;
  const others = othersOf(rules, dice);
  if (others.length === 0) return [];
  const tails = tables.matches.map((_, kind) => tailsOf(rules, kind, others));
  return Array.from({ length: tables.actions }, (_, bid) =>
    Float64Array.from({ length: tables.most + 1 }, (_, own) => {
      const missing = Math.max(0, (rules.bids[bid % tables.plain]?.count ?? 0) - own);
      return tails[tables.kind[bid] ?? 0]?.[missing] ?? 0;
    }),
  );
}

/** How players bid who bid what their own dice support: `PlausibleBidding` in
 * `policies/players/reading.py`. */
export class PlausibleBidding {
  /** @param {Rules} rules
   * @param {number} [power]  the higher, the more a bid tells */
  constructor(rules, power = rules.tables.reading.power) {
    const { floor } = rules.tables.reading;
    this.rules = rules;
    /** [dice][bid][own dice] the weight of the bid for players with this many dice. */
    this.weights = rules.tables.priors.map((_, dice) =>
      chancesByOwn(rules, dice).map((row) => row.map((chance) => (floor + chance) ** power)),
    );
    /** @type {Map<number, Float64Array>} */
    this.totals = new Map();
  }

  /** Return [hand] the weight of a bid.
   * @param {number} bid */
  weight(bid) {
    const { matches, kind, held } = this.rules.tables;
    const own = matches[kind[bid] ?? 0] ?? [];
    return Float64Array.from(own, (dice, hand) => this.weights[held[hand] ?? 0]?.[bid]?.[dice] ?? 0);
  }

  /** Return [hand] the sum of the weights of all bids that are legal in a state.
   * @param {number} state */
  total(state) {
    let found = this.totals.get(state);
    if (!found) {
      const sums = new Float64Array(this.rules.tables.prior.length);
      this.rules.tables.after[state]?.forEach((after, bid) => {
        if (after >= 0) this.weight(bid).forEach((one, hand) => (sums[hand] = (sums[hand] ?? 0) + one));
      });
      found = sums;
      this.totals.set(state, found);
    }
    return found;
  }

  /** Return [hand] the probability of a bid in a state.
   * @param {number} state
   * @param {number} bid */
  likelihood(state, bid) {
    const total = this.total(state);
    return this.weight(bid).map((weight, hand) => weight / (total[hand] || 1));
  }
}

/** Return what the others may hold, as far as a player knows who has this many dice: where dice are lost,
 * each other die on the table for itself.
 * @param {Rules} rules
 * @param {number} dice
 * @returns {Float64Array[]} */
function othersOf({ tables, dice: full, players, match }, dice) {
  const [one] = tables.priors.slice(1);
  if (match && one && dice > 0) return Array.from({ length: Math.max(0, tables.total - dice) }, () => one);
  return dice === full ? Array.from({ length: players - 1 }, () => tables.prior) : [];
}

/** @type {WeakMap<Rules, PlausibleBidding>} */
const plausible = new WeakMap();

/** Return how players bid by these rules whose dice support their bids.
 * @param {Rules} rules */
export function plausibleBidding(rules) {
  const found = plausible.get(rules) ?? new PlausibleBidding(rules);
  plausible.set(rules, found);
  return found;
}

/** A range and the probability of the bids that led to it.
 * @typedef {{range: Float64Array, likely: number}} Read */

/** Somebody of whom it is known how they bid: `web/policy/people.js`.
 * @typedef {object} Person
 * @property {string} manner  what is said of them
 * @property {(history: readonly number[], places: readonly number[]) => Float64Array} range
 *   what they may hold who made the bids at these places */

/** Return [seat] the ranges of all players after a round's bids. A player of whom nothing is known is
 * taken to follow the policy while their bids are not much less likely so than if their own dice
 * supported them.
 * @param {Rules} rules
 * @param {PocketPolicy | null} policy  null: everybody bids what their own dice support
 * @param {Round} round
 * @param {readonly (Person | null)[]} [people]  [seat] those of whom something is known
 * @returns {Float64Array[]} */
export function rangesOf(rules, policy, round, people = []) {
  const movers = moversOf(round);
  return Array.from({ length: rules.players }, (_, seat) => {
    const person = people[seat];
    if (person) return person.range(round.history, placesOf(round.history, movers, seat));
    const prior = rules.tables.priors[round.dice[seat] ?? 0] ?? rules.tables.prior;
    const read = readRange(prior, round.history, movers, seat, readBid(rules, round.history));
    const follows = policy && readRange(prior, round.history, movers, seat, (place) =>
      policy.row(round.history.slice(0, place), round.history[place] ?? 0));
    const least = rules.tables.reading.least * (read?.likely ?? 0);
    if (follows && follows.likely >= least) return follows.range;
    return read?.range ?? prior;
  });
}

/** Return the places of the bids that a seat has made.
 * @param {readonly number[]} history
 * @param {number[]} movers  [place] who made the bid
 * @param {number} seat */
function placesOf(history, movers, seat) {
  return [...history.keys()].filter((place) => movers[place] === seat);
}

/** Return what the bids of a seat tell of its hand; null if no hand makes them.
 * @param {Float64Array} prior  [hand]
 * @param {readonly number[]} history
 * @param {number[]} movers  [place] who made the bid
 * @param {number} seat
 * @param {(place: number) => Float64Array | null} likelihood  [hand] of the bid at a place
 * @returns {Read | null} */
function readRange(prior, history, movers, seat, likelihood) {
  let [range, likely] = [prior, 1];
  for (const place of placesOf(history, movers, seat)) {
    const times = likelihood(place);
    if (!times) return null;
    const mass = range.map((one, hand) => one * (times[hand] ?? 0));
    const total = mass.reduce((sum, one) => sum + one, 0);
    if (!(total > 0)) return null;
    range = mass.map((one) => one / total);
    likely *= total;
  }
  return { range, likely };
}

/** Return the likelihood of the bid at a place of a history if bidders' own dice support it.
 * @param {Rules} rules
 * @param {readonly number[]} history
 * @returns {(place: number) => Float64Array} */
function readBid(rules, history) {
  const bidding = plausibleBidding(rules);
  const states = statesOf(rules, history);
  return (place) => bidding.likelihood(states[place] ?? 0, history[place] ?? 0);
}

/** Return the state before each bid of a history, and last the state after it.
 * @param {Rules} rules
 * @param {readonly number[]} history */
export function statesOf(rules, history) {
  const states = [0];
  for (const bid of history) states.push(rules.tables.after[states[states.length - 1] ?? 0]?.[bid] ?? 0);
  return states;
}
