/** A match on one screen: the table, your dice, and the pad. */

import { isAsked } from "../game/round.js";
import { roundOf } from "../match/match.js";
import { Bar } from "../parts/bar.js";
import { Challenges, otherActions } from "../parts/challenges.js";
import { Dice } from "../parts/die.js";
import { adviceInWords, chanceInWords, Numbers } from "../parts/hint.js";
import { Icon } from "../parts/icon.js";
import { useRules, Waiting } from "../parts/loading.js";
import { Pad } from "../parts/pad.js";
import { usePrepared } from "../parts/prepared.js";
import { calm, useReveal, Verdict } from "../parts/reveal.js";
import { allShown, isOut, Points, Ring, Uncovered } from "../parts/ring.js";
import { RoundEnd } from "../parts/round_end.js";
import { useStateOf } from "../parts/state_of.js";
import { StatusLine } from "../parts/status.js";
import { rattle } from "../parts/sound.js";
import { Skip, Watching } from "../parts/watching.js";
import { advise } from "../policy/advice.js";
import { chanceOf } from "../policy/chances.js";
import { useOpponents } from "../parts/opponents.js";
import { record } from "../match/recording.js";
import { roundNumber } from "../match/score.js";
import { state } from "../store.js";
import { html, useEffect, useLayoutEffect, useMemo, useState } from "../vendor/htm-preact.js";
import { say } from "../words.js";
import { goalInWords } from "./new.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../policy/policy.js").PocketPolicy} PocketPolicy */
/** @typedef {import("../policy/advice.js").Advice} Advice */
/** @typedef {import("../match/match.js").Match} Match */

const SHAKE = 900;
/** @type {never[]} */
const NOBODY = [];

export function PlayScreen() {
  const { match } = state;
  if (!match) return html`<${NoMatch} />`;
  const { rules, policy, failed } = useRules(match.rules, match.players);
  if (!rules) return html`<main class="page"><${Bar} title=${say("Play")} /><${Waiting} failed=${failed} /></main>`;
  if (!canGoOn(rules, match)) return html`<${NoMatch} />`;
  return html`<${Board} match=${match} rules=${rules} policy=${policy} />`;
}

/** Return whether the rules know what was kept: an update may have changed them.
 * @param {Rules} rules
 * @param {Match} match */
function canGoOn(rules, match) {
  try {
    return Boolean(roundOf(rules, match));
  } catch {
    return false;
  }
}

function NoMatch() {
  return html`<main class="page">
    <${Bar} title=${say("Play")} />
    <div class="paper empty">
      <p>${say("No match is being played.")}</p>
      <p><a class="main" href="#/new">${say("New Match")}</a></p>
    </div>
  </main>`;
}

/** @param {{match: Match, rules: Rules, policy: PocketPolicy | null}} props */
function Board({ match, ...props }) {
  const round = useMemo(() => roundOf(props.rules, match), [props.rules, match]);
  const policy = props.policy?.at(round) ?? null;
  const { rules } = round;
  const { shown, hurry } = useReveal(match, round);
  const shaking = useShaking(match);
  const [advice, setAdvice] = /** @type {typeof useStateOf<Advice>} */ (useStateOf)(round);
  const [numbers, setNumbers] = useState(false);
  const [skipping, setSkipping] = useState(false);
  useOpponents(match, rules, policy, shaking || skipping);
  const hand = match.hands[0] ?? [];
  const active = round.turn === 0 && !shaking;
  const chance = useChances(rules, policy, round, hand);
  const bid = (/** @type {number} */ action) => record(rules, action);
  const hint = () => setAdvice(advise(rules, policy, round, hand));
  const ending = (/** @type {number} */ place) => () => bid(otherActions(round)[place] ?? rules.endings);
  useShortcuts({ c: ending(0), ...(isAsked(round) ? { n: ending(1) } : {}), h: hint }, active);
  const out = isOut(match, 0, shown);
  const skip = out && html`<${Skip} rules=${rules} skipping=${skipping} onSkip=${setSkipping} />`;
  const over = shown !== null && allShown(match, shown);
  return html`<main class="play" onClick=${shown && !over ? hurry : null}>
    <${Bar} title=${`${say("Round {n}", { n: roundNumber(match) })} · ${goalInWords(match.goal)}`} rules=${`rules/${match.rules}/${match.players}`} />
    <${Ring} match=${match} round=${round} shown=${shown} />
    <div class="status">
      ${over && shown
        ? html`<${Verdict} match=${match} settlement=${shown.settlement} />`
        : advice
          ? html`<button class="hint-line" onClick=${() => setNumbers(true)}>
              <span><b>${adviceInWords(rules, advice)}</b>${" "}<small>${chanceInWords(advice)}</small></span>
              <span class="more">${say("Numbers")}</span>
            </button>`
          : html`<${StatusLine} match=${match} round=${round} shaking=${shaking} />`}
    </div>
    <div class=${shaking ? "own shaking" : "own"} aria-label=${say("Your dice")} role="group">
      ${shown ? html`<${Uncovered} match=${match} seat=${0} shown=${shown} />` : html`<${Dice} faces=${hand} shown=${shaking ? 0 : hand.length} />`}
      <span class="own-name">${say("You")} <${Points} match=${match} seat=${0} shown=${shown} /></span>
    </div>
    ${shown
      ? html`<${RoundEnd} match=${match} round=${round} over=${over}>${skip}<//>`
      : out
        ? html`<${Watching}>${skip}<//>`
        : html`<${Pad} round=${round} chance=${chance} active=${active} advised=${advice?.best ?? null} onBid=${bid}>
          <button class="second hint" disabled=${!active} aria-keyshortcuts="H" onClick=${hint}>
            <${Icon} name="bulb" />${say("Hint")}
          </button>
          <${Challenges} round=${round} active=${active} advised=${advice?.best ?? null} onAct=${bid} />
        <//>`}
    ${numbers && advice && html`<${Numbers} round=${round} hand=${hand} seats=${match.seats} policy=${policy} advice=${advice} onClose=${() => setNumbers(false)} />`}
  </main>`;
}

/** Return whether the cups of a new round are still shaken.
 * @param {Match} match */
export function useShaking(match) {
  const fresh = match.history.length === 0 && match.ending === null;
  const [shaken, setShaken] = useState(fresh ? -1 : roundNumber(match));
  useEffect(() => {
    if (shaken === roundNumber(match)) return undefined;
    rattle();
    const timer = setTimeout(() => setShaken(roundNumber(match)), calm() ? 0 : SHAKE);
    return () => clearTimeout(timer);
  }, [match.results.length, match.begun, match.ending]);
  return fresh && shaken !== roundNumber(match);
}

/** Return the chance of a bid for you, in seat 0, worked out once for each position. The page shows
 * the position first, and the chances, null until then, right after.
 * @param {Rules} rules
 * @param {PocketPolicy | null} policy
 * @param {import("../game/round.js").Round} round
 * @param {readonly number[]} hand
 * @param {readonly (import("../policy/ranges.js").Person | null)[]} [people]  [seat] those of whom
 *   something is known; the same array for the same people
 * @returns {(bid: number) => number | null} */
export function useChances(rules, policy, round, hand, people = NOBODY) {
  const isPrepared = usePrepared(policy, round);
  return useMemo(() => {
    /** @type {Map<number, number>} */
    const known = new Map();
    return (bid) => {
      if (!isPrepared) return null;
      const found = known.get(bid) ?? chanceOf(rules, policy, round, hand, bid, 0, people);
      known.set(bid, found);
      return found;
    };
  }, [rules, policy, round, hand.join(""), people, isPrepared]);
}

/** Call functions by single keys while it is your turn.
 * @param {Record<string, () => void>} keys
 * @param {boolean} active */
export function useShortcuts(keys, active) {
  useLayoutEffect(() => {
    if (!active) return undefined;
    /** @param {KeyboardEvent} event */
    const pressed = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
      keys[event.key.toLowerCase()]?.();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  });
}
