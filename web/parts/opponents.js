/** The opponents move, each after a moment. */

import { Random } from "../game/random.js";
import { record } from "../match/recording.js";
import { isAsked } from "../game/round.js";
import { roundOf } from "../match/match.js";
import { decide } from "../policy/opponents.js";
import { state } from "../store.js";
import { useEffect } from "../vendor/htm-preact.js";
import { opponent } from "./players.js";
import { calm } from "./reveal.js";
import { click } from "./sound.js";

/** @typedef {import("../match/match.js").Match} Match */
/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../policy/policy.js").PocketPolicy} PocketPolicy */

/** Milliseconds that an opponent takes. */
const THINKS = 750;
const THINKS_CALMLY = 150;
/** Milliseconds that one takes who is asked whether to challenge: all others are, after each bid. */
const LETS_STAND = 120;

const random = new Random(crypto.getRandomValues(new Uint32Array(1))[0] ?? 1);

/** Let the opponent whose turn it is move, unless the cups are still shaken. A page that nobody sees
 * waits: another tab may play the same match.
 * @param {Match} match
 * @param {Rules} rules
 * @param {PocketPolicy | null} policy
 * @param {boolean} shaking */
export function useOpponents(match, rules, policy, shaking) {
  useEffect(() => {
    const round = roundOf(rules, match);
    const id = match.seats[round.turn];
    if (shaking || !id) return undefined;
    const move = () => {
      if (state.match !== match) return;
      if (document.hidden) return document.addEventListener("visibilitychange", move, { once: true });
      if (!isAsked(round)) click();
      record(rules, decide(opponent(id), round.rules, policy, round, match.hands[round.turn] ?? [], random));
    };
    const thinks = calm() ? THINKS_CALMLY : THINKS;
    const timer = setTimeout(move, isAsked(round) ? Math.min(LETS_STAND, thinks) : thinks);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", move);
    };
  }, [match, rules, policy, shaking]);
}
