/** The addresses of places, and going there. */

import { newRound, play } from "../game/round.js";
import { exploreAddress } from "../match/addresses.js";
import { namedParts } from "./place.js";

/** @typedef {import("./place.js").Place} Place */
/** @typedef {import("./spots.js").Spot} Spot */

/** Return the address of a place.
 * @param {Place} place */
export function addressOf(place) {
  return exploreAddress(place.round.rules, place.round.history) + namedParts(place);
}

/** Return the address of another spot with all else that a place supposes.
 * @param {Place} place
 * @param {Spot} spot */
export function addressAt(place, { round, held }) {
  return addressOf({ ...place, round, held });
}

/** Return the address of the place after a bid. Nothing is known then of the dice of the next player.
 * @param {Place} place
 * @param {number} bid */
export function addressAfter(place, bid) {
  return addressAt(place, { round: play(place.round, bid), held: [] });
}

/** Return the address of the place after only the first bids of its round.
 * @param {Place} place
 * @param {number} bids */
export function addressBack(place, bids) {
  const { rules, opener, history } = place.round;
  return addressAt(place, { round: history.slice(0, bids).reduce(play, newRound(rules, opener)), held: [] });
}

/** Go to a place without a step to go back over.
 * @param {Place} place */
export function turnTo(place) {
  location.replace(addressOf(place));
}
