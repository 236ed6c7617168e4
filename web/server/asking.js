/** Asking the server behind the page. */

import { language, say } from "../words.js";

/** What the server refuses, with its line. Status 404 stands for what is gone, 429 for too many questions. */
export class Refused extends Error {
  /** @param {string} line
   * @param {number} status */
  constructor(line, status) {
    super(line);
    this.status = status;
  }
}

/** Ask the server. Throws Refused, or another error if it cannot be reached.
 * @param {string} path  below `api/`
 * @param {Record<string, unknown>} question
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>} */
export async function ask(path, question, signal) {
  const answer = await fetch(`api/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...question, language: language() }),
    ...(signal && { signal }),
  });
  const content = await answer.json();
  if (!answer.ok) throw new Refused(content.error, answer.status);
  return content;
}

/** Return what went wrong in one line.
 * @param {unknown} error */
export function lineOf(error) {
  return error instanceof Refused ? error.message : say("The server cannot be reached.");
}
