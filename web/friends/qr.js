/** An address as a QR code. */

import { html, useEffect, useState } from "../vendor/htm-preact.js";
import { say } from "../words.js";
import { askRooms } from "./room.js";

/** White modules around the code, which readers need. */
const MARGIN = 4;

/** @param {{text: string}} props */
export function Qr({ text }) {
  const [rows, setRows] = useState(/** @type {string[]} */ ([]));
  useEffect(() => {
    askRooms("qr", { text }).then(
      (answer) => setRows(answer.rows),
      () => setRows([]),
    );
  }, [text]);
  if (rows.length === 0) return null;
  const size = rows.length + 2 * MARGIN;
  return html`<svg class="qr" viewBox=${`0 0 ${size} ${size}`} role="img" aria-label=${say("QR code of the address")}>
    <rect width=${size} height=${size} />
    <path d=${pathOf(rows)} />
  </svg>`;
}

/** @param {string[]} rows  of 0 and 1 */
function pathOf(rows) {
  return rows
    .flatMap((row, y) => [...row].map((dark, x) => (dark === "1" ? `M${x + MARGIN} ${y + MARGIN}h1v1h-1z` : "")))
    .join("");
}
