/** The matches that were played to their end, and the tables with real dice that were kept. */

import { NO_DRILL } from "../drill/exercises.js";
import { reviewAddress } from "../match/addresses.js";
import { scoreOf, winners } from "../match/score.js";
import { Bar } from "../parts/bar.js";
import { nameOf } from "../parts/players.js";
import { SaveRecord } from "../parts/save_record.js";
import { state, update } from "../store.js";
import { html } from "../vendor/htm-preact.js";
import { language, say, sayNumber } from "../words.js";
import { titleOf, useIndex } from "./rules.js";

/** @typedef {import("../match/match.js").Played} Played */
/** @typedef {import("../match/table_keeping.js").KeptTable} KeptTable */

export function RecordsScreen() {
  const { records, tables } = state;
  const all = [...records, ...tables].sort((one, other) => (one.begun < other.begun ? 1 : -1));
  const index = useIndex();
  const won = records.filter(({ seats, points }) => winners(points).includes(seats.indexOf(null))).length;
  return html`<main class="page">
    <${Bar} title=${say("Records")} />
    ${records.length > 0 &&
    html`<p class="records-sum">
        <b>${won}</b> ${sayNumber("won of {n} match", "won of {n} matches", records.length)}
      </p>
      <p class="foot"><a class="second" href="#/trends">${say("Trends")}</a></p>`}
    ${all.length === 0
      ? html`<${NoMatches} />`
      : html`<ol class="records">
            ${all.map((record) => {
              const Line = "seats" in record ? MatchLine : TableLine;
              return html`<${Line} key=${record.begun} record=${record} title=${titleOf(index, record.rules)} />`;
            })}
          </ol>
          <p class="small-print">${say("zhaifei review and zhaifei watch read the files that you save.")}</p>
          <p class="foot">
            <button class="plain" onClick=${deleteAll}>
              ${say("Delete All")}
            </button>
          </p>`}
  </main>`;
}

/** @param {{text?: string}} props */
export function NoMatches({ text = say("No match has been played to its end yet.") }) {
  return html`<div class="paper empty">
    <p>${text}</p>
    <p><a class="main" href="#/new">${say("Play Now")}</a></p>
  </div>`;
}

function deleteAll() {
  if (confirm(say("Delete all records, and the mistakes to practise?"))) update({ records: [], tables: [], drill: NO_DRILL, grades: {} });
}

/** @param {{record: Played, title: string}} props */
function MatchLine({ record, title }) {
  const best = winners(record.points);
  const won = best.includes(record.seats.indexOf(null));
  const review = reviewAddress(record);
  return html`<li class=${won ? "paper record won" : "paper record"}>
    <b class="verdict">${won ? say("Won") : say("Lost")}</b>
    <span class="record-seats">
      ${record.seats.map(
        (id, seat) => html`<span key=${seat} class=${best.includes(seat) ? "best" : ""}>${nameOf(id)} ${scoreOf(record, seat)}</span>`,
      )}
    </span>
    ${record.log && html`<span class="record-ways">
      ${review && html`<a class="second" href=${review}>${say("Review")}</a>`}
      <${SaveRecord} record=${record} />
    </span>`}
    <${When} begun=${record.begun} title=${title} rounds=${record.rounds} />
  </li>`;
}

/** @param {{record: KeptTable, title: string}} props */
function TableLine({ record, title }) {
  const review = reviewAddress(record);
  return html`<li class="paper record">
    <b class="verdict">${say("Real Dice")}</b>
    <span class="record-seats"><span>${say("{n} players", { n: record.players })}</span></span>
    <span class="record-ways">
      ${review && html`<a class="second" href=${review}>${say("Review")}</a>`}
      <${SaveRecord} record=${record} />
    </span>
    <${When} begun=${record.begun} title=${title} rounds=${record.rounds.length} />
  </li>`;
}

/** @param {{begun: string, title: string, rounds: number}} props */
function When({ begun, title, rounds }) {
  const when = new Date(begun).toLocaleString(language() === "zh" ? "zh-CN" : "en", {
    dateStyle: "medium",
    timeStyle: "short",
  });
  return html`<small>${when} · ${title} · ${sayNumber("{n} round", "{n} rounds", rounds)}</small>`;
}
