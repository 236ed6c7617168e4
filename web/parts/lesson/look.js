/** The first step: lift your cup. */

import { html, useState } from "../../vendor/htm-preact.js";
import { say } from "../../words.js";
import { Cup, Dice } from "../die.js";
import { rattle } from "../sound.js";
import { Scene } from "./scene.js";

/** @param {import("../../screens/lesson.js").StepProps} props */
export function Look({ hands, onDone }) {
  const [lifted, setLifted] = useState(false);
  const lift = () => {
    rattle();
    setLifted(true);
    onDone();
  };
  const told = lifted
    ? say("Only you can see them. Your opponent has five dice too: ten on the table.")
    : say("Everybody shakes five dice under a cup. Tap yours to look.");
  return html`<${Scene} told=${told}>
    ${lifted
      ? html`<span class="lesson-dice"><${Dice} faces=${hands[0] ?? []} /></span>`
      : html`<button class="lift" aria-label=${say("Lift your cup")} onClick=${lift}><${Cup} /></button>`}
  <//>`;
}
