/** Solving the rules of your bar on the server: how it goes, and the policy that is known. */

import { forgetRules } from "../game/rules.js";
import { lineOf } from "../server/asking.js";
import { html, useEffect, useState } from "../vendor/htm-preact.js";
import { say, sentences } from "../words.js";
import { askSolving } from "./asking.js";
import { noteSolved } from "./kept.js";

/** @typedef {import("./asking.js").Solving} Solving */

/** Milliseconds between two questions of who waits. */
const AGAIN = 1000;

/** @param {{rules: string, players: number}} props */
export function Solve({ rules, players }) {
  const { solving, trouble, ask } = useSolving(rules, players);
  const runs = solving?.state === "running" || solving?.state === "stopping";
  return html`<div class="paper solution">
    <h2>${say("Solution")}</h2>
    <p role=${runs ? null : "status"}>${trouble || (solving ? stateInWords(solving, players) : "…")}</p>
    ${runs && html`<${Progress} solving=${solving} />`}
    ${solving && !runs && (!solving.known || solving.unfinished) && html`<button class="second" disabled=${solving.busy} onClick=${() => ask("solve")}>
      ${solving.unfinished ? say("Go On Solving") : say("Solve These Rules")}
    </button>`}
    ${runs && solving.yours && html`<button class="second" disabled=${solving.state === "stopping"} onClick=${() => ask("stop")}>
      ${say("Stop, and Keep What Is Solved")}
    </button>`}
  </div>`;
}

/** @param {{solving: Solving}} props */
function Progress({ solving }) {
  const { done = 0, goal = 1 } = solving.progress ?? {};
  return html`<progress value=${done} max=${goal} aria-label=${say("How far it is solved")}></progress>`;
}

/** Ask how solving goes on until it has ended, and let the page load the policy anew.
 * @param {string} rules
 * @param {number} players */
function useSolving(rules, players) {
  const [solving, setSolving] = useState(/** @type {Solving | null} */ (null));
  const [trouble, setTrouble] = useState("");
  const [asking, setAsking] = useState({ what: /** @type {"solving" | "solve" | "stop"} */ ("solving") });
  useEffect(() => {
    let wanted = true;
    let timer = 0;
    const look = async (/** @type {typeof asking.what} */ what) => {
      try {
        const found = await askSolving(what, rules, players);
        if (!wanted) return;
        setSolving(found);
        setTrouble("");
        noteSolved(rules, players, found.known);
        if (found.state === "running" || found.state === "stopping" || found.busy) timer = setTimeout(look, AGAIN, "solving");
        else forgetRules(rules, players);
      } catch (error) {
        if (wanted) setTrouble(lineOf(error));
      }
    };
    void look(asking.what);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [rules, players, asking]);
  return { solving, trouble, ask: (/** @type {typeof asking.what} */ what) => setAsking({ what }) };
}

/** @param {Solving} solving
 * @param {number} players */
function stateInWords({ state, busy, known, figure, unfinished, progress = {}, error }, players) {
  if (state === "stopping") return say("Keeping what is solved…");
  if (state === "running") return progress.seconds === undefined ? say("Solving begins…") : runInWords(progress, players);
  const solved = unfinished ? say("These rules are solved in part.") : say("These rules are solved.");
  if (known) return sentences([solved, figure === null ? "" : lossInWords(figure, players)]);
  if (busy) return say("Other rules are being solved. These can be next.");
  if (state === "failed") return error ?? say("These rules could not be solved.");
  return say("Nobody has solved these rules yet: advice rests on the bids alone. Solving takes the server some minutes.");
}

/** @param {NonNullable<Solving["progress"]>} progress
 * @param {number} players */
function runInWords({ seconds = 0, left = null, figure = null }, players) {
  return sentences([
    left === null
      ? say("Solving: {time} so far.", { time: clock(seconds) })
      : say("Solving: {time} so far, about {left} to go.", { time: clock(seconds), left: clock(left) }),
    figure === null ? "" : lossInWords(figure, players),
  ]);
}

/** Return what best replies gain against a policy, as it was measured.
 * @param {number} figure
 * @param {number} players */
function lossInWords(figure, players) {
  const values = { figure: figure.toFixed(3) };
  return players === 2
    ? say("As measured, the policy loses at most {figure} points a round.", values)
    : say("As measured, best replies of all seats gain {figure} points a round together.", values);
}

/** Return seconds as minutes and seconds, such as 1:05.
 * @param {number} seconds */
function clock(seconds) {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
