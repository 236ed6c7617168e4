/** Challenge a bid that is too high, and see all dice. */

import { html, useState } from "../../vendor/htm-preact.js";
import { say, sayNumber } from "../../words.js";
import { Bid } from "../bid.js";
import { Cup, Dice } from "../die.js";
import { slam } from "../sound.js";
import { bidNamed, Scene, settled } from "./scene.js";

/** @param {import("../../screens/lesson.js").StepProps & {bid: string}} props */
export function Open({ rules, hands, bid, onDone }) {
  const [open, setOpen] = useState(false);
  const { counting, counted, points } = settled(rules, bid, hands);
  const { count, face } = bidNamed(rules, bid);
  const challenge = () => {
    slam();
    setOpen(true);
    onDone();
  };
  const told = open
    ? say("Only {counted} of {count}: not enough.", { counted, count }) + " " +
      sayNumber("Your opponent takes {n} point.", "Your opponent takes {n} points.", points)
    : say("Too high to be true? Instead of bidding, challenge (开, kai): all dice are shown and counted.");
  return html`<${Scene} told=${told}>
    <p class="claim"><span>${say("Your opponent bids:")}</span> <${Bid} bid=${{ ...bidNamed(rules, bid), count, face }} /></p>
    <div class="both">
      <div><small>${say("Your opponent")}</small>
        ${open ? html`<${Dice} faces=${hands[1] ?? []} counting=${counting[1]} />` : html`<span class="covered-hand"><${Cup} /></span>`}
      </div>
      <div><small>${say("You")}</small><${Dice} faces=${hands[0] ?? []} counting=${open ? counting[0] : []} /></div>
    </div>
    ${!open && html`<button class="main big" onClick=${challenge}>${say("Challenge")}</button>`}
    ${open && html`<p class="answer">${say("Had the bid been true, the point would be yours.")}</p>`}
  <//>`;
}
