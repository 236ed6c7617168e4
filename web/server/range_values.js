/** The numbers that the server works out for a position of the explorer. */

import { isEnding } from "../game/round.js";
import { useFirst } from "../parts/actions_table.js";
import { actionInWords } from "../parts/bid.js";
import { chanceInWords } from "../parts/hint.js";
import { html } from "../vendor/htm-preact.js";
import { labelled, percent, say, sentences } from "../words.js";
import { valueInWords } from "./points.js";
import { askRange, divided } from "./range.js";
import { useAsked } from "./use_asked.js";
import { ValuesTable } from "./values_table.js";
import { Working } from "./working.js";
import { groundInWords } from "./worked_out.js";

/** @typedef {import("../game/round.js").Round} Round */
/** @typedef {import("./range.js").RangeAnswer} RangeAnswer */
/** @typedef {import("./range.js").Row} Row */
/** @typedef {(action: number) => string} After  the address of the position after a bid */

/** @param {{round: Round, held: readonly number[], after: After}} props */
export function RangeValues({ round, held, after }) {
  const { answer, trouble } = useAsked(() => askRange(round, held), [round, held.join("")]);
  return html`<section class="paper worked-range" role="status">
    <h2>${say("Worked Out")}</h2>
    ${trouble && html`<p>${trouble}</p>`}
    ${answer ? html`<${Values} round=${round} held=${held} answer=${answer} after=${after} />` : !trouble && html`<${Working} />`}
  </section>`;
}

/** @param {{round: Round, held: readonly number[], answer: RangeAnswer, after: After}} props */
function Values({ round, held, answer, after }) {
  const { played, others } = divided(answer);
  const { shown, more } = useFirst([...played, ...others], played.length);
  return html`<p>${labelled(held.length > 0 ? say("These hands earn on average") : say("All hands earn on average"), valueInWords(answer.value, answer.error))}</p>
    <${ValuesTable}>
      ${shown.map((row) => html`<${ActionRow} key=${row.action} round=${round} row=${row} after=${after} />`)}
    <//>
    ${more}
    <p>${chanceInWords(answer)}</p>
    <p class="quiet">${groundInWords(answer.ground)}</p>
    ${answer.believed === "unknown" && html`<p class="quiet">${say("The policy never bids like this with such hands. Their shares are for hands as dealt.")}</p>`}
    <p class="small-print">${sentences([
      say("Points: what an action earns on average with the hands that take it; if no hand does, with all."),
      say("The server’s policy is larger than the page’s, so the shares differ."),
    ])}</p>`;
}

/** @param {{round: Round, row: Row, after: After}} props */
function ActionRow({ round: { rules }, row: { action, share, value, error, value_of_all, error_of_all }, after }) {
  const words = actionInWords(rules, action);
  const [points, margin] = value === null ? [value_of_all, error_of_all] : [value, error];
  return html`<tr>
    <th scope="row">${isEnding(rules, action) ? words : html`<a href=${after(action)}>${words}</a>`}</th>
    <td>${percent(share)}</td>
    <td>${points === null ? "" : valueInWords(points, margin ?? 0)}</td>
  </tr>`;
}
