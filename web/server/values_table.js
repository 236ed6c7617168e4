/** Actions with how often they are taken and what they are worth. */

import { ActionsTable } from "../parts/actions_table.js";
import { actionInWords } from "../parts/bid.js";
import { html } from "../vendor/htm-preact.js";
import { percent, say } from "../words.js";
import { valueInWords } from "./points.js";

/** @param {{children?: unknown}} props  the rows */
export function ValuesTable({ children }) {
  return html`<${ActionsTable} heads=${[say("How Often"), say("Points")]} kind="values">${children}<//>`;
}

/** @param {{rules: import("../game/rules.js").Rules, row: import("./decision.js").Row, isGood: boolean}} props */
export function ValueRow({ rules, row: { action, share, value, error }, isGood }) {
  return html`<tr class=${isGood ? "good" : ""}>
    <th scope="row">${actionInWords(rules, action)}</th>
    <td>${percent(share)}</td>
    <td>${value === null ? "" : valueInWords(value, error ?? 0)}</td>
  </tr>`;
}
