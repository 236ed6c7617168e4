/** Where a match can be looked at again. It needs no rules, so that lists of matches load none. */

import { state } from "../store.js";

/** Return the record that an address names.
 * @param {string | undefined} when  the milliseconds at which the match began */
export function recordAt(when) {
  return state.records.find(({ begun }) => String(Date.parse(begun)) === when);
}

/** Return the address of the review of a match, or null if its rounds were not kept.
 * @param {{begun: string}} match */
export function reviewAddress({ begun }) {
  const when = String(Date.parse(begun));
  return recordAt(when)?.log ? `#/review/${when}` : null;
}
