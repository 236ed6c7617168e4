/** The addresses of places, and going there. */

import { play } from "../game/round.js";
import { exploreAddress } from "../match/addresses.js";
import { namedParts } from "./place.js";

/** @typedef {import("./place.js").Place} Place */

/** Return the address of a place.
 * @param {Place} place */
export function addressOf(place) {
  return exploreAddress(place.round.rules, place.round.history) + namedParts(place);
}

/** Return the address of the place after a bid. Nothing is known then of the dice of the next player.
 * @param {Place} place
 * @param {number} bid */
export function addressAfter(place, bid) {
  return addressOf({ ...place, round: play(place.round, bid), held: [] });
}

/** Go to a place without a step to go back over.
 * @param {Place} place */
export function turnTo(place) {
  location.replace(addressOf(place));
}
