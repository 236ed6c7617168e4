/** The locks: what players are supposed to do, and what is best then. */

import { actionInWords } from "../parts/bid.js";
import { useStateOf } from "../parts/state_of.js";
import { html, useState } from "../vendor/htm-preact.js";
import { labelled, percent, say } from "../words.js";
import { addressAt, addressOf, turnTo } from "./links.js";
import { LockSheet } from "./lock_sheet.js";
import { withLock } from "./locks.js";
import { spotInWords } from "./spot_in_words.js";

/** @typedef {import("./locks.js").Lock} Lock */
/** @typedef {import("./place.js").Place} Place */
/** @typedef {import("../policy/hand_grid.js").Played} Played */
/** @typedef {import("../server/locked.js").LockAnswer} LockAnswer */
/** @typedef {typeof import("../server/locked_values.js")} Shown */

/** @param {{place: Place, played: Played[]}} props  played: what the policy plays here */
export function LocksPanel({ place, played }) {
  const { round, held, locks } = place;
  const [adding, setAdding] = useState(false);
  const [shown, load, failed] = useShown();
  const [reading, setReading] = useState(false);
  const [wanted, setWanted] = /** @type {typeof useStateOf<LockAnswer>} */ (useStateOf)(addressOf(place));
  const lock = (/** @type {Lock} */ one) => {
    setAdding(false);
    turnTo({ ...place, locks: withLock(locks, one) });
  };
  const answer = (/** @type {LockAnswer} */ one) => {
    load();
    setWanted(one);
  };
  const read = () => {
    load();
    setReading(true);
  };
  const isAsked = locks.length > 0 && held.length === round.rules.dice;
  return html`<section class="paper locks">
    <h2>${say("Locks")}</h2>
    <p class="quiet">${adviceInWords(place)}</p>
    ${locks.length > 0 && html`<${LockList} place=${place} />`}
    <p class="foot">
      <button class="second" onClick=${() => setAdding(true)}>${say("Lock an Action")}</button>
      ${locks.length > 0 && html`<button class="second" onClick=${read}>${say("Lock File")}</button>`}
      ${isAsked &&
      html`<button class="second" aria-pressed=${wanted === "best-response"} onClick=${() => answer("best-response")}>${say("Best Response")}</button>
        <button class="second" aria-pressed=${wanted === "solve"} onClick=${() => answer("solve")}>${say("Solve with the Locks")}</button>`}
    </p>
    ${failed && html`<p role="status">${say("The server cannot be reached.")}</p>`}
    ${isAsked && wanted && shown && html`<${shown.LockedValues} key=${wanted} spot=${place} locks=${locks} wanted=${wanted} />`}
    ${adding && html`<${LockSheet} spot=${place} played=${played} onLock=${lock} onClose=${() => setAdding(false)} />`}
    ${reading && shown && html`<${shown.LockFile} rules=${round.rules} locks=${locks} onClose=${() => setReading(false)} />`}
  </section>`;
}

/** Return what shows answers, once it is loaded; what loads it; and whether that failed.
 * @returns {[Shown | null, () => void, boolean]} */
function useShown() {
  const [shown, setShown] = useState(/** @type {Shown | null} */ (null));
  const [failed, setFailed] = useState(false);
  const load = () => void import("../server/locked_values.js").then(setShown, () => setFailed(true));
  return [shown, load, failed];
}

/** @param {Place} place */
function adviceInWords({ round, held, locks }) {
  if (locks.length === 0) return say("Suppose that the player in turn does something: lock an action, with dice if only some hands take it.");
  return held.length === round.rules.dice
    ? say("Ask what is best here with this hand.")
    : say("Go on to the decision that you ask about, and tap all the dice of its hand.");
}

/** @param {{place: Place}} props */
function LockList({ place }) {
  const { round, locks } = place;
  const without = (/** @type {Lock} */ lock) => turnTo({ ...place, locks: locks.filter((one) => one !== lock) });
  return html`<ol class="lock-list">
    ${locks.map((lock, number) => {
      const words = labelled(actionInWords(round.rules, lock.action), percent(lock.percent / 100));
      return html`<li key=${number}>
        <a href=${addressAt(place, lock)}><b>${words}</b><small>${spotInWords(lock)}</small></a>
        <button class="second" aria-label=${say("Take away {lock}", { lock: words })} onClick=${() => without(lock)}>×</button>
      </li>`;
    })}
  </ol>`;
}
