/** Which rules are played, and by how many. */

import { titleOf, useIndex } from "../screens/rules.js";
import { html } from "../vendor/htm-preact.js";
import { say } from "../words.js";

/** @param {{rules: string, players: number}} props */
export function TableLine({ rules, players }) {
  const title = titleOf(useIndex(), rules);
  return html`<span>${title} · ${say("{n} players", { n: players })}</span>`;
}
