/** The rules of your bar, as this browser keeps them under the names that you gave. */

import { isOwn } from "../game/rules.js";
import { state, update } from "../store.js";

/** @typedef {import("../game/rules.js").Listed} Listed */
/** Answers to the questions: counts and chosen answers by question.
 * @typedef {{players: number, counts: Record<string, number>, chosen: Record<string, string[]>}} Answers */
/**
 * @typedef {object} Own
 * @property {string} name  what the server calls the rules
 * @property {string} title  what you call them
 * @property {number[]} sizes  the numbers of players for which there are such rules
 * @property {number[]} solved  those of them for which a policy was known
 * @property {Answers} answers  that led to them
 */

const MOST = 30;
/** What a title has at most, in characters. */
export const LONGEST_TITLE = 24;
/** The service worker's cache of the files of own rules: see `sw.js`. */
const CACHE = "own-rules";

/** Return own rules as the index lists presets, for each number of players.
 * @param {Own[]} own
 * @returns {Listed[]} */
export function listedOwn(own) {
  return own.flatMap(({ name, title, sizes, solved }) =>
    sizes.map((players) => {
      const known = solved.includes(players);
      return { name, players, title: { zh: title, en: title }, solved: known, mastered: known, losesDice: false };
    }),
  );
}

/** Return what is kept under the name of rules.
 * @param {string} name */
export function ownNamed(name) {
  return state.own.find((one) => one.name === name);
}

/** Keep rules, first of all; in place of others of the same name, and of those that they were made of.
 * @param {Own} own
 * @param {string} [before]  the name of the rules that were changed */
export function keepOwn(own, before = own.name) {
  const others = state.own.filter(({ name }) => name !== own.name && name !== before);
  update({ own: [own, ...others].slice(0, MOST) });
}

/** Note whether a server knows a policy for a preset, or for rules that are kept.
 * @param {string} name
 * @param {number} players
 * @param {boolean} known */
export function noteSolved(name, players, known) {
  if (!isOwn(name)) return notePreset(`${name}-${players}`, known);
  const one = ownNamed(name);
  if (!one || one.solved.includes(players) === known) return;
  const solved = known ? [...one.solved, players] : one.solved.filter((size) => size !== players);
  update({ own: state.own.map((other) => (other === one ? { ...one, solved } : other)) });
}

/** @param {string} key  of a preset
 * @param {boolean} known */
function notePreset(key, known) {
  if (state.solved.includes(key) === known) return;
  update({ solved: known ? [...state.solved, key] : state.solved.filter((one) => one !== key) });
}

/** Return presets as the index lists them, with those that a server has solved.
 * @param {Listed[]} index
 * @returns {Listed[]} */
export function withSolved(index) {
  return index.map((one) =>
    state.solved.includes(`${one.name}-${one.players}`) ? { ...one, solved: true, mastered: true } : one);
}

/** Forget rules, and their files.
 * @param {string} name */
export async function forgetOwn(name) {
  update({ own: state.own.filter((one) => one.name !== name) });
  if (!("caches" in globalThis)) return;
  const cache = await caches.open(CACHE);
  const files = (await cache.keys()).filter(({ url }) => url.includes(`/${name}-`));
  await Promise.all(files.map((file) => cache.delete(file)));
}
