/** The drill: decisions of your matches that the policy never makes, to be made again when they are
 * due. `#/drill/WHEN` has those of the match that began at these milliseconds. */

import { useCollecting } from "../drill/collecting.js";
import { daysToNext, daysUntil, dueAt, dueExercises, placeOf, without } from "../drill/exercises.js";
import { decisionOf, loadTable } from "../drill/positions.js";
import { answered } from "../drill/scheduling.js";
import { graded } from "../match/review.js";
import { Bar } from "../parts/bar.js";
import { actionInWords } from "../parts/bid.js";
import { Waiting } from "../parts/loading.js";
import { nameOf } from "../parts/players.js";
import { Answer, Given, Position } from "../parts/retry.js";
import { TableLine } from "../parts/table_line.js";
import { state, update } from "../store.js";
import { html, useEffect, useRef, useState } from "../vendor/htm-preact.js";
import { language, say, sentences } from "../words.js";

/** @typedef {import("../drill/exercises.js").Exercise} Exercise */
/** @typedef {import("../match/review.js").Decision} Decision */
/** @typedef {import("../policy/policy.js").PocketPolicy} PocketPolicy */

/** @param {{path: string[]}} props */
export function DrillScreen({ path }) {
  return html`<${Drill} key=${path[0] ?? ""} when=${path[0] ?? ""} />`;
}

/** One exercise after the other. The one that is shown stays, whatever the search finds meanwhile.
 * @param {{when: string}} props */
function Drill({ when }) {
  const searching = useCollecting();
  const [, draw] = useState(0);
  const due = dueExercises(state.drill, new Date(), when);
  const shown = useRef(/** @type {Exercise | null} */ (null));
  shown.current ??= due[0] ?? null;
  const exercise = shown.current;
  const next = () => {
    shown.current = null;
    draw((times) => times + 1);
  };
  const rules = exercise ? `rules/${exercise.rules}/${exercise.seats.length}` : undefined;
  return html`<main class="page drill">
    <${Bar} title=${say("Practice")} rules=${rules} />
    ${exercise
      ? html`<${Asked} key=${placeOf(exercise)} exercise=${exercise} left=${due.length} onNext=${next} />`
      : html`<div class="paper empty" role="status">
          ${searching ? html`<p>${say("Looking through your matches…")}</p>` : html`<${NothingDue} />`}
        </div>`}
  </main>`;
}

/** What stands there when no exercise of this match, or of all, is due. */
function NothingDue() {
  const days = daysToNext(state.drill, new Date());
  if (days === null) {
    return html`<p>${say("Decisions of your matches that the policy never makes come back here. There are none yet.")}</p>
      <p><a class="main" href="#/new">${say("Play Now")}</a></p>`;
  }
  if (days > 0) {
    return html`<p>${say("Nothing is due. The next exercise comes {when}.", { when: inDays(days) })}</p>
      <p><a class="main" href="#/">${say("Back")}</a></p>`;
  }
  return html`<p>${say("Nothing of this match is due.")}</p>
    <p><a class="main" href="#/drill">${say("Practise the Others")}</a></p>`;
}

/** @param {number} days */
function inDays(days) {
  const locale = language() === "zh" ? "zh-CN" : "en";
  return new Intl.RelativeTimeFormat(locale, { numeric: "auto" }).format(days, "day");
}

/** @param {{exercise: Exercise, left: number, onNext: () => void}} props */
function Asked({ exercise, left, onNext }) {
  const { decision, policy, failed } = useDecision(exercise, onNext);
  const [tried, setTried] = useState(/** @type {import("../parts/retry.js").Tried} */ (undefined));
  if (!decision) return html`<${Waiting} failed=${failed} />`;
  const seatName = (/** @type {number} */ seat) => nameOf(exercise.seats[seat] ?? null);
  const given = { decision, policy, nameOf: seatName };
  const choose = (/** @type {number | null} */ action) => {
    keepAnswer(exercise, decision, action);
    setTried(action);
  };
  return html`<div class="paper">
    <p class="quiet drill-top"><${TableLine} rules=${exercise.rules} players=${exercise.seats.length} /> ${left > 0 && html`<span>${say("{n} left", { n: left })}</span>`}</p>
    ${tried === undefined
      ? html`<${Position} ...${given} onTry=${choose} />`
      : html`<${Given} ...${given} /><${Answer} ...${given} tried=${tried} />
          <${Afterwards} exercise=${exercise} decision=${decision} onNext=${onNext} />`}
  </div>`;
}

/** Load what an exercise needs; one that the rules no longer have is forgotten.
 * @param {Exercise} exercise
 * @param {() => void} onGone
 * @returns {{decision: Decision | null, policy: PocketPolicy | null, failed: boolean}} */
function useDecision(exercise, onGone) {
  const [found, setFound] = useState({
    decision: /** @type {Decision | null} */ (null),
    policy: /** @type {PocketPolicy | null} */ (null),
    failed: false,
  });
  useEffect(() => {
    let wanted = true;
    const load = async () => {
      const table = await loadTable(exercise.rules, exercise.seats.length);
      if (!wanted) return;
      try {
        setFound({ decision: decisionOf(table, exercise), policy: table.policy, failed: false });
      } catch {
        forget(exercise);
        onGone();
      }
    };
    load().catch(() => wanted && setFound((before) => ({ ...before, failed: true })));
    return () => {
      wanted = false;
    };
  }, []);
  return found;
}

/** @param {Exercise} exercise
 * @param {Decision} decision
 * @param {number | null} action  null if the answer was shown at once */
function keepAnswer(exercise, { advice }, action) {
  const grade = action === null ? null : graded(advice, action);
  const { exercises, searched } = without(state.drill, exercise);
  update({ drill: { exercises: [...exercises, answered(exercise, grade, new Date())], searched } });
}

/** @param {Exercise} exercise */
function forget(exercise) {
  update({ drill: without(state.drill, exercise) });
}

/** What you did in the match, when the exercise comes again, and the way on.
 * @param {{exercise: Exercise, decision: Decision, onNext: () => void}} props */
function Afterwards({ exercise, decision, onNext }) {
  const next = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => next.current?.focus({ preventScroll: true }), []);
  const kept = state.drill.exercises.find((one) => placeOf(one) === placeOf(exercise));
  const drop = () => {
    forget(exercise);
    onNext();
  };
  return html`<p>
      ${sentences([
        say("In the match you chose {action}.", { action: actionInWords(decision.round.rules, decision.action) }),
        kept ? say("This comes again {when}.", { when: inDays(daysUntil(dueAt(kept), new Date())) }) : "",
      ])}
    </p>
    <button class="main big" ref=${next} onClick=${onNext}>${say("Next Exercise")}</button>
    <button class="plain" onClick=${drop}>${say("Do Not Ask This Again")}</button>`;
}
