/** The lesson: a minute of tapping with real dice. What counts and what beats what is asked of the
 * rules, not written here. */

import { Bar } from "../parts/bar.js";
import { Beat } from "../parts/lesson/beat.js";
import { Count } from "../parts/lesson/count.js";
import { Look } from "../parts/lesson/look.js";
import { Open } from "../parts/lesson/open.js";
import { Points } from "../parts/lesson/points.js";
import { useRules, Waiting } from "../parts/loading.js";
import { html, useState } from "../vendor/htm-preact.js";
import { say } from "../words.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {{rules: Rules, hands: number[][], onDone: () => void}} StepProps */

/** Yours and those of your opponent. */
const HANDS = [
  [1, 3, 3, 5, 6],
  [1, 2, 2, 4, 6],
];

/** @type {((props: StepProps) => object)[]} */
const STEPS = [
  Look,
  (props) =>
    html`<${Count} ...${props} bid="fei4x3" told=${say("飞 (fei): ones are wild and count as any face. Tap each of your dice that counts as a 3.")} />`,
  (props) =>
    html`<${Count} ...${props} bid="zhai4x3" told=${say("斋 (zhai): ones are only ones. Which of your dice count as a 3 now?")} />`,
  (props) =>
    html`<${Beat}
      ...${props}
      bid="fei4x3"
      options=${["fei4x2", "fei4x5", "fei3x6"]}
      told=${say("Then it is your turn: bid more dice, or as many of a higher face. Which bid is higher?")}
    />`,
  (props) =>
    html`<${Beat}
      ...${props}
      bid="fei5x3"
      options=${["zhai2x6", "zhai3x2"]}
      told=${say("You may change to 斋: each die then counts double, so half as many and one beats it. Which bid does?")}
    />`,
  (props) =>
    html`<${Beat}
      ...${props}
      bid="zhai3x4"
      options=${["fei5x6", "fei6x5"]}
      told=${say("Back to 飞 you pay for it: twice as many dice. Which bid is high enough?")}
    />`,
  (props) => html`<${Open} ...${props} bid="fei7x3" />`,
  Points,
];

/** @param {HTMLElement | null} button */
function focusIt(button) {
  button?.focus({ preventScroll: true });
}

export function LessonScreen() {
  const { rules, failed } = useRules("zhaifei", 2, false);
  const [place, setPlace] = useState(0);
  const [done, setDone] = useState(false);
  const next = () => {
    setPlace(place + 1);
    setDone(false);
  };
  const Step = STEPS[place] ?? Points;
  const isLast = place >= STEPS.length - 1;
  return html`<main class="page lesson">
    <${Bar} title=${say("One Minute of Liar’s Dice")} />
    <div
      class="progress"
      role="progressbar"
      aria-label=${say("Lesson")}
      aria-valuemin="1"
      aria-valuenow=${place + 1}
      aria-valuemax=${STEPS.length}
    >
      ${STEPS.map((_, step) => html`<i class=${step <= place ? "full" : ""}></i>`)}
    </div>
    ${rules
      ? html`<${Step} key=${place} rules=${rules} hands=${HANDS} onDone=${() => setDone(true)} />`
      : html`<${Waiting} failed=${failed} />`}
    ${!isLast &&
    done &&
    html`<p class="foot stuck"><button class="main big" ref=${focusIt} onClick=${next}>${say("Next")}</button></p>`}
  </main>`;
}
