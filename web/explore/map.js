/** The map of all hands: what is played with each, how likely each is, or where two positions differ. */

import { Choice } from "../parts/choice.js";
import { HandCells } from "../parts/hand_cells.js";
import { useStateOf } from "../parts/state_of.js";
import { handsOf } from "../policy/hand_grid.js";
import { html, useMemo, useState } from "../vendor/htm-preact.js";
import { say } from "../words.js";
import { haveBid, rangeOf } from "./bid_ranges.js";
import { DifferenceSheet, HandSheet, LikelySheet } from "./hand_sheet.js";
import { byName, differencePaint, playedPaint, rangePaint } from "./paints.js";

/** @typedef {import("../game/round.js").Round} Round */
/** @typedef {import("../policy/hand_grid.js").Arrangement} Arrangement */
/** @typedef {import("../policy/hand_grid.js").GridHand} GridHand */
/** @typedef {import("../policy/hand_grid.js").Selected} Selected */
/** @typedef {import("../policy/policy.js").PocketPolicy} PocketPolicy */
/** @typedef {import("./paints.js").ByName} ByName */

/** Stand for the maps of what is played, and of how it differs from another position. */
const [PLAYED, DIFFERENCE] = /** @type {const} */ (["played", "difference"]);

/** What a map shows; a number is the seat whose hands it shows.
 * @typedef {typeof PLAYED | typeof DIFFERENCE | number} Shown */

/** @param {{
 *   round: Round, policy: PocketPolicy, grid: GridHand[] | null, selected: Selected | null, isMarked: boolean,
 *   other: GridHand[] | null, onHold: (hand: readonly number[]) => void,
 * }} props  grid: null off the policy's lines; isMarked: whether the selected hands are marked; other: what
 *   is played at another position, if there is one to compare; onHold: somebody selects a hand */
export function HandMap({ round, policy, grid, selected, isMarked, other, onHold }) {
  const { rules } = round;
  const [arrangement, setArrangement] = useState(/** @type {Arrangement} */ ("ones"));
  const [chosen, setShown] = /** @type {typeof useStateOf<Shown>} */ (useStateOf)(round);
  const [tapped, setTapped] = /** @type {typeof useStateOf<readonly number[]>} */ (useStateOf)(round);
  const seats = useMemo(() => haveBid(round), [round]);
  const [here, there] = useMemo(() => [byName(grid), byName(other)], [grid, other]);
  const canDiffer = here.size > 0 && there.size > 0;
  const shown = (chosen === DIFFERENCE && !canDiffer ? null : chosen) ?? (grid ? PLAYED : seats[0]);
  const range = useMemo(() => (typeof shown === "number" ? rangeOf(policy, round, grid, shown) : null), [policy, round, grid, shown]);
  const actions = useMemo(() => (selected?.played ?? []).map(({ action }) => action), [selected]);
  const paint = useMemo(() => {
    if (range) return rangePaint(rules, range);
    return shown === DIFFERENCE ? differencePaint(here, there) : playedPaint(here, actions);
  }, [rules, range, shown, here, there, actions]);
  if (shown === undefined) return null;
  const marked = isMarked && (typeof shown === "string" || shown === round.turn) ? selected?.hands : undefined;
  const hold = (/** @type {readonly number[]} */ faces) => {
    setTapped(null);
    onHold(faces);
  };
  const options = optionsOf(grid !== null, canDiffer, seats);
  return html`<div class="paper map-choices">
      <${Choice} name=${say("Arranged by")} options=${waysToArrange()} chosen=${arrangement} onChoose=${setArrangement} />
      ${options.length > 1 && html`<${Choice} name=${say("The Map Shows")} options=${options} chosen=${shown} onChoose=${setShown} />`}
      ${shown !== PLAYED && html`<p class="quiet">${colourInWords(shown)}</p>`}
    </div>
    <${HandCells}
      hands=${handsOf(rules).map(([faces]) => faces)}
      arrangement=${arrangement}
      look=${(/** @type {readonly number[]} */ faces) => {
        const [name, hand] = [faces.join(""), here.get(faces.join(""))];
        return { stops: paint(name), marked: hand !== undefined && (marked?.has(hand) ?? false) };
      }}
      onTap=${setTapped}
      shareOf=${range && ((/** @type {readonly number[]} */ faces) => range[numberOf(rules, faces)] ?? 0)}
    />
    ${tapped && html`<${Tapped} faces=${tapped} round=${round} range=${range} shown=${shown} here=${here} there=${there} actions=${actions} onHold=${hold} onClose=${() => setTapped(null)} />`}`;
}

/** What is known of the hand that was tapped.
 * @param {{
 *   faces: readonly number[], round: Round, range: ArrayLike<number> | null, shown: Shown, here: ByName, there: ByName,
 *   actions: number[], onHold: (hand: readonly number[]) => void, onClose: () => void,
 * }} props */
function Tapped({ faces, round: { rules }, range, shown, here, there, actions, onHold, onClose }) {
  const [hand, other] = [here.get(faces.join("")), there.get(faces.join(""))];
  if (range && typeof shown === "number") {
    const number = numberOf(rules, faces);
    const [share, dealt] = [range[number] ?? 0, rules.tables.prior[number] ?? 0];
    return html`<${LikelySheet} faces=${faces} name=${playerName(shown)} share=${share} dealt=${dealt} onClose=${onClose} />`;
  }
  if (shown === DIFFERENCE && hand && other) return html`<${DifferenceSheet} rules=${rules} here=${hand} there=${other} onClose=${onClose} />`;
  return hand ? html`<${HandSheet} rules=${rules} hand=${hand} actions=${actions} onHold=${onHold} onClose=${onClose} />` : null;
}

/** @param {import("../game/rules.js").Rules} rules
 * @param {readonly number[]} faces */
function numberOf({ tables }, faces) {
  return tables.hands.get(faces.join("")) ?? 0;
}

function waysToArrange() {
  return [
    { value: "ones", text: say("Ones") },
    { value: "shape", text: say("Shape") },
    { value: "order", text: say("Order") },
  ];
}

/** @param {boolean} isPlayed  whether the policy has a line
 * @param {boolean} canDiffer
 * @param {number[]} seats  that have bid
 * @returns {{value: Shown, text: string}[]} */
function optionsOf(isPlayed, canDiffer, seats) {
  /** @type {{value: Shown, text: string}[]} */
  const first = isPlayed ? [{ value: PLAYED, text: say("What Is Played") }] : [];
  if (canDiffer) first.push({ value: DIFFERENCE, text: say("Differences") });
  return [...first, ...seats.map((seat) => ({ value: seat, text: say("Dice of {name}", { name: playerName(seat) }) }))];
}

/** @param {Shown} shown */
function colourInWords(shown) {
  return shown === DIFFERENCE
    ? say("The stronger the colour, the more of what is played with a hand differs.")
    : say("The stronger the colour, the more often a hand bids like this.");
}

/** Return what a player is called; the one who opens is the first.
 * @param {number} seat */
function playerName(seat) {
  return say("Player {n}", { n: seat + 1 });
}
