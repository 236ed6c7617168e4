/** The grid of hands, each coloured by what is played with it. */

import { arranged } from "../policy/hand_grid.js";
import { html } from "../vendor/htm-preact.js";
import { say, sayNumber } from "../words.js";

/** @typedef {import("../policy/hand_grid.js").GridHand} GridHand */
/** @typedef {import("../policy/hand_grid.js").Arrangement} Arrangement */

/** Colours that people with any colour vision tell apart (Okabe and Ito), for the actions most often
 * played. The last is for all others together. */
const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#8c8c8c"];

/** Return the colour of an action by its place among those played.
 * @param {number} place  -1 for an action that is not among them */
export function colourOf(place) {
  return COLOURS[place < 0 ? COLOURS.length - 1 : Math.min(place, COLOURS.length - 1)] ?? "";
}

/** @param {{
 *   hands: GridHand[], actions: number[], arrangement: Arrangement, onTap: (hand: GridHand) => void,
 * }} props  actions: those played, most often first */
export function HandCells({ hands, actions, arrangement, onTap }) {
  const groups = [...arranged(hands, arrangement)].map(
    ([name, group]) => html`<section key=${name} class="hand-group">
      ${arrangement !== "order" && html`<h2>${groupInWords(name, arrangement)}</h2>`}
      <div class="hand-cells">
        ${group.map(
          (hand) => html`<button
            key=${hand.faces.join("")}
            class=${hand.reached ? "hand-cell" : "hand-cell faint"}
            style=${`--shares: ${stripes(hand, actions)}`}
            onClick=${() => onTap(hand)}
          >
            ${hand.faces.join("")}
          </button>`,
        )}
      </div>
    </section>`,
  );
  return html`<div class="hand-groups">${groups}</div>`;
}

/** Return the shares of a hand as the stops of a gradient.
 * @param {GridHand} hand
 * @param {number[]} actions */
function stripes({ shares, reached }, actions) {
  if (!reached) return "transparent, transparent";
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

/** @param {string} name
 * @param {Arrangement} arrangement */
function groupInWords(name, arrangement) {
  if (arrangement === "ones") return sayNumber("{n} one", "{n} ones", Number(name));
  const alike = [...name].filter((count) => count !== "1");
  return alike.length === 0 ? say("All different") : say("Alike: {counts}", { counts: alike.join(" + ") });
}
