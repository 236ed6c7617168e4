/** A table of how often actions are played at two positions. */

import { ActionsTable, ShareCell, useFirst } from "../parts/actions_table.js";
import { actionInWords } from "../parts/bid.js";
import { html } from "../vendor/htm-preact.js";
import { say } from "../words.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("./differences.js").Both} Both */

/** @param {{rules: Rules, rows: Both[]}} props */
export function SharesOfBoth({ rules, rows }) {
  const { shown, more } = useFirst(rows);
  return html`<${ActionsTable} heads=${[say("Here"), say("There")]} kind="both-shares">
      ${shown.map(
        ({ action, here, there }) => html`<tr key=${action}>
          <th scope="row">${actionInWords(rules, action)}</th>
          <${ShareCell} share=${here} />
          <${ShareCell} share=${there} />
        </tr>`,
      )}
  <//>
  ${more}`;
}
