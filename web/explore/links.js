/** The addresses of places, and going there. */

import { exploreAddress } from "../match/addresses.js";
import { namedParts } from "./place.js";

/** @typedef {import("./place.js").Place} Place */

/** Return the address of a place.
 * @param {Place} place */
export function addressOf(place) {
  return exploreAddress(place.round.rules, place.round.history) + namedParts(place);
}

/** Go to a place without a step to go back over.
 * @param {Place} place */
export function turnTo(place) {
  location.replace(addressOf(place));
}
