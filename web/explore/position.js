/** A position of the explorer: what is played there, by whom dice are held, and the map of hands. */

import { isEnding } from "../game/round.js";
import { actionInWords } from "../parts/bid.js";
import { useFirst } from "../parts/actions_table.js";
import { colourOf } from "../parts/hand_cells.js";
import { figureInWords } from "../parts/hint.js";
import { gridAt, selected } from "../policy/hand_grid.js";
import { useOffers } from "../server/offers.js";
import { html, useEffect, useMemo } from "../vendor/htm-preact.js";
import { percent, say } from "../words.js";
import { Compared, useBeside } from "./compared.js";
import { HeldDice } from "./held_dice.js";
import { HandMap } from "./map.js";
import { addressAfter, turnTo } from "./links.js";
import { LocksPanel } from "./locks_panel.js";
import { OtherBids } from "./other_bids.js";
import { useWorkOut, WorkedRange } from "./work_out.js";

/** @typedef {import("../game/round.js").Round} Round */
/** @typedef {import("../policy/hand_grid.js").Played} Played */
/** @typedef {import("../policy/policy.js").PocketPolicy} PocketPolicy */
/** @typedef {import("./place.js").Place} Place */

/** The number of bids whose positions are read ahead, and the milliseconds between them. */
const [AHEAD, PAUSE] = [4, 400];

/** @param {{place: Place, policy: PocketPolicy}} props */
export function Position({ place, policy }) {
  const { round, held } = place;
  const grid = useMemo(() => gridAt(policy, round), [policy, round]);
  const found = useMemo(() => grid && selected(round.rules, grid, held), [round, grid, held]);
  useAhead(policy, round, found?.played ?? []);
  const beside = useBeside(policy, place);
  const compare = () => turnTo({ ...place, beside: { round, held } });
  const [loaded, workOut] = useWorkOut(place);
  const offered = useOffers().advice;
  const hold = (/** @type {readonly number[]} */ dice) => turnTo({ ...place, held: dice });
  return html`<div class="paper">
      ${found
        ? html`<p>${say("What the policy plays here. Tap a bid to go on, or a hand to see its row.")}</p>
            <${Legend} place=${place} played=${found.played} />`
        : html`<p>${say("The policy has no line here. Go back to one of its bids.")}</p>`}
      ${(found ?? loaded ?? workOut) && html`<${HeldDice} rules=${round.rules} held=${held} selected=${found} onChange=${hold} />`}
      <p class="foot">
        <${OtherBids} round=${round} after=${(/** @type {number} */ bid) => addressAfter(place, bid)} />
        ${!place.beside && found && html`<button class="second" onClick=${compare}>${say("Compare")}</button>`}
        ${workOut && html`<button class="second" onClick=${workOut}>${say("Work It Out")}</button>`}
      </p>
    </div>
    <${Compared} place=${place} here=${found} beside=${beside} />
    ${loaded && html`<${WorkedRange} place=${place} loaded=${loaded} />`}
    ${offered && round.rules.players === 2 && html`<${LocksPanel} place=${place} played=${found?.played ?? []} />`}
    <${HandMap} round=${round} policy=${policy} grid=${grid} selected=${found} isMarked=${held.length > 0} other=${beside?.grid ?? null} onHold=${hold} />
    <p class="small-print">${figureInWords(round.rules, policy)}</p>`;
}

/** Read what follows the likeliest bids while the position is looked at, so that the next one comes at
 * once. A part takes some tenths of a second on a slow phone.
 * @param {PocketPolicy} policy
 * @param {Round} round
 * @param {Played[]} played */
function useAhead(policy, { rules, history }, played) {
  useEffect(() => {
    const bids = played.map(({ action }) => action).filter((action) => !isEnding(rules, action)).slice(0, AHEAD);
    const timers = bids.map((bid, place) => setTimeout(() => void policy.prepare([...history, bid]).catch(() => undefined), (place + 1) * PAUSE));
    return () => timers.forEach(clearTimeout);
  }, [policy, history]);
}

/** The actions played, with their colours; bids lead on.
 * @param {{place: Place, played: Played[]}} props */
function Legend({ place, played }) {
  const { rules } = place.round;
  const { shown, more } = useFirst(played);
  return html`<ul class="legend">
    ${shown.map(({ action, share }, rank) => {
      const words = html`<i class="swatch" style=${`--colour: ${colourOf(rank)}`}></i>
        <b>${actionInWords(rules, action)}</b> ${percent(share)}`;
      return html`<li key=${action}>
        ${isEnding(rules, action) ? html`<span>${words}</span>` : html`<a href=${addressAfter(place, action)}>${words}</a>`}
      </li>`;
    })}
    ${more && html`<li key="more">${more}</li>`}
  </ul>`;
}
