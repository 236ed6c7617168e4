/** Questions to the server while something is shown. */

import { useEffect, useState } from "../vendor/htm-preact.js";
import { lineOf } from "./asking.js";

/** Ask, and ask again when what it is about changes; an answer that comes after another question is
 * left aside.
 * @template T
 * @param {() => Promise<T>} question
 * @param {unknown[]} about
 * @returns {{answer?: T, trouble?: string}} */
export function useAsked(question, about) {
  const [found, setFound] = useState(/** @type {{answer?: T, trouble?: string}} */ ({}));
  useEffect(() => {
    let wanted = true;
    /** @param {{answer?: T, trouble?: string}} news */
    const tell = (news) => wanted && setFound(news);
    tell({});
    question().then(
      (answer) => tell({ answer }),
      (error) => tell({ trouble: lineOf(error) }),
    );
    return () => {
      wanted = false;
    };
  }, about);
  return found;
}
