/** What the server works out for a place, once somebody asks for it. */

import { useStateOf } from "../parts/state_of.js";
import { useOffers } from "../server/offers.js";
import { html } from "../vendor/htm-preact.js";
import { say } from "../words.js";
import { addressAfter, addressOf } from "./links.js";

/** @typedef {import("./place.js").Place} Place */
/** @typedef {typeof import("../server/range_values.js").RangeValues} RangeValues */

/** What shows the values; null if it could not be loaded.
 * @typedef {{Values: RangeValues | null}} Loaded */

/** @param {Place} place
 * @returns {[Loaded | null, (() => void) | null]} */
export function useWorkOut(place) {
  const offered = useOffers().advice;
  const [loaded, setLoaded] = /** @type {typeof useStateOf<Loaded>} */ (useStateOf)(addressOf(place));
  const workOut = () => void import("../server/range_values.js").then(({ RangeValues: Values }) => setLoaded({ Values }), () => setLoaded({ Values: null }));
  return [loaded, offered && !loaded ? workOut : null];
}

/** @param {{place: Place, loaded: Loaded}} props */
export function WorkedRange({ place, loaded: { Values } }) {
  if (!Values) return html`<p class="paper">${say("The server cannot be reached.")}</p>`;
  const after = (/** @type {number} */ bid) => addressAfter(place, bid);
  return html`<${Values} round=${place.round} held=${place.held} after=${after} />`;
}
