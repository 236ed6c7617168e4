/** Making a room, joining one, and waiting in it for the others. */

import { forDice, GOALS, lastSetup } from "../match/beginning.js";
import { Choice } from "../parts/choice.js";
import { eachOnce, useIndex } from "../screens/rules.js";
import { Length } from "../screens/new.js";
import { lineOf } from "../server/asking.js";
import { useOffers } from "../server/offers.js";
import { state } from "../store.js";
import { html, useEffect, useState } from "../vendor/htm-preact.js";
import { inLanguage, say } from "../words.js";
import { Qr } from "./qr.js";
import { askRooms, keepSeat } from "./room.js";

/** @typedef {import("./room.js").Seen} Seen */
/** @typedef {import("./room.js").Act} Act */
/** @typedef {import("./room.js").Company} Company */

/** What a person's name has at most, in characters: see `app/server/rooms/room.py`. */
const LONGEST_NAME = 16;

/** @param {{name: string, onName: (name: string) => void}} props */
function NameField({ name, onName }) {
  return html`<label class="field">
    <span>${say("Your name")}</span>
    <input value=${name} maxlength=${LONGEST_NAME} autocomplete="nickname" required onInput=${(/** @type {{target: HTMLInputElement}} */ { target }) => onName(target.value)} />
  </label>`;
}

export function MakeRoom() {
  const index = useIndex();
  const [name, setName] = useState(state.friends.name);
  const [chosen, setRules] = useState(lastSetup().rules);
  const rules = index.some((one) => one.name === chosen) ? chosen : "zhaifei";
  const losesDice = index.some((one) => one.name === rules && one.losesDice);
  const [wanted, setWanted] = useState(4);
  const [goal, setGoal] = useState(GOALS[0]);
  const [trouble, setTrouble] = useState("");
  const sizes = index.filter((one) => one.name === rules).map((one) => one.players);
  const players = sizes.length === 0 || sizes.includes(wanted) ? wanted : (sizes[0] ?? wanted);
  const companies = useCompanies(rules, players);
  const [preferred, setCompany] = useState(/** @type {Company} */ ("mixed"));
  const company = companies.includes(preferred) ? preferred : "mixed";
  const make = async (/** @type {Event} */ event) => {
    event.preventDefault();
    try {
      const { code, secret } = await askRooms("", { rules, players, goal: losesDice ? forDice(0) : goal, name, company });
      keepSeat(code, secret, name);
      location.hash = `#/friends/${code}`;
    } catch (error) {
      setTrouble(lineOf(error));
    }
  };
  return html`<${OwnRooms} />
    <form class="paper" onSubmit=${make}>
      <${NameField} name=${name} onName=${setName} />
      <${Choice} name=${say("Seats")} options=${sizes.map((value) => ({ value, text: value }))} chosen=${players} onChoose=${setWanted} />
      <${Choice}
        name=${say("Rules")}
        options=${eachOnce(index).map(({ name: value, title }) => ({ value, text: inLanguage(title) }))}
        chosen=${rules}
        onChoose=${setRules}
      />
      <${Length} losesDice=${losesDice} goal=${goal} onChoose=${setGoal} />
      ${companies.length > 1 && html`<${EmptySeats} company=${company} onChoose=${setCompany} />`}
      <p class="quiet">
        ${company === "learning" ? say("They learn how each of you plays, and forget it after the match.") : say("The program plays in seats that stay empty.")}
      </p>
      ${trouble && html`<p role="alert">${trouble}</p>`}
      <p><button class="main big" type="submit">${say("Open a Room")}</button></p>
    </form>
    <${EnterCode} />`;
}

/** Return who may take the empty seats of a room, as a server with rooms knows.
 * @param {string} rules
 * @param {number} players
 * @returns {Company[]} */
function useCompanies(rules, players) {
  const [known, setKnown] = useState(/** @type {Company[]} */ ([]));
  const { rooms } = useOffers();
  useEffect(() => {
    setKnown([]);
    if (!rooms) return;
    const stop = new AbortController();
    askRooms("companies", { rules, players }, stop.signal).then(
      ({ companies }) => setKnown(companies),
      () => {},
    );
    return () => stop.abort();
  }, [rooms, rules, players]);
  return known;
}

/** @param {{company: Company, onChoose: (company: Company) => void}} props */
function EmptySeats({ company, onChoose }) {
  /** @type {{value: Company, text: string}[]} */
  const options = [
    { value: "mixed", text: say("All Sorts") },
    { value: "learning", text: say("Players Who Learn") },
  ];
  return html`<${Choice} name=${say("Empty Seats")} options=${options} chosen=${company} onChoose=${onChoose} />`;
}

/** The rooms in which you have a seat. */
function OwnRooms() {
  const codes = Object.keys(state.friends.seats);
  if (codes.length === 0) return null;
  return html`<nav class="paper" aria-label=${say("Your rooms")}>
    ${codes.map((code) => html`<a key=${code} class="second big" href=${`#/friends/${code}`}>${say("Back to Room {code}", { code })}</a>`)}
  </nav>`;
}

function EnterCode() {
  const [code, setCode] = useState("");
  const enter = (/** @type {Event} */ event) => {
    event.preventDefault();
    location.hash = `#/friends/${code.trim().toUpperCase()}`;
  };
  return html`<form class="paper enter-code" onSubmit=${enter}>
    <label class="field">
      <span>${say("Code of a friend’s room")}</span>
      <input value=${code} maxlength="6" autocomplete="off" autocapitalize="characters" pattern="[0-9A-Za-z]{6}" required onInput=${(/** @type {{target: HTMLInputElement}} */ { target }) => setCode(target.value)} />
    </label>
    <button class="second big" type="submit">${say("Enter")}</button>
  </form>`;
}

/** @param {{code: string}} props */
export function JoinRoom({ code }) {
  const [name, setName] = useState(state.friends.name);
  const [trouble, setTrouble] = useState("");
  const join = async (/** @type {Event} */ event) => {
    event.preventDefault();
    try {
      const { secret } = await askRooms(`${code}/join`, { name });
      keepSeat(code, secret, name);
    } catch (error) {
      setTrouble(lineOf(error));
    }
  };
  return html`<form class="paper" onSubmit=${join}>
    <h2>${say("Room {code}", { code })}</h2>
    <${NameField} name=${name} onName=${setName} />
    ${trouble && html`<p role="alert">${trouble}</p>`}
    <p><button class="main big" type="submit">${say("Sit Down")}</button></p>
  </form>`;
}

/** The room before the match.
 * @param {{seen: Seen, acting: boolean, onAct: (act: Act) => void}} props */
export function WaitingRoom({ seen, acting, onAct }) {
  const { token } = useOffers();
  const entry = token ? `?token=${encodeURIComponent(token)}` : "";
  const link = `${location.origin}${location.pathname}${entry}#/friends/${seen.code}`;
  const free = seen.company === "learning" ? say("free, or a player who learns") : say("free, or the program");
  const host = seen.host === null ? "" : (seen.seats[seen.host]?.name ?? "");
  return html`<div class="paper waiting-room">
    <${Qr} text=${link} />
    <p class="room-code"><small>${say("Code")}</small><b>${seen.code}</b></p>
    <p class="room-link">${link}</p>
    <ol class="sitting">
      ${seen.seats.map((one, seat) => html`<li key=${seat} class=${one.name ? "" : "free"}>${one.name || free}</li>`)}
    </ol>
    ${seen.seat === seen.host
      ? html`<button class="main big" disabled=${acting} onClick=${() => onAct({ kind: "start" })}>${say("Start")}</button>`
      : html`<p class="quiet" role="status">${say("{name} starts the match.", { name: host })}</p>`}
    <button class="plain wide" onClick=${() => onAct({ kind: "leave" })}>${say("Leave the Room")}</button>
  </div>`;
}
