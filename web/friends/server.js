/** The server behind the page, if there is one: a static site has none. */

/** @typedef {{rooms?: boolean}} Server */

/** @type {Promise<Server> | null} */
let asked = null;

/** Return what the server offers, nothing without one. It is asked once.
 * @returns {Promise<Server>} */
export function server() {
  asked ??= ask();
  return asked;
}

/** @returns {Promise<Server>} */
async function ask() {
  try {
    const answer = await fetch("data/server.json", { cache: "no-store" });
    return answer.ok ? await answer.json() : {};
  } catch {
    return {};
  }
}
