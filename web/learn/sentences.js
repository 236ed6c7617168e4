/** Rules of thumb in words. */

import { MODES } from "../parts/bid.js";
import { percent, say, together } from "../words.js";

/** @typedef {import("./cards.js").Thumb} Thumb */
/** @typedef {import("./cards.js").ThumbBid} ThumbBid */

/** Return when a rule applies.
 * @param {Thumb} thumb */
export function whenInWords({ after, own, challenge }) {
  if (challenge) {
    const values = { n: challenge.missing, chance: percent(challenge.chance) };
    return say("The bid needs {n} or more of the others’ dice: a chance of {chance} at most", values);
  }
  const number = numberInWords(own ?? [0, null]);
  return after === null ? say("Your best face, with ones: {number}", { number }) : say("Your best face: {number}", { number });
}

/** @param {[number, number | null]} own */
function numberInWords([from, to]) {
  if (to === null) return say("{n} or more", { n: from });
  return from === to ? say("just {n}", { n: from }) : say("{n} at most", { n: to });
}

/** Return what a rule says.
 * @param {Thumb} thumb */
export function doesInWords({ after, bid }) {
  if (bid === null) return say("Challenge");
  if (bid.mode === null) return raised(say("Raise the same face"), bid);
  const mode = MODES[bid.mode] ?? "";
  if (bid.count !== null) return say("Bid {mode}{n} of that face", { mode, n: bid.count });
  return raised(after === bid.mode ? say("Stay in {mode}, on that face", { mode }) : say("Change to {mode}, on that face", { mode }), bid);
}

/** @param {string} words
 * @param {ThumbBid} bid */
function raised(words, { extra }) {
  return together([words, extra === 0 ? say("as low as you can") : say("{n} more than you must", { n: extra })]);
}
