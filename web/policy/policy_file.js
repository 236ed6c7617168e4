/** Policy files: a safetensors header, then arrays, as `solver/files/storage.py` writes them. */

import { PackedTable } from "./packed_table.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../game/tables.js").Tables} Tables */
/** @typedef {{dtype: string, shape: number[], data_offsets: [number, number]}} Described */

/** What the header of a file says, and where its arrays begin.
 * @typedef {object} Opened
 * @property {any} about  what kind of file it is, and more
 * @property {Record<string, Described>} arrays
 * @property {ArrayBuffer} buffer
 * @property {number} start */

/** The versions of the formats that are read. */
const VERSIONS = { policy: 5, match: 2 };
const MOST_HEADER = 1 << 20;
const [BIDS, COUNTS] = [2, 4];

/** What a file holds.
 * @typedef {{table: PackedTable, training: Record<string, unknown>}} PolicyFile */

/** Return what a policy file for these rules holds. Throws RangeError if it is damaged.
 * @param {Rules} rules
 * @param {ArrayBuffer} buffer
 * @returns {PolicyFile} */
export function readPolicy(rules, buffer) {
  const opened = openedFile(buffer, "policy");
  if (opened.about.recall !== "full") throw damaged();
  const priors = Array.from({ length: rules.players }, () => rules.tables.prior);
  return { table: tableIn(opened, "", rules.tables, priors), training: opened.about.training };
}

/** Return what reads the table of a round from a file for whole matches of two, given the dice of the
 * opener and of the other player. Throws RangeError if the file is damaged.
 * @param {ArrayBuffer} buffer
 * @returns {(dice: [number, number], tables: Tables, priors: Float64Array[]) => PackedTable} */
export function readMatch(buffer) {
  const opened = openedFile(buffer, "match");
  return (dice, tables, priors) => tableIn(opened, `${dice.join()}/`, tables, priors);
}

/** @param {ArrayBuffer} buffer
 * @param {keyof typeof VERSIONS} wanted  the kind of the file
 * @returns {Opened} */
function openedFile(buffer, wanted) {
  const view = new DataView(buffer);
  const length = buffer.byteLength < 8 ? 0 : Number(view.getBigUint64(0, true));
  if (length === 0 || length > MOST_HEADER || 8 + length > buffer.byteLength) throw damaged();
  const { __metadata__: metadata, ...arrays } = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  const about = JSON.parse(metadata.zhaifei);
  if (about.kind !== wanted || about.version !== VERSIONS[wanted]) throw damaged();
  return { about, arrays, buffer, start: 8 + length };
}

/** @param {Opened} opened
 * @param {string} before  what the names of its arrays begin with
 * @param {Tables} tables
 * @param {Float64Array[]} priors  [player][hand] */
function tableIn({ arrays, buffer, start }, before, tables, priors) {
  const [steps, blocks, packed] = ["steps", "blocks", "packed"].map((name) => arrays[before + name]);
  if (!steps || !blocks || !packed) throw damaged();
  const view = new DataView(buffer);
  const [whole = 0] = numbers(view, start, steps);
  return new PackedTable(tables, priors, whole, blocksOf(numbers(view, start, blocks), bytes(buffer, start, packed)));
}

/** @param {DataView} view
 * @param {number} start  of the arrays
 * @param {Described} described */
function numbers(view, start, { dtype, data_offsets: [first, end] }) {
  if (dtype !== "I64" || (end - first) % 8 !== 0) throw damaged();
  return Array.from({ length: (end - first) / 8 }, (_, place) =>
    Number(view.getBigInt64(start + first + 8 * place, true)),
  );
}

/** @param {ArrayBuffer} buffer
 * @param {number} start  of the arrays
 * @param {Described} described */
function bytes(buffer, start, { dtype, data_offsets: [first, end] }) {
  if (dtype !== "U8" || start + end > buffer.byteLength) throw damaged();
  return new Uint8Array(buffer, start + first, end - first);
}

/** @param {number[]} numbers  [block, 7] the first two bids, -1 for none; records, nodes, rows,
 *   entries and bytes
 * @param {Uint8Array} packed */
function blocksOf(numbers, packed) {
  const blocks = [];
  let at = 0;
  for (let first = 0; first < numbers.length; first += BIDS + COUNTS + 1) {
    const bids = numbers.slice(first, first + BIDS).filter((bid) => bid >= 0);
    const counts = numbers.slice(first + BIDS, first + BIDS + COUNTS);
    const size = numbers[first + BIDS + COUNTS] ?? 0;
    blocks.push({ bids, counts, coded: packed.subarray(at, at + size) });
    at += size;
  }
  if (at !== packed.length) throw damaged();
  return blocks;
}

function damaged() {
  return new RangeError("the file is no whole policy");
}
