/** The few icons, as lines of 24 by 24. */

import { html } from "../vendor/htm-preact.js";

/** @type {Record<string, string>} */
const PATHS = {
  back: "M14.5 5 8 12l6.5 7",
  book: "M5 5c3-1 5-.5 7 1 2-1.500 4-2 7-1v13c-3-1-5-.5-7 1-2-1.500-4-2-7-1zM12 6v13",
  bulb: "M9 17.500c0-3-3-4-3-8a6 6 0 0 1 12 0c0 4-3 5-3 8zM10 21h4",
  gear: "M4 7h9m4 0h3M4 12h3m4 0h9M4 17h8m4 0h4M15 5v4M9 10v4M14 15v4",
  up: "M6 14.500 12 9l6 5.500",
  down: "M6 9.500 12 15l6-5.500",
  people: "M9 11a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM2.500 20c0-4 3-6 6.500-6s6.500 2 6.500 6M16 11a3 3 0 1 0-1-5.800M17.500 14.200c2.500.6 4 2.500 4 5.800",
  save: "M12 4v11m-4.500-4.500L12 15l4.500-4.500M5 19.500h14",
  undo: "M9 6 4.500 10.500 9 15M5 10.500h9a5 5 0 0 1 0 10h-3",
};

/** @param {{name: string}} props */
export function Icon({ name }) {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${PATHS[name]} /></svg>`;
}
