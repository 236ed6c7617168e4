/** The decisions behind a row of trends, and what its groups are called. */

import { reviewAddress } from "../match/addresses.js";
import { countsOf } from "./groups.js";
import { html, useState } from "../vendor/htm-preact.js";
import { labelled, language, say } from "../words.js";
import { Bar } from "../parts/bar.js";
import { bidInWords } from "../parts/bid.js";
import { gradeInWords } from "../parts/grade.js";
import { CountsRow } from "./row.js";

/** @typedef {import("./groups.js").Judged} Judged */
/** @typedef {import("./groups.js").Division} Division */

/** @param {Division} division */
export function divisionInWords(division) {
  const words = {
    kind: say("By Kind of Decision"),
    mode: say("By Mode"),
    seat: say("By Seat"),
    players: say("By Number of Players"),
  };
  return words[division];
}

/** @param {Division} division
 * @param {string} name  of the group */
export function groupInWords(division, name) {
  if (division === "players") return say("{n} players", { n: name });
  if (division === "mode") return name === "fei" ? say("飞 (wild)") : say("斋 (plain)");
  /** @type {Record<string, string>} */
  const words =
    division === "kind"
      ? { opening: say("Opening Bids"), later: say("Later Bids"), challenge: say("Challenges") }
      : { opens: say("You Open the Round"), next: say("Next after the Opener"), later: say("Later at the Table") };
  return words[name] ?? name;
}

/** Return from when to when matches were played.
 * @param {{matches: readonly {begun: string}[]}} stretch  the newest first */
export function datesOf({ matches }) {
  const days = matches.map(({ begun }) => new Date(begun));
  const [last, first] = [days[0], days[days.length - 1]];
  return first && last ? dates().formatRange(first, last) : "";
}

function dates() {
  return new Intl.DateTimeFormat(language() === "zh" ? "zh-CN" : "en", { month: "short", day: "numeric" });
}

/** @param {{title: string, decisions: Judged[]}} props */
export function Decisions({ title, decisions }) {
  const [all, setAll] = useState(false);
  const never = decisions.filter(({ grade }) => grade === "never");
  const others = decisions.filter(({ grade }) => grade !== "never");
  return html`<main class="page trends">
    <${Bar} title=${title} back="trends" />
    <div class="paper"><${CountsRow} name=${say("As the Policy Plays")} counts=${countsOf(decisions)} /></div>
    ${never.length > 0
      ? html`<${List} title=${say("What the Policy Never Plays")} decisions=${never} />`
      : html`<p class="quiet">${say("There is no mistake among these decisions.")}</p>`}
    ${all && html`<${List} title=${say("The Other Decisions")} decisions=${others} />`}
    ${!all &&
    others.length > 0 &&
    html`<p class="foot"><button class="second" onClick=${() => setAll(true)}>${say("Show the Others ({n})", { n: others.length })}</button></p>`}
  </main>`;
}

/** @param {{title: string, decisions: Judged[]}} props */
function List({ title, decisions }) {
  return html`<section class="paper">
    <h2>${title}</h2>
    <ol class="judged">
      ${decisions.map((one, place) => html`<li key=${place}><${Line} one=${one} /></li>`)}
    </ol>
  </section>`;
}

/** A decision, which leads to its round in the review if the rounds of the match are kept.
 * @param {{one: Judged}} props */
function Line({ one }) {
  const { match, round, grade } = one;
  const when = `${dates().format(new Date(match.begun))} · ${say("Round {n}", { n: round })}`;
  return html`<a href=${reviewAddress(match, round) ?? undefined}>
    <b>${decisionInWords(one)}</b>
    <small>${grade === "never" ? when : `${gradeInWords(grade)} · ${when}`}</small>
  </a>`;
}

/** @param {Judged} decision */
function decisionInWords({ said, bid }) {
  if (said === "bid") return bidInWords(bid);
  if (said === "double") return labelled(say("Double"), bidInWords(bid));
  return labelled(said === "give-up" ? say("Give Up") : say("Challenge"), bidInWords(bid));
}
