/** One round of a review: how it was bid, and your decisions that differ from the advice. */

import { DECLINE } from "../game/round.js";
import { differs } from "../match/review.js";
import { html } from "../vendor/htm-preact.js";
import { labelled, say, sayNumber, sentences } from "../words.js";
import { actionInWords, bidInWords } from "./bid.js";
import { BidsMade } from "./bids_made.js";
import { Dice } from "./die.js";
import { gradedInWords } from "./grade.js";
import { nameOf } from "./players.js";
import { Retry } from "./retry.js";

/** @typedef {import("../match/review.js").ReviewedRound} Reviewed */
/** @typedef {import("../match/review.js").Decision} Decision */
/** @typedef {import("../game/round.js").Round} Round */
/** @typedef {import("../server/round_review.js").Costed} Costed */
/** @typedef {import("../server/round_review.js").CostedRound} CostedRound */
/** @typedef {import("../policy/policy.js").PocketPolicy} PocketPolicy */

/** @param {{
 *   number: number, reviewed: Reviewed, policy: PocketPolicy | null, seats: (string | null)[],
 *   trying: Round | null, onTry: (round: Round) => void, costed: CostedRound | undefined,
 * }} props  trying: the position at which you are choosing again; there is one pad at a time
 *   costed: what a server has worked out */
export function ReviewedRound({ number, reviewed, policy, seats, trying, onTry, costed }) {
  const { round, decisions } = reviewed;
  const costOf = (/** @type {Decision} */ one) => costed?.at(one.round.history.length);
  const opened = decisions.filter((one) => differs(one.grade) || costOf(one)?.isError);
  const seatName = (/** @type {number} */ seat) => nameOf(seats[seat] ?? null);
  const hand = decisions[0]?.hand;
  return html`<li class="paper" id=${`round-${number}`}>
    <div class="reviewed-top">
      <h2>${say("Round {n}", { n: number })}</h2>
      ${hand && html`<${Dice} faces=${hand} />`}
    </div>
    <${BidsMade} round=${round} nameOf=${seatName} />
    <p class="quiet">${sentences([settledInWords(reviewed, seatName), costed?.luckInWords() ?? ""])}</p>
    <p class="reviewed-grades">${gradesInWords(decisions, costOf)}</p>
    ${opened.map(
      (decision) =>
        html`<${Retry}
          key=${`${decision.round.history.length} ${decision.round.declined}`}
          decision=${decision}
          policy=${policy}
          costed=${costOf(decision)}
          nameOf=${seatName}
          open=${trying === decision.round}
          onOpen=${() => onTry(decision.round)}
        />`,
    )}
  </li>`;
}

/** Return who lost the round, and by which count.
 * @param {Reviewed} reviewed
 * @param {(seat: number) => string} seatName */
function settledInWords({ round, settlement }, seatName) {
  const { bid, counted } = settlement;
  const count = say("{bid}: {counted} on the table.", { bid: bidInWords(bid), counted });
  return sentences([count, lostInWords(round.rules.match !== null, settlement, seatName)]);
}

/** @param {boolean} isDie  whether a die was lost
 * @param {Reviewed["settlement"]} settlement
 * @param {(seat: number) => string} seatName */
function lostInWords(isDie, { loser, points }, seatName) {
  const name = seatName(loser);
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
  if (decisions.length === 0) return say("You had nothing to decide.");
  return decisions.filter(isTold).map((decision, place) => {
    const { round, action, grade } = decision;
    const costed = costOf(decision);
    const bad = costed ? costed.isError : differs(grade);
    const said = costed ? labelled(actionInWords(round.rules, action), costed.inWords()) : gradedInWords(round.rules, action, grade);
    return html`<span key=${place} class=${bad ? "differs" : ""}>${said}</span>`;
  });
}
