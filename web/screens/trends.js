/** Trends over the matches that were kept: `#/trends`. `#/trends/kind/challenge` has the decisions
 * behind one of its rows. */

import { useCollecting } from "../drill/collecting.js";
import { Bar } from "../parts/bar.js";
import { state } from "../store.js";
import { datesOf, Decisions, divisionInWords, groupInWords } from "../trends/behind.js";
import { countsOf, DIVISIONS, groupsOf, judged, onLines, standingOut, sumOf } from "../trends/groups.js";
import { CountsRow, TrendRow } from "../trends/row.js";
import { isForPoints, stretches } from "../trends/stretches.js";
import { html } from "../vendor/htm-preact.js";
import { percent, say, sayNumber, sentences } from "../words.js";
import { NoMatches } from "./records.js";

/** @typedef {import("../trends/groups.js").Judged} Judged */
/** @typedef {import("../trends/groups.js").Division} Division */
/** @typedef {import("../trends/stretches.js").Stretch} Stretch */

/** @param {{path: string[]}} props */
export function TrendsScreen({ path }) {
  const searching = useCollecting();
  const [division = "", name = ""] = path;
  if (division === "time") return html`<${OfStretch} place=${Number(name)} />`;
  const known = DIVISIONS.find((one) => one === division);
  if (known) return html`<${OfGroup} division=${known} name=${name} />`;
  return html`<${Overview} searching=${searching} />`;
}

/** @param {{searching: boolean}} props */
function Overview({ searching }) {
  const { grades } = state;
  const records = state.records.filter(isForPoints);
  const all = judged(records, grades);
  const decisions = onLines(all);
  return html`<main class="page trends">
    <${Bar} title=${say("Trends")} back="records" />
    ${records.length === 0
      ? html`<${NoMatches} text=${say("No match for points has been played to its end yet.")} />`
      : html`<div role="status">
            ${searching && html`<p class="review-sum">${say("Looking through your matches…")}</p>`}
            ${decisions.length > 0 && html`<${Summary} decisions=${decisions} />`}
          </div>
          <${OverTime} all=${stretches(records)} decisions=${decisions} />
          ${decisions.length > 0 && html`<${Legend} />`}
          ${DIVISIONS.map((division) => html`<${Divided} key=${division} division=${division} decisions=${decisions} />`)}
          <p class="small-print">${leftOut(all.length - decisions.length)}</p>`}
  </main>`;
}

/** @param {{decisions: Judged[]}} props */
function Summary({ decisions }) {
  const counts = countsOf(decisions);
  const worst = standingOut(decisions);
  const as = counts.often + counts.sometimes;
  return html`<p class="review-sum">
      <b>${as}</b> ${sayNumber("of your {n} decision as the policy plays", "of your {n} decisions as the policy plays", sumOf(counts))}
    </p>
    <p class="quiet">
      ${worst
        ? say("Most mistakes: {group}, {never} of {all}.", {
            group: groupInWords(worst.division, worst.group.name),
            never: worst.group.counts.never,
            all: sumOf(worst.group.counts),
          })
        : say("No kind of decision stands out so far.")}
    </p>`;
}

/** What the bars below show. */
function Legend() {
  return html`<p class="trend-legend">
    ${say("The policy plays it:")} <span class="full">${say("often")}</span> <span class="half">${say("sometimes")}</span>
    <span>${say("never")}</span>
  </p>`;
}

/** @param {{all: Stretch[], decisions: Judged[]}} props */
function OverTime({ all, decisions }) {
  return html`<section class="paper" aria-labelledby="trend-time">
    <h2 id="trend-time">${say("Matches Won")}</h2>
    ${all.map(
      (stretch, place) => html`<${TrendRow}
        key=${place}
        href=${`#/trends/time/${place}`}
        name=${datesOf(stretch)}
        number=${say("{won} of {all}", { won: stretch.won, all: stretch.matches.length })}
        caption=${captionOf(stretch, decisions)}
        full=${stretch.won / stretch.matches.length}
      />`,
    )}
  </section>`;
}

/** @param {Stretch} stretch
 * @param {Judged[]} decisions */
function captionOf(stretch, decisions) {
  const counts = countsOf(decisions.filter(({ match }) => stretch.matches.includes(match)));
  const values = { own: stretch.own.toFixed(2), others: stretch.others.toFixed(2) };
  const paid = say("Points a round: {own}; the others: {others}.", values);
  const share = percent((counts.often + counts.sometimes) / sumOf(counts));
  return sumOf(counts) === 0 ? paid : sentences([paid, say("As the policy: {share}.", { share })]);
}

/** @param {{division: Division, decisions: Judged[]}} props */
function Divided({ division, decisions }) {
  const groups = groupsOf(division, decisions);
  if (groups.length === 0) return null;
  return html`<section class="paper" aria-labelledby=${`trend-${division}`}>
    <h2 id=${`trend-${division}`}>${divisionInWords(division)}</h2>
    ${groups.map(
      ({ name, counts }) =>
        html`<${CountsRow} key=${name} href=${`#/trends/${division}/${name}`} name=${groupInWords(division, name)} counts=${counts} />`,
    )}
  </section>`;
}

/** @param {number} number */
function leftOut(number) {
  return number === 0
    ? ""
    : sayNumber(
        "{n} decision at unusual bids is left out: there the advice is only estimated.",
        "{n} decisions at unusual bids are left out: there the advice is only estimated.",
        number,
      );
}

/** The decisions of one group.
 * @param {{division: Division, name: string}} props */
function OfGroup({ division, name }) {
  const groups = groupsOf(division, onLines(judged(state.records, state.grades)));
  const decisions = groups.find((one) => one.name === name)?.decisions ?? [];
  return html`<${Decisions} title=${groupInWords(division, name)} decisions=${decisions} />`;
}

/** The decisions of a stretch of matches.
 * @param {{place: number}} props */
function OfStretch({ place }) {
  const stretch = stretches(state.records.filter(isForPoints))[place];
  const decisions = onLines(judged(stretch?.matches ?? [], state.grades));
  return html`<${Decisions} title=${stretch ? datesOf(stretch) : say("Trends")} decisions=${decisions} />`;
}
