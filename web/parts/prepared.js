/** Reading the parts of a policy that a position needs, while the page stays responsive. */

import { useEffect, useState } from "../vendor/htm-preact.js";

/** @typedef {import("../game/round.js").Round} Round */
/** @typedef {import("../policy/policy.js").PocketPolicy} PocketPolicy */

/** Milliseconds after which a position has been drawn. */
const DRAWN = 30;

/** Return whether a position has been drawn, and the policy answers there at once.
 * @param {PocketPolicy | null} policy
 * @param {Round} round */
export function usePrepared(policy, round) {
  const [prepared, setPrepared] = useState(/** @type {Round | null} */ (null));
  useEffect(() => {
    let wanted = true;
    const prepare = async () => {
      await policy?.at(round)?.prepare(round.history).catch(() => undefined); // whoever asks it says why
      if (wanted) setPrepared(round);
    };
    const timer = setTimeout(prepare, DRAWN);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [policy, round]);
  return prepared === round;
}
