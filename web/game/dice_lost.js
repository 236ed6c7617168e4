/** Matches in which dice are lost: the rules of a round with fewer dice, and who starts it. */

/** @typedef {import("./rules.js").Rules} Rules */
/** @typedef {import("./tables.js").ForDice} ForDice */

/** The rules of rounds by the dice on the table, for the rules of a match.
 * @type {WeakMap<Rules, Map<number, Rules>>} */
const known = new WeakMap();
/** The rules of the match that rules of a round belong to.
 * @type {WeakMap<Rules, Rules>} */
const matches = new WeakMap();

/** Return the rules of a round: `rules` themselves or, where dice are lost, those with this many dice on
 * the table.
 * @param {Rules} rules  of a match, or of one of its rounds
 * @param {number} total */
export function rulesWith(rules, total) {
  const whole = matches.get(rules) ?? rules;
  if (!whole.match) return whole;
  const ofRounds = known.get(whole) ?? new Map();
  known.set(whole, ofRounds);
  const found = ofRounds.get(total) ?? roundRules(whole, whole.match, total);
  ofRounds.set(total, found);
  matches.set(found, whole);
  return found;
}

/** @param {Rules} whole
 * @param {ForDice} match
 * @param {number} total
 * @returns {Rules} */
function roundRules(whole, { within }, total) {
  const bids = within[total];
  if (bids === undefined) throw new RangeError(`${total} dice on the table`);
  const { tables } = whole;
  const after = tables.after.slice(0, bids + 1).map((row) => row.subarray(0, bids));
  return {
    ...whole,
    bids: whole.bids.slice(0, bids),
    endings: bids,
    tables: { ...tables, plain: bids, actions: bids, after, kind: tables.kind.subarray(0, bids), total },
    decisions: whole.decisionsWith[total] ?? {},
  };
}

/** Return who starts the round after one with this winner and loser, which left these dice.
 * @param {ForDice} match
 * @param {readonly number[]} dice  [seat]
 * @param {{winner: number, loser: number}} ended */
export function nextStarter({ winnerStarts }, dice, { winner, loser }) {
  let seat = winnerStarts ? winner : loser;
  while (!dice[seat]) seat = (seat + 1) % dice.length; // who is out cannot start
  return seat;
}
