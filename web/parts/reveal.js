/** The cups are lifted: dice come one by one. */

import { settle } from "../game/round.js";
import { diceLeft } from "../match/score.js";
import { html, useEffect, useMemo, useState } from "../vendor/htm-preact.js";
import { say, sayNumber } from "../words.js";
import { nameOf } from "./players.js";
import { uncovering } from "./ring.js";
import { slam, uncover } from "./sound.js";

/** @typedef {import("../game/round.js").Round} Round */
/** @typedef {import("../game/round.js").Settlement} Settlement */
/** @typedef {import("../match/match.js").Match} Match */
/** @typedef {import("./ring.js").Shown} Shown */

/** The whole of an uncovering, at most, in milliseconds. */
const LONGEST = 2600;
const DIE = 150;
const PAUSE = 700;

export function calm() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** Return what is uncovered of a round that has ended, null while it goes on, and what uncovers all.
 * @param {Match} match
 * @param {Round | null} round
 * @returns {{shown: Shown | null, hurry: () => void}} */
export function useReveal(match, round) {
  const settlement = useMemo(
    () => (round && match.ending !== null ? settle(round, match.hands) : null),
    [round, match.ending],
  );
  const counts = settlement ? uncovering(settlement) : [];
  const [number, setNumber] = useState(() => (match.ending === null ? 0 : counts.length));
  useEffect(() => {
    if (match.ending === null) setNumber(0);
    else if (number === 0) slam();
  }, [match.ending]);
  useEffect(() => {
    if (!settlement || number >= counts.length) return undefined;
    const wait = calm() ? 0 : (number === 0 ? PAUSE : 0) + Math.min(DIE, LONGEST / counts.length);
    const timer = setTimeout(() => {
      uncover(counts[number] ?? false);
      setNumber(calm() ? counts.length : number + 1);
    }, wait);
    return () => clearTimeout(timer);
  }, [settlement, number]);
  return {
    shown: settlement && { settlement, shown: number },
    hurry: () => setNumber(counts.length),
  };
}

/** How the round ended: one sentence on the dice, one on what is lost.
 * @param {{match: Match, settlement: Settlement}} props */
export function Verdict({ match, settlement }) {
  const { bid, counted, isTrue, loser } = settlement;
  const values = { counted, face: bid.face };
  return html`<p class="verdict-line">
    ${isTrue ? say("{counted} × {face}: enough!", values) : say("Only {counted} × {face}: not enough!", values)}${" "}
    <b>${diceLeft(match) === null ? pointsInWords(match, settlement) : dieInWords(match, loser)}</b>
  </p>`;
}

/** @param {Match} match
 * @param {Settlement} settlement */
function pointsInWords({ seats }, { loser, points }) {
  const name = nameOf(seats[loser] ?? null);
  return loser === 0
    ? sayNumber("You take {n} point.", "You take {n} points.", points)
    : sayNumber("{name} takes {n} point.", "{name} takes {n} points.", points, { name });
}

/** @param {Match} match
 * @param {number} loser */
function dieInWords(match, loser) {
  const name = nameOf(match.seats[loser] ?? null);
  const isOut = diceLeft(match)?.[loser] === 0;
  if (loser === 0) return isOut ? say("You lose your last die and are out.") : say("You lose a die.");
  return isOut ? say("{name} loses the last die and is out.", { name }) : say("{name} loses a die.", { name });
}
