/** What an address of the explorer says: `#/explore/RULES/PLAYERS/ACTIONS`, the actions of the round so
 * far with "-" between them. Parts with a name follow: `hold=116` has dice of the player in turn, 
 * `beside=36-41.16` a position to compare with and dice there, and `lock=` what players are supposed to do. */

import { locksOf, writtenLocks } from "./locks.js";
import { spotOf, writtenSpot } from "./spots.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("./spots.js").Spot} Spot */

/** Where the explorer is, what it compares that with, and what it supposes.
 * @typedef {Spot & {beside: Spot | null, locks: readonly import("./locks.js").Lock[]}} Place */

/** Return the place of an address, as far as its parts can be.
 * @param {Rules} rules
 * @param {readonly string[]} path  what follows the number of players
 * @returns {Place} */
export function placeOf(rules, [actions = "", ...named]) {
  const said = new Map(named.map((part) => [part.slice(0, part.indexOf("=")), part.slice(part.indexOf("=") + 1)]));
  const [kept, faces = ""] = said.get("beside")?.split(".") ?? [];
  const beside = kept === undefined ? null : spotOf(rules, kept, faces);
  return { ...spotOf(rules, actions, said.get("hold") ?? ""), beside, locks: locksOf(rules, said.get("lock") ?? "") };
}

/** Return what the address of a place has after its actions.
 * @param {Place} place */
export function namedParts({ held, beside, locks }) {
  const kept = beside && `beside=${writtenSpot(beside).join(".")}`;
  const parts = [held.length > 0 && `hold=${held.join("")}`, kept, locks.length > 0 && `lock=${writtenLocks(locks)}`];
  return parts.filter(Boolean).map((part) => `/${part}`).join("");
}
