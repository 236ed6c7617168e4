/** The nodes of a packed table, decoded block by block as `solver/tables/packing.py` wrote them. */

import { DecodedBlock } from "./decoded_block.js";
import { HandClasses, RoomForClasses } from "./hand_classes.js";
import { RangeReader } from "./range_reader.js";
import {
  CONTEXTS, ON, PLAYED, readActions, readHands, readKinds, readWithin, RoomForShares,
} from "./record_coding.js";

/** @typedef {import("../game/tables.js").Tables} Tables */
/** @typedef {import("./decoded_block.js").Block} Block */
/** @typedef {import("./decoded_block.js").Node} Node */
/** @typedef {import("./decoded_block.js").Row} Row */

/** The most bids of the history that a block continues. */
const BIDS = 2;
const NONE = -1;

/** A history while records are read.
 * @typedef {object} Frame
 * @property {number} last  the last bid, -1 for none
 * @property {Row | null} row  the row that made it, if any hand did
 * @property {Float64Array} reach  [hand] how often the player who moves comes here with it
 * @property {number} kinds  the set of kinds of the record */

export class PackedTable {
  /** @param {Tables} tables
   * @param {Float64Array[]} priors  [player][hand] the probability of each hand, from the opener on
   * @param {number} steps  the steps of a probability of 1
   * @param {Block[]} blocks */
  constructor(tables, priors, steps, blocks) {
    this.tables = tables;
    this.priors = priors;
    this.players = priors.length;
    this.steps = steps;
    this.classes = new HandClasses(tables);
    this.everyHand = Uint16Array.from(tables.prior, (_, hand) => hand);
    this.room = new RoomForClasses(tables.prior.length);
    this.shares = new RoomForShares(tables.actions + tables.back.length);
    /** The blocks by the history that they continue.
     * @type {Map<string, Block>} */
    this.blocks = new Map(blocks.map((block) => [block.bids.join(), block]));
    /** @type {Map<string, DecodedBlock>} */
    this.decoded = new Map();
    /** [depth] room for the reach of a frame.
     * @type {Float64Array[]} */
    this.reaches = [];
  }

  /** Return the node of a history, or null if there is none. Throws RangeError if the table is
   * damaged.
   * @param {readonly number[]} history
   * @returns {Node | null} */
  node(history) {
    for (let length = Math.min(BIDS, history.length); length >= 0; length--) {
      const block = this.blocks.get(history.slice(0, length).join());
      if (block) return this.decodedOnce(block).node(history.slice(length));
    }
    return null;
  }

  /** Return how much a hand plays an action at a node: steps.
   * @param {Node} node
   * @param {number} action
   * @param {number} hand */
  sharesAt(node, action, hand) {
    const row = node.rows.get(action);
    const place = row ? placeOf(row, hand) : NONE;
    return place === NONE ? 0 : (row?.shares[place] ?? 0);
  }

  /** @param {Block} block */
  decodedOnce(block) {
    const key = block.bids.join();
    const found = this.decoded.get(key) ?? this.decode(block);
    this.decoded.set(key, found);
    return found;
  }

  /** @param {Block} block */
  decode(block) {
    // The blocks of shorter histories use the same room, so they are decoded first.
    const path = block.bids.map((_, depth) => this.frameAbove(block.bids.slice(0, depth)));
    path.push({ ...this.frameAbove(block.bids), kinds: NONE });
    for (let depth = 0; depth < path.length - 1; depth++) this.setReach(path, depth);
    const reader = new RangeReader(CONTEXTS, block.coded);
    const out = new DecodedBlock(block);
    const first = out.addRecord(NONE, NONE, path[path.length - 1]?.last ?? NONE);
    const rests = this.readRecord(reader, path, out, first);
    if (!reader.isAtEnd || !out.isWhole(block, rests)) throw new RangeError("the table is damaged");
    return out;
  }

  /** Return the frame of a history that another block holds.
   * @param {number[]} bids
   * @returns {Frame} */
  frameAbove(bids) {
    const last = bids[bids.length - 1] ?? NONE;
    const row = bids.length > 0 ? (this.node(bids.slice(0, -1))?.rows.get(last) ?? null) : null;
    const kinds = 2 ** this.classes.counts.length - 1;
    return { last, row, reach: this.priorAt(bids.length), kinds };
  }

  /** Return [hand] the probability of each hand of the player who moves at a depth.
   * @param {number} depth */
  priorAt(depth) {
    return this.priors[depth % this.players] ?? this.tables.prior;
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
    return depth - (doubled ? 2 : this.players);
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
      reach[hand] = (before[hand] ?? 0) * ((row.shares[place] ?? 0) / this.steps);
    }
    frame.reach = reach;
  }

  /** Read a record and those that continue its history. Return how many of them have a challenge.
   * @param {RangeReader} reader
   * @param {Frame[]} path  the frames of the histories up to it
   * @param {DecodedBlock} out
   * @param {number} record  its number
   * @returns {number} */
  readRecord(reader, path, out, record) {
    const { actions, back } = this.tables;
    const depth = path.length - 1;
    const frame = path[depth];
    if (!frame || reader.isBeyond) throw new RangeError("the table is damaged");
    this.setReach(path, depth);
    const { rests, action, lead } = readActions(reader, depth, frame.last, actions + back.length);
    const played = action.filter((_, place) => ((lead[place] ?? 0) & PLAYED) > 0);
    const first = out.rows;
    if (played.length > 0) this.readRows(reader, path, played, rests, out);
    else frame.kinds = path[depth - 1]?.kinds ?? NONE;
    if (played.length > 0 || rests === 1) out.addNode(record, rests === 1);
    let [found, before] = [rests, NONE];
    for (let place = 0; place < action.length; place++) {
      if (((lead[place] ?? 0) & ON) === 0) continue;
      const last = action[place] ?? 0;
      if (last >= actions) throw new RangeError("a record follows an ending");
      const at = played.indexOf(last);
      const row = at < 0 ? null : out.row(first + at);
      before = out.addRecord(record, before, last);
      path.push({ last, row, reach: this.priorAt(path.length), kinds: NONE });
      found += this.readRecord(reader, path, out, before);
      path.pop();
    }
    return found;
  }

  /** Read the rows of the actions that are played in the last frame of a path.
   * @param {RangeReader} reader
   * @param {Frame[]} path
   * @param {number[]} played
   * @param {number} rests
   * @param {DecodedBlock} out */
  readRows(reader, path, played, rests, out) {
    const depth = path.length - 1;
    const within = readWithin(reader, depth);
    const frame = path[depth];
    if (!frame) return;
    const { kind, matches } = this.tables;
    const last = frame.last < 0 ? NONE : (kind[frame.last] ?? 0);
    const [parent, before] = [path[depth - 1]?.kinds ?? NONE, path[depth - 2]?.kinds ?? NONE];
    frame.kinds = readKinds(reader, this.classes.order, last, parent, before);
    const row = this.rowBefore(path, depth);
    const own = within && row && row.first < row.end ? row : null;
    const [may, from, end] = own
      ? [own.hands, own.first, own.end]
      : [this.everyHand, 0, this.everyHand.length];
    const room = this.room;
    room.divide(may, from, end, this.classes.of(frame.kinds), frame.reach);
    const counts = played.map((action) => matches[kind[action] ?? NONE] ?? null);
    readHands(reader, rests, room, counts, this.steps, this.shares);
    const first = out.rows;
    for (let at = 0; at < played.length; at++) {
      out.addRow(played[at] ?? 0, room, this.shares.shares, at, played.length);
    }
    if (rests === 0) this.verifyWhole(out, first);
  }

  /** Throw RangeError unless every hand plays one of the rows from `first` on.
   * @param {DecodedBlock} out
   * @param {number} first */
  verifyWhole(out, first) {
    const plays = new Uint8Array(this.tables.prior.length);
    const end = out.firstEntry[out.rows] ?? 0;
    for (let entry = out.firstEntry[first] ?? 0; entry < end; entry++) {
      plays[out.hands[entry] ?? 0] = 1;
    }
    if (plays.includes(0)) throw new RangeError("a hand has no action");
  }
}

/** Return the place of a hand in a row, or NONE.
 * @param {Row} row
 * @param {number} hand */
function placeOf({ hands, first, end }, hand) {
  let [low, high] = [first, end];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((hands[middle] ?? 0) < hand) low = middle + 1;
    else high = middle;
  }
  return low < end && hands[low] === hand ? low : NONE;
}
