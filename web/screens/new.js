/** A new match: one tap begins the usual one; players, opponents, rules and length can be chosen. */

import { beginMatch, GOALS, lastSetup } from "../match/beginning.js";
import { OwnLink } from "../own/link.js";
import { Bar } from "../parts/bar.js";
import { Choice } from "../parts/choice.js";
import { defaultSeats, mannerOf, nameOf } from "../parts/players.js";
import { OPPONENTS } from "../policy/opponents.js";
import { html, useMemo, useState } from "../vendor/htm-preact.js";
import { inLanguage, say, sayNumber } from "../words.js";
import { eachOnce, useIndex } from "./rules.js";

/** @typedef {import("../match/match.js").Goal} Goal */

/** @param {Goal} goal */
export function goalInWords({ kind, number }) {
  if (kind === "dice") return say("To the Last Die");
  return kind === "points"
    ? sayNumber("To {n} point", "To {n} points", number)
    : sayNumber("{n} round", "{n} rounds", number);
}

/** @param {Goal} one
 * @param {Goal} other */
function sameGoal(one, other) {
  return one.kind === other.kind && one.number === other.number;
}

export function NewScreen() {
  const index = useIndex();
  const last = useMemo(lastSetup, []);
  const [name, setName] = useState(last.rules);
  const [seats, setSeats] = useState(last.seats);
  const [goal, setGoal] = useState(GOALS.find((one) => sameGoal(one, last.goal)) ?? last.goal);
  const [failed, setFailed] = useState(false);
  const sizes = index.filter((one) => one.name === name).map(({ players }) => players);
  /** @param {number} players */
  const seatThem = (players) => setSeats((before) => [...before, ...defaultSeats(8).slice(before.length)].slice(0, players));
  /** @param {string} chosen */
  const chooseRules = (chosen) => {
    const fits = index.filter((one) => one.name === chosen).map(({ players }) => players);
    if (!fits.includes(seats.length)) seatThem(fits[0] ?? 2);
    setName(chosen);
  };
  const chosen = index.find((one) => one.name === name && one.players === seats.length);
  const start = () => beginMatch(name, seats, goal).catch(() => setFailed(true));
  return html`<main class="page">
    <${Bar} title=${say("New Match")} rules=${`rules/${name}/${seats.length}`} />
    <div class="paper">
      <${Choice}
        name=${say("Players")}
        options=${sizes.map((value) => ({ value, text: value }))}
        chosen=${seats.length}
        onChoose=${seatThem}
      />
      <${Opponents} seats=${seats} mastered=${chosen?.mastered ?? false} onChange=${setSeats} />
      <${Choice}
        name=${say("Rules")}
        options=${eachOnce(index).map(({ name: value, title }) => ({ value, text: inLanguage(title) }))}
        chosen=${name}
        onChoose=${chooseRules}
      />
      <${OwnLink} from="new" players=${seats.length} />
      <${Length} losesDice=${chosen?.losesDice ?? false} goal=${goal} onChoose=${setGoal} />
    </div>
    ${failed && html`<p role="alert">${say("These rules could not be loaded. Once you are online, open the page again.")}</p>`}
    <p class="foot stuck"><button class="main big" onClick=${start}>${say("Start")}</button></p>
  </main>`;
}

/** The choice of a goal; where dice are lost, there is one end.
 * @param {{losesDice: boolean, goal: Goal, onChoose: (goal: Goal) => void}} props */
export function Length({ losesDice, goal, onChoose }) {
  if (losesDice) return html`<p class="quiet">${say("Whoever loses a round loses a die. The last player with dice wins.")}</p>`;
  return html`<${Choice}
    name=${say("Length")}
    options=${GOALS.map((value) => ({ value, text: goalInWords(value) }))}
    chosen=${goal}
    onChoose=${onChoose}
  />`;
}

/** The others at the table; a tap seats the next opponent there.
 * @param {{seats: (string | null)[], mastered: boolean, onChange: (seats: (string | null)[]) => void}} props
 *   mastered: whether the strongest of them plays a policy */
function Opponents({ seats, mastered, onChange }) {
  /** @param {number} seat */
  const change = (seat) => {
    const place = OPPONENTS.findIndex(({ id }) => id === seats[seat]);
    const next = OPPONENTS[(place + 1) % OPPONENTS.length]?.id ?? null;
    onChange(seats.map((id, one) => (one === seat ? next : id)));
  };
  return html`<div class="choice" role="group" aria-label=${say("Opponents")}>
    <span class="choice-name">${say("Opponents")} <small>${say("tap to change")}</small></span>
    <div class="opponents">
      ${seats.map(
        (id, seat) =>
          id !== null &&
          html`<button key=${seat} class="opponent" onClick=${() => change(seat)}>
            <b>${nameOf(id)}</b><small>${mannerOf(id, mastered)}</small>
          </button>`,
      )}
    </div>
  </div>`;
}
