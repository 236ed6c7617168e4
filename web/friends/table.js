/** The table of a room, as you see it. */

import { reviewAddress } from "../match/addresses.js";
import { isAsked } from "../game/round.js";
import { roundOf } from "../match/match.js";
import { roundNumber } from "../match/score.js";
import { Bar } from "../parts/bar.js";
import { BidsMade } from "../parts/bids_made.js";
import { Challenges, otherActions } from "../parts/challenges.js";
import { Dice } from "../parts/die.js";
import { Standings } from "../parts/match_over.js";
import { Pad } from "../parts/pad.js";
import { nameOf } from "../parts/players.js";
import { useReveal, Verdict } from "../parts/reveal.js";
import { allShown, isOut, Points, Ring, Uncovered } from "../parts/ring.js";
import { StatusLine } from "../parts/status.js";
import { SkipButton, Watching } from "../parts/watching.js";
import { goalInWords } from "../screens/new.js";
import { useShaking, useShortcuts } from "../screens/play.js";
import { html, useMemo } from "../vendor/htm-preact.js";
import { names, say } from "../words.js";
import { useRecord } from "./keeping.js";
import { matchOf } from "./room.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../match/match.js").Match} Match */
/** @typedef {import("../game/round.js").Round} Round */
/** @typedef {import("./room.js").Seen} Seen */
/** @typedef {import("./room.js").Act} Act */
/** @typedef {(act: Act) => void} OnAct */

/** Among friends nobody is told a chance. */
const untold = () => null;

/** @param {{seen: Seen, rules: Rules, acting: boolean, trouble: string, onAct: OnAct}} props
 *   acting: whether you did something that is not seen yet
 *   trouble: what went wrong, in one line */
export function RoomTable({ seen, rules, acting, trouble, onAct }) {
  const match = useSame(/** @type {Match} */ (matchOf(seen)));
  const round = useMemo(() => roundOf(rules, match), [rules, match]);
  useRecord(match, seen.over);
  const { shown, hurry } = useReveal(match, round);
  const shaking = useShaking(match);
  const active = round.turn === 0 && !shaking && !acting;
  const act = (/** @type {number} */ number) => onAct({ kind: "action", number, step: seen.step });
  const ending = (/** @type {number} */ place) => () => {
    const action = otherActions(round)[place];
    if (action !== undefined) act(action);
  };
  useShortcuts({ c: ending(0), ...(isAsked(round) ? { n: ending(1) } : {}) }, active);
  const over = shown !== null && allShown(match, shown);
  const skip = seen.mayHurry && html`<${SkipButton} skipping=${seen.hurries} onSkip=${() => onAct({ kind: "hurry" })} />`;
  const missing = missingSeat(seen, round);
  return html`<main class="play" onClick=${shown && !over ? hurry : null}>
    <${Bar} title=${`${say("Round {n}", { n: roundNumber(match) })} · ${goalInWords(match.goal)}`} rules=${`rules/${match.rules}/${match.players}`} />
    <${Ring} match=${match} round=${round} shown=${shown} />
    <div class="status">
      ${trouble
        ? html`<p class="status-line" role="alert">${trouble}</p>`
        : over && shown
          ? html`<${Verdict} match=${match} settlement=${shown.settlement} />`
          : missing === null
            ? html`<${StatusLine} match=${match} round=${round} shaking=${shaking} />`
            : html`<button class="second" disabled=${acting} onClick=${() => onAct({ kind: "stand-in", number: missing })}>
                ${say("{name} is gone: let the program play", { name: seen.seats[missing]?.name ?? "" })}
              </button>`}
    </div>
    <div class=${shaking ? "own shaking" : "own"} aria-label=${say("Your dice")} role="group">
      ${shown ? html`<${Uncovered} match=${match} seat=${0} shown=${shown} />` : html`<${Dice} faces=${match.hands[0] ?? []} shown=${shaking ? 0 : rules.dice} />`}
      <span class="own-name">${say("You")} <${Points} match=${match} seat=${0} shown=${shown} /></span>
    </div>
    ${shown
      ? html`<${AfterRound} seen=${seen} match=${match} round=${round} over=${over} acting=${acting} onAct=${onAct}>${skip}<//>`
      : isOut(match, 0, shown)
        ? html`<${Watching}>${skip}<//>`
        : html`<${Pad} round=${round} chance=${untold} active=${active} advised=${null} onBid=${act}>
          <${Challenges} round=${round} active=${active} advised=${null} onAct=${act} />
        <//>`}
  </main>`;
}

/** Return the value that was equal before, so that what follows from it is not worked out again.
 * @template T
 * @param {T} value
 * @returns {T} */
function useSame(value) {
  return useMemo(() => value, [JSON.stringify(value)]);
}

/** Return the seat of the person in turn, in the room, if that person is not at the table, or null.
 * @param {Seen} seen
 * @param {Round} round */
function missingSeat({ seat: own, seats, players }, round) {
  if (round.turn <= 0) return null;
  const seat = (round.turn + own) % players;
  const one = seats[seat];
  return one?.name && !one.present && !one.away ? seat : null;
}

/** @param {{seen: Seen, match: Match, round: Round, over: boolean, acting: boolean, onAct: OnAct, children?: unknown}} props
 *   children: what skips the rest of the match, if it can be skipped */
function AfterRound({ seen, match, round, over, acting, onAct, children }) {
  if (over && seen.over) return html`<${AfterMatch} seen=${seen} match=${match} acting=${acting} onAct=${onAct} />`;
  const waits = !seen.seats[seen.seat]?.waited;
  const others = seen.seats.filter((one) => one.waited);
  return html`<section class="round-end">
    <${BidsMade} round=${round} nameOf=${(/** @type {number} */ seat) => nameOf(match.seats[seat] ?? null)} />
    ${waits && others.length > 0
      ? html`<p class="quiet" role="status">${say("Waiting for {names}", { names: names(others.map(({ name }) => name)) })}</p>`
      : html`<div class="ways">
          <button class="main big" disabled=${!over || acting} onClick=${() => onAct({ kind: "ready", step: seen.step })}>${say("Next Round")}</button>
          ${over && children}
        </div>`}
  </section>`;
}

/** @param {{seen: Seen, match: Match, acting: boolean, onAct: OnAct}} props */
function AfterMatch({ seen, match, acting, onAct }) {
  const review = reviewAddress(match);
  return html`<section class="match-over">
    <${Standings} match=${match} />
    <div class="ways">
      ${seen.seat === seen.host && html`<button class="main big" disabled=${acting} onClick=${() => onAct({ kind: "start" })}>${say("Play Again")}</button>`}
      ${review && html`<a class="second big" href=${review}>${say("Review")}</a>`}
      <button class="second big" onClick=${() => onAct({ kind: "leave" })}>${say("Leave")}</button>
    </div>
  </section>`;
}
