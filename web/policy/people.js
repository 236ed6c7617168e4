/** People of whom somebody says how they bid: `policies/advice/people.py`. They follow no policy. */

import { dieCount } from "../game/tables.js";
import { chancesByOwn, PlausibleBidding, plausibleBidding, statesOf } from "./ranges.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("./ranges.js").Person} Person */

/** How people bid, by the names in the tables.
 * @typedef {"careful" | "bluffs"} Manner */
/** @type {readonly Manner[]} */
export const MANNERS = ["careful", "bluffs"];

/** The probability of a bid with each hand [hand] in one style of bidding.
 * @typedef {(state: number, bid: number, last: number | undefined) => Float64Array} Style */

/** @type {WeakMap<Rules, Map<string, Person>>} */
const known = new WeakMap();

/** Return somebody who bids in this manner.
 * @param {Rules} rules
 * @param {Manner} manner
 * @returns {Person} */
export function personWho(rules, manner) {
  const people = known.get(rules) ?? peopleOf(rules);
  known.set(rules, people);
  const found = people.get(manner);
  if (!found) throw new RangeError(`no manner ${manner}`);
  return found;
}

/** @param {Rules} rules
 * @returns {Map<string, Person>} */
function peopleOf(rules) {
  const styles = stylesOf(rules).map((style) => remembered(style, keyOfBid));
  const limits = new Limits(rules);
  return new Map(
    MANNERS.map((manner) => {
      const shares = rules.tables.reading.manners.shares[manner] ?? [];
      /** @type {Person["range"]} */
      const range = (history, places) => rangeAmong(rules, styles, shares, limits, history, places);
      return [manner, { manner, range: remembered(range, keyOfRange) }];
    }),
  );
}

/** How many answers are kept of each kind: enough for the positions of a round. */
const KEPT = 64;

/** Return a function that keeps its last answers: a bid changes the range of its bidder alone.
 * @template {any[]} Asked
 * @param {(...asked: Asked) => Float64Array} answer
 * @param {(...asked: Asked) => string} keyOf
 * @returns {(...asked: Asked) => Float64Array} */
function remembered(answer, keyOf) {
  /** @type {Map<string, Float64Array>} */
  const answers = new Map();
  return (...asked) => {
    const key = keyOf(...asked);
    const found = answers.get(key) ?? answer(...asked);
    if (answers.size >= KEPT) answers.clear();
    answers.set(key, found);
    return found;
  };
}

/** @param {readonly number[]} history
 * @param {readonly number[]} places */
function keyOfRange(history, places) {
  return `${places.join()}/${history.slice(0, (places[places.length - 1] ?? -1) + 1).join()}`;
}

/** @param {number} state  which tells the last bid
 * @param {number} bid */
function keyOfBid(state, bid) {
  return `${state}/${bid}`;
}

/** Return what somebody holds who made the bids at some places of a history: `ranges` of
 * `policies/players/kinds.py`.
 * @param {Rules} rules
 * @param {Style[]} styles
 * @param {number[]} shares  [style]
 * @param {Limits} limits
 * @param {readonly number[]} history
 * @param {readonly number[]} places */
function rangeAmong(rules, styles, shares, limits, history, places) {
  const { tables } = rules;
  const states = statesOf(rules, history);
  const style = shares.map((share) => new Float64Array(tables.prior.length).fill(share));
  const limit = limits.shares.map((share) => new Float64Array(tables.prior.length).fill(share));
  for (const place of places) {
    const last = history[place - 1];
    multiply(style, (one) => styles[one]?.(states[place] ?? 0, history[place] ?? 0, last));
    if (last !== undefined) multiply(limit, (one) => limits.raised(one, last));
  }
  const mass = tables.prior.map((prior, hand) => prior * sumAt(style, hand) * sumAt(limit, hand));
  const whole = mass.reduce((sum, one) => sum + one, 0);
  return mass.map((one) => one / whole);
}

/** Multiply weights [kind][hand] by what is likely of each kind, and divide all by the largest.
 * @param {Float64Array[]} weights
 * @param {(kind: number) => Float64Array | undefined} likely */
function multiply(weights, likely) {
  let largest = 0;
  weights.forEach((row, kind) => {
    const times = likely(kind);
    row.forEach((one, hand) => {
      row[hand] = one * (times?.[hand] ?? 0);
      largest = Math.max(largest, row[hand] ?? 0);
    });
  });
  for (const row of weights) row.forEach((one, hand) => (row[hand] = one / largest));
}

/** @param {Float64Array[]} rows
 * @param {number} hand */
function sumAt(rows, hand) {
  return rows.reduce((sum, row) => sum + (row[hand] ?? 0), 0);
}

/** How unlikely a bid must seem before somebody challenges it. */
class Limits {
  /** @param {Rules} rules */
  constructor(rules) {
    const { limits, limitShares, noise } = rules.tables.reading.manners;
    this.tables = rules.tables;
    this.shares = limitShares;
    this.chances = chancesByOwn(rules);
    this.limits = limits;
    this.noise = noise;
  }

  /** Return [hand] the probability that somebody with a limit does not challenge a bid.
   * @param {number} limit  its place
   * @param {number} bid */
  raised(limit, bid) {
    const { tables, noise } = this;
    const byOwn = this.chances[bid]?.map((chance) => (chance < (this.limits[limit] ?? 0) ? noise : 1 - noise));
    return tables.prior.map((_, hand) => byOwn?.[dieCount(tables, bid, hand)] ?? 0);
  }
}

/** Return the styles, in the order of STYLES in `policies/players/manners.py`.
 * @param {Rules} rules
 * @returns {Style[]} */
function stylesOf(rules) {
  const { sharp, flat, likely, bold } = rules.tables.reading.manners;
  const plausible = plausibleBidding(rules);
  /** @param {PlausibleBidding} bidding
   * @returns {Style} */
  const supported = (bidding) => (state, bid) => bidding.likelihood(state, bid);
  /** @type {Style} */
  const climbs = (state, bid) => always(rules, weakest(rules, state, bid, () => true));
  /** @type {Style} */
  const stays = (state, bid, last) =>
    last === undefined
      ? plausible.likelihood(state, bid)
      : always(rules, weakest(rules, state, bid, (one) => faceOf(rules, one) === faceOf(rules, last)));
  /** @type {Style} */
  const anyHand = (state, bid) => {
    const likelihood = plausible.likelihood(state, bid);
    return always(rules, rules.tables.prior.reduce((sum, prior, hand) => sum + prior * (likelihood[hand] ?? 0), 0));
  };
  return [
    supported(plausible),
    climbs,
    stays,
    supported(new PlausibleBidding(rules, sharp)),
    supported(new PlausibleBidding(rules, flat)),
    anyHand,
    firstEnough(rules, likely, true),
    firstEnough(rules, bold, false),
  ];
}

/** @param {Rules} rules
 * @param {number} chance */
function always({ tables }, chance) {
  return new Float64Array(tables.prior.length).fill(chance);
}

/** @param {Rules} rules
 * @param {number} bid */
function faceOf({ bids, tables }, bid) {
  return bids[bid % tables.plain]?.face;
}

/** @param {Rules} rules
 * @param {number} state */
function legalBids({ tables }, state) {
  return [...(tables.after[state]?.keys() ?? [])].filter((bid) => (tables.after[state]?.[bid] ?? -1) >= 0);
}

/** Return the probability of a bid of somebody who makes one of the weakest raises of a kind, or of all
 * where no raise is of this kind: `weakest_raises` in `policies/players/styles.py`.
 * @param {Rules} rules
 * @param {number} state
 * @param {number} bid
 * @param {(bid: number) => boolean} isChosen */
function weakest(rules, state, bid, isChosen) {
  const { stop, slip } = rules.tables.reading.manners;
  const legal = legalBids(rules, state);
  const chosen = legal.filter(isChosen);
  const among = chosen.length > 0 ? chosen : legal;
  const total = among.reduce((sum, _, weaker) => sum + (1 - stop) ** weaker, 0);
  const place = among.indexOf(bid);
  const first = place < 0 ? 0 : (1 - stop) ** place / total;
  return (1 - slip) * first + slip / legal.length;
}

/** Return the style of somebody who makes the first raise that is likely enough: `FirstBidding` in
 * `policies/players/styles.py`.
 * @param {Rules} rules
 * @param {number} least  how likely, given the own hand
 * @param {boolean} fromWeakest
 * @returns {Style} */
function firstEnough(rules, least, fromWeakest) {
  const { tables } = rules;
  const { stop, slip } = tables.reading.manners;
  const enough = chancesByOwn(rules).map((row) => row.map((chance) => (chance >= least ? 1 : 0)));
  const plausible = plausibleBidding(rules);
  return (state, bid) => {
    const legal = legalBids(rules, state);
    const is = (/** @type {number} */ one, /** @type {number} */ hand) => enough[one]?.[dieCount(tables, one, hand)] ?? 0;
    return plausible.likelihood(state, bid).map((usual, hand) => {
      const all = legal.filter((one) => is(one, hand) === 1);
      const weaker = all.filter((one) => one < bid).length;
      const before = fromWeakest ? weaker : Math.max(all.length - weaker - is(bid, hand), 0);
      const total = (1 - (1 - stop) ** all.length) / stop;
      const chosen = all.length > 0 ? (is(bid, hand) * (1 - stop) ** before) / total : usual;
      return (1 - slip) * chosen + slip * usual;
    });
  };
}
