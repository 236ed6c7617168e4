/** One round of a review: how it was bid, and the decisions that differ from the advice. */

import { DECLINE } from "../game/round.js";
import { differs } from "../match/review.js";
import { html } from "../vendor/htm-preact.js";
import { labelled, say, sayNumber, sentences } from "../words.js";
import { actionInWords, bidInWords } from "./bid.js";
import { BidsMade } from "./bids_made.js";
import { Dice } from "./die.js";
import { gradedInWords } from "./grade.js";
import { Retry } from "./retry.js";

/** @typedef {import("../match/review.js").ReviewedRound} Reviewed */
/** @typedef {import("../match/review.js").Decision} Decision */
/** @typedef {import("../game/round.js").Round} Round */
/** @typedef {import("../server/round_review.js").Costed} Costed */
/** @typedef {import("../server/round_review.js").CostedRound} CostedRound */
/** @typedef {import("../policy/policy.js").PocketPolicy} PocketPolicy */

/** @param {{
 *   number: number, reviewed: Reviewed, policy: PocketPolicy | null,
 *   nameAt: (seat: number) => string, seat: number, isYou: boolean,
 *   trying: Round | null, onTry: (round: Round) => void, costed: CostedRound | undefined,
 * }} props  seat: whose decisions; isYou: whether they are yours
 *   trying: the position at which you are choosing again; there is one pad at a time
 *   costed: what a server has worked out */
export function ReviewedRound({ number, reviewed, policy, nameAt, seat, isYou, trying, onTry, costed }) {
  const { round, hand, decisions } = reviewed;
  const costOf = (/** @type {Decision} */ one) => costed?.at(one.round.history.length);
  const opened = decisions.filter((one) => differs(one.grade) || costOf(one)?.isError);
  return html`<li class="paper" id=${`round-${number}`}>
    <div class="reviewed-top">
      <h2>${say("Round {n}", { n: number })}</h2>
      ${hand && html`<${Dice} faces=${hand} />`}
    </div>
    <${BidsMade} round=${round} nameOf=${nameAt} />
    <p class="quiet">${sentences([settledInWords(reviewed, nameAt), (isYou && costed?.luckInWords()) || ""])}</p>
    <p class="reviewed-grades">${decisions.length > 0 ? gradesInWords(decisions, costOf) : nothingInWords(hand, isYou, nameAt(seat))}</p>
    ${opened.map(
      (decision) =>
        html`<${Retry}
          key=${`${decision.round.history.length} ${decision.round.declined}`}
          decision=${decision}
          policy=${policy}
          costed=${costOf(decision)}
          nameOf=${nameAt}
          open=${trying === decision.round}
          onOpen=${() => onTry(decision.round)}
        />`,
    )}
  </li>`;
}

/** Return who lost the round, and by which count.
 * @param {Reviewed} reviewed
 * @param {(seat: number) => string} seatName */
function settledInWords({ round, settled }, seatName) {
  if (!settled) return say("The round did not end.");
  const { counted, loser, points } = settled;
  const bid = bidInWords(settled.bid);
  const count = counted === null ? say("{bid}: not all dice were seen.", { bid }) : say("{bid}: {counted} on the table.", { bid, counted });
  return sentences([count, loser === null ? "" : lostInWords(round.rules.match !== null, seatName(loser), points)]);
}

/** Return why nothing is said of decisions.
 * @param {Reviewed["hand"]} hand
 * @param {boolean} isYou
 * @param {string} name */
function nothingInWords(hand, isYou, name) {
  if (!hand) return isYou ? say("Your dice are not known.") : say("{name}: the dice were not seen.", { name });
  return isYou ? say("You had nothing to decide.") : say("{name} had nothing to decide.", { name });
}

/** @param {boolean} isDie  whether a die was lost
 * @param {string} name  of the loser
 * @param {number} points */
function lostInWords(isDie, name, points) {
  const isYou = name === say("You");
  if (isDie) return isYou ? say("You lost a die.") : say("{name} lost a die.", { name });
  return isYou
    ? sayNumber("You took {n} point.", "You took {n} points.", points)
    : sayNumber("{name} took {n} point.", "{name} took {n} points.", points, { name });
}

/** Return whether a decision is told. Where all are asked after each bid, most let it stand.
 * @param {Decision} decision */
function isTold({ action, grade }) {
  return action !== DECLINE || differs(grade);
}

/** @param {Decision[]} decisions
 * @param {(decision: Decision) => Costed | undefined} costOf */
function gradesInWords(decisions, costOf) {
  return decisions.filter(isTold).map((decision, place) => {
    const { round, action, grade } = decision;
    const costed = costOf(decision);
    const bad = costed ? costed.isError : differs(grade);
    const said = costed ? labelled(actionInWords(round.rules, action), costed.inWords()) : gradedInWords(round.rules, action, grade);
    return html`<span key=${place} class=${bad ? "differs" : ""}>${said}</span>`;
  });
}
