/** Tap your dice that count for a bid. */

import { html, useState } from "../../vendor/htm-preact.js";
import { say, sayNumber } from "../../words.js";
import { Bid } from "../bid.js";
import { Die } from "../die.js";
import { uncover } from "../sound.js";
import { bidNamed, Scene, settled } from "./scene.js";

/** @param {import("../../screens/lesson.js").StepProps & {bid: string, told: string}} props */
export function Count({ rules, hands, bid, told, onDone }) {
  const hand = hands[0] ?? [];
  const counting = settled(rules, bid, hands).counting[0] ?? [];
  const [tapped, setTapped] = useState(/** @type {number[]} */ ([]));
  const number = counting.filter(Boolean).length;
  const found = tapped.filter((place) => counting[place]).length;
  /** @param {number} place */
  const tap = (place) => {
    if (tapped.includes(place)) return;
    uncover(counting[place] ?? false);
    setTapped([...tapped, place]);
    if (counting[place] && found + 1 === number) onDone();
  };
  return html`<${Scene} told=${told}>
    <p class="claim">
      <span>${say("Your opponent bids:")}</span> <${Bid} bid=${bidNamed(rules, bid)} />
      <small>${say("“On the whole table, at least {count} dice show {face}.”", { ...plain(bidNamed(rules, bid)) })}</small>
    </p>
    <div class="lesson-dice">
      ${hand.map(
        (face, place) =>
          html`<button
            key=${place}
            class="tap-die"
            aria-label=${say("Die {face}", { face })}
            aria-pressed=${tapped.includes(place)}
            onClick=${() => tap(place)}
          >
            <${Die} face=${face} counts=${counting[place] && tapped.includes(place)} faint=${!counting[place] && tapped.includes(place)} />
          </button>`,
      )}
    </div>
    <p class="answer" role="status">
      ${found === number
        ? sayNumber("Right: {n} of yours counts.", "Right: {n} of yours count.", number)
        : say("{found} of {number}", { found, number })}
    </p>
  <//>`;
}

/** @param {import("../../game/rules.js").Bid} bid */
function plain({ count, face }) {
  return { count, face };
}
