/** A table of how often actions are played at two positions. */

import { ActionsTable, ShareCell } from "../parts/actions_table.js";
import { actionInWords } from "../parts/bid.js";
import { html, useState } from "../vendor/htm-preact.js";
import { say } from "../words.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("./differences.js").Both} Both */

/** How many rows are shown at first. */
const FIRST = 8;

/** @param {{rules: Rules, rows: Both[]}} props */
export function SharesOfBoth({ rules, rows }) {
  const [every, setEvery] = useState(false);
  const shown = every ? rows : rows.slice(0, FIRST);
  return html`<${ActionsTable} heads=${[say("Here"), say("There")]} kind="both-shares">
      ${shown.map(
        ({ action, here, there }) => html`<tr key=${action}>
          <th scope="row">${actionInWords(rules, action)}</th>
          <${ShareCell} share=${here} />
          <${ShareCell} share=${there} />
        </tr>`,
      )}
  <//>
  ${shown.length < rows.length && html`<button class="plain" onClick=${() => setEvery(true)}>${say("All {n} Actions", { n: rows.length })}</button>`}`;
}
