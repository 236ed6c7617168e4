/** Actions with their numbers: a table, and long lists cut short. */

import { html, useState } from "../vendor/htm-preact.js";
import { percent, say } from "../words.js";

/** @param {{heads: string[], kind?: string, children?: unknown}} props
 *   heads: of the columns after the action
 *   children: the rows */
export function ActionsTable({ heads, kind = "", children }) {
  return html`<table class=${`numbers ${kind}`}>
    <thead>
      <tr>
        <th>${say("Action")}</th>
        ${heads.map((head) => html`<th key=${head}>${head}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${children}
    </tbody>
  </table>`;
}

/** How many actions a list shows at first. */
const FIRST = 8;

/** Return what to show of a list of actions: the first ones and a button for the rest, or all.
 * @template Row
 * @param {readonly Row[]} rows
 * @param {number} [first] */
export function useFirst(rows, first = FIRST) {
  const [every, setEvery] = useState(false);
  if (every || rows.length <= first) return { shown: rows, more: null };
  const more = html`<button class="plain" onClick=${() => setEvery(true)}>${say("All {n} Actions", { n: rows.length })}</button>`;
  return { shown: rows.slice(0, first), more };
}

/** A share with its bar.
 * @param {{share: number}} props */
export function ShareCell({ share }) {
  return html`<td><i class="share" style=${`--share: ${share}`}></i>${percent(share)}</td>`;
}
