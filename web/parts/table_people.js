/** Who sits at a table with real dice: how they bid, what they have lost, and what is kept of it. */

import { isKept, keepOrForget, leave } from "../match/table_keeping.js";
import { MANNERS } from "../policy/people.js";
import { html } from "../vendor/htm-preact.js";
import { say, sayNumber } from "../words.js";
import { Choice } from "./choice.js";
import { Sheet } from "./sheet.js";
import { placeName, places } from "./table_steps.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../match/table.js").Table} Table */
/** @typedef {import("../match/table.js").Sitting} Sitting */
/** @typedef {import("../match/table.js").Tap} Tap */
/** @typedef {import("../policy/people.js").Manner} Manner */

/** Return how somebody bids, in words.
 * @param {Manner | null} manner */
export function mannerInWords(manner) {
  if (manner === null) return say("Unknown");
  return manner === "careful" ? say("Careful") : say("Bluffs a Lot");
}

/** @param {{rules: Rules, table: Table, sitting: Sitting, onTap: (tap: Tap) => void, onClose: () => void}} props */
export function TablePeople({ rules, table, sitting, onTap, onClose }) {
  const { manners, round, rounds, points } = sitting;
  const kept = isKept(table);
  const another = () => {
    if (kept || table.taps.length === 0 || confirm(say("Leave this table? Its rounds are not kept."))) leave(table);
  };
  const manner = [null, ...MANNERS].map((value) => {
    return { value, text: value === null ? "?" : mannerInWords(value), label: mannerInWords(value) };
  });
  return html`<${Sheet} title=${say("Who Sits Here")} onClose=${onClose}>
    <p class="quiet">${say("Say how somebody bids: the bids of a careful player tell more about the dice, those of a bluffer less.")}</p>
    <ul class="people">
      ${points.map(
        (lost, seat) => html`<li key=${seat}>
          <span>${placeName(seat, rules.players)} <small>${sayNumber("{n} point", "{n} points", lost)}</small></span>
          ${seat > 0 &&
          html`<${Choice}
            name=${say("How {name} bids", { name: placeName(seat, rules.players) })}
            quiet
            options=${manner}
            chosen=${manners[seat] ?? null}
            onChoose=${(/** @type {Manner | null} */ chosen) => onTap({ manner: chosen, seat })}
          />`}
        </li>`,
      )}
    </ul>
    ${round.history.length === 0 &&
    html`<${Choice}
      name=${say("Who Opens")}
      options=${places(rules.players)}
      chosen=${round.opener}
      onChoose=${(/** @type {number} */ opens) => onTap({ opens })}
    />`}
    <p class="quiet">${sayNumber("{n} round before this one.", "{n} rounds before this one.", rounds.length)}</p>
    <div class="foot">
      <button class="second" aria-pressed=${kept} onClick=${() => keepOrForget(rules, table)}>
        ${kept ? say("Record Kept") : say("Keep a Record")}
      </button>
      <button class="second" onClick=${another}>${say("New Table")}</button>
    </div>
  <//>`;
}
