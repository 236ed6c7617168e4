/** Questions to the server about the rules of your bar. */

import { ask } from "../server/asking.js";

/** @typedef {import("./kept.js").Answers} Answers */

/** A question for the least count of a bid that opens.
 * @typedef {{name: string, asked: string, options: number[], given: number}} Count */
/** A question with answers to choose from, one or, where `many`, any of them.
 * @typedef {{name: string, asked: string, many: boolean, options: {value: string, text: string}[], given: string[]}} Choice */

/** As `app/server/own_rules/questions.py` writes it.
 * @typedef {object} Asked
 * @property {Count[]} counts
 * @property {Choice[]} questions
 * @property {string | null} rules  the name of the rules; null if the answers contradict each other
 * @property {boolean} [is_preset]
 * @property {string | null} wrong  why they do
 * @property {number[]} sizes  the numbers of players for which there are such rules
 * @property {string[]} told  the rules in words */

/** How solving goes on, as `app/server/own_rules/solving.py` writes it.
 * @typedef {object} Solving
 * @property {"running" | "stopping" | "ended" | "stopped" | "failed" | null} state
 * @property {boolean} busy  whether other rules are being solved
 * @property {boolean} known  whether a policy is known
 * @property {number | null} figure  of that policy
 * @property {boolean} unfinished  whether solving was interrupted, and can go on
 * @property {{seconds?: number, left?: number | null, done?: number, goal?: number, figure?: number | null}} [progress]
 * @property {boolean} [yours]  whether you may stop it
 * @property {string | null} [error] */

/** Ask for the questions after some answers. Throws as `ask` does.
 * @param {Answers} answers
 * @param {AbortSignal} signal
 * @returns {Promise<Asked>} */
export function askQuestions({ players, counts, chosen }, signal) {
  return ask("own/questions", { players, counts, chosen }, signal);
}

/** Ask how solving goes on, begin it or stop it. Throws as `ask` does.
 * @param {"solving" | "solve" | "stop"} what
 * @param {string} rules
 * @param {number} players
 * @returns {Promise<Solving>} */
export function askSolving(what, rules, players) {
  return ask(`own/${what}`, { rules, players });
}

/** Return the answers with one more; an answer that cannot hold beside others takes their place.
 * @param {Answers} answers
 * @param {Choice} question
 * @param {string} value
 * @returns {Answers} */
export function withAnswer(answers, { name, many, given }, value) {
  const before = answers.chosen[name] ?? given;
  const others = before.filter((one) => kindOf(one) !== kindOf(value));
  const many_ = before.includes(value) ? before.filter((one) => one !== value) : [...others, value];
  return { ...answers, chosen: { ...answers.chosen, [name]: many ? many_ : [value] } };
}

/** Return the house rule of an answer, without the value that it has.
 * @param {string} value */
function kindOf(value) {
  return value.split("=")[0];
}
