/** Bids, drawn and in words. */

import { sayAction } from "../game/round.js";
import { html } from "../vendor/htm-preact.js";
import { say } from "../words.js";
import { Die } from "./die.js";

/** @typedef {import("../game/rules.js").Bid} BidData */
/** @typedef {import("../game/rules.js").Rules} Rules */

/** @type {Record<string, string>} */
export const MODES = { fei: "飞", zhai: "斋" };

/** Return a bid in words: 飞7×3, or 飞 7 个 3.
 * @param {Pick<BidData, "mode" | "count" | "face">} bid */
export function bidInWords({ mode, count, face }) {
  return say("{mode}{count}×{face}", { mode: MODES[mode] ?? "", count, face });
}

/** Return an action in words, as on a button.
 * @param {Rules} rules
 * @param {number} action */
export function actionInWords(rules, action) {
  const said = sayAction(rules, action);
  if (said.kind === "bid" && said.bid) return bidInWords(said.bid);
  if (said.kind === "double") return say("Double");
  if (said.kind === "give-up") return say("Give Up");
  if (said.kind === "decline") return say("Let It Stand");
  if (said.kind === "jump") return say("Challenge {n} Back", { n: said.distance ?? 2 });
  return say("Challenge");
}

/** A bid: its mode, how many, and a die.
 * @param {{bid: BidData}} props */
export function Bid({ bid }) {
  return html`<span class="bid" role="img" aria-label=${bidInWords(bid)}>
    <i class=${`mode ${bid.mode}`}>${MODES[bid.mode]}</i><b>${bid.count}</b><${Die} face=${bid.face} />
  </span>`;
}
