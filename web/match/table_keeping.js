/** What a tap at a table with real dice changes in what the page keeps. */

import { state, update } from "../store.js";
import { allRounds, newTable, sittingAt } from "./table.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("./table.js").Table} Table */
/** @typedef {import("./table.js").Tap} Tap */
/** A table whose rounds are kept in the records.
 * @typedef {object} KeptTable
 * @property {string} begun
 * @property {string} rules
 * @property {number} players
 * @property {import("./table.js").TableRound[]} rounds */

/** Change who sits at a table that nobody has begun.
 * @param {Partial<Pick<Table, "rules" | "players" | "opener">>} change */
export function setUp(change) {
  update({ table: { ...(state.table ?? newTable()), ...change } });
}

export function sitDown() {
  update({ table: { ...(state.table ?? newTable()), begun: new Date().toISOString(), taps: [] } });
}

/** Leave the table: its rules and players are offered again.
 * @param {Table} table */
export function leave(table) {
  update({ table: { ...table, begun: null, taps: [] } });
}

/** @param {Rules} rules
 * @param {Table} table
 * @param {Tap} tap */
export function tap(rules, table, tap) {
  change(rules, { ...table, taps: [...table.taps, tap] });
}

/** Take the last tap back; before the first one that is sitting down.
 * @param {Rules} rules
 * @param {Table} table */
export function undo(rules, table) {
  if (table.taps.length === 0) leave(table);
  else change(rules, { ...table, taps: table.taps.slice(0, -1) });
}

/** Return whether the rounds of a table are kept.
 * @param {Table} table */
export function isKept({ begun }) {
  return state.tables.some((one) => one.begun === begun);
}

/** Keep the rounds of a table from now on, or forget them.
 * @param {Rules} rules
 * @param {Table} table */
export function keepOrForget(rules, table) {
  const others = state.tables.filter(({ begun }) => begun !== table.begun);
  update({ tables: isKept(table) ? others : [keptTable(rules, table), ...others] });
}

/** @param {Rules} rules
 * @param {Table} table */
function change(rules, table) {
  if (!isKept(table)) return update({ table });
  const now = keptTable(rules, table);
  update({ table, tables: state.tables.map((one) => (one.begun === table.begun ? now : one)) });
}

/** @param {Rules} rules
 * @param {Table} table
 * @returns {KeptTable} */
function keptTable(rules, table) {
  const rounds = allRounds(sittingAt(rules, table));
  return { begun: table.begun ?? "", rules: table.rules, players: table.players, rounds };
}
