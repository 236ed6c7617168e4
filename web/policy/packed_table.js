/** The nodes of a packed table, decoded block by block as `solver/tables/packing.py` wrote them. */

import { HandClasses } from "./hand_classes.js";
import { RangeReader } from "./range_reader.js";
import {
  CONTEXTS, ON, PLAYED, readActions, readHands, readKinds, readWithin, seldomOf,
} from "./record_coding.js";

/** @typedef {import("../game/tables.js").Tables} Tables */

/** The hands that play an action, ascending, and how many steps each.
 * @typedef {{hands: Uint16Array, shares: Uint16Array}} Row */

/** What the policy does after a history. `rests`: whether a challenge takes what is left.
 * @typedef {{rests: boolean, rows: Map<number, Row>}} Node */

/** A history while records are read.
 * @typedef {object} Frame
 * @property {number} last  the last bid, -1 for none
 * @property {Row | null} row  the row that made it, if any hand did
 * @property {Float64Array} reach  [hand] how often the player who moves comes here with it
 * @property {number} kinds  the set of kinds of the record */

/** A block of the file.
 * @typedef {{bids: number[], counts: number[], coded: Uint8Array}} Block */

export class PackedTable {
  /** @param {Tables} tables
   * @param {number} players
   * @param {number} steps  the steps of a probability of 1
   * @param {Block[]} blocks */
  constructor(tables, players, steps, blocks) {
    this.tables = tables;
    this.players = players;
    this.steps = steps;
    this.classes = new HandClasses(tables);
    /** @type {Map<string, Block>} */
    this.blocks = new Map(blocks.map((block) => [block.bids.join(), block]));
    /** @type {Map<string, Node>} */
    this.nodes = new Map();
    /** @type {Set<string>} */
    this.read = new Set();
    this.counts = this.tables.matches;
    this.number = new Int16Array(tables.prior.length);
    this.stamp = new Int32Array(tables.prior.length);
    this.now = 0;
  }

  /** Return the node of a history, or null if there is none. Throws RangeError if the table is
   * damaged.
   * @param {readonly number[]} history */
  node(history) {
    for (const length of [0, 1, 2]) {
      const block = this.blocks.get(history.slice(0, length).join());
      if (block && length <= history.length) this.readOnce(block);
    }
    return this.nodes.get(history.join()) ?? null;
  }

  /** Return how much a hand plays an action at a node: steps.
   * @param {Node} node
   * @param {number} action
   * @param {number} hand */
  sharesAt(node, action, hand) {
    const row = node.rows.get(action);
    const place = row ? placeOf(row.hands, hand) : -1;
    return place < 0 ? 0 : (row?.shares[place] ?? 0);
  }

  /** @param {Block} block */
  readOnce(block) {
    const key = block.bids.join();
    if (this.read.has(key)) return;
    this.read.add(key);
    const reader = new RangeReader(CONTEXTS, block.coded);
    const counts = { records: 0, nodes: 0, rows: 0, entries: 0 };
    /** @type {Frame[]} */
    const path = [];
    for (let depth = 0; depth < block.bids.length; depth++) this.enter(path, block.bids, depth);
    this.readRecord(reader, counts, path, block.bids);
    const found = [counts.records, counts.nodes, counts.rows, counts.entries];
    if (!reader.isAtEnd || found.join() !== block.counts.join()) {
      throw new RangeError("the table is damaged");
    }
  }

  /** Add the frame of the first `depth` bids, which another block holds, to a path.
   * @param {Frame[]} path
   * @param {number[]} bids
   * @param {number} depth */
  enter(path, bids, depth) {
    path.push(this.frame(path, bids, depth));
    const frame = path[depth];
    if (frame) frame.kinds = 2 ** this.classes.codes.length - 1;
  }

  /** Return the frame of the first `depth` bids, given those before it.
   * @param {Frame[]} path
   * @param {number[]} bids
   * @param {number} depth
   * @returns {Frame} */
  frame(path, bids, depth) {
    const last = depth > 0 ? (bids[depth - 1] ?? -1) : -1;
    const row = this.nodes.get(bids.slice(0, depth - 1).join())?.rows.get(last) ?? null;
    /** @type {Frame} */
    const frame = { last, row: depth > 0 ? row : null, reach: this.tables.prior, kinds: -1 };
    path[depth] = frame;
    frame.reach = this.reachAt(path, depth);
    path.length = depth;
    return frame;
  }

  /** Return the row with which the player who moves at a depth moved before, or null.
   * @param {Frame[]} path
   * @param {number} depth */
  rowBefore(path, depth) {
    const before = this.movedBefore(path, depth);
    return before < 0 ? null : (path[before + 1]?.row ?? null);
  }

  /** @param {Frame[]} path
   * @param {number} depth */
  movedBefore(path, depth) {
    const doubled = (path[depth]?.last ?? -1) >= this.tables.plain;
    return depth - (doubled ? 2 : this.players);
  }

  /** Return [hand] how often the player who moves at a depth comes there.
   * @param {Frame[]} path
   * @param {number} depth */
  reachAt(path, depth) {
    const row = this.rowBefore(path, depth);
    if (!row || row.hands.length === 0) return this.tables.prior;
    const before = path[this.movedBefore(path, depth)]?.reach ?? this.tables.prior;
    const reach = new Float64Array(this.tables.prior.length);
    row.hands.forEach((hand, place) => {
      reach[hand] = (before[hand] ?? 0) * ((row.shares[place] ?? 0) / this.steps);
    });
    return reach;
  }

  /** Read a record and those that continue its history.
   * @param {RangeReader} reader
   * @param {{records: number, nodes: number, rows: number, entries: number}} counts
   * @param {Frame[]} path  the frames of the histories before it
   * @param {number[]} history */
  readRecord(reader, counts, path, history) {
    const { actions, back } = this.tables;
    const depth = history.length;
    const frame = this.frame(path, history, depth);
    path.push(frame);
    if (reader.isBeyond) throw new RangeError("the table is damaged");
    const found = readActions(reader, depth, frame.last, actions + back.length);
    counts.records += 1;
    const played = found.action.filter((_, place) => ((found.lead[place] ?? 0) & PLAYED) > 0);
    const rows = played.length > 0 ? this.readRows(reader, path, played, found.rests) : [];
    if (played.length === 0) frame.kinds = depth > 0 ? (path[depth - 1]?.kinds ?? -1) : -1;
    if (played.length > 0 || found.rests === 1) {
      this.keep(history, found.rests === 1, played, rows, counts);
    }
    found.action.forEach((action, place) => {
      if (((found.lead[place] ?? 0) & ON) === 0) return;
      if (action >= actions) throw new RangeError("a record follows an ending");
      this.readRecord(reader, counts, path, [...history, action]);
    });
    path.pop();
  }

  /** @param {number[]} history
   * @param {boolean} rests
   * @param {number[]} played
   * @param {Row[]} rows
   * @param {{nodes: number, rows: number, entries: number}} counts */
  keep(history, rests, played, rows, counts) {
    /** @type {Map<number, Row>} */
    const byAction = new Map();
    played.forEach((action, place) => {
      const row = rows[place];
      if (row) byAction.set(action, row);
    });
    counts.nodes += 1;
    counts.rows += played.length + (rests ? 1 : 0);
    for (const row of rows) counts.entries += row.hands.length;
    this.nodes.set(history.join(), { rests, rows: byAction });
  }

  /** Read the rows of the actions that are played in the last frame of a path.
   * @param {RangeReader} reader
   * @param {Frame[]} path
   * @param {number[]} played
   * @param {number} rests
   * @returns {Row[]} */
  readRows(reader, path, played, rests) {
    const depth = path.length - 1;
    const within = readWithin(reader, depth);
    const frame = path[depth];
    if (!frame) return [];
    const { kind, matches } = this.tables;
    const last = frame.last < 0 ? -1 : (kind[frame.last] ?? 0);
    const [parent, before] = [path[depth - 1]?.kinds ?? -1, path[depth - 2]?.kinds ?? -1];
    frame.kinds = readKinds(reader, this.classes.order, last, parent, before);
    const row = this.rowBefore(path, depth);
    const may = within && row && row.hands.length > 0 ? row.hands : this.everyHand;
    const { of, ...classes } = this.classesOf(may, frame);
    const counts = played.map((action) => matches[kind[action] ?? -1] ?? null);
    const shares = readHands(reader, rests, classes, counts, this.steps);
    const rows = played.map((_, place) => rowOf(may, of, shares, played.length, place));
    if (rests === 0) this.verifyWhole(rows);
    return rows;
  }

  get everyHand() {
    return Uint16Array.from(this.tables.prior, (_, hand) => hand);
  }

  /** Return the classes of the hands that may play, and [place] the class of each hand.
   * @param {Uint16Array} may
   * @param {Frame} frame */
  classesOf(may, frame) {
    const divided = this.classes.of(frame.kinds);
    const [of, first] = [new Uint16Array(may.length), new Int32Array(may.length)];
    const reach = new Float64Array(may.length);
    let number = 0;
    this.now += 1;
    may.forEach((hand, place) => {
      const group = divided[hand] ?? 0;
      if (this.stamp[group] !== this.now) {
        this.stamp[group] = this.now;
        this.number[group] = number;
        first[number++] = hand;
      }
      const found = this.number[group] ?? 0;
      of[place] = found;
      reach[found] = (reach[found] ?? 0) + (frame.reach[hand] ?? 0);
    });
    return { number, first, seldom: Uint8Array.from(reach, seldomOf), of };
  }

  /** Throw RangeError unless every hand plays one of the rows.
   * @param {Row[]} rows */
  verifyWhole(rows) {
    const plays = new Uint8Array(this.tables.prior.length);
    for (const row of rows) row.hands.forEach((hand) => (plays[hand] = 1));
    if (plays.includes(0)) throw new RangeError("a hand has no action");
  }
}

/** Return the row of an action, given the shares of the classes.
 * @param {Uint16Array} may
 * @param {Uint16Array} of  [place] the class
 * @param {Uint16Array} shares  [class * rows + row]
 * @param {number} rows
 * @param {number} row
 * @returns {Row} */
function rowOf(may, of, shares, rows, row) {
  const share = Uint16Array.from(of, (group) => shares[group * rows + row] ?? 0);
  const plays = may.filter((_, place) => (share[place] ?? 0) > 0);
  return { hands: plays, shares: share.filter((one) => one > 0) };
}

/** Return the place of a number among ascending ones, -1 if it is not there.
 * @param {Uint16Array} numbers
 * @param {number} sought */
function placeOf(numbers, sought) {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < sought) low = middle + 1;
    else high = middle;
  }
  return numbers[low] === sought ? low : -1;
}
