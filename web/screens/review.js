/** The review of a match that was played: `#/review/WHEN`, the milliseconds at which it began.
 * `#/review/WHEN/3` begins at its third round. */

import { loadRules } from "../game/rules.js";
import { drillAddress, recordAt } from "../match/addresses.js";
import { differs, isMistake, reviewRound } from "../match/review.js";
import { Bar } from "../parts/bar.js";
import { figureInWords } from "../parts/hint.js";
import { Waiting } from "../parts/loading.js";
import { ReviewedRound } from "../parts/reviewed_round.js";
import { loadPolicy } from "../policy/policy.js";
import { offers } from "../server/offers.js";
import { html, useEffect, useState } from "../vendor/htm-preact.js";
import { say, sayNumber, sentences } from "../words.js";

/** @typedef {import("../game/round.js").Round} Round */
/** @typedef {import("../match/match.js").Played} Played */
/** @typedef {import("../match/review.js").ReviewedRound} Reviewed */
/** @typedef {import("../match/review.js").Grade} Grade */
/** @typedef {import("../server/round_review.js").CostedMatch} CostedMatch */

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
  const record = recordAt(path[0]);
  if (!record?.log) return html`<${NoReview} />`;
  return html`<${Whole} key=${record.begun} record=${record} log=${record.log} first=${Number(path[1] ?? 0)} />`;
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

/** @param {{record: Played, log: import("../match/match.js").PlayedRound[], first: number}} props
 *   first: the round that is shown first, 0 for the summary */
function Whole({ record, log, first }) {
  const { rules, policy, rounds, failed, costed } = useReview(record, log);
  const [trying, setTrying] = useState(/** @type {Round | null} */ (null));
  const mistakes = !record.goal && rounds.length === log.length && rounds.some(({ decisions }) => decisions.some(isMistake));
  useEffect(() => document.querySelector(`#round-${first}`)?.scrollIntoView(), [first, rounds.length >= first]);
  const back = { back: first ? "trends" : "records", rules: `rules/${record.rules}/${record.seats.length}` };
  if (!rules) return html`<main class="page"><${Bar} title=${say("Review")} ...${back} /><${Waiting} failed=${failed} /></main>`;
  return html`<main class="page review">
    <${Bar} title=${say("Review")} ...${back} />
    <div role="status">
      ${rounds.length < log.length && !failed
        ? html`<p class="review-sum">${say("Looking at round {n} of {all}…", { n: rounds.length + 1, all: log.length })}</p>`
        : html`<${Summary} rounds=${rounds} />`}
      ${costed && html`<p class="quiet">${costed.inWords()}</p>`}
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
            seats=${record.seats}
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

/** @param {{rounds: Reviewed[]}} props */
function Summary({ rounds }) {
  const grades = rounds.flatMap(({ decisions }) => decisions.map(({ grade }) => grade));
  const other = grades.filter(differs).length;
  return html`<p class="review-sum">
      <b>${grades.length - other}</b> ${sayNumber("of your {n} decision as advised", "of your {n} decisions as advised", grades.length)}
    </p>
    ${other > 0 &&
    html`<p class="quiet">${say("Open those that differ, and try again before you see the answer.")}</p>`}`;
}

/** Review a match, a round at a time, so that the page answers meanwhile.
 * @param {Played} record
 * @param {import("../match/match.js").PlayedRound[]} log
 * @returns {Review} */
function useReview(record, log) {
  const [review, setReview] = useState(NOTHING);
  useEffect(() => {
    let wanted = true;
    /** @param {Partial<Review>} part */
    const tell = (part) => wanted && setReview((before) => ({ ...before, ...part }));
    const load = async () => {
      const rules = await loadRules(record.rules, record.seats.length);
      const policy = await loadPolicy(rules).catch(() => null);
      tell({ rules, policy });
      /** @type {Reviewed[]} */
      let rounds = [];
      for (const round of log) {
        await new Promise((done) => setTimeout(done));
        if (!wanted) return undefined;
        rounds = [...rounds, reviewRound(rules, policy, round, record.seats.indexOf(null))];
        tell({ rounds });
      }
      return rules;
    };
    /** @param {import("../game/rules.js").Rules | undefined} rules */
    const work = async (rules) => {
      if (!rules || rules.match || !(await offers()).advice) return;
      const { workOut } = await import("../server/round_review.js");
      await workOut(rules, log, record.seats.indexOf(null), (costed) => tell({ costed }), () => wanted);
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
