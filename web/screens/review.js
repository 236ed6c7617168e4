/** The review of a match that was played, or of a table with real dice: `#/review/WHEN`, the
 * milliseconds at which it began. `#/review/WHEN/3` begins at its third round. */

import { loadRules } from "../game/rules.js";
import { drillAddress, recordAt, tableAt } from "../match/addresses.js";
import { differs, isMistake, isSeen, reviewRound } from "../match/review.js";
import { Bar } from "../parts/bar.js";
import { Choice } from "../parts/choice.js";
import { figureInWords } from "../parts/hint.js";
import { Waiting } from "../parts/loading.js";
import { nameOf } from "../parts/players.js";
import { ReviewedRound } from "../parts/reviewed_round.js";
import { placeName } from "../parts/table_steps.js";
import { loadPolicy } from "../policy/policy.js";
import { offers } from "../server/offers.js";
import { html, useEffect, useState } from "../vendor/htm-preact.js";
import { say, sayNumber, sentences } from "../words.js";

/** @typedef {import("../game/round.js").Round} Round */
/** @typedef {import("../match/match.js").PlayedRound} PlayedRound */
/** @typedef {import("../match/table.js").TableRound} TableRound */
/** @typedef {import("../match/review.js").ReviewedRound} Reviewed */
/** @typedef {import("../match/review.js").Grade} Grade */
/** @typedef {import("../server/round_review.js").CostedMatch} CostedMatch */

/** What is reviewed.
 * @typedef {object} Reviewable
 * @property {string} begun
 * @property {string} rules
 * @property {string[]} names  [seat]
 * @property {number} you  your seat
 * @property {(PlayedRound | TableRound)[]} log
 * @property {number[]} seats  those whose decisions can be reviewed
 * @property {boolean} practised  whether the drill has its mistakes */

/** What is known of a review so far; the rounds come one after the other.
 * @typedef {object} Review
 * @property {import("../game/rules.js").Rules | null} rules
 * @property {import("../policy/policy.js").PocketPolicy | null} policy
 * @property {Reviewed[]} rounds
 * @property {boolean} failed
 * @property {CostedMatch | null} costed  what a server has worked out */

/** @type {Review} */
const NOTHING = { rules: null, policy: null, rounds: [], failed: false, costed: null };

/** @param {{path: string[]}} props */
export function ReviewScreen({ path }) {
  const record = reviewableAt(path[0]);
  if (!record) return html`<${NoReview} />`;
  return html`<${Seated} key=${record.begun} record=${record} first=${Number(path[1] ?? 0)} />`;
}

/** Return the match or table that an address names, if its rounds were kept.
 * @param {string | undefined} when
 * @returns {Reviewable | null} */
function reviewableAt(when) {
  const record = recordAt(when);
  if (record?.log) return ofMatch(record, record.log);
  const table = tableAt(when);
  return table && table.rounds.length > 0 ? ofTable(table) : null;
}

/** @param {import("../match/match.js").Played} record
 * @param {PlayedRound[]} log
 * @returns {Reviewable} */
function ofMatch({ begun, rules, seats, goal }, log) {
  const you = seats.indexOf(null);
  return { begun, rules, names: seats.map(nameOf), you, log, seats: [you], practised: !goal };
}

/** @param {import("../match/table_keeping.js").KeptTable} table
 * @returns {Reviewable} */
function ofTable({ begun, rules, players, rounds }) {
  const names = Array.from({ length: players }, (_, seat) => placeName(seat, players));
  const shown = names.flatMap((_, seat) => (seat > 0 && rounds.some(({ hands }) => hands[seat]?.length) ? [seat] : []));
  return { begun, rules, names, you: 0, log: rounds, seats: [0, ...shown], practised: false };
}

/** @param {{record: Reviewable, first: number}} props */
function Seated({ record, first }) {
  const [seat, setSeat] = useState(record.you);
  return html`<${Whole} key=${seat} record=${record} seat=${seat} onSeat=${setSeat} first=${first} />`;
}

function NoReview() {
  return html`<main class="page">
    <${Bar} title=${say("Review")} back="records" />
    <div class="paper empty">
      <p>${say("The rounds of this match were not kept.")}</p>
      <p><a class="main" href="#/records">${say("Records")}</a></p>
    </div>
  </main>`;
}

/** @param {{record: Reviewable, seat: number, onSeat: (seat: number) => void, first: number}} props
 *   seat: whose decisions
 *   first: the round that is shown first, 0 for the summary */
function Whole({ record, seat, onSeat, first }) {
  const { log, names, you } = record;
  const { rules, policy, rounds, failed, costed } = useReview(record, seat);
  const [trying, setTrying] = useState(/** @type {Round | null} */ (null));
  const mistakes = record.practised && rounds.length === log.length && rounds.some(({ decisions }) => decisions.some(isMistake));
  useEffect(() => document.querySelector(`#round-${first}`)?.scrollIntoView(), [first, rounds.length >= first]);
  const back = { back: first ? "trends" : "records", rules: `rules/${record.rules}/${names.length}` };
  if (!rules) return html`<main class="page"><${Bar} title=${say("Review")} ...${back} /><${Waiting} failed=${failed} /></main>`;
  return html`<main class="page review">
    <${Bar} title=${say("Review")} ...${back} />
    ${record.seats.length > 1 && html`<${Choice}
      name=${say("Whose Decisions")}
      options=${record.seats.map((value) => ({ value, text: names[value] }))}
      chosen=${seat}
      onChoose=${onSeat}
    />`}
    <div role="status">
      ${rounds.length < log.length && !failed
        ? html`<p class="review-sum">${say("Looking at round {n} of {all}…", { n: rounds.length + 1, all: log.length })}</p>`
        : html`<${Summary} rounds=${rounds} name=${seat === you ? null : names[seat]} />`}
      ${costed && html`<p class="quiet">${costed.inWords(seat === you)}</p>`}
      ${mistakes && html`<p class="foot"><a class="second" href=${drillAddress(record)}>${say("Practise These Mistakes")}</a></p>`}
      ${failed && html`<p>${say("The rest was played by other rules.")}</p>`}
    </div>
    <ol class="reviewed">
      ${rounds.map(
        (one, place) =>
          html`<${ReviewedRound}
            key=${place}
            number=${place + 1}
            reviewed=${one}
            costed=${costed?.rounds[place]}
            policy=${policy?.at(one.round) ?? null}
            nameAt=${(/** @type {number} */ one) => names[one]}
            seat=${seat}
            isYou=${seat === you}
            trying=${trying}
            onTry=${setTrying}
          />`,
      )}
    </ol>
    <p class="small-print">
      ${policy
        ? sentences([
            !costed?.rounds.length ? say("The policy says how often it plays an action, not what another one costs.") : "",
            figureInWords(rules, policy),
          ])
        : say("No policy is at hand for this table: the advice is estimated from what the bids suggest.")}
    </p>
  </main>`;
}

/** @param {{rounds: Reviewed[], name: string | null}} props  name: whose decisions, null for yours */
function Summary({ rounds, name }) {
  const grades = rounds.flatMap(({ decisions }) => decisions.map(({ grade }) => grade));
  const other = grades.filter(differs).length;
  return html`<p class="review-sum">
      <b>${grades.length - other}</b> ${asAdvised(grades.length, name)}
    </p>
    ${other > 0 &&
    html`<p class="quiet">${say("Open those that differ, and try again before you see the answer.")}</p>`}`;
}

/** @param {number} number
 * @param {string | null} name */
function asAdvised(number, name) {
  return name === null
    ? sayNumber("of your {n} decision as advised", "of your {n} decisions as advised", number)
    : sayNumber("of {n} decision as advised: {name}", "of {n} decisions as advised: {name}", number, { name });
}

/** Review a match, a round at a time, so that the page answers meanwhile.
 * @param {Reviewable} record
 * @param {number} seat  whose decisions
 * @returns {Review} */
function useReview({ rules: name, names, log }, seat) {
  const [review, setReview] = useState(NOTHING);
  useEffect(() => {
    let wanted = true;
    /** @param {Partial<Review>} part */
    const tell = (part) => wanted && setReview((before) => ({ ...before, ...part }));
    const load = async () => {
      const rules = await loadRules(name, names.length);
      const policy = await loadPolicy(rules).catch(() => null);
      tell({ rules, policy });
      /** @type {Reviewed[]} */
      let rounds = [];
      for (const round of log) {
        await new Promise((done) => setTimeout(done));
        if (!wanted) return undefined;
        rounds = [...rounds, reviewRound(rules, policy, round, seat)];
        tell({ rounds });
      }
      return rules;
    };
    /** @param {import("../game/rules.js").Rules | undefined} rules */
    const work = async (rules) => {
      if (!rules || rules.match || !(await offers()).advice) return;
      if (!log.every((round) => isSeen(rules, round))) return;
      const { workOut } = await import("../server/round_review.js");
      await workOut(rules, log, seat, (costed) => tell({ costed }), () => wanted);
    };
    load().then(
      (rules) => work(rules).catch(() => undefined), // without the network
      () => tell({ failed: true }),
    );
    return () => {
      wanted = false;
    };
  }, []);
  return review;
}
