/** One of a few: buttons in a row, one of them pressed. */

import { html } from "../vendor/htm-preact.js";

/** @template T
 * @param {{
 *   name: string, options: {value: T, text: unknown, label?: string}[], chosen: T,
 *   onChoose: (value: T) => void, quiet?: boolean,
 * }} props  quiet: the name is only for a screen reader */
export function Choice({ name, options, chosen, onChoose, quiet = false }) {
  return html`<div class="choice" role="group" aria-label=${name}>
    ${!quiet && html`<span class="choice-name">${name}</span>`}
    <div class="choice-options">
      ${options.map(
        ({ value, text, label }) =>
          html`<button
            type="button"
            key=${String(value)}
            aria-pressed=${value === chosen}
            aria-label=${label}
            onClick=${() => onChoose(value)}
          >
            ${text}
          </button>`,
      )}
    </div>
  </div>`;
}
