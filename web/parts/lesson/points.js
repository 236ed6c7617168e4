/** The last step: how a match goes on, and the way to the first one. */

import { html } from "../../vendor/htm-preact.js";
import { say } from "../../words.js";
import { Scene } from "./scene.js";

export function Points() {
  return html`<${Scene} told=${say("That is all of it.")}>
    <ul class="so">
      <li>${say("Whoever loses a round takes a point and opens the next.")}</li>
      <li>${say("The first bid must be for more dice than there are players.")}</li>
      <li>${say("The fewest points win.")}</li>
    </ul>
    <a class="main big" href="#/new">${say("Play Now")}</a>
    <a class="second" href="#/learn/card/3">${say("Rules of Thumb")}</a>
    <a class="second" href="#/rules/zhaifei/2">${say("All Rules")}</a>
  <//>`;
}
