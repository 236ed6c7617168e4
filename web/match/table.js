/** A round at a real table: what its players have bid so far, as you tapped it. */

import { newRound, play } from "../game/round.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../game/round.js").Round} Round */
/**
 * @typedef {object} Table
 * @property {string} rules  the name of the rules
 * @property {number} players
 * @property {number} opener  the seat that opens; you sit at 0, and the others follow in turn order
 * @property {number[]} hand  your dice; fewer than the rules have until all are tapped
 * @property {number[]} history  the actions of the round
 * @property {"seats" | "dice" | "bids" | "over"} step
 */

/** @returns {Table} */
export function newTable() {
  return { rules: "zhaifei", players: 4, opener: 0, hand: [], history: [], step: "seats" };
}

/** @param {Rules} rules
 * @param {Table} table
 * @returns {Round} */
export function roundAt(rules, table) {
  return table.history.reduce(play, newRound(rules, table.opener));
}

/** Return the table with one die more, sorted; after the last die the bids begin.
 * @param {Rules} rules
 * @param {Table} table
 * @param {number} face
 * @returns {Table} */
export function withDie(rules, table, face) {
  const hand = [...table.hand, face].sort((a, b) => a - b);
  return { ...table, hand, step: hand.length === rules.dice ? "bids" : "dice" };
}

/** Return the next round: who lost opens it.
 * @param {Table} table
 * @param {number} opener
 * @returns {Table} */
export function again(table, opener) {
  return { ...table, opener, hand: [], history: [], step: "dice" };
}
