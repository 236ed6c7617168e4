/** A card of rules of thumb: `#/learn/card/PLAYERS`. */

import { loadCard, SIZES } from "../learn/cards.js";
import { doesInWords, whenInWords } from "../learn/sentences.js";
import { Bar } from "../parts/bar.js";
import { MODES } from "../parts/bid.js";
import { Waiting } from "../parts/loading.js";
import { html, useEffect, useState } from "../vendor/htm-preact.js";
import { percent, say, sentences } from "../words.js";

/** @typedef {import("../learn/cards.js").Card} Card */
/** @typedef {import("../learn/cards.js").Thumb} Thumb */

/** @param {{path: string[]}} props */
export function CardScreen({ path }) {
  const players = SIZES.find((one) => String(one) === path[0]) ?? 3;
  const { card, failed } = useCard(players);
  return html`<main class="page card">
    <${Bar} title=${say("Rules of Thumb")} back="learn" rules=${`rules/zhaifei/${players}`} />
    <nav class="others" aria-label=${say("Players")}>
      ${SIZES.map(
        (one) =>
          html`<a key=${one} href=${`#/learn/card/${one}`} aria-current=${one === players ? "page" : null}>${say("{n} players", { n: one })}</a>`,
      )}
    </nav>
    ${card ? html`<${Whole} card=${card} />` : html`<${Waiting} failed=${failed} />`}
  </main>`;
}

/** @param {number} players
 * @returns {{card: Card | null, failed: boolean}} */
function useCard(players) {
  const [loaded, setLoaded] = useState({ card: /** @type {Card | null} */ (null), failed: false });
  useEffect(() => {
    let wanted = true;
    const tell = (/** @type {Card | null} */ card) => wanted && setLoaded({ card, failed: card === null });
    loadCard(players).then(tell, () => tell(null));
    return () => {
      wanted = false;
    };
  }, [players]);
  return loaded.card?.players === players ? loaded : { ...loaded, card: null };
}

/** @param {{card: Card}} props */
function Whole({ card }) {
  const { right, cost, margin, thumbs } = card;
  return html`<p>
      ${sentences([
        say("The policy does what this card says in {right} of its decisions.", { right: percent(right) }),
        say("Whoever follows it among copies of the policy loses {cost} points a round, ±{margin}.", {
          cost: cost.toFixed(3),
          margin: margin.toFixed(3),
        }),
      ])}
    </p>
    <${Part} title=${say("You Open")} thumbs=${thumbs.filter(({ after }) => after === null)} />
    <${Part} title=${say("After a Bid in {mode}", { mode: MODES.fei ?? "" })} thumbs=${thumbs.filter(({ after }) => after === "fei")} />
    <${Part} title=${say("After a Bid in {mode}", { mode: MODES.zhai ?? "" })} thumbs=${thumbs.filter(({ after }) => after === "zhai")} />
    <p class="small-print">
      ${sentences([
        say("Your ones count as any face when you open, and as ones alone when you raise."),
        say("If a rule has no legal bid, challenge."),
        say("The bar shows how often the policy does so too, where the rule applies."),
      ])}
    </p>`;
}

/** @param {{title: string, thumbs: Thumb[]}} props */
function Part({ title, thumbs }) {
  return html`<section class="paper">
    <h2>${title}</h2>
    ${thumbs.map((thumb, place) => html`<${Rule} key=${place} thumb=${thumb} />`)}
  </section>`;
}

/** @param {import("../learn/cards.js").ThumbBid} bid */
function tieInWords({ high }) {
  return high ? say("Of several such faces: the highest") : say("Of several such faces: the lowest");
}

/** @param {{thumb: Thumb}} props */
function Rule({ thumb }) {
  const { arises, right, bid } = thumb;
  return html`<div class="trend">
    <span>${whenInWords(thumb)}</span><b>${percent(right)}</b>
    <strong>${doesInWords(thumb)}</strong>
    <i class="trend-bar" style=${`--full: ${right}; --half: 0`}></i>
    <small>${bid?.mode && `${tieInWords(bid)} · `}${say("{share} of all decisions", { share: percent(arises) })}</small>
  </div>`;
}
