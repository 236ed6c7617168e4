/** A table of actions with their numbers. */

import { html } from "../vendor/htm-preact.js";
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

/** A share with its bar.
 * @param {{share: number}} props */
export function ShareCell({ share }) {
  return html`<td><i class="share" style=${`--share: ${share}`}></i>${percent(share)}</td>`;
}
