/** The server behind the page, if there is one. A static site says that it offers nothing. */

import { useEffect, useState } from "../vendor/htm-preact.js";

/**
 * @typedef {object} Offers
 * @property {boolean} [rooms]  whether it has rooms
 * @property {boolean} [advice]  whether it works out values of actions and reviews
 * @property {boolean} [own]  whether it asks for the rules of a bar, and solves them
 * @property {string | null} [token]  what an address needs that is passed on
 */

/** @type {Promise<Offers> | null} */
let asked = null;

/** Return what the server offers, nothing without one. It is asked until it has answered.
 * @returns {Promise<Offers>} */
export function offers() {
  asked ??= ask();
  return asked;
}

/** Return what the server offers; nothing until it has answered. */
export function useOffers() {
  const [known, setKnown] = useState(/** @type {Offers} */ ({}));
  useEffect(() => void offers().then(setKnown), []);
  return known;
}

/** @returns {Promise<Offers>} */
async function ask() {
  try {
    const answer = await fetch("data/server.json", { cache: "no-store" });
    return answer.ok ? await answer.json() : {};
  } catch {
    asked = null; // it may be there again when the next screen asks
    return {};
  }
}
