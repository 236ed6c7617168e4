/** What the policy plays with every hand, at the place that the address names. */

import { addressBack } from "../explore/links.js";
import { Position } from "../explore/position.js";
import { placeOf } from "../explore/place.js";
import { exploreAddress } from "../match/addresses.js";
import { OwnLink } from "../own/link.js";
import { Bar } from "../parts/bar.js";
import { actionInWords } from "../parts/bid.js";
import { Choice } from "../parts/choice.js";
import { useRules, Waiting } from "../parts/loading.js";
import { html, useMemo } from "../vendor/htm-preact.js";
import { inLanguage, say } from "../words.js";
import { eachOnce, useIndex } from "./rules.js";

/** @typedef {import("../game/rules.js").Rules} Rules */
/** @typedef {import("../explore/place.js").Place} Place */

/** @param {{path: string[]}} props */
export function ExploreScreen({ path }) {
  const name = path[0] || "zhaifei";
  const players = Number(path[1]) || 2;
  const { rules, policy, failed, lost } = useRules(name, players);
  const place = usePlace(rules, path.slice(2));
  return html`<main class="page explore">
    <${Bar} title=${say("Explorer")} rules=${`rules/${name}/${players}`} />
    ${rules && place
      ? html`<${Trail} place=${place} />
          ${place.round.history.length === 0 && html`<${Games} name=${name} players=${players} />`}
          ${policy
            ? html`<${Position} place=${place} policy=${policy} />`
            : html`<p class="waiting" role="status">${withoutPolicy(rules, lost)}</p>`}`
      : html`<${Waiting} failed=${failed} />`}
  </main>`;
}

/** Return the place of an address. Its round is the same object as before if only the rest has changed.
 * @param {Rules | null} rules
 * @param {string[]} path
 * @returns {Place | null} */
function usePlace(rules, path) {
  const found = useMemo(() => rules && placeOf(rules, path), [rules, path.join("/")]);
  const round = useMemo(() => found?.round, [rules, found?.round.history.join("-")]);
  return useMemo(() => found && round ? { ...found, round } : null, [found, round]);
}

/** @param {Rules} rules
 * @param {boolean} lost */
function withoutPolicy(rules, lost) {
  if (rules.policy === null) return say("There is no policy for this table.");
  return lost ? say("The policy could not be loaded. Once you are online, open the page again.") : "斋飞";
}

/** The games with a policy, to choose from.
 * @param {{name: string, players: number}} props */
function Games({ name, players }) {
  const solved = useIndex().filter((one) => one.solved);
  const sizes = (/** @type {string} */ chosen) => solved.filter((one) => one.name === chosen).map((one) => one.players);
  /** @param {string} chosen
   * @param {number} size */
  const go = (chosen, size) => {
    location.hash = exploreAddress({ name: chosen, players: size }, []);
  };
  return html`<div class="paper">
    <${Choice}
      name=${say("Players")}
      options=${sizes(name).map((value) => ({ value, text: value }))}
      chosen=${players}
      onChoose=${(/** @type {number} */ size) => go(name, size)}
    />
    <${Choice}
      name=${say("Rules")}
      options=${eachOnce(solved).map(({ name: value, title }) => ({ value, text: inLanguage(title) }))}
      chosen=${name}
      onChoose=${(/** @type {string} */ chosen) => go(chosen, sizes(chosen).includes(players) ? players : (sizes(chosen)[0] ?? 2))}
    />
    <${OwnLink} from="explore" players=${players} />
  </div>`;
}

/** The bids so far, each a link to the position after it.
 * @param {{place: Place}} props */
function Trail({ place }) {
  const { rules, history } = place.round;
  return html`<nav class="others" aria-label=${say("Bids of the round")}>
    <a href=${addressBack(place, 0)} aria-current=${history.length === 0 ? "page" : null}>${say("Opening")}</a>
    ${history.map(
      (bid, before) => html`<a
        key=${before}
        href=${addressBack(place, before + 1)}
        aria-current=${before === history.length - 1 ? "page" : null}
        >${actionInWords(rules, bid)}</a
      >`,
    )}
  </nav>`;
}
