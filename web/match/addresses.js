/** Where matches and positions can be looked at. It loads no rules, as the lists of matches need none. */

import { state } from "../store.js";

/** Return the record that an address names.
 * @param {string | undefined} when  the milliseconds at which the match began */
export function recordAt(when) {
  return state.records.find(({ begun }) => String(Date.parse(begun)) === when);
}

/** Return the table with real dice that an address names.
 * @param {string | undefined} when  the milliseconds at which it began */
export function tableAt(when) {
  return state.tables.find(({ begun }) => String(Date.parse(begun)) === when);
}

/** Return the address of the review of a match or of a table with real dice, or null if its rounds were not kept.
 * @param {{begun: string}} match
 * @param {number} [round]  to be shown first, from 1 */
export function reviewAddress({ begun }, round) {
  const when = String(Date.parse(begun));
  return recordAt(when)?.log || tableAt(when)?.rounds.length ? `#/review/${when}${round ? `/${round}` : ""}` : null;
}

/** Return the address of the drill with the mistakes of a match.
 * @param {{begun: string}} match */
export function drillAddress({ begun }) {
  return `#/drill/${Date.parse(begun)}`;
}

/** Return the address of a position in the explorer.
 * @param {{name: string, players: number}} rules
 * @param {readonly number[]} history */
export function exploreAddress({ name, players }, history) {
  return `#/explore/${name}/${players}/${history.join("-")}`;
}
