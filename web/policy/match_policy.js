/** Policies for whole matches of two in which dice are lost: a table for each round that a match
 * comes to, read when it is first needed. */

import { rulesWith } from "../game/dice_lost.js";
import { nameIn, playing } from "./policy.js";
import { readMatch } from "./policy_file.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../game/round.js").Round} Round */
/** @typedef {import("../game/tables.js").Tables} Tables */
/** @typedef {import("./policy.js").PocketPolicy} PocketPolicy */

/** Return the policy of a file. Throws RangeError if it is damaged.
 * @param {Rules} rules  of the match
 * @param {ArrayBuffer} buffer
 * @returns {PocketPolicy} */
export function matchPolicyFrom(rules, buffer) {
  const told = { name: nameIn(rules), figure: rules.figure ?? NaN, proved: true, trimmed: false };
  const tableAt = readMatch(buffer);
  /** @type {Map<string, PocketPolicy>} */
  const rounds = new Map();
  const policyAt = (/** @type {[number, number]} */ dice) => {
    const { tables } = rulesWith(rules, dice[0] + dice[1]);
    const its = handsOf(tables, dice);
    const priors = dice.map((number) => pick(tables.priors[number] ?? tables.prior, its));
    const table = tableAt(dice, restricted(tables, its), priors);
    return playing(table, told, (row) => spread(tables, its, row));
  };
  return {
    ...told,
    at({ opener, dice }) {
      /** @type {[number, number]} */
      const from = [dice[opener] ?? 0, dice[1 - opener] ?? 0];
      const found = rounds.get(from.join()) ?? policyAt(from);
      rounds.set(from.join(), found);
      return found;
    },
    shares: () => null, // a round of the match has them
    row: () => null,
    prepare: async () => undefined,
  };
}

/** Return the hands that one of two players may hold, in the order of their numbers.
 * @param {Tables} tables
 * @param {number[]} dice  of each */
function handsOf({ held }, dice) {
  return held.flatMap((number, hand) => (dice.includes(number) ? [hand] : []));
}

/** Return the tables with these hands alone, as the file numbers them.
 * @param {Tables} tables
 * @param {number[]} its
 * @returns {Tables} */
function restricted(tables, its) {
  const names = [...tables.hands.keys()];
  return {
    ...tables,
    hands: new Map(its.map((hand, place) => [names[hand] ?? "", place])),
    prior: pick(tables.prior, its),
    held: its.map((hand) => tables.held[hand] ?? 0),
    matches: tables.matches.map((row) => Uint8Array.from(its, (hand) => row[hand] ?? 0)),
  };
}

/** @param {Float64Array} row  [hand]
 * @param {number[]} its */
function pick(row, its) {
  return Float64Array.from(its, (hand) => row[hand] ?? 0);
}

/** Return [hand] of all hands what a row has for some.
 * @param {Tables} tables
 * @param {number[]} its
 * @param {Float64Array} row */
function spread({ held }, its, row) {
  const all = new Float64Array(held.length);
  its.forEach((hand, place) => (all[hand] = row[place] ?? 0));
  return all;
}
