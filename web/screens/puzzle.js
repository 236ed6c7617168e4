/** The puzzle of the day: `#/puzzle`, or `#/puzzle/2026-11-27` for that of a date. */

import { decisionOf, loadTable } from "../drill/positions.js";
import { graded } from "../match/review.js";
import { Bar } from "../parts/bar.js";
import { Waiting } from "../parts/loading.js";
import { Answer, Given, Position } from "../parts/retry.js";
import { TableLine } from "../parts/table_line.js";
import { drawFrom, puzzleOf } from "../puzzle/choosing.js";
import { dateOf, dayBefore, noonOf, puzzleDate } from "../puzzle/dates.js";
import { passOn } from "../puzzle/passing_on.js";
import { state, update } from "../store.js";
import { html, useEffect, useRef, useState } from "../vendor/htm-preact.js";
import { labelled, language, say } from "../words.js";

/** @typedef {import("../match/review.js").Decision} Decision */
/** @typedef {import("../policy/policy.js").PocketPolicy} PocketPolicy */
/** @typedef {{decision: Decision | null, policy: PocketPolicy | null, failed: boolean}} Found */

const RULES = "zhaifei";
/** Answers that are kept. */
const MOST = 60;

/** @param {{path: string[]}} props */
export function PuzzleScreen({ path }) {
  const date = puzzleDate(path[0], new Date());
  return html`<${Puzzle} key=${date} date=${date} />`;
}

/** @param {{date: string}} props */
function Puzzle({ date }) {
  const { decision, policy, failed } = usePuzzle(date);
  const { players } = drawFrom(date);
  const solved = state.puzzles.find((one) => one.date === date);
  const given = { decision, policy, nameOf: seatName };
  return html`<main class="page drill">
    <${Bar} title=${titleOf(date)} rules=${`rules/${RULES}/${players}`} />
    ${decision
      ? html`<div class="paper">
          <p class="quiet drill-top"><${TableLine} rules=${RULES} players=${players} /></p>
          <p>${say("Everybody follows the policy. What do you do?")}</p>
          ${solved
            ? html`<${Given} ...${given} /><${Answer} ...${given} tried=${solved.action} /><${Afterwards} date=${date} right=${solved.right} />`
            : html`<${Position} ...${given} chances=${false} onTry=${(/** @type {number | null} */ action) => keepAnswer(date, decision, action)} />`}
        </div>`
      : html`<${Waiting} failed=${failed} />`}
    <${DayBefore} date=${dayBefore(date)} />
  </main>`;
}

/** You are the first; the others have numbers, as all of them play alike.
 * @param {number} seat */
function seatName(seat) {
  return seat === 0 ? say("You") : say("Seat {n}", { n: seat + 1 });
}

/** @param {string} date */
function titleOf(date) {
  if (date === dateOf(new Date())) return say("Daily Puzzle");
  const locale = language() === "zh" ? "zh-CN" : "en";
  return say("Puzzle of {date}", { date: noonOf(date).toLocaleDateString(locale, { dateStyle: "medium" }) });
}

/** @param {string} date
 * @returns {Found} */
function usePuzzle(date) {
  const [found, setFound] = useState(/** @type {Found} */ ({ decision: null, policy: null, failed: false }));
  useEffect(() => {
    let wanted = true;
    const load = async () => {
      const { random, players } = drawFrom(date);
      const table = await loadTable(RULES, players);
      if (!table.policy) throw new RangeError("no policy makes the puzzles");
      const puzzle = await puzzleOf(table.rules, table.policy, random);
      if (wanted) setFound({ decision: decisionOf(table, puzzle), policy: table.policy, failed: false });
    };
    load().catch(() => wanted && setFound((before) => ({ ...before, failed: true })));
    return () => {
      wanted = false;
    };
  }, []);
  return found;
}

/** Keep the first answer to a puzzle.
 * @param {string} date
 * @param {Decision} decision
 * @param {number | null} action  null if the solution was shown at once */
function keepAnswer(date, { advice }, action) {
  const others = state.puzzles.filter((one) => one.date !== date);
  const right = action !== null && graded(advice, action) === "often";
  update({ puzzles: [{ date, action, right }, ...others].slice(0, MOST) });
}

/** @param {{date: string, right: boolean}} props */
function Afterwards({ date, right }) {
  const share = useRef(/** @type {HTMLElement | null} */ (null));
  const [copied, setCopied] = useState(false);
  const url = new URL(`#/puzzle/${date}`, location.href).href;
  useEffect(() => share.current?.focus({ preventScroll: true }), []);
  const pass = () => void passOn(`${titleOf(date)} · 斋飞`, url).then(setCopied);
  return html`<h2>${right ? say("Solved!") : say("Not This Time")}</h2>
    <button class="main big" ref=${share} onClick=${pass}>${say("Pass On")}</button>
    <p class="room-link" role="status">${copied && html`<b>${say("Link copied.")}</b>`} ${url}</p>`;
}

/** The puzzle of the day before, and how you answered it.
 * @param {{date: string}} props */
function DayBefore({ date }) {
  const solved = state.puzzles.find((one) => one.date === date);
  const title = date === dayBefore(dateOf(new Date())) ? say("Yesterday’s Puzzle") : titleOf(date);
  const result = solved && (solved.right ? say("solved") : say("not solved"));
  return html`<p class="foot"><a class="second" href=${`#/puzzle/${date}`}>${result ? labelled(title, result) : title}</a></p>`;
}
