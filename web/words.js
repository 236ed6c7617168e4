/** Texts in English or Chinese. They are written in English where they are shown; the catalogue
 * `data/i18n/zh.json`, which Python writes from gettext's, maps each to the Chinese one. */

/** @typedef {"zh" | "en"} Language */
/** @typedef {Record<string, string | number>} Values */

/** @type {Language} */
let spoken = "en";
/** @type {Record<string, string>} */
let chinese = {};

/** Speak this language from now on; Chinese texts are loaded when they are first needed.
 * @param {Language} language */
export async function speak(language) {
  if (language === "zh" && Object.keys(chinese).length === 0) {
    const answer = await fetch("data/i18n/zh.json");
    if (answer.ok) chinese = await answer.json();
  }
  spoken = language;
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
}

/** @returns {Language} */
export function language() {
  return spoken;
}

/** Return a text in the language spoken, with values in place of the names in braces.
 * @param {string} text
 * @param {Values} [values] */
export function say(text, values = {}) {
  const found = (spoken === "zh" && chinese[text]) || text;
  return found.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}

/** Return the text for one, or for several; Chinese has one text for both.
 * @param {string} one
 * @param {string} several
 * @param {number} number  goes in place of {n}
 * @param {Values} [values] */
export function sayNumber(one, several, number, values = {}) {
  const plain = number === 1 || (spoken === "zh" && chinese[one]) ? one : several;
  return say(plain, { n: number, ...values });
}

/** Return names in a row.
 * @param {string[]} all */
export function names(all) {
  return all.join(spoken === "zh" ? "、" : ", ");
}

/** Return what somebody says.
 * @param {string} name
 * @param {string} words */
export function quoted(name, words) {
  return spoken === "zh" ? `${name}：${words}！` : `${name}: ${words}!`;
}

/** Return what is said of something.
 * @param {string} name
 * @param {string} words */
export function labelled(name, words) {
  return `${name}${spoken === "zh" ? "：" : ": "}${words}`;
}

/** Return a name with a note on it.
 * @param {string} name
 * @param {string} note */
export function noted(name, note) {
  return spoken === "zh" ? `${name}（${note}）` : `${name} (${note})`;
}

/** Return sentences as one text.
 * @param {string[]} parts  empty ones are left out */
export function sentences(parts) {
  return parts.filter(Boolean).join(spoken === "zh" ? "" : " ");
}

/** Return half sentences as one.
 * @param {string[]} parts  empty ones are left out */
export function together(parts) {
  return parts.filter(Boolean).join(spoken === "zh" ? "；" : "; ");
}

/** Return the one of two texts that is in the language spoken.
 * @template T
 * @param {{zh: T, en: T}} both */
export function inLanguage(both) {
  return both[spoken];
}

/** Return a share as a percentage without decimals; only what is certain is 0 % or 100 %.
 * @param {number} share  0 to 1 */
export function percent(share) {
  if (share > 0.995 && share < 1) return ">99%";
  if (share > 0 && share < 0.005) return "<1%";
  return `${Math.round(share * 100)}%`;
}
