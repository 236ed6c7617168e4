/** The matches that were played to their end. */

import { NO_DRILL } from "../drill/exercises.js";
import { reviewAddress } from "../match/addresses.js";
import { winners } from "../match/score.js";
import { Bar } from "../parts/bar.js";
import { nameOf } from "../parts/players.js";
import { state, update } from "../store.js";
import { html } from "../vendor/htm-preact.js";
import { inLanguage, language, say, sayNumber } from "../words.js";
import { useIndex } from "./rules.js";

/** @typedef {import("../match/match.js").Played} Played */

export function RecordsScreen() {
  const { records } = state;
  const titles = new Map(useIndex().map(({ name, title }) => [name, inLanguage(title)]));
  const won = records.filter(({ seats, points }) => winners(points).includes(seats.indexOf(null))).length;
  return html`<main class="page">
    <${Bar} title=${say("Records")} />
    ${records.length === 0
      ? html`<${NoMatches} />`
      : html`<p class="records-sum">
            <b>${won}</b> ${sayNumber("won of {n} match", "won of {n} matches", records.length)}
          </p>
          <p class="foot"><a class="second" href="#/trends">${say("Trends")}</a></p>
          <ol class="records">
            ${records.map((record) => html`<${Line} key=${record.begun} record=${record} title=${titles.get(record.rules)} />`)}
          </ol>
          <p class="foot">
            <button class="plain" onClick=${deleteAll}>
              ${say("Delete All")}
            </button>
          </p>`}
  </main>`;
}

export function NoMatches() {
  return html`<div class="paper empty">
    <p>${say("No match has been played to its end yet.")}</p>
    <p><a class="main" href="#/new">${say("Play Now")}</a></p>
  </div>`;
}

function deleteAll() {
  if (confirm(say("Delete all records, and the mistakes to practise?"))) update({ records: [], drill: NO_DRILL, grades: {} });
}

/** @param {{record: Played, title: string | undefined}} props */
function Line({ record, title }) {
  const best = winners(record.points);
  const won = best.includes(record.seats.indexOf(null));
  const review = reviewAddress(record);
  const when = new Date(record.begun).toLocaleString(language() === "zh" ? "zh-CN" : "en", {
    dateStyle: "medium",
    timeStyle: "short",
  });
  return html`<li class=${won ? "paper record won" : "paper record"}>
    <b class="verdict">${won ? say("Won") : say("Lost")}</b>
    <span class="record-seats">
      ${record.seats.map(
        (id, seat) => html`<span key=${seat} class=${best.includes(seat) ? "best" : ""}>${nameOf(id)} ${record.points[seat]}</span>`,
      )}
    </span>
    ${review && html`<a class="second" href=${review}>${say("Review")}</a>`}
    <small>${when} · ${title ?? record.rules} · ${sayNumber("{n} round", "{n} rounds", record.rounds)}</small>
  </li>`;
}
