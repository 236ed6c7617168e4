/** The rest of a match that goes on without you. */

import { decide, OPPONENTS } from "../policy/opponents.js";
import { state, update } from "../store.js";
import { newRandom } from "./beginning.js";
import { act, nextRound, played, roundOf } from "./match.js";
import { isOver } from "./score.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("./match.js").Match} Match */

/** Let the opponents play to the end of the match that is played. The page answers between rounds. If
 * an opponent has moved meanwhile, it begins anew from there; another match is left alone.
 * @param {Rules} rules
 * @returns {Promise<void>} */
export async function skipToEnd(rules) {
  const before = state.match;
  const random = newRandom();
  for (let match = before; match && !isOver(match); ) {
    await new Promise((done) => setTimeout(done));
    if (state.match !== before) return state.match?.begun === match.begun ? skipToEnd(rules) : undefined;
    if (match.ending !== null) match = nextRound(rules, match, random);
    while (match.ending === null) match = decided(rules, match, random);
    if (isOver(match)) update({ match, records: [played(match), ...state.records] });
  }
}

/** Return the match after whoever is to decide has done so.
 * @param {Rules} rules
 * @param {Match} match
 * @param {import("../game/random.js").Random} random */
function decided(rules, match, random) {
  const round = roundOf(rules, match);
  const hand = match.hands[round.turn] ?? [];
  const opponent = OPPONENTS.find(({ id }) => id === match.seats[round.turn]) ?? OPPONENTS[0];
  if (!opponent) throw new RangeError("nobody sits there");
  return act(rules, match, decide(opponent, round.rules, null, round, hand, random));
}
