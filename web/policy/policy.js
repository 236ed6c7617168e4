/** Pocket policies: compact tables of what solved policies play, each with its certified figure. */

import { dataUrl } from "../game/rules.js";
import { handNumber } from "../game/tables.js";
import { readPolicy } from "./policy_file.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../game/round.js").Round} Round */
/** @typedef {import("./packed_table.js").PackedTable} PackedTable */
/** @typedef {import("./decoded_block.js").Node} Node */

/** A policy that answers at once, or where a part of it is first needed, soon.
 * @typedef {object} PocketPolicy
 * @property {string} name  of the shipped policy, "" for a policy of one's own rules
 * @property {number} figure  exploitability, or NashConv for three players or more, in points a round; of
 *   a match for dice what a best response wins above half of the matches; NaN if nobody has measured it
 * @property {boolean} proved  whether the figure is certified, and not only measured in training
 * @property {boolean} trimmed  whether this is a smaller copy of what was measured
 * @property {(round: Round) => PocketPolicy | null} at  what it plays in a round: itself, unless dice
 *   are lost
 * @property {(history: readonly number[], hand: readonly number[]) => Map<number, number> | null} shares
 *   the probability of each action of the hand; null if the table has no such line
 * @property {(history: readonly number[], action: number) => Float64Array | null} row
 *   [hand] the probability of the action; null if the table has no such line
 * @property {(history: readonly number[]) => Promise<void>} prepare  reads the parts that lead to a
 *   history, in slices between which the page does something else */

/** Load the policy for these rules; null if there is none.
 * @param {Rules} rules
 * @returns {Promise<PocketPolicy | null>} */
export async function loadPolicy(rules) {
  if (rules.policy === null) return null;
  const answer = await fetch(dataUrl(`policies/${rules.policy}`));
  if (!answer.ok) throw new Error(`${rules.policy}: ${answer.status}`);
  const buffer = await answer.arrayBuffer();
  if (!rules.match) return policyFrom(rules, buffer);
  const { matchPolicyFrom } = await import("./match_policy.js");
  return matchPolicyFrom(rules, buffer);
}

/** Return the policy of a file. Throws RangeError if it is damaged.
 * @param {Rules} rules
 * @param {ArrayBuffer} buffer
 * @returns {PocketPolicy} */
export function policyFrom(rules, buffer) {
  const { table, training } = readPolicy(rules, buffer);
  const certified = rules.figure ?? training.figure;
  const told = {
    name: rules.figure === null ? String(training.of ?? "") : nameIn(rules),
    figure: Number(certified ?? training.exploitability ?? training.nash_conv),
    proved: certified !== undefined,
    trimmed: training.trimmed === true,
  };
  return playing(table, told, (row) => row);
}

/** Return the name of the shipped policy that the page has as it is.
 * @param {Rules} rules */
export function nameIn({ policy }) {
  return (policy ?? "").split(".")[0] ?? "";
}

/** Return the policy that plays a table.
 * @param {PackedTable} table
 * @param {Pick<PocketPolicy, "name" | "figure" | "proved" | "trimmed">} told
 * @param {(row: Float64Array) => Float64Array} spread  makes [hand] of the rules from that of the table
 * @returns {PocketPolicy} */
export function playing(table, told, spread) {
  /** @type {PocketPolicy} */
  const policy = {
    ...told,
    at: () => policy,
    shares(history, hand) {
      const node = table.node(history);
      return node && sharesOf(table, node, handNumber(table.tables, hand));
    },
    row(history, action) {
      const node = table.node(history);
      return node && spread(rowOf(table, node, action));
    },
    prepare: (history) => table.prepare(history),
  };
  return policy;
}

/** Return the probability of each action that a hand plays at a node.
 * @param {PackedTable} table
 * @param {Node} node
 * @param {number} hand */
function sharesOf(table, node, hand) {
  /** @type {Map<number, number>} */
  const shares = new Map();
  let left = table.steps;
  for (const action of node.rows.keys()) {
    const steps = table.sharesAt(node, action, hand);
    left -= steps;
    if (steps > 0) shares.set(action, steps / table.steps);
  }
  if (left > 0 && node.rests) shares.set(table.tables.actions, left / table.steps);
  return shares;
}

/** Return [hand] the probability of an action at a node.
 * @param {PackedTable} table
 * @param {Node} node
 * @param {number} action */
function rowOf(table, node, action) {
  const found = new Float64Array(table.tables.prior.length);
  const row = node.rows.get(action);
  for (let place = row?.first ?? 0; place < (row?.end ?? 0); place++) {
    found[row?.hands[place] ?? 0] = (row?.shares[place] ?? 0) / table.steps;
  }
  return found;
}
