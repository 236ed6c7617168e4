/** Going on with any bid, also with one that the policy does not make. */

import { isEnding, legalActions } from "../game/round.js";
import { actionInWords } from "../parts/bid.js";
import { Pad } from "../parts/pad.js";
import { Sheet } from "../parts/sheet.js";
import { html, useState } from "../vendor/htm-preact.js";
import { say } from "../words.js";

/** @typedef {import("../game/round.js").Round} Round */

/** @param {{round: Round, after: (action: number) => string}} props  after: the address after a bid */
export function OtherBids({ round, after }) {
  const [open, setOpen] = useState(false);
  const { rules } = round;
  const bids = legalActions(round).filter((action) => !isEnding(rules, action));
  if (bids.length === 0) return null;
  const go = (/** @type {number} */ bid) => {
    setOpen(false);
    location.hash = after(bid);
  };
  return html`<button class="second" onClick=${() => setOpen(true)}>${say("Another Bid")}</button>
    ${open &&
    html`<${Sheet} title=${say("Another Bid")} onClose=${() => setOpen(false)}>
      <div class="uncounted"><${Pad} round=${round} chance=${() => null} active=${true} advised=${null} onBid=${go}>
        ${bids.filter((bid) => bid >= rules.bids.length).map((bid) => html`<button key=${bid} class="second" onClick=${() => go(bid)}>${actionInWords(rules, bid)}</button>`)}
      <//></div>
    <//>`}`;
}
