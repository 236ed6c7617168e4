/** What an address of the explorer says: `#/explore/RULES/PLAYERS/ACTIONS`, the actions of the round so
 * far with "-" between them. Parts with a name follow: `hold=116` has dice of the player in turn. */

import { isEnding, newRound, play } from "../game/round.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../game/round.js").Round} Round */

/** A position, and dice that the player in turn holds there: a whole hand or only some of it.
 * @typedef {{round: Round, held: readonly number[]}} Place */

/** Return the place of an address: as far as its actions are legal bids, and its dice a hand.
 * @param {Rules} rules
 * @param {readonly string[]} path  what follows the number of players
 * @returns {Place} */
export function placeOf(rules, [actions = "", ...named]) {
  const said = new Map(named.map((part) => [part.slice(0, part.indexOf("=")), part.slice(part.indexOf("=") + 1)]));
  return { round: roundAfter(rules, actions), held: diceOf(rules, said.get("hold") ?? "") };
}

/** Return what the address of a place has after its actions.
 * @param {Place} place */
export function namedParts({ held }) {
  return held.length > 0 ? `/hold=${held.join("")}` : "";
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
