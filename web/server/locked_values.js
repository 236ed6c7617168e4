/** What the server says of locks: the values of a decision, and the text of the lock file. */

import { chanceInWords } from "../parts/hint.js";
import { Sheet } from "../parts/sheet.js";
import { copyText } from "../puzzle/passing_on.js";
import { html, useState } from "../vendor/htm-preact.js";
import { names, say, sentences } from "../words.js";
import { rowsToShow } from "./decision.js";
import { askLocked, askLockFile } from "./locked.js";
import { useAsked } from "./use_asked.js";
import { ValueRow, ValuesTable } from "./values_table.js";
import { Working } from "./working.js";

/** @typedef {import("../explore/locks.js").Lock} Lock */
/** @typedef {import("../explore/spots.js").Spot} Spot */
/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("./locked.js").LockAnswer} LockAnswer */
/** @typedef {import("./locked.js").LockedAnswer} LockedAnswer */

/** Actions that are taken at least this often are among the best. */
const OFTEN = 0.01;

/** @param {{spot: Spot, locks: readonly Lock[], wanted: LockAnswer}} props */
export function LockedValues({ spot, locks, wanted }) {
  const { answer, trouble } = useAsked(() => askLocked(spot, locks, wanted), [wanted]);
  return html`<div class="worked-locks" role="status">
    ${trouble && html`<p>${trouble}</p>`}
    ${answer ? html`<${Values} rules=${spot.round.rules} answer=${answer} />` : !trouble && html`<${Working} />`}
  </div>`;
}

/** @param {{rules: Rules, answer: LockedAnswer}} props */
function Values({ rules, answer }) {
  const taken = answer.actions.filter(({ share }) => share >= OFTEN).map(({ action }) => action);
  const rows = rowsToShow({ ...answer, best: taken[0] ?? -1, equal: taken.slice(1), ground: { kind: "solved" } });
  return html`<${ValuesTable}>
      ${rows.map((row) => html`<${ValueRow} key=${row.action} rules=${rules} row=${row} isGood=${taken.includes(row.action)} />`)}
    <//>
    <p>${chanceInWords(answer)}</p>
    <p class="quiet">${sentences([usedInWords(answer), groundInWords(answer)])}</p>`;
}

/** @param {LockedAnswer} answer */
function usedInWords({ used }) {
  return used.length === 0
    ? say("No lock counts on the way here or from here on.")
    : say("Locks that count here: {numbers}.", { numbers: names(used.map((place) => String(place + 1))) });
}

/** @param {LockedAnswer} answer */
function groundInWords({ gap, read }) {
  return sentences([
    gap === null
      ? say("The best response: otherwise the opponent plays the policy’s table, and does not adapt.")
      : say("Solved from here with the locks, to a gap of {gap} points: both adapt, except where something is locked.", { gap: gap.toFixed(3) }),
    read ? say("With these locks the opponent never bids like this: their bids tell what they hold.") : "",
  ]);
}

/** The text of the lock file, to be copied.
 * @param {{rules: Rules, locks: readonly Lock[], onClose: () => void}} props */
export function LockFile({ rules, locks, onClose }) {
  const { answer, trouble } = useAsked(() => askLockFile(rules, locks), []);
  const [copied, setCopied] = useState(false);
  const copy = async () => setCopied(Boolean(answer && (await copyText(answer.text))));
  return html`<${Sheet} title=${say("Lock File")} onClose=${onClose}>
    <p class="quiet">${say("For the option --lock of zhaifei query.")}</p>
    ${trouble ? html`<p role="status">${trouble}</p>` : html`<pre class="lock-file" tabindex="0" aria-label=${say("Lock File")}>${answer?.text ?? ""}</pre>`}
    ${answer && html`<button class="second" onClick=${copy}>${copied ? say("Copied") : say("Copy")}</button>`}
  <//>`;
}
