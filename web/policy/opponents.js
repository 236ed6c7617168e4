/** The program's players, each with a manner of their own. */

import { DECLINE, isAsked } from "../game/round.js";
import { handNumber } from "../game/tables.js";
import { ownLine, readersAction } from "./advice.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../game/round.js").Round} Round */
/** @typedef {import("./policy.js").PocketPolicy} PocketPolicy */

/** @typedef {object} Opponent
 * @property {string} id
 * @property {{zh: string, en: string}} name
 * @property {{zh: string, en: string}} manner */

/** All opponents, the strongest first. The ids of all but the first two are rules of
 * `policies/players/rule_based.py`.
 * @type {readonly Opponent[]} */
export const OPPONENTS = [
  {
    id: "policy",
    name: { zh: "阿飞", en: "Fei" },
    manner: { zh: "虚虚实实，最难对付", en: "Mixes truth and bluff: the hardest to beat" },
  },
  {
    id: "reader",
    name: { zh: "眼镜哥", en: "Specs" },
    manner: { zh: "盯着大家的叫法，猜你有什么", en: "Reads your dice from your bids" },
  },
  {
    id: "conservative",
    name: { zh: "老斋", en: "Old Zhai" },
    manner: { zh: "稳字当头，哪边险小走哪边", en: "Careful: always takes the smaller risk" },
  },
  {
    id: "honest",
    name: { zh: "阿实", en: "Honest Shi" },
    manner: { zh: "有什么叫什么，从不吹牛", en: "Bids what the dice say and never bluffs" },
  },
  {
    id: "probabilistic",
    name: { zh: "算盘", en: "Abacus" },
    manner: { zh: "算着概率，能小加就小加", en: "Counts the odds and raises as little as it can" },
  },
  {
    id: "aggressive",
    name: { zh: "大炮", en: "Cannon" },
    manner: { zh: "一叫就叫大，很少开", en: "Bids high, hardly ever challenges" },
  },
  {
    id: "face-by-face",
    name: { zh: "慢慢", en: "Slowly" },
    manner: { zh: "一步一步往上加", en: "Goes up one small step at a time" },
  },
  {
    id: "best-supported",
    name: { zh: "死心眼", en: "One Track" },
    manner: { zh: "手里什么多就一直叫什么", en: "Sticks to the face it holds most" },
  },
];

/** Return the action of an opponent whose turn it is.
 * @param {Opponent} opponent
 * @param {Rules} rules
 * @param {PocketPolicy | null} policy
 * @param {Round} round
 * @param {readonly number[]} hand
 * @param {{next(): number}} random
 * @returns {number} */
export function decide(opponent, rules, policy, round, hand, random) {
  if (opponent.id === "reader") return readersAction(rules, null, round, hand);
  if (opponent.id !== "policy") return decidedByRule(opponent.id, rules, round, hand);
  const shares = policy && ownLine(rules, policy, round, hand);
  return shares ? drawn(shares, random) : readersAction(rules, policy, round, hand);
}

/** Draw an action by its share.
 * @param {Map<number, number>} shares
 * @param {{next(): number}} random */
export function drawn(shares, random) {
  let [left, chosen] = [random.next(), -1];
  for (const [action, share] of shares) {
    chosen = action;
    left -= share;
    if (left < 0) break;
  }
  return chosen;
}

/** Return what a rule-based player does. Who is asked whether to challenge does so by the same rule, as
 * if to bid next.
 * @param {string} id
 * @param {Rules} rules
 * @param {Round} round
 * @param {readonly number[]} hand */
function decidedByRule(id, rules, round, hand) {
  const of = rules.decisions[id];
  const [pattern = 0, ...actions] = of?.states[round.state] ?? [];
  const action = actions[placeAt(of?.patterns[pattern] ?? "", handNumber(rules.tables, hand))];
  if (action === undefined) throw new RangeError(`no decision of ${id} in state ${round.state}`);
  return isAsked(round) && action !== rules.endings ? DECLINE : action;
}

/** Return the place that a pattern has for a hand.
 * @param {string} pattern
 * @param {number} hand */
function placeAt(pattern, hand) {
  let left = hand;
  for (const [, letter = "", length] of pattern.matchAll(/(\D)(\d*)/g)) {
    left -= Number(length || 1);
    if (left < 0) return letter.charCodeAt(0) - "A".charCodeAt(0);
  }
  return -1;
}
