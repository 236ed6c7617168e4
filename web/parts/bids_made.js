/** The bids of a round in a row, from the first to the challenge. */

import { sayAction } from "../game/round.js";
import { moves } from "../match/bidders.js";
import { html } from "../vendor/htm-preact.js";
import { say } from "../words.js";
import { actionInWords, Bid } from "./bid.js";

/** @param {{round: import("../game/round.js").Round, nameOf: (seat: number) => string, most?: number}} props
 *   most: how many are shown, the last ones */
export function BidsMade({ round, nameOf, most = Infinity }) {
  const made = moves(round);
  const left = Math.max(made.length - most, 0);
  return html`<ol class="bids-made" tabindex="0" start=${left + 1} aria-label=${say("Bids of the round")}>
    ${left > 0 && html`<li key="left" class="left-out" aria-hidden="true">…</li>`}
    ${made.slice(left).map(({ action, seat }, place) => {
      const said = sayAction(round.rules, action);
      const bid = said.kind === "bid" ? said.bid : undefined;
      return html`<li key=${place} class=${bid ? "" : "ending"}>
        <small>${nameOf(seat)}</small>${bid ? html`<${Bid} bid=${bid} />` : actionInWords(round.rules, action)}
      </li>`;
    })}
  </ol>`;
}
