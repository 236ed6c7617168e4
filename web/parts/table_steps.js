/** The steps at a real table besides the bids: who sits there, your dice, who lost. */

import { eachOnce, useIndex } from "../screens/rules.js";
import { html } from "../vendor/htm-preact.js";
import { inLanguage, say } from "../words.js";
import { Choice } from "./choice.js";
import { Dice, Die } from "./die.js";

/** @typedef {import("../match/table.js").Table} Table */
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

/** @param {number} players */
function places(players) {
  return Array.from({ length: players }, (_, seat) => ({ value: seat, text: placeName(seat, players) }));
}

/** @param {{table: Table, onChange: (change: Partial<Table>) => void}} props */
export function TableSeats({ table, onChange }) {
  const index = useIndex();
  const sizes = index.filter(({ name }) => name === table.rules).map(({ players }) => players);
  /** @param {string} rules */
  const chooseRules = (rules) => {
    const fits = index.filter(({ name }) => name === rules).map(({ players }) => players);
    const players = fits.includes(table.players) ? table.players : (fits[0] ?? 2);
    onChange({ rules, players, opener: table.opener % players });
  };
  return html`<p class="told">${say("Tap what the others bid; you see how likely it is and what to do.")}</p>
    <div class="paper">
      <${Choice}
        name=${say("Players")}
        options=${sizes.map((value) => ({ value, text: value }))}
        chosen=${table.players}
        onChoose=${(/** @type {number} */ players) => onChange({ players, opener: table.opener % players })}
      />
      <${Choice}
        name=${say("Rules")}
        options=${eachOnce(index).map(({ name, title }) => ({ value: name, text: inLanguage(title) }))}
        chosen=${table.rules}
        onChoose=${chooseRules}
      />
      <${Choice}
        name=${say("Who Opens")}
        options=${places(table.players)}
        chosen=${table.opener}
        onChoose=${(/** @type {number} */ opener) => onChange({ opener })}
      />
    </div>
    <p class="foot stuck">
      <button class="main big" onClick=${() => onChange({ step: "dice", hand: [], history: [] })}>${say("Start")}</button>
    </p>`;
}

/** @param {{table: Table, rules: Rules, onDie: (face: number) => void}} props */
export function TableDice({ table, rules, onDie }) {
  const faces = Array.from({ length: rules.faces }, (_, face) => face + 1);
  const missing = rules.dice - table.hand.length;
  return html`<p class="told">${say("Tap your {number} dice", { number: rules.dice })}</p>
    <div class="paper tapped-dice">
      <${Dice} faces=${[...table.hand, ...Array.from({ length: missing }, () => 0)]} shown=${table.hand.length} />
    </div>
    <div class="dice-keys">
      ${faces.map(
        (face) =>
          html`<button key=${face} class="second" aria-label=${say("Die {face}", { face })} onClick=${() => onDie(face)}>
            <${Die} face=${face} />
          </button>`,
      )}
    </div>`;
}

/** @param {{table: Table, onLost: (seat: number) => void}} props */
export function WhoLost({ table, onLost }) {
  return html`<p class="told">${say("Who lost, and opens the next round?")}</p>
    <div class="who-lost">
      ${places(table.players).map(
        ({ value, text }) => html`<button key=${value} class="second big" onClick=${() => onLost(value)}>${text}</button>`,
      )}
    </div>`;
}
