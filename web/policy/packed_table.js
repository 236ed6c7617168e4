/** The nodes of a packed table, decoded block by block when they are needed. */

import { BlockDecoding } from "./block_decoding.js";
import { HandClasses } from "./hand_classes.js";

/** @typedef {import("../game/tables.js").Tables} Tables */
/** @typedef {import("./decoded_block.js").Block} Block */
/** @typedef {import("./decoded_block.js").Node} Node */
/** @typedef {import("./decoded_block.js").Row} Row */

/** The most bids of the history that a block continues. */
const BIDS = 2;
const NONE = -1;

/** The milliseconds for which a block is decoded before the page may do something else. */
const SLICE = 8;

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
    /** The blocks by the history that they continue.
     * @type {Map<string, Block>} */
    this.blocks = new Map(blocks.map((block) => [block.bids.join(), block]));
    /** Those that are decoded, or are being decoded.
     * @type {Map<string, BlockDecoding>} */
    this.decodings = new Map();
  }

  /** Return the node of a history, or null if there is none. Throws RangeError if the table is
   * damaged.
   * @param {readonly number[]} history
   * @returns {Node | null} */
  node(history) {
    for (let length = Math.min(BIDS, history.length); length >= 0; length--) {
      const block = this.blocks.get(history.slice(0, length).join());
      if (block) return this.decodingOf(block).finished().node(history.slice(length));
    }
    return null;
  }

  /** Decode what the nodes on the way to a history need, in slices between which the page does
   * something else.
   * @param {readonly number[]} history */
  async prepare(history) {
    for (let length = 0; length <= Math.min(BIDS, history.length); length++) {
      const block = this.blocks.get(history.slice(0, length).join());
      while (block && !this.decodingOf(block).advance(SLICE)) await new Promise((done) => setTimeout(done));
    }
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
  decodingOf(block) {
    const key = block.bids.join();
    const found = this.decodings.get(key) ?? new BlockDecoding(this, block);
    this.decodings.set(key, found);
    return found;
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
