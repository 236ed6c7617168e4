/** The end of a match: who has won, and what comes next. */

import { reviewAddress } from "../match/addresses.js";
import { beginMatch } from "../match/beginning.js";
import { ranking, winners } from "../match/score.js";
import { html, useEffect } from "../vendor/htm-preact.js";
import { names, say } from "../words.js";
import { nameOf } from "./players.js";
import { scoreInWords } from "./score.js";

/** @typedef {import("../match/match.js").Match} Match */

/** @param {Match} match */
function wonInWords({ points, seats }) {
  const best = winners(points);
  if (best.length === 1 && best[0] === 0) return say("You win the match!");
  const won = names(best.map((seat) => nameOf(seats[seat] ?? null)));
  return best.includes(0)
    ? say("You share the win: {names}", { names: won })
    : say("{names} won this match", { names: won });
}

/** Who has won, and everybody's points, the fewest first, or the dice that they have left.
 * @param {{match: Match}} props */
export function Standings({ match }) {
  const best = winners(match.points);
  return html`<h2>${wonInWords(match)}</h2>
    <ol class="standings">
      ${ranking(match).map(
        (seat) => html`<li key=${seat} class=${best.includes(seat) ? "best" : ""}>
          <span>${nameOf(match.seats[seat] ?? null)}</span><b>${scoreInWords(match, seat)}</b>
        </li>`,
      )}
    </ol>
  `;
}

/** @param {{match: Match}} props */
export function MatchOver({ match }) {
  useEffect(() => void collectMistakes(), []);
  const review = reviewAddress(match);
  return html`<section class="match-over">
    <${Standings} match=${match} />
    <div class="ways">
      <button class="main big" onClick=${() => beginMatch(match.rules, match.seats, match.goal)}>${say("Play Again")}</button>
      <button class="second big" onClick=${() => void shareResult(match)}>${say("Share")}</button>
      ${review && html`<a class="second big" href=${review}>${say("Review")}</a>`}
    </div>
  </section>`;
}

/** Share a picture of the result. What draws it is loaded only now.
 * @param {Match} match */
async function shareResult(match) {
  const { share } = await import("./picture.js");
  await share(match, wonInWords(match));
}

/** Make exercises of the mistakes. Where the files for it are missing offline, the drill does so later. */
export async function collectMistakes() {
  const { collect } = await import("../drill/collecting.js").catch(() => ({ collect: null }));
  await collect?.();
}
