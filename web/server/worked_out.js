/** The numbers that the server works out for a hint. */

import { actionInWords } from "../parts/bid.js";
import { adviceInWords, chanceInWords } from "../parts/hint.js";
import { Choice } from "../parts/choice.js";
import { Sheet } from "../parts/sheet.js";
import { html, useEffect, useState } from "../vendor/htm-preact.js";
import { percent, say, sentences } from "../words.js";
import { lineOf } from "./asking.js";
import { askDecision, othersOf, rowsToShow } from "./decision.js";
import { valueInWords } from "./points.js";

/** @typedef {import("./decision.js").Answer} Answer */
/** @typedef {import("../game/round.js").Round} Round */

/** The id of opponents who play by the policy, of whom no more is known than of anybody. */
const FOLLOWS = "policy";

/** @param {{round: Round, hand: readonly number[], seats: (string | null)[], onClose: () => void}} props
 *   seats: who sits there; empty if nobody knows */
export function WorkedOut({ round, hand, seats, onClose }) {
  const known = othersOf(round, seats).some((id) => id && id !== FOLLOWS);
  const [among, setAmong] = useState(known);
  const { answer, trouble } = useAnswer(round, hand, among ? seats : []);
  return html`<${Sheet} title=${answer ? adviceInWords(round.rules, answer) : say("Worked Out")} onClose=${onClose}>
    ${known &&
    html`<${Choice}
      name=${say("Against")}
      options=${[
        { value: true, text: say("These Players") },
        { value: false, text: say("Anybody") },
      ]}
      chosen=${among}
      onChoose=${setAmong}
    />`}
    <div role="status">
      ${trouble ? html`<p>${trouble}</p>` : answer ? html`<${Values} round=${round} answer=${answer} />` : html`<p class="quiet">${say("Working it out…")}</p>`}
    </div>
  <//>`;
}

/** @param {{round: Round, answer: Answer}} props */
function Values({ round, answer }) {
  const good = [answer.best, ...answer.equal];
  return html`<table class="numbers values">
      <thead>
        <tr>
          <th>${say("Action")}</th>
          <th>${say("How Often")}</th>
          <th>${say("Points")}</th>
        </tr>
      </thead>
      <tbody>
        ${rowsToShow(answer).map(
          ({ action, share, value, error }) => html`<tr key=${action} class=${good.includes(action) ? "good" : ""}>
            <th scope="row">${actionInWords(round.rules, action)}</th>
            <td>${percent(share)}</td>
            <td>${value === null ? "" : valueInWords(value, error ?? 0)}</td>
          </tr>`,
        )}
      </tbody>
    </table>
    <p>${chanceInWords(answer)}</p>
    <p class="quiet">${groundInWords(answer.ground)}</p>
    <p class="small-print">${say("Points: what an action earns on average in this round.")}</p>`;
}

/** Ask for the values; an answer that comes after another question is left aside.
 * @param {Round} round
 * @param {readonly number[]} hand
 * @param {(string | null)[]} seats */
function useAnswer(round, hand, seats) {
  const [found, setFound] = useState(/** @type {{answer?: Answer, trouble?: string}} */ ({}));
  const others = othersOf(round, seats);
  useEffect(() => {
    let wanted = true;
    /** @param {{answer?: Answer, trouble?: string}} news */
    const tell = (news) => wanted && setFound(news);
    tell({});
    askDecision(round, hand, others).then(
      (answer) => tell({ answer }),
      (error) => tell({ trouble: lineOf(error) }),
    );
    return () => {
      wanted = false;
    };
  }, [round, others.join(" ")]);
  return found;
}

/** Return what the numbers rest on.
 * @param {import("./decision.js").Ground} ground */
function groundInWords({ kind, rounds = 0, known = false }) {
  if (kind === "policy") return sentences([say("From the solved policy for this table."), say("All go on by it.")]);
  if (kind === "unreached") return say("The policy never bids like this: the dice of those who did are taken as unknown.");
  if (kind === "solved") return say("Unusual bids: the rest of the round was solved again from here.");
  if (kind !== "played") return say("Estimated from what the bids suggest.");
  return known
    ? say("Played out {rounds} times from here, among players with these manners.", { rounds })
    : say("Played out {rounds} times from here, among players who follow the policy or bid as people do.", { rounds });
}
