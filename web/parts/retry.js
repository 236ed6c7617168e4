/** A decision that differs from the advice: try again first, then see the answer. */

import { graded } from "../match/review.js";
import { useChances, useShortcuts } from "../screens/play.js";
import { html, useState } from "../vendor/htm-preact.js";
import { say } from "../words.js";
import { actionInWords } from "./bid.js";
import { BidsMade } from "./bids_made.js";
import { Challenges, otherActions } from "./challenges.js";
import { Dice } from "./die.js";
import { adviceInWords, chanceInWords, Numbers } from "./hint.js";
import { gradedInWords } from "./grade.js";
import { Pad } from "./pad.js";

/** @typedef {import("../match/review.js").Decision} Decision */
/** @typedef {import("../policy/policy.js").PocketPolicy} PocketPolicy */
/** @typedef {import("../server/round_review.js").Costed} Costed */
/** What you chose; null to see the answer at once, undefined before either.
 * @typedef {number | null | undefined} Tried */
/** @typedef {{decision: Decision, policy: PocketPolicy | null, nameOf: (seat: number) => string}} PositionProps */

/** @param {PositionProps & {open: boolean, onOpen: () => void, costed: Costed | undefined}} props */
export function Retry({ decision, policy, nameOf, open, onOpen, costed }) {
  const [tried, setTried] = useState(/** @type {Tried} */ (undefined));
  const words = actionInWords(decision.round.rules, decision.action);
  if (tried !== undefined) return html`<${Answer} decision=${decision} policy=${policy} tried=${tried} costed=${costed} />`;
  if (open) return html`<${Position} decision=${decision} policy=${policy} nameOf=${nameOf} onTry=${setTried} />`;
  return html`<button class="second wide" onClick=${onOpen}>
    ${say("Try again instead of {action}", { action: words })}
  </button>`;
}

/** The position of a decision, with the pad to choose again.
 * @param {PositionProps & {onTry: (tried: number | null) => void, chances?: boolean}} props
 *   chances: whether the pad shows them */
export function Position({ decision, policy, nameOf, onTry, chances = true }) {
  const { round, hand } = decision;
  const chance = useChances(round.rules, policy, round, hand);
  const [challenge] = otherActions(round);
  useShortcuts({ c: () => challenge !== undefined && onTry(challenge) }, true);
  return html`<section class=${chances ? "retry" : "retry uncounted"} aria-label=${say("Your Decision")}>
    <${Given} decision=${decision} nameOf=${nameOf} />
    <${Pad} round=${round} chance=${chances ? chance : () => null} active=${true} advised=${null} onBid=${onTry}>
      <${Challenges} round=${round} active=${true} advised=${null} onAct=${onTry} />
    <//>
    <button class="plain" onClick=${() => onTry(null)}>${say("Show the Answer")}</button>
  </section>`;
}

/** What you know at a decision: the bids so far and your dice.
 * @param {{decision: Decision, nameOf: (seat: number) => string}} props */
export function Given({ decision, nameOf }) {
  const { round, hand } = decision;
  return html`${round.history.length > 0
      ? html`<${BidsMade} round=${round} nameOf=${nameOf} />`
      : html`<p>${say("You open the round.")}</p>`}
    <${Dice} faces=${hand} />`;
}

/** The answer: what the server has worked out, or else what the policy plays.
 * @param {{decision: Decision, policy: PocketPolicy | null, tried: number | null, costed?: Costed}} props */
export function Answer({ decision, policy, tried, costed }) {
  const [numbers, setNumbers] = useState(false);
  const { round, hand, advice } = decision;
  return html`<section class="retry" aria-label=${say("Answer")} role="status">
    ${tried !== null && html`<p>${costed?.triedInWords(tried) ?? gradedInWords(round.rules, tried, graded(advice, tried))}</p>`}
    <button class="hint-line" onClick=${() => setNumbers(true)}>
      <span>
        <b class=${costed ? "worked" : null}>${costed?.answerInWords() ?? adviceInWords(round.rules, advice)}</b>
        ${" "}<small>${chanceInWords(advice)}</small>
      </span>
      <span class="more">${say("Numbers")}</span>
    </button>
    ${numbers && html`<${Numbers} round=${round} hand=${hand} policy=${policy} advice=${advice} onClose=${() => setNumbers(false)} />`}
  </section>`;
}
