/** The way to the rules of your bar, where a server knows them. */

import { useOffers } from "../server/offers.js";
import { html } from "../vendor/htm-preact.js";
import { say } from "../words.js";

/** @param {{from: "new" | "table" | "explore" | "rules", players: number}} props
 *   from: the screen to which the rules come back */
export function OwnLink({ from, players }) {
  const { own = false } = useOffers();
  return own ? html`<a class="own-link" href=${`#/own/${from}/${players}`}>${say("Rules of Your Bar")}</a>` : null;
}
