/** The tables of the rules: the automaton of the bidding, and what dice count. */

/** How bids are read: see `policies/players/reading.py`. Who bids `least` times as likely by the policy
 * as by their own dice is taken to follow the policy.
 * @typedef {{power: number, floor: number, tie: number, least: number, manners: Manners}} Reading */

/** How people bid of whom somebody says something: see `policies/players/manners.py`.
 * @typedef {object} Manners
 * @property {Record<string, number[]>} shares  [manner][style] how likely each style is
 * @property {number} sharp  the power of bids that tell much
 * @property {number} flat  the power of bids that tell little
 * @property {number} likely  the least chance of what careful people bid
 * @property {number} bold  the least chance of what bold people bid
 * @property {number} stop  how likely it is that somebody makes the first raise of their style
 * @property {number} slip  how likely it is that somebody bids in no style
 * @property {number[]} limits  bids of a smaller chance are challenged
 * @property {number[]} limitShares  [limit] how likely each is
 * @property {number} noise  how often somebody does the opposite */

/** What the rules of a match for dice add. The bids with fewer dice on the table are the first ones.
 * @typedef {object} ForDice
 * @property {number[]} within  [dice] how many bids there are with these dice on the table
 * @property {boolean} winnerStarts  whether the winner of a round starts the next, not the loser
 * @property {boolean} asks  whether all others are asked in turn, after each bid, if they challenge */

/** Why bids may not follow, in the words of Python (`app/pocket/reasons.py`). States share rows.
 * @typedef {{texts: {zh: string[], en: string[]}, rows: number[][], of: number[]}} Reasons
 *   `rows` [row][kind] the number of a text, -1 where all bids of the kind may follow
 *   `of` [state] the number of a row */

/** Tables as a file has them. A run is a number of bids in a row, each of which leads to a state.
 * @typedef {object} Written
 * @property {string} name
 * @property {number} players
 * @property {number} dice
 * @property {number} faces
 * @property {[number, number, number][]} bids  mode (0 for 飞, 1 for 斋), count and face of each bid
 * @property {number} levels  how often the stakes may be doubled
 * @property {number[][]} runs  [state] first bid, state after it, length; and so on for each run
 * @property {Reasons} why  why bids may not follow
 * @property {number[]} turns  [level] how many turns after a bid or double the next turn comes
 * @property {number[]} back  [ending] how many bids ago the bid was made that the ending settles
 * @property {number[][]} claimed  [ending][bid] the count from which on the challenger loses
 * @property {number[][]} cost  [ending][bid] what the loser pays; 0 if the ending is not legal
 * @property {number[][]} turned  [ending][bid] 1 if the challenger is the one who doubled
 * @property {number[]} kind  [bid] bids of a kind count the same dice
 * @property {string[]} shows  [kind] the faces that count
 * @property {string} hands  all hands, with spaces between them
 * @property {number[]} rolls  [hand] how many rolls of the dice give the hand
 * @property {string[]} matches  [kind] a digit for each hand: how many of its dice count
 * @property {Reading} reading  how bids are read
 * @property {ForDice | null} match  null if nobody loses dice
 * @property {{zh: string[], en: string[]}} told
 * @property {string | null} policy  see `Rules`, as the next one
 * @property {number | null} figure
 * @property {Record<string, unknown>} recorded */

/** Tables as the engine reads them. Bids are numbered with their doubles, which come after them.
 * @typedef {object} Tables
 * @property {number} plain  the number of bids without the doubles
 * @property {number} actions  the number of bids with the doubles, and the first ending
 * @property {Int16Array[]} after  [state][bid] the state after the bid, -1 if it is not legal
 * @property {Reasons} why
 * @property {number[]} turns  see `Written`, as the next four
 * @property {number[]} back
 * @property {number[][]} claimed
 * @property {number[][]} cost
 * @property {number[][]} turned
 * @property {Int16Array} kind  [bid]
 * @property {number[][]} shows  [kind] the faces that count
 * @property {Map<string, number>} hands  the number of each hand, by its faces in order
 * @property {Float64Array[]} priors  [dice][hand] the probability of each hand of this many dice
 * @property {Float64Array} prior  [hand] the same for all dice that a player has at first
 * @property {number[]} held  [hand] how many dice it has
 * @property {number} total  how many dice are on the table
 * @property {Uint8Array[]} matches  [kind][hand] how many dice count
 * @property {number} most  the most dice of one hand that count
 * @property {Reading} reading */

/** Return the tables of a file in the form that the engine reads.
 * @param {Written} written
 * @returns {Tables} */
export function expanded(written) {
  const plain = written.bids.length;
  const actions = plain * (1 + written.levels);
  const names = written.hands.split(" ");
  const held = names.map(({ length }) => length);
  const priors = Array.from({ length: written.dice + 1 }, (_, dice) => priorOf(written, held, dice));
  const matches = written.matches.map((digits) => Uint8Array.from(digits, Number));
  return {
    plain,
    actions,
    after: written.runs.map((runs) => afterState(runs, actions)),
    why: written.why,
    turns: written.turns,
    back: written.back,
    claimed: written.claimed,
    cost: written.cost,
    turned: written.turned,
    kind: Int16Array.from({ length: actions }, (_, bid) => written.kind[bid % plain] ?? 0),
    shows: written.shows.map((faces) => Array.from(faces, Number)),
    hands: new Map(names.map((hand, place) => [hand, place])),
    priors,
    prior: priors[written.dice] ?? new Float64Array(0),
    held,
    total: written.players * written.dice,
    matches,
    most: Math.max(...matches.map((row) => Math.max(...row))),
    reading: written.reading,
  };
}

/** Return [hand] the probability of each hand of this many dice, 0 for others.
 * @param {Written} written
 * @param {number[]} held  [hand] how many dice it has
 * @param {number} dice */
function priorOf({ rolls }, held, dice) {
  const ways = rolls.map((one, hand) => (held[hand] === dice ? one : 0));
  const whole = ways.reduce((sum, one) => sum + one, 0);
  return Float64Array.from(ways, (one) => (whole > 0 ? one / whole : 0));
}

/** Return the state after each bid, -1 for a bid that is not legal.
 * @param {number[]} runs
 * @param {number} bids */
function afterState(runs, bids) {
  const after = new Int16Array(bids).fill(-1);
  for (let run = 0; run < runs.length; run += 3) {
    const [first, state, length] = [runs[run] ?? 0, runs[run + 1] ?? 0, runs[run + 2] ?? 0];
    for (let step = 0; step < length; step++) after[first + step] = state + step;
  }
  return after;
}

/** Return the number of a hand. Throws RangeError for dice that are no hand by these rules.
 * @param {Tables} tables
 * @param {readonly number[]} hand  faces in any order */
export function handNumber(tables, hand) {
  const found = tables.hands.get([...hand].sort((one, other) => one - other).join(""));
  if (found === undefined) throw new RangeError(`no hand by these rules: ${hand.join("")}`);
  return found;
}

/** Return how many dice of a hand count for a bid or double.
 * @param {Tables} tables
 * @param {number} bid
 * @param {number} hand  the number of the hand */
export function dieCount(tables, bid, hand) {
  return tables.matches[tables.kind[bid] ?? 0]?.[hand] ?? 0;
}
