/** What a policy plays at a position with every hand, and how hands are arranged. */

import { moversOf } from "../game/round.js";

/** @typedef {import("../game/round.js").Round} Round */
/** @typedef {import("./policy.js").PocketPolicy} PocketPolicy */

/** One hand at a position. `reached` tells whether the policy makes the player's own bids so far
 * with it.
 * @typedef {{faces: number[], reached: boolean, shares: Map<number, number>}} GridHand */

/** An action and how often it is played at a position, over all hands that come there.
 * @typedef {{action: number, share: number}} Played */

/** @typedef {"ones" | "shape" | "order"} Arrangement */

/** Return what the policy plays at a position, or null if it is off the policy's lines.
 * @param {PocketPolicy} policy
 * @param {Round} round
 * @returns {{hands: GridHand[], played: Played[]} | null}  the actions most often played come first */
export function gridAt(policy, round) {
  const { rules, history } = round;
  const range = reachOf(policy, round);
  if (range === null) return null;
  /** @type {GridHand[]} */
  const hands = [];
  /** @type {Map<number, number>} */
  const masses = new Map();
  for (const [name, place] of rules.tables.hands) {
    const faces = [...name].map(Number);
    const shares = policy.shares(history, faces);
    if (shares === null) return null;
    const mass = range[place] ?? 0;
    hands.push({ faces, reached: mass > 0, shares });
    for (const [action, share] of shares) masses.set(action, (masses.get(action) ?? 0) + mass * share);
  }
  return { hands, played: mostFirst(masses) };
}

/** Return [hand] the probability of the hand and of the bids that the player to move made with it.
 * @param {PocketPolicy} policy
 * @param {Round} round
 * @returns {Float64Array | null}  null off the policy's lines */
function reachOf(policy, { rules, opener, history, turn }) {
  const movers = moversOf(rules, opener, history);
  let range = rules.tables.prior;
  for (const [place, bid] of history.entries()) {
    if (movers[place] !== turn) continue;
    const row = policy.row(history.slice(0, place), bid);
    if (row === null) return null;
    range = range.map((mass, hand) => mass * (row[hand] ?? 0));
  }
  return range;
}

/** @param {Map<number, number>} masses  by action
 * @returns {Played[]} */
function mostFirst(masses) {
  const whole = [...masses.values()].reduce((sum, mass) => sum + mass, 0);
  return [...masses]
    .filter(([, mass]) => mass > 0)
    .sort(([one, mass], [other, its]) => its - mass || one - other)
    .map(([action, mass]) => ({ action, share: mass / whole }));
}

/** Return hands in groups: by how many ones they have, by their shape or in one group. A shape tells
 * how many dice are alike: "32" has three of a face and two of another.
 * @param {GridHand[]} hands
 * @param {Arrangement} arrangement
 * @returns {Map<string, GridHand[]>} */
export function arranged(hands, arrangement) {
  /** @type {Map<string, GridHand[]>} */
  const groups = new Map();
  for (const hand of hands) {
    const name = arrangement === "order" ? "" : arrangement === "ones" ? String(ones(hand)) : shape(hand);
    groups.set(name, [...(groups.get(name) ?? []), hand]);
  }
  return new Map([...groups].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** @param {GridHand} hand */
function ones({ faces }) {
  return faces.filter((face) => face === 1).length;
}

/** @param {GridHand} hand */
function shape({ faces }) {
  const counts = [...new Set(faces)].map((face) => faces.filter((one) => one === face).length);
  return counts.sort((one, other) => other - one).join("");
}
