/** A sheet over the page, closed by its button, by Escape or by a tap beside it. */

import { html, useLayoutEffect, useRef } from "../vendor/htm-preact.js";
import { say } from "../words.js";

/** @param {{title: string, onClose: () => void, children?: unknown}} props */
export function Sheet({ title, onClose, children }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useLayoutEffect(() => {
    dialog.current?.showModal();
  }, []);
  /** @param {Event} event */
  const tapped = (event) => event.target === dialog.current && onClose();
  return html`<dialog class="sheet" ref=${dialog} aria-label=${title} onClose=${onClose} onClick=${tapped}>
    <div class="sheet-inside">
      <h2>${title}</h2>
      ${children}
      <button class="plain wide" onClick=${onClose}>${say("Close")}</button>
    </div>
  </dialog>`;
}
