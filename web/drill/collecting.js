/** The search of matches that were played for mistakes, which become exercises. */

import { state, update } from "../store.js";
import { mistakesIn, withMistakes } from "./mistakes.js";
import { loadTable } from "./positions.js";

/** @typedef {import("../match/match.js").Played} Played */
/** @typedef {import("./exercises.js").Exercise} Exercise */

/** @type {Promise<void> | null} */
let going = null;

/** Search the matches that were not searched yet, the newest first. Those whose rules or policy cannot
 * be loaded are left for another time.
 * @returns {Promise<void>} */
export function collect() {
  going ??= searchAll().finally(() => {
    going = null;
  });
  return going;
}

async function searchAll() {
  /** @type {Set<string>} */
  const failed = new Set();
  for (let next = unsearched(failed); next; next = unsearched(failed)) {
    try {
      keepMistakes(next, await mistakesOf(next));
    } catch {
      failed.add(next.begun);
    }
  }
}

/** @param {Set<string>} failed */
function unsearched(failed) {
  return state.records.find(({ begun, log }) => log && !failed.has(begun) && !state.drill.searched.includes(begun));
}

/** @param {Played} record
 * @param {Exercise[]} mistakes */
function keepMistakes({ begun }, mistakes) {
  const known = state.records.map((record) => record.begun);
  if (!known.includes(begun)) return; // deleted meanwhile
  const { exercises, searched } = state.drill;
  update({
    drill: {
      exercises: withMistakes(exercises, mistakes, new Date()),
      searched: [...searched, begun].filter((one) => known.includes(one)),
    },
  });
}

/** Return the mistakes of a match, a round at a time, so that the page answers meanwhile.
 * @param {Played} record
 * @returns {Promise<Exercise[]>} */
async function mistakesOf(record) {
  const { rules, policy } = await loadTable(record.rules, record.seats.length);
  /** @type {Exercise[]} */
  const found = [];
  for (const played of record.log ?? []) {
    await new Promise((done) => setTimeout(done));
    found.push(...mistakesIn(rules, policy, record, played));
  }
  return found;
}
