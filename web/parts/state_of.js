/** State that belongs to what is shown. */

import { useState } from "../vendor/htm-preact.js";

/** Return a value that belongs to a subject, and what sets it. It is null again in the same moment in
 * which the subject changes: an effect would forget it later, and with it what was tapped meanwhile.
 * @template T
 * @param {unknown} subject
 * @returns {[T | null, (value: T | null) => void]} */
export function useStateOf(subject) {
  const [kept, setKept] = useState(/** @type {{subject: unknown, value: T | null} | null} */ (null));
  return [kept && kept.subject === subject ? kept.value : null, (value) => setKept({ subject, value })];
}
