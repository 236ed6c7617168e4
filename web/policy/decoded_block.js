/** The nodes of one block of a packed table, in arrays: a block has thousands of nodes. */

const NONE = -1;

/** What a block of the file states: the history that its records continue, and how many records,
 * nodes, rows and entries it has.
 * @typedef {{bids: number[], counts: number[], coded: Uint8Array}} Block */

/** The hands that play an action, ascending, and how many steps each: a part of two arrays.
 * @typedef {{hands: Uint16Array, shares: Uint16Array, first: number, end: number}} Row */

/** What the policy does after a history. `rests`: whether a challenge takes what is left.
 * @typedef {{rests: boolean, rows: Map<number, Row>}} Node */

export class DecodedBlock {
  /** @param {Block} block */
  constructor({ counts }) {
    const [records = 0, nodes = 0, rows = 0, entries = 0] = counts;
    this.records = 0;
    /** [record] the bid that leads to it. */
    this.bid = new Int16Array(records);
    this.firstChild = new Int32Array(records).fill(NONE);
    this.sibling = new Int32Array(records).fill(NONE);
    /** [record] its node, NONE for a gap. */
    this.nodeOf = new Int32Array(records).fill(NONE);
    this.nodes = 0;
    this.firstRow = new Int32Array(nodes + 1);
    this.rests = new Uint8Array(nodes);
    this.rows = 0;
    this.action = new Int16Array(rows);
    this.firstEntry = new Int32Array(rows + 1);
    this.hands = new Uint16Array(entries);
    this.shares = new Uint16Array(entries);
  }

  /** Add a record that continues another one, NONE for the first; return its number. Throws
   * RangeError if there is no room.
   * @param {number} parent
   * @param {number} before  the record before it among those that continue the parent, or NONE
   * @param {number} bid */
  addRecord(parent, before, bid) {
    const record = this.records++;
    if (record >= this.bid.length) throw new RangeError("the table is damaged");
    this.bid[record] = bid;
    if (before !== NONE) this.sibling[before] = record;
    else if (parent !== NONE) this.firstChild[parent] = record;
    return record;
  }

  /** Make a record a node, whose rows are those added since the last node.
   * @param {number} record
   * @param {boolean} rests */
  addNode(record, rests) {
    const node = this.nodes++;
    if (node >= this.rests.length) throw new RangeError("the table is damaged");
    this.nodeOf[record] = node;
    this.rests[node] = rests ? 1 : 0;
    this.firstRow[this.nodes] = this.rows;
  }

  /** Add the row of an action: the hands that may play and have a share.
   * @param {number} action
   * @param {import("./hand_classes.js").RoomForClasses} classes
   * @param {Uint16Array} shares  [class * rows + row]
   * @param {number} at  the row among those of the record
   * @param {number} rows */
  addRow(action, { may, places, of }, shares, at, rows) {
    const row = this.rows++;
    if (row >= this.action.length) throw new RangeError("the table is damaged");
    let entry = this.firstEntry[row] ?? 0;
    for (let place = 0; place < places; place++) {
      const share = shares[(of[place] ?? 0) * rows + at] ?? 0;
      if (share === 0) continue;
      this.hands[entry] = may[place] ?? 0;
      this.shares[entry++] = share;
    }
    if (entry > this.hands.length) throw new RangeError("the table is damaged");
    this.action[row] = action;
    this.firstEntry[row + 1] = entry;
  }

  /** Return the row with this number.
   * @param {number} row
   * @returns {Row} */
  row(row) {
    const [first, end] = [this.firstEntry[row] ?? 0, this.firstEntry[row + 1] ?? 0];
    return { hands: this.hands, shares: this.shares, first, end };
  }

  /** Return the node that these bids lead to from the first record, or null.
   * @param {readonly number[]} bids
   * @returns {Node | null} */
  node(bids) {
    let record = 0;
    for (const bid of bids) {
      record = this.firstChild[record] ?? NONE;
      while (record !== NONE && this.bid[record] !== bid) record = this.sibling[record] ?? NONE;
      if (record === NONE) return null;
    }
    const node = this.nodeOf[record] ?? NONE;
    return node === NONE ? null : this.nodeAt(node);
  }

  /** @param {number} node
   * @returns {Node} */
  nodeAt(node) {
    /** @type {Map<number, Row>} */
    const rows = new Map();
    for (let row = this.firstRow[node] ?? 0; row < (this.firstRow[node + 1] ?? 0); row++) {
      rows.set(this.action[row] ?? 0, this.row(row));
    }
    return { rests: this.rests[node] === 1, rows };
  }

  /** Return whether everything is there that the block states.
   * @param {Block} block
   * @param {number} rests  how many nodes have a challenge, which the block states as a row */
  isWhole({ counts }, rests) {
    const found = [this.records, this.nodes, this.rows + rests, this.firstEntry[this.rows]];
    return found.join() === counts.join();
  }
}
