/** What follows a round: how it was bid, and the next one or the end of the match. */

import { newRandom } from "../match/beginning.js";
import { nextRound } from "../match/match.js";
import { isOver } from "../match/score.js";
import { update } from "../store.js";
import { html } from "../vendor/htm-preact.js";
import { say } from "../words.js";
import { BidsMade } from "./bids_made.js";
import { MatchOver } from "./match_over.js";
import { nameOf } from "./players.js";

/** @typedef {import("../game/round.js").Round} Round */
/** @typedef {import("../match/match.js").Match} Match */

/** @param {{match: Match, round: Round, over: boolean, children?: unknown}} props
 *   children: what stands beside the way to the next round */
export function RoundEnd({ match, round, over, children }) {
  if (over && isOver(match)) return html`<${MatchOver} match=${match} />`;
  const next = () => update({ match: nextRound(round.rules, match, newRandom()) });
  return html`<section class="round-end">
    <${BidsMade} round=${round} nameOf=${(/** @type {number} */ seat) => nameOf(match.seats[seat] ?? null)} />
    <div class="ways">
      <button class="main big" disabled=${!over} ref=${over ? focusIt : null} onClick=${next}>${say("Next Round")}</button>
      ${over && children}
    </div>
  </section>`;
}

/** @param {HTMLElement | null} element */
function focusIt(element) {
  element?.focus({ preventScroll: true });
}
