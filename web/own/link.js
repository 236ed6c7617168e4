/** The ways to what a server knows of rules: those of your bar, and solving. */

import { useOffers } from "../server/offers.js";
import { html, useEffect, useState } from "../vendor/htm-preact.js";
import { say } from "../words.js";

/** @param {{from: "new" | "table" | "explore" | "rules", players: number}} props
 *   from: the screen to which the rules come back */
export function OwnLink({ from, players }) {
  const { own = false } = useOffers();
  return own ? html`<a class="own-link" href=${`#/own/${from}/${players}`}>${say("Rules of Your Bar")}</a>` : null;
}

/** Solving rules for which there is no policy. What it takes is loaded only then.
 * @param {{rules: import("../game/rules.js").Rules}} props */
export function Solution({ rules: { name, players, policy, match } }) {
  const { own = false } = useOffers();
  const wanted = own && policy === null && match === null;
  const [Solve, setSolve] = useState(/** @type {typeof import("./solve.js").Solve | null} */ (null));
  useEffect(() => {
    if (wanted) import("./solve.js").then((found) => setSolve(() => found.Solve), () => undefined);
  }, [wanted]);
  return wanted && Solve && html`<${Solve} key=${`${name}-${players}`} rules=${name} players=${players} />`;
}
