/** Watching a match that goes on without you: nobody has to watch to the end. */

import { skipToEnd } from "../match/skipping.js";
import { html } from "../vendor/htm-preact.js";
import { say } from "../words.js";

/** In place of the pad, while the others bid.
 * @param {{children?: unknown}} props */
export function Watching({ children }) {
  return html`<section class="round-end watching">
    <p>${say("You are out. The others play on.")}</p>
    ${children && html`<div class="ways">${children}</div>`}
  </section>`;
}

/** What asks for the end of a match.
 * @param {{skipping: boolean, onSkip: () => void}} props */
export function SkipButton({ skipping, onSkip }) {
  return html`<button class="second big" disabled=${skipping} onClick=${onSkip}>
    ${skipping ? say("Playing on…") : say("Skip to the End")}
  </button>`;
}

/** @param {{rules: import("../game/rules.js").Rules, skipping: boolean, onSkip: (skipping: boolean) => void}} props
 *   onSkip: told when it begins and ends */
export function Skip({ rules, skipping, onSkip }) {
  const skip = () => {
    onSkip(true);
    void skipToEnd(rules).finally(() => onSkip(false));
  };
  return html`<${SkipButton} skipping=${skipping} onSkip=${skip} />`;
}
