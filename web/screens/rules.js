/** The rules of a preset, in words: `#/rules/NAME/PLAYERS`. */

import { isOwn, rulesIndex } from "../game/rules.js";
import { listedOwn, withSolved } from "../own/kept.js";
import { OwnLink, Solution } from "../own/link.js";
import { Bar } from "../parts/bar.js";
import { useRules, Waiting } from "../parts/loading.js";
import { state } from "../store.js";
import { html, useEffect, useState } from "../vendor/htm-preact.js";
import { inLanguage, say } from "../words.js";

/** @typedef {Awaited<ReturnType<typeof rulesIndex>>} Index */

/** Return the presets there are, and your own rules; an empty list until they are loaded. */
export function useIndex() {
  const [index, setIndex] = useState(/** @type {Index} */ ([]));
  useEffect(() => {
    rulesIndex().then(setIndex, () => setIndex([]));
  }, []);
  return index.length === 0 ? index : [...withSolved(index), ...listedOwn(state.own)];
}

/** Return what rules are called.
 * @param {Index} index
 * @param {string} name */
export function titleOf(index, name) {
  const title = index.find((one) => one.name === name)?.title;
  if (title) return inLanguage(title);
  return isOwn(name) ? say("Rules of Your Bar") : name;
}

/** Return the presets there are in which penalty points are taken, and nobody loses dice. */
export function usePointRules() {
  return useIndex().filter(({ losesDice }) => !losesDice);
}

/** Return each preset once, by its name.
 * @param {Index} index
 * @returns {Index} */
export function eachOnce(index) {
  return index.filter(({ name }, place) => index.findIndex((one) => one.name === name) === place);
}

/** @param {{path: string[]}} props */
export function RulesScreen({ path }) {
  const name = path[0] || "zhaifei";
  const players = Number(path[1]) || 2;
  const { rules, failed } = useRules(name, players, false);
  const index = useIndex();
  const first = (/** @type {string} */ one) => index.find((entry) => entry.name === one)?.players ?? 2;
  return html`<main class="page">
    <${Bar} title=${say("Rules")} rules="" />
    <article class="paper">
      <h2>${titleOf(index, name)}</h2>
      ${rules ? html`<${Told} told=${inLanguage(rules.told)} />` : html`<${Waiting} failed=${failed} />`}
    </article>
    ${rules && html`<${Solution} rules=${rules} />`}
    <nav class="others" aria-label=${say("Other Rules")}>
      ${eachOnce(index).map(
        (one) =>
          html`<a
            key=${one.name}
            href=${`#/rules/${one.name}/${first(one.name)}`}
            aria-current=${one.name === name ? "page" : null}
            >${inLanguage(one.title)}</a
          >`,
      )}
      <${OwnLink} from="rules" players=${players} />
    </nav>
    <p class="foot">
      <a class="second" href="#/learn">${say("Teach Me")}</a>
      <a class="second" href=${`#/learn/card/${players}`}>${say("Rules of Thumb")}</a>
    </p>
  </main>`;
}

/** Sentences; those that begin with a bid are examples.
 * @param {{told: string[]}} props */
export function Told({ told }) {
  return told.map((line) =>
    /^[飞斋]?\d+×\d/.test(line) ? html`<p class="item">${line}</p>` : html`<p>${line}</p>`,
  );
}
