/** The positions of exercises, as the rules and the policy see them. */

import { newRound, play } from "../game/round.js";
import { loadRules } from "../game/rules.js";
import { graded } from "../match/review.js";
import { advise } from "../policy/advice.js";
import { loadPolicy } from "../policy/policy.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../policy/policy.js").PocketPolicy} PocketPolicy */
/** @typedef {{rules: Rules, policy: PocketPolicy | null}} Table */

/** The table that was loaded last: exercises of one table often follow each other. */
let last = { key: "", table: /** @type {Promise<Table> | null} */ (null) };

/** Load rules and their policy.
 * @param {string} name
 * @param {number} players
 * @returns {Promise<Table>} */
export function loadTable(name, players) {
  const key = `${name}-${players}`;
  if (last.key === key && last.table) return last.table;
  const table = load(name, players);
  last = { key, table };
  table.catch(() => {
    if (last.table === table) last = { key: "", table: null };
  });
  return table;
}

/** @param {string} name
 * @param {number} players
 * @returns {Promise<Table>} */
async function load(name, players) {
  const rules = await loadRules(name, players);
  return { rules, policy: await loadPolicy(rules) };
}

/** Return the decision of an exercise. Throws if the rules no longer have its position.
 * @param {Table} table
 * @param {Pick<import("./exercises.js").Exercise, "opener" | "history" | "hand" | "action">} exercise
 * @returns {import("../match/review.js").Decision} */
export function decisionOf({ rules, policy }, { opener, history, hand, action }) {
  const round = history.reduce(play, newRound(rules, opener));
  play(round, action); // throws if it is not legal
  const advice = advise(rules, policy, round, hand);
  return { round, hand, action, advice, grade: graded(advice, action) };
}
