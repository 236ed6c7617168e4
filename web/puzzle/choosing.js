/** The puzzle of a day, the same for everybody: players who follow the policy play rounds that the
 * date decides, until somebody comes to a decision that makes a puzzle. */

import { rollHand } from "../game/hands.js";
import { Random } from "../game/random.js";
import { isEnding, legalActions, newRound, play } from "../game/round.js";
import { readersAction } from "../policy/advice.js";
import { chanceOf } from "../policy/chances.js";
import { drawn } from "../policy/opponents.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../game/round.js").Round} Round */
/** @typedef {import("../policy/policy.js").PocketPolicy} PocketPolicy */

/** @typedef {object} Puzzle  you are in seat 0
 * @property {number} opener
 * @property {number[]} history
 * @property {number[]} hand
 * @property {number} action  the answer */

/** The policy plays the answer at least this often with these dice. */
const SURE = 0.97;
/** Where the answer is to challenge, the last bid and every higher one hold with this chance at most. */
const FALSE = 0.25;
/** Where the answer is to bid, the last bid holds with this chance at least, */
const TRUE = 0.75;
/** and the answer is ahead of every other bid by this chance. */
const AHEAD = 0.15;
const LEAST_BIDS = 2;
const MOST_ROUNDS = 2000;
/** Rounds after which the page may draw again. */
const AT_A_TIME = 10;

/** Return random numbers that a date decides, and how many play on it: 2 to 5.
 * @param {string} date  like 2026-11-27 */
export function drawFrom(date) {
  const random = new Random(Number(date.replaceAll("-", "")));
  return { random, players: 2 + Math.floor(random.next() * 4) };
}

/** Return the puzzle of a date. Throws RangeError if the policy comes to none.
 * @param {Rules} rules
 * @param {PocketPolicy} policy
 * @param {Random} random  of the date
 * @returns {Promise<Puzzle>} */
export async function puzzleOf(rules, policy, random) {
  for (let rounds = 1; rounds <= MOST_ROUNDS; rounds++) {
    const found = puzzleInRound(rules, policy, random);
    if (found) return found;
    if (rounds % AT_A_TIME === 0) await new Promise((done) => setTimeout(done));
  }
  throw new RangeError(`no puzzle in ${MOST_ROUNDS} rounds`);
}

/** Play a round until somebody decides a puzzle, and return that, or null at its end.
 * @param {Rules} rules
 * @param {PocketPolicy} policy
 * @param {Random} random
 * @returns {Puzzle | null} */
function puzzleInRound(rules, policy, random) {
  const hands = Array.from({ length: rules.players }, () => rollHand(rules, random));
  let round = newRound(rules, 0);
  while (round.ending === null) {
    const hand = hands[round.turn] ?? [];
    const shares = policy.shares(round.history, hand);
    if (!shares) return null;
    const action = drawn(shares, random);
    if ((shares.get(action) ?? 0) >= SURE && isHard(rules, policy, round, hand, action)) {
      const opener = (rules.players - round.turn) % rules.players;
      return { opener, history: [...round.history], hand, action };
    }
    round = play(round, action);
  }
  return null;
}

/** Return whether an answer is clear, but not what the dice and the bids suggest at first sight: it
 * challenges where they suggest a bid, or bids where they suggest to challenge.
 * @param {Rules} rules
 * @param {PocketPolicy} policy
 * @param {Round} round
 * @param {readonly number[]} hand
 * @param {number} action */
function isHard(rules, policy, round, hand, action) {
  const last = round.history[round.history.length - 1];
  if (last === undefined || round.history.length < LEAST_BIDS) return false;
  const holds = (/** @type {number} */ bid) => chanceOf(rules, policy, round, hand, bid);
  const others = legalActions(round).filter((one) => one !== action && !isEnding(rules, one));
  const next = () => Math.max(0, ...others.map(holds));
  const clear = isEnding(rules, action)
    ? holds(last) <= FALSE && next() <= FALSE
    : holds(last) >= TRUE && holds(action) >= next() + AHEAD;
  return clear && isEnding(rules, action) !== isEnding(rules, readersAction(rules, null, round, hand));
}
