/** Choose the bid that beats the last one. */

import { html, useState } from "../../vendor/htm-preact.js";
import { say } from "../../words.js";
import { Bid } from "../bid.js";
import { click } from "../sound.js";
import { beats, bidNamed, Scene } from "./scene.js";

/** @param {import("../../screens/lesson.js").StepProps & {bid: string, options: string[], told: string}} props */
export function Beat({ rules, bid, options, told, onDone }) {
  const [chosen, setChosen] = useState("");
  const right = chosen !== "" && beats(rules, chosen, bid);
  /** @param {string} option */
  const choose = (option) => {
    click();
    setChosen(option);
    if (beats(rules, option, bid)) onDone();
  };
  return html`<${Scene} told=${told}>
    <p class="claim"><span>${say("The last bid:")}</span> <${Bid} bid=${bidNamed(rules, bid)} /></p>
    <div class="options" role="group" aria-label=${say("Bids")}>
      ${options.map(
        (option) =>
          html`<button
            key=${option}
            class=${chosen === option ? `second option ${right ? "right" : "wrong"}` : "second option"}
            aria-pressed=${chosen === option}
            onClick=${() => choose(option)}
          >
            <${Bid} bid=${bidNamed(rules, option)} />
          </button>`,
      )}
    </div>
    <p class="answer" role="status">
      ${chosen === "" ? "" : right ? say("Right, that beats it.") : say("Too low. Try another.")}
    </p>
  <//>`;
}
