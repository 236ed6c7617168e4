/** Dice and the cup over them, drawn as SVG. */

import { html } from "../vendor/htm-preact.js";
import { say } from "../words.js";

/** The dots of each face, as places of a grid of three by three, row by row.
 * @type {Record<number, number[]>} */
const DOTS = {
  1: [4],
  2: [2, 6],
  3: [2, 4, 6],
  4: [0, 2, 6, 8],
  5: [0, 2, 4, 6, 8],
  6: [0, 2, 3, 5, 6, 8],
};

/** A die. It says nothing to a screen reader: what is around it does.
 * @param {{face: number, counts?: boolean, faint?: boolean}} props */
export function Die({ face, counts = false, faint = false }) {
  const kind = ["die", face === 1 && "one", counts && "counts", faint && "faint"];
  return html`<svg class=${kind.filter(Boolean).join(" ")} viewBox="0 0 40 40" aria-hidden="true">
    <rect x="1.5" y="1.5" width="37" height="37" rx="9" />
    ${(DOTS[face] ?? []).map(
      (place) =>
        html`<circle
          cx=${9.5 + (place % 3) * 10.5}
          cy=${9.5 + Math.floor(place / 3) * 10.5}
          r=${face === 1 ? 5.6 : 3.7}
        />`,
    )}
  </svg>`;
}

/** Dice in a row that a screen reader reads as one.
 * @param {{faces: readonly number[], counting?: readonly boolean[], shown?: number}} props
 *   shown: how many are uncovered already */
export function Dice({ faces, counting = [], shown = faces.length }) {
  const seen = faces.slice(0, shown);
  return html`<span class="dice" role="img" aria-label=${say("Dice {faces}", { faces: seen.join(" ") })}>
    ${faces.map((face, place) =>
      place < shown
        ? html`<${Die} face=${face} counts=${counting[place]} faint=${counting.length > 0 && !counting[place]} />`
        : html`<${CoveredDie} />`,
    )}
  </span>`;
}

function CoveredDie() {
  return html`<svg class="die covered" viewBox="0 0 40 40" aria-hidden="true">
    <rect x="1.5" y="1.5" width="37" height="37" rx="9" />
  </svg>`;
}

/** A bamboo cup, upside down. */
export function Cup() {
  return html`<svg class="cup" viewBox="0 0 48 44" aria-hidden="true">
    <path class="cup-side" d="M11 5h26l7 34c-10 5-30 5-40 0z" />
    <path class="cup-band" d="M9.4 13h29.2l1 5H8.4zM5.6 31h36.8l1 5c-10 4.5-29 4.5-38.8 0z" />
    <ellipse class="cup-top" cx="24" cy="5.5" rx="13" ry="3.5" />
  </svg>`;
}
