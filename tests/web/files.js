/** The vectors that Python wrote into the directory ZHAIFEI_VECTORS (`tests/web/vectors.py`). */

import fs from "node:fs";
import path from "node:path";

import { rulesFrom } from "../../web/game/rules.js";

const DIRECTORY = process.env.ZHAIFEI_VECTORS ?? "";

/** @param {string} name */
export function bytes(name) {
  const { buffer, byteOffset, length } = fs.readFileSync(path.join(DIRECTORY, name));
  return /** @type {ArrayBuffer} */ (buffer.slice(byteOffset, byteOffset + length));
}

/** @param {string} name */
export function json(name) {
  return JSON.parse(new TextDecoder().decode(bytes(name)));
}

/** Keep a text for Python, which reads it after the tests.
 * @param {string} name
 * @param {string} text */
export function keep(name, text) {
  fs.writeFileSync(path.join(DIRECTORY, name), text);
}

/** Return what comes before `ending` in the names of files.
 * @param {string} ending */
export function keys(ending) {
  const names = fs.readdirSync(DIRECTORY).filter((name) => name.endsWith(ending));
  return names.map((name) => name.slice(0, -ending.length)).sort();
}

/** @param {string} key */
export function rulesOf(key) {
  const players = `${key}.players.json`;
  const decisions = fs.existsSync(path.join(DIRECTORY, players)) ? json(players) : {};
  return rulesFrom(json(`${key}.rules.json`), decisions);
}
