/** The rules of a game, as tables that Python writes (`app/pocket/rules_tables.py`). */

import { expanded } from "./tables.js";

/** @typedef {import("./tables.js").Written} Written */
/** @typedef {import("./tables.js").Tables} Tables */

/** The claim that at least `count` dice on the table show `face`. Its id is its action.
 * @typedef {{id: number, mode: "fei" | "zhai", count: number, face: number}} Bid */

/** One variant for a number of players.
 * @typedef {object} Rules
 * @property {string} name
 * @property {number} players
 * @property {number} dice  of each player
 * @property {number} faces  of each die
 * @property {Bid[]} bids  all bids; the place of a bid is its action
 * @property {number} endings  the first action that ends the bidding: the challenge of the last bid
 * @property {{zh: string[], en: string[]}} told  the rules in words, paragraph by paragraph
 * @property {string | null} policy  the name of the pocket policy under data/policies/
 * @property {number | null} figure  what is certified of that policy, if its file does not say it
 * @property {Record<string, unknown>} recorded  what begins a record: its version and all fields of the rules
 * @property {import("./tables.js").ForDice | null} match  null if nobody loses dice
 * @property {Tables} tables  what the engine reads
 * @property {Decisions} decisions  of the rule-based players, by their names
 * @property {Record<number, Decisions>} decisionsWith  the same by the dice on the table, where dice
 *   are lost */

/** What rule-based players do. A pattern has a character for each run of hands: the place of their
 * action among the actions of the state, from "A" on; then how many hands, if there are several.
 * @typedef {Record<string, {patterns: string[], states: number[][]}>} Decisions
 *   `states` [state]: the number of the pattern, then the actions */

/** `solved`: whether the explorer has a policy; `mastered`: whether the strongest opponent plays one.
 * @typedef {{name: string, players: number, title: {zh: string, en: string}, solved: boolean,
 *   mastered: boolean, losesDice: boolean}} Listed */

const DATA = new URL("../data/", import.meta.url);
/** @type {Map<string, Promise<Rules>>} */
const known = new Map();

/** Return the address of a file that Python wrote.
 * @param {string} path  relative to data/ */
export function dataUrl(path) {
  return new URL(path, DATA);
}

/** List all rules.
 * @returns {Promise<Listed[]>} */
export async function rulesIndex() {
  /** @type {{name: string, title: Listed["title"], players: number[], solved: number[], mastered: number[], losesDice: boolean}[]} */
  const found = await fetchJson("rules/index.json");
  return found.flatMap(({ players, solved, mastered, ...rules }) =>
    players.map((number) => {
      return { ...rules, players: number, solved: solved.includes(number), mastered: mastered.includes(number) };
    }));
}

/** Return whether rules of this name are somebody's own, which a server tells and may solve.
 * @param {string} name */
export function isOwn(name) {
  return name.includes("~");
}

/** Load the rules of this name for a number of players; they are kept, but for rules that a server may
 * solve meanwhile.
 * @param {string} name
 * @param {number} players
 * @returns {Promise<Rules>} */
export function loadRules(name, players) {
  const key = `${name}-${players}`;
  let rules = known.get(key);
  if (!rules) {
    rules = fetchRules(name, players);
    known.set(key, rules);
    rules.then(
      ({ policy, match }) => policy === null && match === null && known.delete(key),
      () => known.delete(key), // so that the next call tries again
    );
  }
  return rules;
}

/** @param {string} name
 * @param {number} players */
async function fetchRules(name, players) {
  const files = [fetchJson(`rules/${name}-${players}.json`), fetchJson(`players/${name}-${players}.json`)];
  const [written, decisions] = await Promise.all(files);
  if (!written.match) return rulesFrom(written, decisions);
  // What is decided with fewer dice is in the files of fewer players.
  const fewer = Array.from({ length: players - 2 }, (_, place) => fetchJson(`players/${name}-${place + 2}.json`));
  return rulesFrom(written, Object.assign(decisions, ...(await Promise.all(fewer))));
}

/** Load rules anew when they are needed next.
 * @param {string} name
 * @param {number} players */
export function forgetRules(name, players) {
  known.delete(`${name}-${players}`);
}

/** Return the rules of two files.
 * @param {Written} written
 * @param {any} decisions  `Decisions`, or these by the dice on the table where dice are lost
 * @returns {Rules} */
export function rulesFrom(written, decisions) {
  const { name, players, dice, faces, told, policy, figure, recorded, match } = written;
  const bids = written.bids.map(([mode, count, face], id) => {
    /** @type {Bid} */
    const bid = { id, mode: mode === 0 ? "fei" : "zhai", count, face };
    return bid;
  });
  const tables = expanded(written);
  const endings = tables.actions;
  const decided = match ? { decisions: {}, decisionsWith: decisions } : { decisions, decisionsWith: {} };
  const its = { name, players, dice, faces, bids, endings, told, policy, figure, recorded, match };
  return { ...its, tables, ...decided };
}

/** @param {string} path */
async function fetchJson(path) {
  const answer = await fetch(dataUrl(path));
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.json();
}
