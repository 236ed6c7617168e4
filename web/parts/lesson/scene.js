/** What the steps of the lesson share: bids by name, and the scene they stand in. */

import { legalActions, newRound, play, settle } from "../../game/round.js";
import { html } from "../../vendor/htm-preact.js";

/** @typedef {import("../../game/rules.js").Rules} Rules */

/** Return a bid by its name, like fei4x3.
 * @param {Rules} rules
 * @param {string} name
 * @returns {import("../../game/rules.js").Bid} */
export function bidNamed(rules, name) {
  const found = rules.bids.find(({ mode, count, face }) => `${mode}${count}x${face}` === name);
  if (!found) throw new RangeError(`${name} is no bid of ${rules.name}`);
  return found;
}

/** Return whether a bid may follow another.
 * @param {Rules} rules
 * @param {string} bid
 * @param {string} other */
export function beats(rules, bid, other) {
  const round = play(newRound(rules, 1), bidNamed(rules, other).id);
  return legalActions(round).includes(bidNamed(rules, bid).id);
}

/** Return how a bid of your opponent that you challenge is settled.
 * @param {Rules} rules
 * @param {string} bid
 * @param {number[][]} hands */
export function settled(rules, bid, hands) {
  const bidden = play(newRound(rules, 1), bidNamed(rules, bid).id);
  return settle(play(bidden, rules.endings), hands);
}

/** @param {{told: unknown, children?: unknown}} props */
export function Scene({ told, children }) {
  return html`<section class="scene">
    <p class="told" aria-live="polite">${told}</p>
    <div class="paper scene-inside">${children}</div>
  </section>`;
}
