/** Positions with dice in words. */

import { actionInWords } from "../parts/bid.js";
import { names, say } from "../words.js";

/** Return the bids of a spot, and whose hands it is about.
 * @param {import("./spots.js").Spot} spot */
export function spotInWords({ round, held }) {
  const { rules, history } = round;
  const bids = history.length === 0 ? say("Opening") : history.map((bid) => actionInWords(rules, bid)).join(" ");
  const hands = held.length === 0 ? say("all hands") : say("hands with {faces}", { faces: names(held.map(String)) });
  return `${bids} · ${hands}`;
}
