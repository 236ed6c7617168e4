/** The map of all hands: what is played with each, or how likely each is. */

import { Choice } from "../parts/choice.js";
import { HandCells, stripes, tint } from "../parts/hand_cells.js";
import { useStateOf } from "../parts/state_of.js";
import { handsOf, partsLeft } from "../policy/hand_grid.js";
import { html, useMemo, useState } from "../vendor/htm-preact.js";
import { say } from "../words.js";
import { haveBid, rangeOf } from "./bid_ranges.js";
import { HandSheet, LikelySheet } from "./hand_sheet.js";

/** @typedef {import("../game/round.js").Round} Round */
/** @typedef {import("../policy/hand_grid.js").Arrangement} Arrangement */
/** @typedef {import("../policy/hand_grid.js").GridHand} GridHand */
/** @typedef {import("../policy/hand_grid.js").Selected} Selected */
/** @typedef {import("../policy/policy.js").PocketPolicy} PocketPolicy */

/** Stands for the map of what is played. */
const PLAYED = "played";

/** What a map shows: what is played, or what a seat may hold.
 * @typedef {typeof PLAYED | number} Shown */

/** @param {{
 *   round: Round, policy: PocketPolicy, grid: GridHand[] | null, selected: Selected | null, isMarked: boolean,
 * }} props  grid: null off the policy's lines; isMarked: whether the selected hands are marked */
export function HandMap({ round, policy, grid, selected, isMarked }) {
  const { rules } = round;
  const [arrangement, setArrangement] = useState(/** @type {Arrangement} */ ("ones"));
  const [chosen, setShown] = /** @type {typeof useStateOf<Shown>} */ (useStateOf)(round);
  const [tapped, setTapped] = /** @type {typeof useStateOf<readonly number[]>} */ (useStateOf)(round);
  const seats = useMemo(() => haveBid(round), [round]);
  const shown = chosen ?? (grid ? PLAYED : seats[0]);
  const range = useMemo(() => (typeof shown === "number" ? rangeOf(policy, round, grid, shown) : null), [policy, round, grid, shown]);
  const parts = useMemo(() => range && partsLeft(rules, range), [rules, range]);
  const numbers = useMemo(() => new Map(handsOf(rules).map(([faces, number]) => [faces.join(""), number])), [rules]);
  const byName = useMemo(() => new Map((grid ?? []).map((hand) => [hand.faces.join(""), hand])), [grid]);
  if (shown === undefined) return null;
  const actions = (selected?.played ?? []).map(({ action }) => action);
  /** @param {readonly number[]} faces */
  const look = (faces) => {
    const hand = byName.get(faces.join(""));
    const part = parts?.[numbers.get(faces.join("")) ?? 0] ?? 0;
    const marked = isMarked && (shown === PLAYED || shown === round.turn) && hand !== undefined && (selected?.hands.has(hand) ?? false);
    if (parts) return { stops: part > 0 ? tint(part) : null, marked };
    return { stops: hand && hand.weight > 0 ? stripes(hand, actions) : null, marked };
  };
  const close = () => setTapped(null);
  return html`<div class="paper map-choices">
      <${Choice} name=${say("Arranged by")} options=${waysToArrange()} chosen=${arrangement} onChoose=${setArrangement} />
      ${seats.length > 0 && html`<${Choice} name=${say("The Map Shows")} options=${mapsOf(round, grid, seats)} chosen=${shown} onChoose=${setShown} />`}
      ${range && html`<p class="quiet">${say("The stronger the colour, the more often a hand bids like this.")}</p>`}
    </div>
    <${HandCells} hands=${handsOf(rules).map(([faces]) => faces)} arrangement=${arrangement} look=${look} onTap=${setTapped} />
    ${tapped && html`<${Tapped} faces=${tapped} round=${round} range=${range} shown=${shown} hand=${byName.get(tapped.join(""))} actions=${actions} onClose=${close} />`}`;
}

/** What is known of the hand that was tapped.
 * @param {{
 *   faces: readonly number[], round: Round, range: ArrayLike<number> | null, shown: Shown,
 *   hand: GridHand | undefined, actions: number[], onClose: () => void,
 * }} props */
function Tapped({ faces, round: { rules }, range, shown, hand, actions, onClose }) {
  if (range && typeof shown === "number") {
    const number = rules.tables.hands.get(faces.join("")) ?? 0;
    const [share, dealt] = [range[number] ?? 0, rules.tables.prior[number] ?? 0];
    return html`<${LikelySheet} faces=${faces} name=${playerName(shown)} share=${share} dealt=${dealt} onClose=${onClose} />`;
  }
  return hand ? html`<${HandSheet} rules=${rules} hand=${hand} actions=${actions} onClose=${onClose} />` : null;
}

function waysToArrange() {
  return [
    { value: "ones", text: say("Ones") },
    { value: "shape", text: say("Shape") },
    { value: "order", text: say("Order") },
  ];
}

/** @param {Round} round
 * @param {GridHand[] | null} grid
 * @param {number[]} seats */
function mapsOf(round, grid, seats) {
  const ranges = seats.map((seat) => ({ value: seat, text: say("Dice of {name}", { name: playerName(seat) }) }));
  return grid ? [{ value: PLAYED, text: say("What Is Played") }, ...ranges] : ranges;
}

/** Return what a player is called; the one who opens is the first.
 * @param {number} seat */
export function playerName(seat) {
  return say("Player {n}", { n: seat + 1 });
}
