/** What an action changes in what the page keeps. */

import { legalActions } from "../game/round.js";
import { state, update } from "../store.js";
import { act, played, roundOf } from "./match.js";
import { isOver } from "./score.js";

/** Take an action in the match that is played; one that is not legal changes nothing. A match that
 * ends with it goes to the records.
 * @param {import("../game/rules.js").Rules} rules
 * @param {number} action */
export function record(rules, action) {
  const { match, records } = state;
  if (!match || match.ending !== null || !legalActions(roundOf(rules, match)).includes(action)) return;
  const after = act(rules, match, action);
  update(isOver(after) ? { match: after, records: [played(after), ...records] } : { match: after });
}
