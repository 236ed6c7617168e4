/** The review of matches that were played, once each: mistakes become exercises, and grades are kept
 * for trends. */

import { decisionsIn } from "../match/review.js";
import { state, update } from "../store.js";
import { keptOf } from "../trends/decisions.js";
import { useEffect, useState } from "../vendor/htm-preact.js";
import { mistakesIn, withMistakes } from "./mistakes.js";
import { loadTable } from "./positions.js";

/** @typedef {import("../match/match.js").Played} Played */
/** @typedef {{exercises: import("./exercises.js").Exercise[], grades: import("../trends/decisions.js").Kept[]}} Found */

/** @type {Promise<void> | null} */
let going = null;

/** Review the matches that were not reviewed yet, the newest first. Those whose rules or policy cannot
 * be loaded are left for another time.
 * @returns {Promise<void>} */
export function collect() {
  going ??= reviewAll().finally(() => {
    going = null;
  });
  return going;
}

/** Return whether matches are still being reviewed. */
export function useCollecting() {
  const [collecting, setCollecting] = useState(true);
  useEffect(() => {
    let wanted = true;
    void collect().then(() => wanted && setCollecting(false));
    return () => {
      wanted = false;
    };
  }, []);
  return collecting;
}

async function reviewAll() {
  /** @type {Set<string>} */
  const failed = new Set();
  for (let next = unreviewed(failed); next; next = unreviewed(failed)) {
    try {
      keepFound(next, await foundIn(next));
    } catch {
      failed.add(next.begun);
    }
  }
}

/** Return the next match to review. Matches for dice are left out: their exercises would need the dice of
 * all players, and their trends have too few solved positions.
 * @param {Set<string>} failed */
function unreviewed(failed) {
  const { records, grades, drill } = state;
  return records.find(
    ({ begun, goal, log }) => log && !goal && !failed.has(begun) && !(grades[begun] && drill.searched.includes(begun)),
  );
}

/** @param {Played} record
 * @param {Found} found */
function keepFound({ begun }, found) {
  const known = new Set(state.records.map((record) => record.begun));
  if (!known.has(begun)) return; // deleted meanwhile
  const { exercises, searched } = state.drill;
  const more = searched.includes(begun) ? [] : found.exercises; // some may have been dropped since
  const grades = Object.entries(state.grades).filter(([one]) => known.has(one));
  update({
    drill: {
      exercises: withMistakes(exercises, more, new Date()),
      searched: [...new Set([...searched, begun])].filter((one) => known.has(one)),
    },
    grades: { ...Object.fromEntries(grades), [begun]: found.grades },
  });
}

/** Review a match, a round at a time, so that the page answers meanwhile.
 * @param {Played} record
 * @returns {Promise<Found>} */
async function foundIn(record) {
  const { rules, policy } = await loadTable(record.rules, record.seats.length);
  /** @type {Found} */
  const found = { exercises: [], grades: [] };
  for (const [place, played] of (record.log ?? []).entries()) {
    await new Promise((done) => setTimeout(done));
    const decisions = decisionsIn(rules, policy, played, record.seats.indexOf(null));
    found.exercises.push(...mistakesIn(record, decisions));
    found.grades.push(...decisions.map((one) => keptOf(one, place + 1)));
  }
  return found;
}
