/** What the page knows, in one place. Screens are functions of it; what must outlive a reload is
 * kept in localStorage. */

import { isDrill, NO_DRILL } from "./drill/exercises.js";

/** @typedef {import("./match/match.js").Match} Match */
/** @typedef {import("./match/match.js").Played} Played */
/** @typedef {import("./match/table.js").Table} Table */
/**
 * @typedef {object} Settings
 * @property {"zh" | "en"} language
 * @property {"system" | "light" | "dark"} light
 * @property {boolean} sound
 * @property {boolean} vibration
 */
/** @typedef {{rules: string, seats: (string | null)[], goal: import("./match/match.js").Goal}} Setup */
/** @typedef {{name: string, seats: Record<string, string>}} Friends
 *   your name among friends, and your secret in each room, by its code */
/** @typedef {{date: string, action: number | null, right: boolean}} Solved
 *   `action`: your answer, null if the solution was shown at once */
/**
 * @typedef {object} State
 * @property {Settings} settings
 * @property {Match | null} match  the match that is being played, or was last
 * @property {Setup | null} setup  how the last match was set up
 * @property {Table | null} table  the table with real dice
 * @property {import("./match/table_keeping.js").KeptTable[]} tables  those whose rounds are kept, newest first
 * @property {Friends} friends
 * @property {Played[]} records  matches that were played to their end, newest first
 * @property {import("./drill/exercises.js").Drill} drill  your mistakes in them, as exercises
 * @property {Record<string, import("./trends/decisions.js").Kept[]>} grades  your decisions in them, by
 *   when the match began
 * @property {Solved[]} puzzles  your answers to puzzles of the day, newest first
 * @property {import("./own/kept.js").Own[]} own  the rules of your bar
 * @property {string[]} solved  presets that a server has solved, such as northern-3
 */

const KEPT = "zhaifei.";
const RECORDS = 100;
/** The number of matches of which all rounds are kept: about 5 kB each with eight players. */
const WHOLE = 40;
/** The number of tables with real dice that are kept. */
const TABLES = 40;

/** @type {Set<() => void>} */
const listeners = new Set();

/** What a value has that was kept: another version of the page may have kept something else.
 * @type {Record<string, (value: any) => boolean>} */
const FITS = {
  settings: (value) => typeof value === "object",
  match: ({ seats, goal, points, hands, history, results }) =>
    [seats, points, hands, history, results].every(Array.isArray) && typeof goal.number === "number",
  setup: ({ rules, seats, goal }) =>
    typeof rules === "string" && Array.isArray(seats) && typeof goal.number === "number",
  table: ({ rules, players, taps }) => typeof rules === "string" && Number.isInteger(players) && Array.isArray(taps),
  tables: (value) => value.every((/** @type {any} */ { begun, rules, rounds }) =>
    typeof begun === "string" && typeof rules === "string" && Array.isArray(rounds)),
  friends: ({ name, seats }) => typeof name === "string" && typeof seats === "object" && seats !== null,
  records: (value) => value.every((/** @type {any} */ one) =>
    [one.seats, one.points, one.log ?? []].every(Array.isArray)),
  drill: isDrill,
  grades: (value) => Object.values(value).every((/** @type {any[]} */ all) =>
    all.every(({ bid, place, grade }) => Number.isInteger(bid.count + place) && typeof grade === "string")),
  solved: (value) => value.every((/** @type {unknown} */ one) => typeof one === "string"),
  puzzles: (value) => value.every((/** @type {any} */ { date, right }) =>
    typeof date === "string" && typeof right === "boolean"),
  own: (value) => value.every((/** @type {any} */ { name, title, sizes, solved, answers }) =>
    typeof name === "string" && typeof title === "string" && [sizes, solved].every(Array.isArray) &&
    [answers.counts, answers.chosen].every((one) => typeof one === "object" && one !== null)),
};

/** Read what was kept; what cannot be read counts as nothing.
 * @template T
 * @param {string} name
 * @param {T} otherwise
 * @returns {T} */
function kept(name, otherwise) {
  try {
    const value = JSON.parse(localStorage.getItem(KEPT + name) ?? "null");
    return value !== null && FITS[name]?.(value) ? value : otherwise;
  } catch {
    return otherwise;
  }
}

/** Keep a value; a browser that keeps nothing plays on without.
 * @param {string} name
 * @param {unknown} value */
function keep(name, value) {
  try {
    localStorage.setItem(KEPT + name, JSON.stringify(value));
  } catch {
    // Private windows may refuse: the match then ends with the page.
  }
}

/** @type {Settings} */
const DEFAULTS = {
  language: navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en",
  light: "system",
  sound: true,
  vibration: true,
};

/** @type {State} */
export let state = {
  settings: { ...DEFAULTS, ...kept("settings", {}) },
  match: kept("match", null),
  setup: kept("setup", null),
  table: kept("table", null),
  tables: kept("tables", []),
  friends: kept("friends", { name: "", seats: {} }),
  records: kept("records", []),
  drill: kept("drill", NO_DRILL),
  grades: kept("grades", {}),
  puzzles: kept("puzzles", []),
  own: kept("own", []),
  solved: kept("solved", []),
};

/** Return the records that are kept: of older matches the result alone.
 * @param {Played[]} records
 * @returns {Played[]} */
function bounded(records) {
  return records.slice(0, RECORDS).map((record, place) => {
    const { log, ...result } = record;
    return log && place < WHOLE ? record : result;
  });
}

/** Change parts of the state, keep them, and draw the page again.
 * @param {Partial<State>} change */
export function update(change) {
  if (change.records) change.records = bounded(change.records);
  if (change.tables) change.tables = change.tables.slice(0, TABLES);
  state = { ...state, ...change };
  for (const [name, value] of Object.entries(change)) keep(name, value);
  listeners.forEach((listener) => listener());
}

/** Take over what another tab has changed. */
addEventListener("storage", ({ key }) => {
  const name = key?.startsWith(KEPT) ? key.slice(KEPT.length) : "";
  if (!(name in state)) return;
  const value = kept(name, null);
  if (value !== null) state = { ...state, [name]: value };
  listeners.forEach((listener) => listener());
});

/** Call a function after each change, until the function returned is called.
 * @param {() => void} listener
 * @returns {() => void} */
export function onUpdate(listener) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** @param {Partial<Settings>} change */
export function set(change) {
  update({ settings: { ...state.settings, ...change } });
}
