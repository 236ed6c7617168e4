/** Reading one block of a packed table, as `solver/tables/packing.py` wrote it. A large block takes some
 * tenths of a second on a slow phone, so it can be read in slices. */

import { DecodedBlock } from "./decoded_block.js";
import { RoomForClasses } from "./hand_classes.js";
import { RangeReader } from "./range_reader.js";
import {
  CONTEXTS, ON, PLAYED, readActions, readHands, readKinds, readWithin, RoomForShares,
} from "./record_coding.js";

/** @typedef {import("./decoded_block.js").Block} Block */
/** @typedef {import("./decoded_block.js").Row} Row */
/** @typedef {import("./packed_table.js").PackedTable} PackedTable */

const NONE = -1;

/** A history while records are read.
 * @typedef {object} Frame
 * @property {number} last  the last bid, -1 for none
 * @property {Row | null} row  the row that made it, if any hand did
 * @property {Float64Array} reach  [hand] how often the player who moves comes here with it
 * @property {number} kinds  the set of kinds of the record */

export class BlockDecoding {
  /** @param {PackedTable} table
   * @param {Block} block */
  constructor(table, block) {
    this.table = table;
    this.block = block;
    this.tables = table.tables;
    this.everyHand = Uint16Array.from(this.tables.prior, (_, hand) => hand);
    this.room = new RoomForClasses(this.tables.prior.length);
    this.shares = new RoomForShares(this.tables.actions + this.tables.back.length);
    /** [depth] room for the reach of a frame.
     * @type {Float64Array[]} */
    this.reaches = [];
    this.isDone = false;
    /** Why the block cannot be decoded.
     * @type {unknown} */
    this.fault = null;
    this.out = new DecodedBlock(block);
    this.steps = this.records();
  }

  /** Go on for some milliseconds, and by a record at least; return whether all is decoded. Throws
   * RangeError if the table is damaged.
   * @param {number} milliseconds */
  advance(milliseconds) {
    const until = performance.now() + milliseconds;
    do {
      if (!this.isDone) this.step();
    } while (!this.isDone && performance.now() < until);
    return this.isDone;
  }

  /** Return the whole block. Throws RangeError if the table is damaged. */
  finished() {
    while (!this.isDone) this.step();
    return this.out;
  }

  /** Read the next record. Throws RangeError if the table is damaged, then and ever after. */
  step() {
    if (this.fault) throw this.fault;
    try {
      this.isDone = this.steps.next().done ?? false;
    } catch (error) {
      this.fault = error;
      throw error;
    }
  }

  /** Read all records, one at each step.
   * @returns {Generator<void, void>} */
  *records() {
    const { block, out } = this;
    const path = block.bids.map((_, depth) => this.frameAbove(block.bids.slice(0, depth)));
    path.push({ ...this.frameAbove(block.bids), kinds: NONE });
    for (let depth = 0; depth < path.length - 1; depth++) this.setReach(path, depth);
    const reader = new RangeReader(CONTEXTS, block.coded);
    const first = out.addRecord(NONE, NONE, path[path.length - 1]?.last ?? NONE);
    const rests = yield* this.record(reader, path, first);
    if (!reader.isAtEnd || !out.isWhole(block, rests)) throw new RangeError("the table is damaged");
  }

  /** Return the frame of a history that another block holds.
   * @param {number[]} bids
   * @returns {Frame} */
  frameAbove(bids) {
    const last = bids[bids.length - 1] ?? NONE;
    const row = bids.length > 0 ? (this.table.node(bids.slice(0, -1))?.rows.get(last) ?? null) : null;
    const kinds = 2 ** this.table.classes.counts.length - 1;
    return { last, row, reach: this.priorAt(bids.length), kinds };
  }

  /** Return [hand] the probability of each hand of the player who moves at a depth.
   * @param {number} depth */
  priorAt(depth) {
    const { priors, players } = this.table;
    return priors[depth % players] ?? this.tables.prior;
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
    const doubled = (path[depth]?.last ?? NONE) >= this.tables.plain;
    return depth - (doubled ? 2 : this.table.players);
  }

  /** Write how often the player who moves at a depth comes there. Frames of one depth share the
   * room for it.
   * @param {Frame[]} path
   * @param {number} depth */
  setReach(path, depth) {
    const frame = path[depth];
    const row = this.rowBefore(path, depth);
    if (!frame || !row || row.first === row.end) return;
    const before = path[this.movedBefore(path, depth)]?.reach ?? this.priorAt(depth);
    const reach = (this.reaches[depth] ??= new Float64Array(this.tables.prior.length));
    reach.fill(0);
    for (let place = row.first; place < row.end; place++) {
      const hand = row.hands[place] ?? 0;
      reach[hand] = (before[hand] ?? 0) * ((row.shares[place] ?? 0) / this.table.steps);
    }
    frame.reach = reach;
  }

  /** Read a record and those that continue its history. Return how many of them have a challenge.
   * @param {RangeReader} reader
   * @param {Frame[]} path  the frames of the histories up to it
   * @param {number} record  its number
   * @returns {Generator<void, number>} */
  *record(reader, path, record) {
    const { out } = this;
    const { actions, back } = this.tables;
    const depth = path.length - 1;
    const frame = path[depth];
    if (!frame || reader.isBeyond) throw new RangeError("the table is damaged");
    this.setReach(path, depth);
    const { rests, action, lead } = readActions(reader, depth, frame.last, actions + back.length);
    const played = action.filter((_, place) => ((lead[place] ?? 0) & PLAYED) > 0);
    const first = out.rows;
    if (played.length > 0) this.readRows(reader, path, played, rests);
    else frame.kinds = path[depth - 1]?.kinds ?? NONE;
    if (played.length > 0 || rests === 1) out.addNode(record, rests === 1);
    yield;
    let [found, before] = [rests, NONE];
    for (let place = 0; place < action.length; place++) {
      if (((lead[place] ?? 0) & ON) === 0) continue;
      const last = action[place] ?? 0;
      if (last >= actions) throw new RangeError("a record follows an ending");
      const at = played.indexOf(last);
      const row = at < 0 ? null : out.row(first + at);
      before = out.addRecord(record, before, last);
      path.push({ last, row, reach: this.priorAt(path.length), kinds: NONE });
      found += yield* this.record(reader, path, before);
      path.pop();
    }
    return found;
  }

  /** Read the rows of the actions that are played in the last frame of a path.
   * @param {RangeReader} reader
   * @param {Frame[]} path
   * @param {number[]} played
   * @param {number} rests */
  readRows(reader, path, played, rests) {
    const { out } = this;
    const depth = path.length - 1;
    const within = readWithin(reader, depth);
    const frame = path[depth];
    if (!frame) return;
    const { kind, matches } = this.tables;
    const last = frame.last < 0 ? NONE : (kind[frame.last] ?? 0);
    const [parent, before] = [path[depth - 1]?.kinds ?? NONE, path[depth - 2]?.kinds ?? NONE];
    frame.kinds = readKinds(reader, this.table.classes.order, last, parent, before);
    const row = this.rowBefore(path, depth);
    const own = within && row && row.first < row.end ? row : null;
    const [may, from, end] = own
      ? [own.hands, own.first, own.end]
      : [this.everyHand, 0, this.everyHand.length];
    const room = this.room;
    room.divide(may, from, end, this.table.classes.of(frame.kinds), frame.reach);
    const counts = played.map((action) => matches[kind[action] ?? NONE] ?? null);
    readHands(reader, rests, room, counts, this.table.steps, this.shares);
    const first = out.rows;
    for (let at = 0; at < played.length; at++) {
      out.addRow(played[at] ?? 0, room, this.shares.shares, at, played.length);
    }
    if (rests === 0) this.verifyWhole(first);
  }

  /** Throw RangeError unless every hand plays one of the rows from `first` on.
   * @param {number} first */
  verifyWhole(first) {
    const { out } = this;
    const plays = new Uint8Array(this.tables.prior.length);
    const end = out.firstEntry[out.rows] ?? 0;
    for (let entry = out.firstEntry[first] ?? 0; entry < end; entry++) {
      plays[out.hands[entry] ?? 0] = 1;
    }
    if (plays.includes(0)) throw new RangeError("a hand has no action");
  }
}
