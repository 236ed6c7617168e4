/** The end of a round with real dice: who lost, and the dice that were shown. */

import { countedOf, countingDice, endedOf } from "../game/round.js";
import { isWhole, MOST_ROUNDS } from "../match/table.js";
import { html, useState } from "../vendor/htm-preact.js";
import { say, sayNumber } from "../words.js";
import { Bid } from "./bid.js";
import { Dice } from "./die.js";
import { DiceKeys, placeName } from "./table_steps.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../match/table.js").Sitting} Sitting */
/** @typedef {import("../match/table.js").Tap} Tap */
/** @typedef {{rules: Rules, sitting: Sitting, onTap: (tap: Tap) => void}} OverProps */

/** @param {OverProps} props */
export function TableOver({ rules, sitting, onTap }) {
  const { bid, bidder, challenger } = endedOf(sitting.round);
  const nameOf = (/** @type {number} */ seat) => placeName(seat, rules.players);
  return html`<section class="ended">
      <p class="huge"><${Bid} bid=${bid} /></p>
      <p class="who">${say("{bidder} bid, {challenger} challenged", { bidder: nameOf(bidder), challenger: nameOf(challenger) })}</p>
      <p class="verdict-line" role="status">${resultInWords(rules, sitting)}</p>
    </section>
    <${ShownDice} rules=${rules} sitting=${sitting} onTap=${onTap} />
    <div class="who-lost"><${Next} rules=${rules} sitting=${sitting} onTap=${onTap} /></div>`;
}

/** Return what is known of the result.
 * @param {Rules} rules
 * @param {Sitting} sitting */
function resultInWords(rules, { round, hands, loser }) {
  const { action, points } = endedOf(round);
  const lost = loser === null ? "" : `${losesInWords(rules, loser)} · ${sayNumber("{n} point", "{n} points", points)}`;
  if (!hands.every((hand) => isWhole(rules, hand))) return lost;
  return `${sayNumber("{n} counts", "{n} count", countedOf(rules, action, hands))} · ${lost}`;
}

/** @param {Rules} rules
 * @param {number} seat */
function losesInWords({ players }, seat) {
  return seat === 0 ? say("You Lose") : say("{name} Loses", { name: placeName(seat, players) });
}

/** The hands of all players. A tap on a player, then on faces, adds dice; after the last die of a hand
 * the next player is chosen.
 * @param {OverProps} props */
function ShownDice({ rules, sitting, onTap }) {
  const { round, hands } = sitting;
  const { action } = endedOf(round);
  const missing = hands.flatMap((hand, seat) => (isWhole(rules, hand) ? [] : [seat]));
  const [tapped, setTapped] = useState(-1);
  const chosen = missing.includes(tapped) ? tapped : (missing.find((seat) => seat > tapped) ?? missing[0]);
  return html`<p class="choice-name">${say("Add dice that were shown")}</p>
    <div class="shown-dice" role="group" aria-label=${say("Dice that were shown")}>
      ${hands.map((hand, seat) => {
        const covered = Array.from({ length: rules.dice - hand.length }, () => 0);
        const counting = isWhole(rules, hand) ? countingDice(rules, action, hand) : [];
        return html`<button
          key=${seat}
          class="second"
          aria-pressed=${seat === chosen}
          disabled=${isWhole(rules, hand)}
          onClick=${() => setTapped(seat)}
        >
          <small>${placeName(seat, rules.players)}</small>
          <${Dice} faces=${[...hand, ...covered]} counting=${counting} shown=${hand.length} />
        </button>`;
      })}
    </div>
    <${DiceKeys}
      rules=${rules}
      disabled=${chosen === undefined}
      onDie=${(/** @type {number} */ die) => chosen !== undefined && onTap({ die, seat: chosen })}
    />`;
}

/** Who lost, or the next round once that is known.
 * @param {OverProps} props */
function Next({ rules, sitting, onTap }) {
  if (sitting.loser !== null) {
    const full = sitting.rounds.length >= MOST_ROUNDS;
    if (full) return html`<p role="status">${say("{n} rounds are kept: begin a new table.", { n: MOST_ROUNDS })}</p>`;
    return html`<button class="main big wide" onClick=${() => onTap({ next: true })}>${say("Next Round")}</button>`;
  }
  const { bidder, challenger } = endedOf(sitting.round);
  return html`<button class="second big" onClick=${() => onTap({ lost: challenger })}>
      ${say("Holds: {who}", { who: losesInWords(rules, challenger) })}
    </button>
    <button class="second big" onClick=${() => onTap({ lost: bidder })}>
      ${say("Falls Short: {who}", { who: losesInWords(rules, bidder) })}
    </button>`;
}
