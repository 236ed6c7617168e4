/** The server behind the page, if there is one: a static site has none. */

/**
 * @typedef {object} Server
 * @property {boolean} [rooms]  whether it has rooms
 * @property {string | null} [token]  what an address needs that is passed on
 */

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
