/** The grid of hands, each with colours of its own. */

import { arranged } from "../policy/hand_grid.js";
import { html } from "../vendor/htm-preact.js";
import { percent, say, sayNumber } from "../words.js";

/** @typedef {import("../policy/hand_grid.js").GridHand} GridHand */
/** @typedef {import("../policy/hand_grid.js").Arrangement} Arrangement */

/** How a hand is drawn: the stops of a gradient, null for a hand that does not come up; and whether it
 * is marked.
 * @typedef {{stops: string | null, marked: boolean}} Look */

/** Colours that people with any colour vision tell apart (Okabe and Ito), for the actions most often
 * played. The last is for all others together. */
const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#8c8c8c"];

/** Return the colour of an action by its place among those played.
 * @param {number} place  -1 for an action that is not among them */
export function colourOf(place) {
  return COLOURS[place < 0 ? COLOURS.length - 1 : Math.min(place, COLOURS.length - 1)] ?? "";
}

/** @param {{
 *   hands: readonly number[][], arrangement: Arrangement, look: (faces: readonly number[]) => Look,
 *   onTap: (faces: readonly number[]) => void, shareOf: ((faces: readonly number[]) => number) | null,
 * }} props  hands: their faces; shareOf: how likely each is, if groups say how likely they are */
export function HandCells({ hands, arrangement, look, onTap, shareOf }) {
  const groups = [...arranged(hands.map((faces) => ({ faces })), arrangement)].map(
    ([name, group]) => html`<section key=${name} class="hand-group">
      ${arrangement !== "order" && html`<h2>${groupInWords(name, arrangement)}${shareOf && html` <small>${percent(sumOf(group, shareOf))}</small>`}</h2>`}
      <div class="hand-cells">
        ${group.map(({ faces }) => {
          const { stops, marked } = look(faces);
          const kind = ["hand-cell", stops === null && "faint", marked && "marked"];
          return html`<button
            key=${faces.join("")}
            class=${kind.filter(Boolean).join(" ")}
            style=${`--shares: ${stops ?? "transparent, transparent"}`}
            onClick=${() => onTap(faces)}
          >
            ${faces.join("")}
          </button>`;
        })}
      </div>
    </section>`,
  );
  return html`<div class="hand-groups">${groups}</div>`;
}

/** @param {{faces: readonly number[]}[]} hands
 * @param {(faces: readonly number[]) => number} shareOf */
function sumOf(hands, shareOf) {
  return hands.reduce((sum, { faces }) => sum + shareOf(faces), 0);
}

/** Return the shares of a hand as the stops of a gradient.
 * @param {GridHand} hand
 * @param {number[]} actions  those played, most often first */
export function stripes({ shares }, actions) {
  const byPlace = [...shares].map(([action, share]) => ({ place: actions.indexOf(action), share }));
  let from = 0;
  const stops = byPlace
    .sort((one, other) => one.place - other.place)
    .map(({ place, share }) => {
      const stop = `${colourOf(place)} ${(100 * from).toFixed(1)}% ${(100 * (from + share)).toFixed(1)}%`;
      from += share;
      return stop;
    });
  return [...stops, stops[stops.length - 1] ?? "transparent"].join(", ");
}

/** Return one colour, the stronger the larger a part is, as the stops of a gradient.
 * @param {number} part  0 to 1 */
export function tint(part) {
  const colour = `color-mix(in srgb, ${colourOf(0)} ${(100 * part).toFixed(1)}%, transparent)`;
  return `${colour}, ${colour}`;
}

/** @param {string} name
 * @param {Arrangement} arrangement */
function groupInWords(name, arrangement) {
  if (arrangement === "ones") return sayNumber("{n} one", "{n} ones", Number(name));
  const alike = [...name].filter((count) => count !== "1");
  return alike.length === 0 ? say("All different") : say("Alike: {counts}", { counts: alike.join(" + ") });
}
