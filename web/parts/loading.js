/** What is loaded while a screen waits: the rules and, if there is one, the policy. */

import { loadRules } from "../game/rules.js";
import { loadPolicy } from "../policy/policy.js";
import { html, useEffect, useState } from "../vendor/htm-preact.js";
import { say } from "../words.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../policy/policy.js").PocketPolicy} PocketPolicy */
/**
 * @typedef {object} Loaded
 * @property {Rules | null} rules
 * @property {PocketPolicy | null} policy
 * @property {boolean} failed  whether the rules could not be loaded
 * @property {boolean} lost  whether the policy could not be loaded
 */

/** Load rules, then their policy. Playing can begin before the policy is there, and goes on
 * without one if it cannot be loaded.
 * @param {string} name
 * @param {number} players
 * @param {boolean} [withPolicy]
 * @returns {Loaded} */
export function useRules(name, players, withPolicy = true) {
  const [loaded, setLoaded] = useState(
    /** @type {Loaded} */ ({ rules: null, policy: null, failed: false, lost: false }),
  );
  useEffect(() => {
    let wanted = true;
    /** @param {Partial<Loaded>} part */
    const tell = (part) => wanted && setLoaded((before) => ({ ...before, ...part }));
    const load = async () => {
      try {
        const rules = await loadRules(name, players);
        tell({ rules, policy: null, failed: false, lost: false });
        if (withPolicy) await loadPolicy(rules).then((policy) => tell({ policy }), () => tell({ lost: true }));
      } catch {
        tell({ failed: true });
      }
    };
    void load();
    return () => {
      wanted = false;
    };
  }, [name, players, withPolicy]);
  const fits = loaded.rules?.name === name && loaded.rules.players === players;
  return fits || loaded.failed ? loaded : { ...loaded, rules: null, policy: null };
}

/** @param {{failed: boolean}} props */
export function Waiting({ failed }) {
  return html`<p class="waiting" role="status">
    ${failed ? say("These rules could not be loaded. Once you are online, open the page again.") : "斋飞"}
  </p>`;
}
