/** A table of how often actions are played at two positions. */

import { actionInWords } from "../parts/bid.js";
import { html, useState } from "../vendor/htm-preact.js";
import { percent, say } from "../words.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("./differences.js").Both} Both */

/** How many rows are shown at first. */
const FIRST = 8;

/** @param {{rules: Rules, rows: Both[]}} props */
export function SharesOfBoth({ rules, rows }) {
  const [every, setEvery] = useState(false);
  const shown = every ? rows : rows.slice(0, FIRST);
  return html`<table class="numbers both-shares">
    <thead>
      <tr>
        <th>${say("Action")}</th>
        <th>${say("Here")}</th>
        <th>${say("There")}</th>
      </tr>
    </thead>
    <tbody>
      ${shown.map(
        ({ action, here, there }) => html`<tr key=${action}>
          <th scope="row">${actionInWords(rules, action)}</th>
          <td><i class="share" style=${`--share: ${here}`}></i>${percent(here)}</td>
          <td><i class="share" style=${`--share: ${there}`}></i>${percent(there)}</td>
        </tr>`,
      )}
    </tbody>
  </table>
  ${shown.length < rows.length && html`<button class="plain" onClick=${() => setEvery(true)}>${say("All {n} Actions", { n: rows.length })}</button>`}`;
}
