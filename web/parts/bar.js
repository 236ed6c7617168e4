/** The bar on top: the way back, a title, and what is one tap away everywhere. */

import { html, useState } from "../vendor/htm-preact.js";
import { say } from "../words.js";
import { Icon } from "./icon.js";
import { Settings } from "./settings.js";

/** @param {{title: unknown, rules?: string, back?: string, children?: unknown}} props
 *   rules: the address of the rules that are played, like "rules/ktv/3" */
export function Bar({ title, rules = "rules/zhaifei/2", back = "", children }) {
  const [open, setOpen] = useState(false);
  return html`<header class="bar">
    <a class="tool" href=${`#/${back}`} aria-label=${say("Back")}><${Icon} name="back" /></a>
    <h1>${title}</h1>
    ${children}
    ${rules && html`<a class="tool" href=${`#/${rules}`} aria-label=${say("Rules")}><${Icon} name="book" /></a>`}
    <button class="tool" aria-label=${say("Settings")} onClick=${() => setOpen(true)}>
      <${Icon} name="gear" />
    </button>
    ${open && html`<${Settings} onClose=${() => setOpen(false)} />`}
  </header>`;
}
