/** Policy files: a safetensors header, then arrays, as `solver/files/storage.py` writes them. */

import { PackedTable } from "./packed_table.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {{dtype: string, shape: number[], data_offsets: [number, number]}} Described */

const VERSION = 5;
const MOST_HEADER = 1 << 20;
const [BIDS, COUNTS] = [2, 4];

/** What a file holds.
 * @typedef {{table: PackedTable, training: Record<string, unknown>}} PolicyFile */

/** Return what a policy file for these rules holds. Throws RangeError if it is damaged.
 * @param {Rules} rules
 * @param {ArrayBuffer} buffer
 * @returns {PolicyFile} */
export function readPolicy(rules, buffer) {
  const view = new DataView(buffer);
  const length = buffer.byteLength < 8 ? 0 : Number(view.getBigUint64(0, true));
  if (length === 0 || length > MOST_HEADER || 8 + length > buffer.byteLength) throw damaged();
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  const { kind, version, training, recall } = JSON.parse(header.__metadata__.zhaifei);
  if (kind !== "policy" || version !== VERSION || recall !== "full") throw damaged();
  const start = 8 + length;
  const [steps = 0] = numbers(view, start, header.steps);
  const blocks = numbers(view, start, header.blocks);
  const packed = bytes(buffer, start, header.packed);
  const table = new PackedTable(rules.tables, rules.players, steps, blocksOf(blocks, packed));
  return { table, training };
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
