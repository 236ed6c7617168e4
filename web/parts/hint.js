/** A hint: one sentence first, numbers behind a tap. */

import { sayAction } from "../game/round.js";
import { exploreAddress } from "../match/addresses.js";
import { useOffers } from "../server/offers.js";
import { html, useState } from "../vendor/htm-preact.js";
import { percent, say, sayNumber, sentences, together } from "../words.js";
import { ActionsTable, ShareCell } from "./actions_table.js";
import { actionInWords } from "./bid.js";
import { Sheet } from "./sheet.js";

/** @typedef {import("../policy/advice.js").Advice} Advice */
/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../game/round.js").Round} Round */
/** @typedef {import("../policy/policy.js").PocketPolicy} PocketPolicy */

/** Return the advice in one sentence.
 * @param {Rules} rules
 * @param {Pick<Advice, "best" | "equal">} advice */
export function adviceInWords(rules, advice) {
  const action = actionInWords(rules, advice.best);
  const does = sayAction(rules, advice.best).kind === "bid" ? say("Bid {action}", { action }) : action;
  return together([does, othersInWords(advice)]);
}

/** Return how many other actions are as good, "" if there are none.
 * @param {Pick<Advice, "equal">} advice */
export function othersInWords({ equal }) {
  return equal.length === 0 ? "" : sayNumber("{n} other is as good", "{n} others are as good", equal.length);
}

/** Return the chance of the last bid in words, "" before the first.
 * @param {Pick<Advice, "chance">} advice */
export function chanceInWords({ chance }) {
  return chance === null ? "" : say("The last bid holds: {chance}", { chance: percent(chance) });
}

/** What shows the numbers of the server, once somebody has asked for them.
 * @typedef {typeof import("../server/worked_out.js").WorkedOut} WorkedOut */

/** The numbers of a hint: the page's own and, where there is a server, those that it works out.
 * @param {{
 *   round: Round, hand: readonly number[], seats?: (string | null)[], policy: PocketPolicy | null,
 *   advice: Advice, table?: import("../server/worked_out.js").AtTable, onClose: () => void,
 * }} props  seats: who sits there, if the page knows it, or how they bid */
export function Numbers({ round, hand, seats = [], policy, advice, table, onClose }) {
  const { rules, history } = round;
  const isOffered = useOffers().advice && !rules.match; // the server knows no matches for dice
  const [worked, setWorked] = useState(/** @type {{Out: WorkedOut} | null} */ (null));
  const [failed, setFailed] = useState(false);
  const workOut = () => void import("../server/worked_out.js").then(({ WorkedOut: Out }) => setWorked({ Out }), () => setFailed(true));
  if (worked) return html`<${worked.Out} round=${round} hand=${hand} seats=${seats} table=${table} onClose=${onClose} />`;
  return html`<${Sheet} title=${adviceInWords(rules, advice)} onClose=${onClose}>
    <${ActionsTable} heads=${[say("How Often"), say("Holds")]}>
      ${advice.rows.slice(0, 8).map(
        ({ action, share, chance }) => html`<tr key=${action}>
          <th scope="row">${actionInWords(rules, action)}</th>
          <${ShareCell} share=${share} />
          <td>${chance === null ? "" : percent(chance)}</td>
        </tr>`,
      )}
    <//>
    <p class="quiet">
      ${groundInWords(policy, advice)}
    </p>
    ${failed ? html`<p>${say("The server cannot be reached.")}</p>` : isOffered && html`<button class="second" onClick=${workOut}>${say("Work It Out")}</button>`}
    ${advice.ground === "policy" &&
    !rules.match &&
    html`<a class="second" href=${exploreAddress(rules, history)}>${say("All Hands Here")}</a>`}
    ${policy && html`<p class="small-print">${figureInWords(rules, policy)}</p>`}
  <//>`;
}

/** Return what the advice rests on.
 * @param {PocketPolicy | null} policy
 * @param {Advice} advice */
function groundInWords(policy, { ground }) {
  if (ground === "policy") return say("From the solved policy for this table.");
  if (ground === "people") return say("The smallest risk now, as these players bid; how the round may go on is left out.");
  return policy
    ? say("Unusual bids: estimated from what they suggest.")
    : say("Estimated from what the bids suggest.");
}

/** Return what is proved of a policy, or was measured.
 * @param {Rules} rules
 * @param {PocketPolicy} policy */
export function figureInWords({ players, match }, { name, figure, proved, trimmed }) {
  if (match) {
    const share = `${(Math.ceil((0.5 + figure) * 1e4) / 1e2).toFixed(2)}%`;
    return say("{name}: nobody wins more than {share} of matches against its table. That is proved.", { name, share });
  }
  if (!proved) return sentences([measuredInWords(players, figure), trimmed ? say("The page plays a smaller copy of it.") : ""]);
  const values = { name, figure: (Math.ceil(figure * 1e4) / 1e4).toFixed(4) }; // a bound: rounded up
  return players === 2
    ? say("{name}: its table loses at most {figure} points a round, whoever plays against it. That is proved.", values)
    : say("{name}: if all follow its table, the best replies of all seats gain {figure} points a round together.", values);
}

/** Return what was measured of a policy while it was solved.
 * @param {number} players
 * @param {number} figure  NaN if nothing was measured */
function measuredInWords(players, figure) {
  if (Number.isNaN(figure)) return say("Solved on the server; nobody has measured how well.");
  const values = { figure: figure.toFixed(4) };
  return players === 2
    ? say("Solved on the server: when last measured, it lost at most {figure} points a round.", values)
    : say("Solved on the server: when last measured, best replies of all seats gained {figure} points a round together.", values);
}
