/** What an address of the explorer says: `#/explore/RULES/PLAYERS/ACTIONS`, the actions of the round so
 * far with "-" between them. Parts with a name follow: `hold=116` has dice of the player in turn, and
 * `lock=` what players are supposed to do. */

import { locksOf, writtenLocks } from "./locks.js";
import { spotOf } from "./spots.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("./spots.js").Spot} Spot */

/** Where the explorer is, and what it supposes.
 * @typedef {Spot & {locks: readonly import("./locks.js").Lock[]}} Place */

/** Return the place of an address, as far as its parts can be.
 * @param {Rules} rules
 * @param {readonly string[]} path  what follows the number of players
 * @returns {Place} */
export function placeOf(rules, [actions = "", ...named]) {
  const said = new Map(named.map((part) => [part.slice(0, part.indexOf("=")), part.slice(part.indexOf("=") + 1)]));
  return { ...spotOf(rules, actions, said.get("hold") ?? ""), locks: locksOf(rules, said.get("lock") ?? "") };
}

/** Return what the address of a place has after its actions.
 * @param {Place} place */
export function namedParts({ held, locks }) {
  const parts = [held.length > 0 && `hold=${held.join("")}`, locks.length > 0 && `lock=${writtenLocks(locks)}`];
  return parts.filter(Boolean).map((part) => `/${part}`).join("");
}
