/** What one record of a packed table holds, read as `solver/tables/node_coding.py` describes it. */

import { CONTEXTS_OF_NUMBER } from "./range_reader.js";

/** @typedef {import("./range_reader.js").RangeReader} RangeReader */

const [DEPTHS, LISTED, ROWS, COUNTS, KINDS, SELDOM] = [8, 8, 3, 5, 64, 48];
const [ZERO_DIGITS, TOLD_DIGITS, POPULAR, LEFT_DIGITS] = [4, 4, 5, 17];
export const [PLAYED, ON] = [1, 2];

const SIZES = [
  2 * DEPTHS,
  2 * DEPTHS * LISTED,
  2 * CONTEXTS_OF_NUMBER,
  4 * 2,
  4 * 2 * DEPTHS,
  DEPTHS,
  8 * KINDS,
  4 * ROWS * SELDOM,
  3 * ROWS * SELDOM,
  3 * 2 * COUNTS * ROWS * POPULAR,
  SELDOM << ZERO_DIGITS,
  (LEFT_DIGITS * 3) << TOLD_DIGITS,
  LEFT_DIGITS * LEFT_DIGITS,
];
const STARTS = SIZES.map((_, place) => SIZES.slice(0, place).reduce((sum, one) => sum + one, 0));
const [RESTS = 0, MORE = 0, AHEAD = 0, OF_PLAYED = 0, OF_ON = 0, WITHIN = 0, OF_KINDS = 0] = STARTS;
const [PLAYS = 0, CALLS = 0, WHICH = 0, ZEROS = 0, UPPER = 0, LOWER = 0] = STARTS.slice(7);
/** The number of contexts of all groups. */
export const CONTEXTS = SIZES.reduce((sum, one) => sum + one, 0);

const FRACTION = (1 << 20) - 1;
const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);
double[0] = Math.SQRT1_2;
const [ROOT_LOW = 0, ROOT_HIGH = 0] = [words[0], (words[1] ?? 0) & FRACTION];

/** Return how seldom something comes that comes with probability `reach`: about -2 log2(reach). The
 * bits of the number have its exponent, and say whether the rest is at least the root of 1/2.
 * @param {number} reach */
export function seldomOf(reach) {
  if (!(reach > 0)) return SELDOM - 1;
  double[0] = reach;
  const [low = 0, high = 0] = words;
  const power = ((high >>> 20) & 2047) - 1022;
  const part = high & FRACTION;
  const upper = part > ROOT_HIGH || (part === ROOT_HIGH && low >= ROOT_LOW) ? 1 : 0;
  return Math.min(Math.max(2 - 2 * power - upper, 0), SELDOM - 1);
}

/** Room for what one record is read with. Each record writes over the one before. */
export class RoomForShares {
  /** @param {number} actions  the most rows of a record */
  constructor(actions) {
    /** [row] how many classes played the row. */
    this.popular = new Uint16Array(actions);
    /** [row] whether the last class that played did; 2 if there was none. */
    this.played = new Uint8Array(actions);
    /** [turn] the rows that a class plays. */
    this.chosen = new Uint16Array(actions);
    /** [class * rows + row] the shares, in steps. */
    this.shares = new Uint16Array(0);
  }

  /** Make room for a record.
   * @param {number} classes
   * @param {number} rows */
  clear(classes, rows) {
    const size = classes * rows;
    if (this.shares.length < size) this.shares = new Uint16Array(2 * size);
    this.shares.fill(0, 0, size);
    this.popular.fill(0, 0, rows);
    this.played.fill(2, 0, rows);
  }
}

/** The actions of a record: the place of each is its place among them.
 * @typedef {{rests: number, action: number[], lead: number[]}} Actions */

/** Read the actions that are played or lead on. Throws RangeError if they cannot be right.
 * @param {RangeReader} reader
 * @param {number} depth  how many bids have been made
 * @param {number} last  the last bid, -1 for none
 * @param {number} actions  how many actions there are
 * @returns {Actions} */
export function readActions(reader, depth, last, actions) {
  const deep = Math.min(depth, DEPTHS - 1);
  const rests = reader.bit(RESTS + deep);
  const more = MORE + (2 * deep + rests) * LISTED;
  /** @type {Actions} */
  const found = { rests, action: [], lead: [] };
  let [at, lead] = [last, 0];
  while (reader.bit(more + Math.min(found.action.length, LISTED - 1)) === 1) {
    const later = Math.min(found.action.length, 1);
    at += reader.number(AHEAD + later * CONTEXTS_OF_NUMBER);
    if (at >= actions) throw new RangeError("an action is out of range");
    const played = reader.bit(OF_PLAYED + 2 * lead + later);
    const on = reader.bit(OF_ON + (2 * lead + played) * DEPTHS + deep);
    lead = played * PLAYED + on * ON;
    found.action.push(at);
    found.lead.push(lead);
  }
  return found;
}

/** Read whether all hands that play have played the player's move before.
 * @param {RangeReader} reader
 * @param {number} depth */
export function readWithin(reader, depth) {
  return reader.bit(WITHIN + Math.min(depth, DEPTHS - 1)) === 1;
}

/** Read the set of kinds, a bit for each.
 * @param {RangeReader} reader
 * @param {number[]} order  the kinds in the order in which they are coded
 * @param {number} last  the kind of the last bid, -1 for none
 * @param {number} parent  the set of the record before, -1 for none
 * @param {number} before  the set of the record before that */
export function readKinds(reader, order, last, parent, before) {
  let kinds = 0;
  for (const kind of order) {
    const known = (kind === last ? 4 : 0) + 2 * ((parent >> kind) & 1) + ((before >> kind) & 1);
    kinds |= reader.bit(OF_KINDS + 8 * kind + known) << kind;
  }
  return kinds;
}

/** What is known of the classes of hands of a record.
 * @typedef {object} Classes
 * @property {number} number
 * @property {Uint16Array} first  [class] its first hand
 * @property {Uint8Array} seldom  [class] as `seldomOf` */

/** Read what the classes of hands play into `room.shares`. Throws RangeError if the shares are not
 * possible.
 * @param {RangeReader} reader
 * @param {number} rests  1 if the record has a challenge of the last bid
 * @param {Classes} classes
 * @param {(Uint8Array | null)[]} counts  [row] the dice of each hand that count for the action
 * @param {number} steps
 * @param {RoomForShares} room */
export function readHands(reader, rests, classes, counts, steps, room) {
  const rows = counts.length;
  room.clear(classes.number, rows);
  const many = Math.min(rows, ROWS) - 1;
  let [players, before, called] = [0, 0, 2];
  for (let group = 0; group < classes.number; group++) {
    const seldom = classes.seldom[group] ?? 0;
    const known = many * SELDOM + seldom;
    const plays = reader.bit(PLAYS + 4 * known + before);
    before = (2 * before + plays) & 3;
    if (plays === 0) continue;
    if (rests === 1) called = reader.bit(CALLS + 3 * known + called);
    const number = readWhich(reader, counts, classes.first[group] ?? 0, players, room);
    players += 1;
    const calls = rests === 1 && called === 1;
    readShares(reader, room, group * rows, number, seldom, calls, steps);
  }
}

/** Read which rows a class plays into `room.chosen`; return how many.
 * @param {RangeReader} reader
 * @param {(Uint8Array | null)[]} counts
 * @param {number} hand  the first hand of the class
 * @param {number} players  how many classes have played before
 * @param {RoomForShares} room */
function readWhich(reader, counts, hand, players, { popular, played, chosen }) {
  const rows = counts.length;
  let number = 0;
  for (let row = 0; row < rows; row++) {
    let plays = 1;
    if (rows > 1 && (row < rows - 1 || number > 0)) {
      const liked = Math.floor(((POPULAR - 1) * (popular[row] ?? 0)) / Math.max(players, 1));
      let known = Math.min(counts[row]?.[hand] ?? 0, COUNTS - 1);
      known = (known * 3 + (played[row] ?? 0)) * POPULAR + liked;
      known = (known * ROWS + Math.min(number, ROWS - 1)) * 2 + (row === rows - 1 ? 1 : 0);
      plays = reader.bit(WHICH + known);
    }
    popular[row] = (popular[row] ?? 0) + plays;
    played[row] = plays;
    if (plays === 1) chosen[number++] = row;
  }
  return number;
}

/** Read the shares of a class in the rows that it plays.
 * @param {RangeReader} reader
 * @param {RoomForShares} room  whose `chosen` are the rows
 * @param {number} first  the place of its share in the first row
 * @param {number} number  how many rows
 * @param {number} seldom
 * @param {boolean} calls  whether the class also challenges
 * @param {number} steps */
function readShares(reader, { shares, chosen }, first, number, seldom, calls, steps) {
  const coded = calls ? number : number - 1;
  const zeros = coded > 0 ? reader.digits(ZEROS + (seldom << ZERO_DIGITS), ZERO_DIGITS) : 0;
  let left = steps;
  for (let turn = 0; turn < number; turn++) {
    let one = left;
    if (turn < coded) one = readUnits(reader, left >> zeros, coded - turn) << zeros;
    left -= one;
    if (one <= 0 || left < 0) throw new RangeError("shares do not add up");
    shares[first + (chosen[turn] ?? 0)] = one;
  }
}

/** Read a number from 1 to `left`; 0 if nothing is left.
 * @param {RangeReader} reader
 * @param {number} left
 * @param {number} turns  how many shares are to come */
function readUnits(reader, left, turns) {
  if (left <= 0) return 0;
  let digits = 0;
  while ((left - 1) >> digits > 0) digits += 1;
  const upper = UPPER + ((digits * 3 + Math.min(turns, 3) - 1) << TOLD_DIGITS);
  let node = 1;
  for (let place = digits - 1; place >= 0; place--) {
    const told = node < 1 << TOLD_DIGITS;
    node = 2 * node + reader.bit(told ? upper + node : LOWER + digits * LEFT_DIGITS + place);
  }
  return node - (1 << digits) + 1;
}
