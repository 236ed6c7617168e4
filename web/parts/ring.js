/** The table seen from above: the others around it with their last bids, the standing bid in the
 * middle. You sit at its near side, below. */

import { lastBids, standing } from "../match/bidders.js";
import { html } from "../vendor/htm-preact.js";
import { say, sayNumber } from "../words.js";
import { Bid } from "./bid.js";
import { Cup, Dice, Die } from "./die.js";
import { diceLeft } from "../match/score.js";
import { nameOf } from "./players.js";

/** @typedef {import("../game/round.js").Round} Round */
/** @typedef {import("../game/round.js").Settlement} Settlement */
/** @typedef {import("../match/match.js").Match} Match */
/** @typedef {{settlement: Settlement, shown: number}} Shown  what is uncovered, shown: how many dice */

/** Rows and columns of the others, in turn order from your left, by how many they are.
 * @type {string[][]} */
const PLACES = [
  [],
  ["1 / 2"],
  ["1 / 1", "1 / 3"],
  ["2 / 1", "1 / 2", "2 / 3"],
  ["2 / 1", "1 / 1", "1 / 3", "2 / 3"],
  ["2 / 1", "1 / 1", "1 / 2", "1 / 3", "2 / 3"],
  ["3 / 1", "2 / 1", "1 / 1", "1 / 3", "2 / 3", "3 / 3"],
  ["3 / 1", "2 / 1", "1 / 1", "1 / 2", "1 / 3", "2 / 3", "3 / 3"],
];

/** @param {{match: Match, round: Round, shown: Shown | null}} props */
export function Ring({ match, round, shown }) {
  const others = match.seats.slice(1);
  const bids = lastBids(round);
  const places = PLACES[others.length] ?? [];
  const middle = others.length < 3 ? "1 / 1 / 4 / 4" : "2 / 2 / 4 / 3";
  const kind = others.length > 2 ? "ring crowded" : "ring";
  return html`<section class=${kind} aria-label=${say("The table")}>
    <div class="felt"></div>
    ${others.map(
      (_, place) =>
        html`<${Seat}
          key=${place}
          seat=${place + 1}
          match=${match}
          bid=${bids[place + 1]}
          turn=${round.turn === place + 1}
          shown=${shown}
          area=${places[place]}
        />`,
    )}
    <div class="middle" style=${`grid-area: ${middle}`}>
      ${shown ? html`<${Count} match=${match} shown=${shown} />` : html`<${Standing} match=${match} round=${round} />`}
    </div>
  </section>`;
}

/** @param {{
 *   seat: number, match: Match, bid: import("../game/rules.js").Bid | null, turn: boolean,
 *   shown: Shown | null, area: string,
 * }} props */
function Seat({ seat, match, bid, turn, shown, area }) {
  const lost = shown && allShown(match, shown) && shown.settlement.loser === seat;
  const out = isOut(match, seat, shown);
  const kind = ["seat", turn && "turn", lost && "lost", out && "out"].filter(Boolean).join(" ");
  return html`<div class=${kind} style=${`grid-area: ${area}`}>
    <div class="seat-name">
      <span>${nameOf(match.seats[seat] ?? null)}</span>
      ${!out && html`<${Points} match=${match} seat=${seat} shown=${shown} />`}
    </div>
    ${out ? html`<div class="seat-bid">${say("Out")}</div>` : shown ? html`<${Uncovered} match=${match} seat=${seat} shown=${shown} />` : html`<div class="seat-bid">
      <${Cup} />${bid ? html`<${Bid} bid=${bid} />` : html`<span class="none">${turn ? "…" : "–"}</span>`}
    </div>`}
  </div>`;
}

/** Return how many dice a seat has left, null if nobody loses dice. One that is lost counts until all
 * dice are uncovered.
 * @param {Match} match
 * @param {number} seat
 * @param {Shown | null} shown */
function leftAt(match, seat, shown) {
  const left = diceLeft(match);
  if (left === null) return null;
  return shown && !allShown(match, shown) ? (match.hands[seat]?.length ?? 0) : (left[seat] ?? 0);
}

/** Return whether a seat was out before the round, or is so after it.
 * @param {Match} match
 * @param {number} seat
 * @param {Shown | null} shown */
export function isOut(match, seat, shown) {
  return leftAt(match, seat, shown) === 0 && (!shown || match.hands[seat]?.length === 0);
}

/** What a seat has taken: dots towards the goal of a match to some number of points, or a number. Where
 * dice are lost, the dice that it has left.
 * @param {{match: Match, seat: number, shown?: Shown | null}} props */
export function Points({ match, seat, shown = null }) {
  const { goal, points } = match;
  const left = leftAt(match, seat, shown);
  if (left !== null) return html`<${DiceLeft} left=${left} />`;
  const taken = points[seat] ?? 0;
  const label = sayNumber("{n} point", "{n} points", taken);
  if (goal.kind === "rounds" || goal.number > 5) {
    return html`<span class="points" role="img" aria-label=${label}>${taken}</span>`;
  }
  const dots = Array.from({ length: goal.number }, (_, place) => place < taken);
  return html`<span class="points" role="img" aria-label=${label}>
    ${dots.map((full) => html`<i class=${full ? "full" : ""}></i>`)}
  </span>`;
}

/** @param {{left: number}} props */
function DiceLeft({ left }) {
  return html`<span class="points left" role="img" aria-label=${sayNumber("{n} die left", "{n} dice left", left)}>${left}<i></i></span>`;
}

/** @param {{match: Match, seat: number, shown: Shown}} props */
export function Uncovered({ match, seat, shown }) {
  const hand = match.hands[seat] ?? [];
  const own = Math.min(Math.max(shown.shown - before(match, seat), 0), hand.length);
  return html`<${Dice} faces=${hand} counting=${shown.settlement.counting[seat]} shown=${own} />`;
}

/** Return how many dice are uncovered before those of a seat: the others' from your left, then yours.
 * @param {Match} match
 * @param {number} seat */
function before({ hands }, seat) {
  const seats = seat === 0 ? hands.slice(1) : hands.slice(1, seat);
  return seats.reduce((sum, hand) => sum + hand.length, 0);
}

/** Return the dice in the order of uncovering: whether each counts.
 * @param {Settlement} settlement
 * @returns {boolean[]} */
export function uncovering({ counting }) {
  return [...counting.slice(1), counting[0] ?? []].flat();
}

/** @param {Match} match
 * @param {Shown} shown */
export function allShown(match, { shown }) {
  return shown >= match.hands.flat().length;
}

/** The standing bid in the middle of the table.
 * @param {{match: Match, round: Round}} props */
function Standing({ match, round }) {
  const last = standing(round);
  if (last === null) {
    const name = nameOf(match.seats[round.opener] ?? null);
    return html`<p class="quiet">${round.opener === 0 ? say("You open") : say("{name} opens", { name })}</p>`;
  }
  return html`<p class="standing" key=${round.history.length}>
    <${Bid} bid=${last.bid} />
    <small>${nameOf(match.seats[last.seat] ?? null)}</small>
  </p>`;
}

/** How many dice count so far, against the bid.
 * @param {{match: Match, shown: Shown}} props */
function Count({ shown: { settlement, shown } }) {
  const { bid } = settlement;
  const counted = uncovering(settlement).slice(0, shown).filter(Boolean).length;
  return html`<p class="count" role="img" aria-label=${say("{counted} of {count}", { counted, count: bid.count })}>
    <b key=${counted}>${counted}</b><span>/ ${bid.count}</span><${Die} face=${bid.face} counts />
    <i class=${`mode ${bid.mode}`}>${bid.mode === "fei" ? "飞" : "斋"}</i>
  </p>`;
}
