/** A match of a room that has ended is kept in the records, like any other. */

import { played } from "../match/match.js";
import { collectMistakes } from "../parts/match_over.js";
import { state, update } from "../store.js";
import { useEffect } from "../vendor/htm-preact.js";

/** @typedef {import("../match/match.js").Match} Match */

/** Keep a match once it is over.
 * @param {Match} match
 * @param {boolean} over */
export function useRecord(match, over) {
  useEffect(() => {
    if (over) keep(match);
  }, [match.begun, over]);
}

/** Keep a match, and make exercises of its mistakes. After a reload the room shows it again.
 * @param {Match} match */
function keep(match) {
  if (state.records.some(({ begun }) => begun === match.begun)) return;
  update({ records: [played(match), ...state.records] });
  void collectMistakes();
}
