/** What the decisions of a round cost, as the server works it out. */

import { actionInWords } from "../parts/bid.js";
import { labelled, say, sayNumber, sentences, together } from "../words.js";
import { ask, Refused } from "./asking.js";
import { costInWords, valueInWords } from "./points.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../match/match.js").PlayedRound} PlayedRound */
/** @typedef {"best" | "fine" | "inaccuracy" | "mistake" | "blunder" | "unclear"} Grade */

/** A decision, as `app/server/advice/rounds.py` writes it.
 * @typedef {object} Cost
 * @property {number} place  how many bids came before it
 * @property {number} action
 * @property {number} best  the best action
 * @property {number} cost  in points
 * @property {number} margin  half the interval of `cost`
 * @property {Grade} grade */

/** What is read of an answer. `dice`: what the roll was worth to you, in points.
 * @typedef {{decisions: Cost[], luck: {dice: number}}} Answer */

/** Milliseconds until a question is asked again that came too soon after others. */
const AGAIN = 3000;
/** How often it is asked again. */
const TRIES = 40;

/** What a decision cost, in words. */
export class Costed {
  /** @param {Rules} rules
   * @param {Cost} cost */
  constructor(rules, cost) {
    this.rules = rules;
    this.cost = cost;
  }

  /** Whether another action was surely better. */
  get isError() {
    return ["inaccuracy", "mistake", "blunder"].includes(this.cost.grade);
  }

  /** What counts in sums: nothing that is within its interval. */
  get charged() {
    const { grade, cost, margin } = this.cost;
    return grade !== "unclear" && cost > margin ? cost : 0;
  }

  /** Return how good the decision was, without naming a better one. */
  inWords() {
    const { grade, cost, margin } = this.cost;
    const told = grade === "unclear" ? "" : costInWords(cost, margin);
    return together([GRADES[grade](), told]);
  }

  /** Return how good an action is that was tried instead; undefined if its value is not known.
   * @param {number} tried */
  triedInWords(tried) {
    const { best, action } = this.cost;
    if (tried !== best && tried !== action) return undefined;
    return labelled(actionInWords(this.rules, tried), tried === action ? this.inWords() : GRADES.best());
  }

  /** Return the answer. */
  answerInWords() {
    const { best, cost, margin } = this.cost;
    const found = say("Worked out: {action} is best.", { action: actionInWords(this.rules, best) });
    const costs = costInWords(cost, margin);
    return sentences([found, costs && say("What was done {costs}.", { costs })]);
  }
}

/** @type {Record<Grade, () => string>} */
const GRADES = {
  best: () => say("best"),
  fine: () => say("fine"),
  inaccuracy: () => say("inaccuracy"),
  mistake: () => say("mistake"),
  blunder: () => say("blunder"),
  unclear: () => say("unclear"),
};

/** A round whose decisions have a cost. */
export class CostedRound {
  /** @param {Rules} rules
   * @param {Answer} answer */
  constructor(rules, { decisions, luck }) {
    this.decisions = decisions.map((one) => new Costed(rules, one));
    this.dice = luck.dice;
  }

  /** Return the decision after some bids, undefined if there was nothing to decide.
   * @param {number} place  how many bids */
  at(place) {
    return this.decisions.find(({ cost }) => cost.place === place);
  }

  luckInWords() {
    return say("Luck of the dice: {points} points.", { points: valueInWords(this.dice, 0) });
  }
}

/** The rounds of a match whose decisions have a cost so far. */
export class CostedMatch {
  /** @param {CostedRound[]} rounds
   * @param {number | null} next  the number of the round that is worked out now, if one is
   * @param {number} all  how many rounds the match has */
  constructor(rounds, next, all) {
    this.rounds = rounds;
    this.next = next;
    this.all = all;
  }

  /** @param {boolean} isYou  whether the decisions are yours */
  inWords(isYou) {
    const decisions = this.rounds.flatMap((one) => one.decisions);
    const sum = decisions.reduce((all, { charged }) => all + charged, 0);
    const { next, all, rounds } = this;
    const points = sum.toFixed(2);
    const cost = isYou
      ? sayNumber("Your decisions in {n} round cost {points} points.", "Your decisions in {n} rounds cost {points} points.", rounds.length, { points })
      : sayNumber("These decisions in {n} round cost {points} points.", "These decisions in {n} rounds cost {points} points.", rounds.length, { points });
    return sentences([
      rounds.length > 0 ? cost : "",
      next === null ? "" : say("Working out what round {n} of {all} cost…", { n: next, all }),
    ]);
  }
}

/** Ask for the costs of all rounds of a match, one after the other, as long as the server answers.
 * What it does not answer is left to what the page knows itself.
 * @param {Rules} rules
 * @param {PlayedRound[]} log
 * @param {number} seat  whose decisions
 * @param {(costed: CostedMatch) => void} tell
 * @param {() => boolean} wanted  whether anybody still looks at it */
export async function workOut(rules, log, seat, tell, wanted) {
  /** @type {CostedRound[]} */
  let rounds = [];
  try {
    for (const round of log) {
      if (!wanted()) return;
      tell(new CostedMatch(rounds, rounds.length + 1, log.length));
      rounds = [...rounds, await askReview(rules, round, seat)];
    }
  } catch {
    // The server is gone, or knows no policy for these rules.
  }
  tell(new CostedMatch(rounds, null, log.length));
}

/** Ask for the costs of a round, also if that takes some patience. Throws as `ask` does.
 * @param {Rules} rules
 * @param {PlayedRound} played
 * @param {number} seat  whose decisions
 * @returns {Promise<CostedRound>} */
export async function askReview(rules, { opener, hands, history, ending, program = [] }, seat) {
  const { name, players } = rules;
  const question = { rules: name, players, opener, hands, history, ending, seat };
  for (let tries = 1; ; tries++) {
    try {
      /** @type {Answer} */
      const { decisions, luck } = await ask("advice/review", question);
      const own = decisions.filter(({ place }) => !program.includes(place));
      return new CostedRound(rules, { decisions: own, luck });
    } catch (error) {
      if (!(error instanceof Refused && error.status === 429) || tries === TRIES) throw error;
      await new Promise((done) => setTimeout(done, AGAIN));
    }
  }
}
