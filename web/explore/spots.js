/** Positions with dice, as the explorer's addresses write them. */

import { isEnding, newRound, play } from "../game/round.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../game/round.js").Round} Round */

/** A position, and dice that the player in turn holds there: a whole hand or only some of it.
 * @typedef {{round: Round, held: readonly number[]}} Spot */

/** Return the spot of an address: as far as its actions are legal bids, and its dice a hand.
 * @param {Rules} rules
 * @param {string} actions  with "-" between them
 * @param {string} faces
 * @returns {Spot} */
export function spotOf(rules, actions, faces) {
  return { round: roundAfter(rules, actions), held: diceOf(rules, faces) };
}

/** Return the actions of a spot and its dice, as an address has them.
 * @param {Spot} spot
 * @returns {[string, string]} */
export function writtenSpot({ round, held }) {
  return [round.history.join("-"), held.join("")];
}

/** Return whether two spots are the same position with the same dice.
 * @param {Spot} one
 * @param {Spot} other */
export function isSameSpot(one, other) {
  return writtenSpot(one).join(".") === writtenSpot(other).join(".");
}

/** @param {Rules} rules
 * @param {string} actions */
function roundAfter(rules, actions) {
  let round = newRound(rules, 0);
  for (const action of actions.split("-").filter(Boolean).map(Number)) {
    try {
      if (isEnding(rules, action)) return round;
      round = play(round, action);
    } catch {
      return round;
    }
  }
  return round;
}

/** @param {Rules} rules
 * @param {string} faces */
function diceOf({ dice, faces: most }, faces) {
  const held = [...faces].map(Number);
  const fits = held.length <= dice && held.every((face) => face >= 1 && face <= most);
  return fits ? held.sort((one, other) => one - other) : [];
}
