/** The numbers that the server works out for a hint. */

import { adviceInWords, chanceInWords } from "../parts/hint.js";
import { Choice } from "../parts/choice.js";
import { Sheet } from "../parts/sheet.js";
import { html, useMemo, useState } from "../vendor/htm-preact.js";
import { labelled, say, sayNumber, sentences } from "../words.js";
import { askDecision, othersOf, rowsToShow, seenOf } from "./decision.js";
import { useAsked } from "./use_asked.js";
import { ValueRow, ValuesTable } from "./values_table.js";
import { Working } from "./working.js";

/** @typedef {import("./decision.js").Answer} Answer */
/** @typedef {import("../game/round.js").Round} Round */

/** The id of opponents who play by the policy, of whom no more is known than of anybody. */
const FOLLOWS = "policy";

/** What is known of a table with real dice.
 * @typedef {object} AtTable
 * @property {import("../match/table.js").TableRound[]} rounds  before this one
 * @property {(seat: number) => string} nameOf
 * @property {string[]} manners  [seat] how they bid, in words, "" if nobody said it */

/** @param {{
 *   round: Round, hand: readonly number[], seats: (string | null)[], table?: AtTable, onClose: () => void,
 * }} props  seats: who sits there, or how they bid; empty if nobody knows */
export function WorkedOut({ round, hand, seats, table, onClose }) {
  const seen = useMemo(() => seenOf(round.rules, table?.rounds ?? []), [round, table?.rounds]);
  const known = seen.length > 0 || othersOf(round, seats).some((id) => id && id !== FOLLOWS);
  const [among, setAmong] = useState(known);
  const others = othersOf(round, among ? seats : []);
  const rounds = among ? seen : NO_ROUNDS;
  const { answer, trouble } = useAsked(
    () => askDecision(round, hand, { others, seen: rounds }),
    [round, others.join(" "), rounds],
  );
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
      ${trouble ? html`<p>${trouble}</p>` : answer ? html`<${Values} round=${round} answer=${answer} />` : html`<${Working} />`}
    </div>
    ${answer && among && table && html`<${PeopleSeen} round=${round} answer=${answer} table=${table} seen=${seen.length} />`}
  <//>`;
}

/** @type {never[]} */
const NO_ROUNDS = [];

/** What is known of each of the others, and from how many rounds.
 * @param {{round: Round, answer: Answer, table: AtTable, seen: number}} props */
function PeopleSeen({ round, answer, table, seen }) {
  const { players } = round.rules;
  const lines = (answer.people ?? []).map((learned, place) => {
    const seat = (round.turn + 1 + place) % players;
    const words = [table.manners[seat] ?? "", learned].filter(Boolean);
    return { seat, words: words.length > 0 ? words.join(" · ") : say("Unknown") };
  });
  return html`<ul class="people-seen">
      ${lines.map(({ seat, words }) => html`<li key=${seat}>${labelled(table.nameOf(seat), words)}</li>`)}
    </ul>
    ${seen > 0 && html`<p class="small-print">${sayNumber("Sent: {n} round of this table in which dice were shown.", "Sent: {n} rounds of this table in which dice were shown.", seen)}</p>`}`;
}

/** @param {{round: Round, answer: Answer}} props */
function Values({ round, answer }) {
  const good = [answer.best, ...answer.equal];
  return html`<${ValuesTable}>
      ${rowsToShow(answer).map((row) => html`<${ValueRow} key=${row.action} rules=${round.rules} row=${row} isGood=${good.includes(row.action)} />`)}
    <//>
    <p>${chanceInWords(answer)}</p>
    <p class="quiet">${groundInWords(answer.ground)}</p>
    <p class="small-print">${say("Points: what an action earns on average in this round.")}</p>`;
}

/** Return what the numbers rest on.
 * @param {import("./decision.js").Ground} ground */
export function groundInWords({ kind, rounds = 0, known = false }) {
  if (kind === "policy") return sentences([say("From the solved policy for this table."), say("All go on by it.")]);
  if (kind === "unreached") return say("The policy never bids like this: the dice of those who did are taken as unknown.");
  if (kind === "solved") return say("Unusual bids: the rest of the round was solved again from here.");
  if (kind !== "played") return say("Estimated from what the bids suggest.");
  return known
    ? say("Played out {rounds} times from here, among players with these manners.", { rounds })
    : say("Played out {rounds} times from here, among players who follow the policy or bid as people do.", { rounds });
}
