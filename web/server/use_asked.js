/** Questions to the server while something is shown. */

import { useEffect, useState } from "../vendor/htm-preact.js";
import { lineOf } from "./asking.js";

/** Ask, and ask again when what it is about changes. An answer is returned as long as it answers the
 * present question: an effect would forget it only after it was shown beside another one.
 * @template T
 * @param {() => Promise<T>} question
 * @param {unknown[]} about
 * @returns {{answer?: T, trouble?: string}} */
export function useAsked(question, about) {
  const [found, setFound] = useState(/** @type {{about: unknown[], answer?: T, trouble?: string} | null} */ (null));
  useEffect(() => {
    let wanted = true;
    /** @param {{answer?: T, trouble?: string}} news */
    const tell = (news) => wanted && setFound({ about, ...news });
    question().then(
      (answer) => tell({ answer }),
      (error) => tell({ trouble: lineOf(error) }),
    );
    return () => {
      wanted = false;
    };
  }, about);
  return found && about.every((one, place) => Object.is(one, found.about[place])) ? found : {};
}
