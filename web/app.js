/** The page: one screen at a time, named by what follows # in the address. */

import { html, useEffect, useLayoutEffect, useState } from "./vendor/htm-preact.js";
import { StartScreen } from "./screens/start.js";
import { onUpdate } from "./store.js";
import { language, say } from "./words.js";

/** @typedef {(props: {path: string[]}) => object} Screen */

/** The screens besides the first, which are loaded when they are needed.
 * @type {Record<string, () => Promise<Screen>>} */
const SCREENS = {
  drill: async () => (await import("./screens/drill.js")).DrillScreen,
  explore: async () => (await import("./screens/explore.js")).ExploreScreen,
  friends: async () => (await import("./screens/friends.js")).FriendsScreen,
  "learn/card": async () => (await import("./screens/card.js")).CardScreen,
  learn: async () => (await import("./screens/lesson.js")).LessonScreen,
  own: async () => (await import("./screens/own.js")).OwnScreen,
  new: async () => (await import("./screens/new.js")).NewScreen,
  play: async () => (await import("./screens/play.js")).PlayScreen,
  puzzle: async () => (await import("./screens/puzzle.js")).PuzzleScreen,
  records: async () => (await import("./screens/records.js")).RecordsScreen,
  review: async () => (await import("./screens/review.js")).ReviewScreen,
  rules: async () => (await import("./screens/rules.js")).RulesScreen,
  trends: async () => (await import("./screens/trends.js")).TrendsScreen,
  table: async () => (await import("./screens/table.js")).TableScreen,
};
/** Those that are loaded.
 * @type {Record<string, Screen>} */
const loaded = {};

/** Return a screen by its name. While it is loaded, or if it cannot be, that is a screen which says so.
 * @param {string} name
 * @returns {Screen} */
function useScreen(name) {
  const [failed, setFailed] = useState("");
  const [, draw] = useState(0);
  const load = SCREENS[name];
  useEffect(() => {
    if (!load || loaded[name]) return;
    const arrived = (/** @type {Screen} */ screen) => {
      loaded[name] = screen;
      draw((times) => times + 1);
    };
    load().then(arrived, () => setFailed(name));
  }, [name]);
  if (!load) return StartScreen;
  return loaded[name] ?? (failed === name ? Failed : Arriving);
}

function Arriving() {
  return html`<p class="waiting" role="status">斋飞</p>`;
}

function Failed() {
  return html`<p class="waiting" role="alert">${say("This screen could not be loaded. Once you are online, open the page again.")}</p>`;
}

/** Return how many parts of a path name its screen.
 * @param {string[]} path */
function partsOfName(path) {
  return path.slice(0, 2).join("/") in SCREENS ? 2 : 1;
}

/** Return the address without its parts `name=value`: those change a screen, and leave it where it is.
 * @param {string[]} path */
function screenOf(path) {
  return path.filter((part) => !part.includes("=")).join("/");
}

/** Return what follows # in the address, in parts: `#/rules/ktv/3` is ["rules", "ktv", "3"]. */
function here() {
  return location.hash.replace(/^#\/?/, "").split("/");
}

export function App() {
  const [path, walk] = useState(here);
  const [, draw] = useState(0);
  // Before anybody can tap a link: an effect would hear of it only after the page is painted.
  useLayoutEffect(() => {
    const walked = () => walk(here());
    addEventListener("hashchange", walked);
    const forget = onUpdate(() => draw((times) => times + 1));
    return () => {
      removeEventListener("hashchange", walked);
      forget();
    };
  }, []);
  const parts = partsOfName(path);
  const name = path.slice(0, parts).join("/");
  const Screen = useScreen(name);
  useEffect(() => {
    scrollTo(0, 0);
    const title = document.querySelector("h1")?.textContent;
    document.title = title ? `${title} · 斋飞` : say("斋飞 zhaifei: Liar’s Dice");
  }, [screenOf(path), language(), Screen]);
  return html`<${Screen} key=${name} path=${path.slice(parts)} />`;
}
