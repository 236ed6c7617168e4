/** The first screen: what this is, a die that rolls, and two ways to begin. */

import { dueExercises } from "../drill/exercises.js";
import { isOver } from "../match/score.js";
import { Die } from "../parts/die.js";
import { Icon } from "../parts/icon.js";
import { Settings, switchLanguage } from "../parts/settings.js";
import { rattle } from "../parts/sound.js";
import { useOffers } from "../server/offers.js";
import { state } from "../store.js";
import { html, useState } from "../vendor/htm-preact.js";
import { language, say } from "../words.js";

export function StartScreen() {
  const [open, setOpen] = useState(false);
  const other = language() === "zh" ? "en" : "zh";
  const [failed, setFailed] = useState(false);
  const { rooms = false } = useOffers();
  const going = state.match !== null && !isOver(state.match);
  const due = dueExercises(state.drill, new Date()).length;
  const play = () => void beginAgain().catch(() => setFailed(true));
  return html`<main class="start">
    <div class="start-switches">
      <button class="plain" lang=${other} onClick=${() => switchLanguage(other)}>
        ${other === "zh" ? "中文" : "English"}
      </button>
      <button class="tool" aria-label=${say("Settings")} onClick=${() => setOpen(true)}><${Icon} name="gear" /></button>
    </div>
    <div class="start-name">
      <${RollingDie} />
      <h1><span lang="zh">斋飞</span><small>zhaifei</small></h1>
      <p>${say("Liar’s Dice as China plays it: bid, bluff, and call the bluff.")}</p>
    </div>
    <nav class="start-ways" aria-label=${say("Begin")}>
      ${failed && html`<p role="alert">${say("These rules could not be loaded. Once you are online, open the page again.")}</p>`}
      ${going
        ? html`<a class="main big" href="#/play">${say("Go On")}</a>`
        : html`<button class="main big" onClick=${play}>${say("Play Now")}</button>`}
      <a class="second big" href="#/learn">${say("Teach Me")}</a>
      <div class="start-links">
        <a href="#/new">${say("Players and Rules")}</a>
        ${rooms && html`<a href="#/friends">${say("With Friends")}</a>`}
        <a href="#/table">${say("At the Table")}</a>
        <a href="#/rules/zhaifei/2">${say("Rules")}</a>
        <a href="#/explore/zhaifei/2/">${say("Explorer")}</a>
        <a href="#/puzzle">${say("Daily Puzzle")}</a>
        <a href="#/drill">${due > 0 ? say("Practice ({n})", { n: due }) : say("Practice")}</a>
        <a href="#/records">${say("Records")}</a>
      </div>
    </nav>
    ${open && html`<${Settings} onClose=${() => setOpen(false)} />`}
  </main>`;
}

/** Begin a match like the last one. What that needs is loaded only now. */
async function beginAgain() {
  const { beginMatch, lastSetup } = await import("../match/beginning.js");
  const { rules, seats, goal } = lastSetup();
  await beginMatch(rules, seats, goal);
}

/** A die that rolls again when it is tapped. */
function RollingDie() {
  const [roll, setRoll] = useState({ face: 1, times: 0 });
  const again = () => {
    rattle();
    setRoll(({ face, times }) => ({ face: 1 + ((face + Math.floor(Math.random() * 5)) % 6), times: times + 1 }));
  };
  return html`<button class="rolling" aria-label=${say("Roll the die")} onClick=${again}>
    <span class="roll" key=${roll.times}><${Die} face=${roll.face} /></span>
  </button>`;
}
