/** A row of trends: words first, then how much of it there is as a bar. */

import { sumOf } from "./groups.js";
import { html } from "../vendor/htm-preact.js";
import { percent, say } from "../words.js";

/** @typedef {import("./groups.js").Counts} Counts */

/** @param {{href?: string, name: unknown, number: unknown, caption: unknown, full: number, half?: number}} props
 *   full, half: the shares of the bar, 0 to 1, that are dark and less dark */
export function TrendRow({ href, name, number, caption, full, half = 0 }) {
  return html`<a class="trend" href=${href}>
    <span>${name}</span><b>${number}</b>
    <i class="trend-bar" style=${`--full: ${full}; --half: ${half}`}></i>
    <small>${caption}</small>
  </a>`;
}

/** Decisions, and how many of them the policy makes.
 * @param {{href?: string, name: unknown, counts: Counts}} props */
export function CountsRow({ href, name, counts }) {
  const all = Math.max(1, sumOf(counts));
  return html`<${TrendRow}
    href=${href}
    name=${name}
    number=${percent((counts.often + counts.sometimes) / all)}
    caption=${say("{often} often · {sometimes} sometimes · {never} never", counts)}
    full=${counts.often / all}
    half=${counts.sometimes / all}
  />`;
}
