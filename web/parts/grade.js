/** How an action stands to the advice, in words. */

import { labelled, say } from "../words.js";
import { actionInWords } from "./bid.js";

/** Return an action and how it stands to the advice.
 * @param {import("../game/rules.js").Rules} rules
 * @param {number} action
 * @param {import("../match/review.js").Grade} grade */
export function gradedInWords(rules, action, grade) {
  return labelled(actionInWords(rules, action), gradeInWords(grade));
}

/** Return how an action stands to the advice.
 * @param {import("../match/review.js").Grade} grade */
export function gradeInWords(grade) {
  if (grade === "often") return say("the policy plays it often");
  if (grade === "sometimes") return say("the policy plays it sometimes");
  if (grade === "never") return say("the policy never plays it");
  return grade === "advised" ? say("as the bids suggest") : say("not what the bids suggest");
}
