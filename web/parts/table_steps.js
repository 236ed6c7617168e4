/** The steps at a table with real dice before the bids: who sits there, and your dice. */

import { setUp, sitDown } from "../match/table_keeping.js";
import { OwnLink } from "../own/link.js";
import { eachOnce, usePointRules } from "../screens/rules.js";
import { html } from "../vendor/htm-preact.js";
import { inLanguage, say } from "../words.js";
import { Choice } from "./choice.js";
import { Dice, Die } from "./die.js";

/** @typedef {import("../match/table.js").Table} Table */
/** @typedef {import("../match/table.js").Sitting} Sitting */
/** @typedef {import("../match/table.js").Tap} Tap */
/** @typedef {import("../game/rules.js").Rules} Rules */

/** Return what a seat is called from yours, which is 0.
 * @param {number} seat
 * @param {number} players */
export function placeName(seat, players) {
  if (seat === 0) return say("You");
  if (players === 2) return say("Opponent");
  if (seat === 1) return say("Next Player");
  if (seat === players - 1) return say("Player Before You");
  return say("Player {n}", { n: seat + 1 });
}

/** Return the players as options.
 * @param {number} players */
export function places(players) {
  return Array.from({ length: players }, (_, seat) => ({ value: seat, text: placeName(seat, players) }));
}

/** @param {{table: Table}} props */
export function TableSeats({ table }) {
  const index = usePointRules();
  const sizes = index.filter(({ name }) => name === table.rules).map(({ players }) => players);
  /** @param {string} rules */
  const chooseRules = (rules) => {
    const fits = index.filter(({ name }) => name === rules).map(({ players }) => players);
    const players = fits.includes(table.players) ? table.players : (fits[0] ?? 2);
    setUp({ rules, players, opener: table.opener % players });
  };
  return html`<p class="told">${say("Tap what the others bid; you see how likely it is and what to do.")}</p>
    <div class="paper">
      <${Choice}
        name=${say("Players")}
        options=${sizes.map((value) => ({ value, text: value }))}
        chosen=${table.players}
        onChoose=${(/** @type {number} */ players) => setUp({ players, opener: table.opener % players })}
      />
      <${Choice}
        name=${say("Rules")}
        options=${eachOnce(index).map(({ name, title }) => ({ value: name, text: inLanguage(title) }))}
        chosen=${table.rules}
        onChoose=${chooseRules}
      />
      <${OwnLink} from="table" players=${table.players} />
      <${Choice}
        name=${say("Who Opens")}
        options=${places(table.players)}
        chosen=${table.opener}
        onChoose=${(/** @type {number} */ opener) => setUp({ opener })}
      />
    </div>
    <p class="foot stuck">
      <button class="main big" onClick=${sitDown}>${say("Start")}</button>
    </p>`;
}

/** @param {{rules: Rules, sitting: Sitting, onTap: (tap: Tap) => void}} props */
export function TableDice({ rules, sitting, onTap }) {
  const hand = sitting.hands[0] ?? [];
  const covered = Array.from({ length: rules.dice - hand.length }, () => 0);
  const { opener } = sitting.round;
  return html`<p class="told">
      ${say("Tap your {number} dice", { number: rules.dice })}
      <small class="opens">${opener === 0 ? say("You open") : say("{name} opens", { name: placeName(opener, rules.players) })}</small>
    </p>
    <div class="paper tapped-dice">
      <${Dice} faces=${[...hand, ...covered]} shown=${hand.length} />
    </div>
    <${DiceKeys} rules=${rules} onDie=${(/** @type {number} */ die) => onTap({ die, seat: 0 })} />`;
}

/** A key for each face of a die.
 * @param {{rules: Rules, disabled?: boolean, onDie: (face: number) => void}} props */
export function DiceKeys({ rules, disabled = false, onDie }) {
  const faces = Array.from({ length: rules.faces }, (_, face) => face + 1);
  return html`<div class="dice-keys">
    ${faces.map(
      (face) =>
        html`<button key=${face} class="second" disabled=${disabled} aria-label=${say("Die {face}", { face })} onClick=${() => onDie(face)}>
          <${Die} face=${face} />
        </button>`,
    )}
  </div>`;
}
