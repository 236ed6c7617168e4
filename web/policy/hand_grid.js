/** What a policy plays at a position with every hand, and how hands are arranged. */

import { moversOf } from "../game/round.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../game/round.js").Round} Round */
/** @typedef {import("./policy.js").PocketPolicy} PocketPolicy */

/** One hand at a position. `weight` is its probability, given that the policy made the bids so far of
 * the player in turn.
 * @typedef {{faces: number[], weight: number, shares: Map<number, number>}} GridHand */

/** An action and how often it is played at a position, over all hands that come there.
 * @typedef {{action: number, share: number}} Played */

/** Hands of the player in turn, and what is played with them.
 * @typedef {object} Selected
 * @property {Set<GridHand>} hands
 * @property {number} share  of all that the player may hold
 * @property {boolean} reached  whether the policy comes here with any of them; if not, they count as they
 *   are dealt
 * @property {Played[]} played  the actions most often played come first */

/** @typedef {"ones" | "shape" | "order"} Arrangement */

/** Return [hand] what the policy plays at a position, or null if it is off the policy's lines.
 * @param {PocketPolicy} policy
 * @param {Round} round
 * @returns {GridHand[] | null} */
export function gridAt(policy, round) {
  const { rules, history } = round;
  const range = reachOf(policy, round);
  if (range === null) return null;
  const whole = range.reduce((sum, mass) => sum + mass, 0) || 1;
  /** @type {GridHand[]} */
  const hands = [];
  for (const [faces, place] of handsOf(rules)) {
    const shares = policy.shares(history, faces);
    if (shares === null) return null;
    hands.push({ faces, weight: (range[place] ?? 0) / whole, shares });
  }
  return hands;
}

/** Return the faces of each hand, and its number.
 * @param {Rules} rules
 * @returns {[number[], number][]} */
export function handsOf({ tables }) {
  return [...tables.hands].map(([name, place]) => [[...name].map(Number), place]);
}

/** Return [hand] the probability of the hand and of the bids that the player to move made with it.
 * @param {PocketPolicy} policy
 * @param {Round} round
 * @returns {Float64Array | null}  null off the policy's lines */
function reachOf(policy, round) {
  const { rules, history, turn } = round;
  const movers = moversOf(round);
  let range = rules.tables.prior;
  for (const [place, bid] of history.entries()) {
    if (movers[place] !== turn) continue;
    const row = policy.row(history.slice(0, place), bid);
    if (row === null) return null;
    range = range.map((mass, hand) => mass * (row[hand] ?? 0));
  }
  return range;
}

/** Return what is played with the hands that have at least some dice.
 * @param {Rules} rules
 * @param {GridHand[]} grid
 * @param {readonly number[]} held
 * @returns {Selected} */
export function selected({ tables }, grid, held) {
  const hands = grid.filter(({ faces }) => holds(faces, held));
  const share = hands.reduce((sum, { weight }) => sum + weight, 0);
  const reached = share > 0;
  /** @type {Map<number, number>} */
  const masses = new Map();
  for (const { faces, weight, shares } of hands) {
    const mass = reached ? weight : (tables.prior[tables.hands.get(faces.join("")) ?? 0] ?? 0);
    for (const [action, often] of shares) masses.set(action, (masses.get(action) ?? 0) + mass * often);
  }
  return { hands: new Set(hands), share: Math.min(share, 1), reached, played: mostFirst(masses) };
}

/** Return whether a hand has at least some dice.
 * @param {readonly number[]} faces  of the hand
 * @param {readonly number[]} held */
export function holds(faces, held) {
  return held.every((face) => numberOf(faces, face) >= numberOf(held, face));
}

/** @param {readonly number[]} faces
 * @param {number} face */
function numberOf(faces, face) {
  return faces.filter((one) => one === face).length;
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

/** Return [hand] the part of each hand as dealt that is left in a range, scaled so that the largest is 1.
 * @param {Rules} rules
 * @param {ArrayLike<number>} range  [hand] */
export function partsLeft({ tables }, range) {
  const left = tables.prior.map((mass, hand) => (mass > 0 ? (range[hand] ?? 0) / mass : 0));
  const most = Math.max(...left) || 1;
  return left.map((part) => part / most);
}

/** Return hands in groups: by how many ones they have, by their shape or in one group. A shape tells
 * how many dice are alike: "32" has three of a face and two of another.
 * @template {{faces: readonly number[]}} Hand
 * @param {readonly Hand[]} hands
 * @param {Arrangement} arrangement
 * @returns {Map<string, Hand[]>} */
export function arranged(hands, arrangement) {
  /** @type {Map<string, Hand[]>} */
  const groups = new Map();
  for (const hand of hands) {
    const name = arrangement === "order" ? "" : arrangement === "ones" ? String(numberOf(hand.faces, 1)) : shape(hand.faces);
    groups.set(name, [...(groups.get(name) ?? []), hand]);
  }
  return new Map([...groups].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** @param {readonly number[]} faces */
function shape(faces) {
  const counts = [...new Set(faces)].map((face) => numberOf(faces, face));
  return counts.sort((one, other) => other - one).join("");
}
