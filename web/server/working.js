/** What is shown while the server works on an answer. */

import { html, useEffect, useState } from "../vendor/htm-preact.js";
import { say, sentences } from "../words.js";
import { ask } from "./asking.js";

/** Milliseconds from one look at the server to the next. */
const BETWEEN = 2000;

/** Say that an answer is being worked out and, while the server compiles what it needs, how far it is. */
export function Working() {
  const compiled = useCompiled();
  const more = compiled > 0 ? say("The server compiles on first use; functions so far: {number}.", { number: compiled }) : "";
  return html`<p class="quiet">${sentences([say("Working it out…"), more])}</p>`;
}

/** Return how many functions the server has compiled, 0 unless it has compiled one since the first look. */
function useCompiled() {
  const [compiled, setCompiled] = useState(0);
  useEffect(() => {
    let wanted = true;
    const look = async () => {
      const first = await compiledSoFar();
      for (;;) {
        await new Promise((resolve) => setTimeout(resolve, BETWEEN));
        if (!wanted) return;
        const now = await compiledSoFar();
        if (wanted && now > first) setCompiled(now);
      }
    };
    look().catch(() => {}); // the question itself tells that the server cannot be reached
    return () => {
      wanted = false;
    };
  }, []);
  return compiled;
}

/** Return how many functions the server has compiled. Throws as `ask` does.
 * @returns {Promise<number>} */
async function compiledSoFar() {
  return (await ask("advice/compiled", {})).functions;
}
