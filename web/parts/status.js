/** One line on what happens, and the same for a screen reader. */

import { isAsked, legalActions, sayAction } from "../game/round.js";
import { moves, standing } from "../match/bidders.js";
import { html } from "../vendor/htm-preact.js";
import { quoted, say } from "../words.js";
import { actionInWords, bidInWords } from "./bid.js";
import { nameOf } from "./players.js";

/** @typedef {import("../game/round.js").Round} Round */
/** @typedef {import("../match/match.js").Match} Match */

/** @param {{match: Match, round: Round, shaking: boolean}} props */
export function StatusLine({ match, round, shaking }) {
  return html`<p class="status-line" aria-live="polite">
    <span class="sr-only">${lastSaid(match, round)}</span> ${text(match, round, shaking)}
  </p>`;
}

/** @param {Match} match
 * @param {Round} round
 * @param {boolean} shaking */
function text(match, round, shaking) {
  const name = nameOf(match.seats[Math.max(round.turn, 0)] ?? null);
  if (shaking) return say("Shaking the cups…");
  if (round.ending !== null) return lastSaid(match, round);
  const last = standing(round);
  if (last !== null && isAsked(round)) return asked(round, bidInWords(last.bid));
  if (round.turn !== 0) return say("{name} is thinking…", { name });
  if (last !== null) return say("Your turn: must beat {bid}", { bid: bidInWords(last.bid) });
  return say("You open: {count} or more", { count: lowest(round) });
}

/** @param {Round} round
 * @param {string} bid  the last */
function asked({ turn }, bid) {
  return turn === 0 ? say("{bid}: challenge, or let it stand?", { bid }) : say("{bid}: does anybody challenge?", { bid });
}

/** Return the lowest count that may open the round.
 * @param {Round} round */
function lowest(round) {
  const counts = legalActions(round).map((action) => sayAction(round.rules, action).bid?.count ?? Infinity);
  return Math.min(...counts);
}

/** @param {Match} match
 * @param {Round} round */
function lastSaid(match, round) {
  const last = moves(round).pop();
  if (last === undefined) return "";
  return quoted(nameOf(match.seats[last.seat] ?? null), actionInWords(round.rules, last.action));
}
