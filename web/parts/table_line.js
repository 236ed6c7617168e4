/** Which rules are played, and by how many. */

import { useIndex } from "../screens/rules.js";
import { html } from "../vendor/htm-preact.js";
import { inLanguage, say } from "../words.js";

/** @param {{rules: string, players: number}} props */
export function TableLine({ rules, players }) {
  const title = useIndex().find(({ name }) => name === rules)?.title;
  return html`<span>${title ? inLanguage(title) : rules} · ${say("{n} players", { n: players })}</span>`;
}
