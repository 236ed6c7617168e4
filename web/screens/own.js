/** The rules of your bar: `#/own/FROM/PLAYERS` asks for them, and brings them back to the screen FROM. */

import { loadRules } from "../game/rules.js";
import { exploreAddress } from "../match/addresses.js";
import { lastSetup } from "../match/beginning.js";
import { newTable } from "../match/table.js";
import { askQuestions } from "../own/asking.js";
import { forgetOwn, keepOwn, LONGEST_TITLE, ownNamed } from "../own/kept.js";
import { Questions } from "../own/questions.js";
import { Solve } from "../own/solve.js";
import { Bar } from "../parts/bar.js";
import { defaultSeats } from "../parts/players.js";
import { lineOf } from "../server/asking.js";
import { useOffers } from "../server/offers.js";
import { state, update } from "../store.js";
import { html, useEffect, useState } from "../vendor/htm-preact.js";
import { inLanguage, language, say } from "../words.js";
import { Told, useIndex } from "./rules.js";

/** @typedef {import("../own/kept.js").Own} Own */
/** @typedef {import("../own/kept.js").Answers} Answers */
/** @typedef {import("../own/asking.js").Asked} Asked */

/** @param {{path: string[]}} props */
export function OwnScreen({ path }) {
  const [from = "new", size = "2"] = path;
  const players = Number(size) || 2;
  const [edited, edit] = useState(() => ownNamed(rulesOf(from)) ?? null);
  const { own = false } = useOffers();
  return html`<main class="page">
    <${Bar} title=${say("Rules of Your Bar")} rules="" back=${from === "rules" ? "rules/zhaifei/2" : from} />
    <${Kept} edited=${edited} onEdit=${edit} />
    ${own
      ? html`<${Editor} key=${edited?.name ?? ""} from=${from} players=${players} edited=${edited} onForget=${() => edit(null)} />`
      : html`<p class="waiting" role="status">${say("Only a server can ask for the rules of your bar.")}</p>`}
  </main>`;
}

/** Return the rules that a screen has now.
 * @param {string} from */
function rulesOf(from) {
  if (from === "new") return lastSetup().rules;
  return from === "table" ? (state.table ?? newTable()).rules : "";
}

/** The rules that are kept, to be looked at and changed.
 * @param {{edited: Own | null, onEdit: (own: Own | null) => void}} props */
function Kept({ edited, onEdit }) {
  if (state.own.length === 0) return null;
  return html`<nav class="others" aria-label=${say("Your rules")}>
    <button aria-current=${edited === null ? "page" : null} onClick=${() => onEdit(null)}>${say("New Rules")}</button>
    ${state.own.map(
      (own) => html`<button key=${own.name} aria-current=${own.name === edited?.name ? "page" : null} onClick=${() => onEdit(own)}>
        ${own.title}
      </button>`,
    )}
  </nav>`;
}

/** @param {{from: string, players: number, edited: Own | null, onForget: () => void}} props */
function Editor({ from, players, edited, onForget }) {
  const [answers, setAnswers] = useState(/** @type {Answers} */ (edited?.answers ?? { players, counts: {}, chosen: {} }));
  const [title, setTitle] = useState(edited?.title ?? newTitle());
  const { asked, trouble } = useAsked(answers);
  const [failed, setFailed] = useState(false);
  const use = async () => {
    const { rules = null, is_preset: isPreset = false, sizes = [] } = asked ?? {};
    if (rules === null) return;
    setFailed(false);
    try {
      const { policy } = await loadRules(rules, answers.players);
      const solved = (ownNamed(rules)?.solved ?? []).filter((one) => one !== answers.players);
      if (policy !== null) solved.push(answers.players);
      if (!isPreset) keepOwn({ name: rules, title: title.trim() || newTitle(), sizes, solved, answers }, edited?.name);
      bringBack(from, rules, answers.players);
    } catch {
      setFailed(true);
    }
  };
  const remove = () => {
    if (!edited || !confirm(say("Delete these rules?"))) return;
    void forgetOwn(edited.name);
    onForget();
  };
  return html`<p class="told">${say("Tap what holds at your table; the rest is as usual.")}</p>
    <${Questions} answers=${answers} asked=${asked} onAnswer=${setAnswers} />
    ${trouble && html`<p role="alert">${trouble}</p>`}
    ${asked && html`<${InWords} asked=${asked} />`}
    ${asked?.rules && !asked.is_preset && html`<div class="paper">
        <label class="field">
          <span>${say("What you call these rules")}</span>
          <input value=${title} maxlength=${LONGEST_TITLE} autocomplete="off" onInput=${(/** @type {{target: HTMLInputElement}} */ { target }) => setTitle(target.value)} />
        </label>
      </div>
      <${Solve} rules=${asked.rules} players=${answers.players} />`}
    ${edited && html`<p class="foot"><button class="plain" onClick=${remove}>${say("Delete These Rules")}</button></p>`}
    ${failed && html`<p role="alert">${say("These rules could not be loaded. Once you are online, open the page again.")}</p>`}
    <p class="foot stuck"><button class="main big" disabled=${!asked?.rules} onClick=${use}>${say("Use These Rules")}</button></p>`;
}

/** The rules in words, or why they contradict each other.
 * @param {{asked: Asked}} props */
function InWords({ asked }) {
  const { rules, wrong, told } = asked;
  const preset = useIndex().find(({ name }) => name === rules && asked.is_preset);
  return html`<article class="paper">
    <h2>${say("Your Rules in Words")}</h2>
    ${preset && html`<p><b>${say("These are the rules {name}.", { name: inLanguage(preset.title) })}</b></p>`}
    ${wrong ? html`<p role="alert">${wrong}</p>` : html`<${Told} told=${told} />`}
  </article>`;
}

/** Ask for the questions after each answer. What was asked last stays until the next is there.
 * @param {Answers} answers */
function useAsked(answers) {
  const [asked, setAsked] = useState(/** @type {Asked | null} */ (null));
  const [trouble, setTrouble] = useState("");
  useEffect(() => {
    const leaving = new AbortController();
    askQuestions(answers, leaving.signal).then(
      (found) => {
        setAsked(found);
        setTrouble("");
      },
      (error) => leaving.signal.aborted || setTrouble(lineOf(error)),
    );
    return () => leaving.abort();
  }, [answers, language()]);
  return { asked, trouble };
}

/** Return a title that no other rules have. */
function newTitle() {
  const taken = state.own.map(({ title }) => title);
  const first = say("Our Bar");
  let title = first;
  for (let number = 2; taken.includes(title); number++) title = `${first} ${number}`;
  return title;
}

/** Go back to a screen with the rules chosen.
 * @param {string} from
 * @param {string} rules
 * @param {number} players */
function bringBack(from, rules, players) {
  if (from === "table") update({ table: { ...newTable(), rules, players } });
  if (from === "new") {
    const { seats, goal } = lastSetup();
    update({ setup: { rules, seats: [...seats, ...defaultSeats(8).slice(seats.length)].slice(0, players), goal } });
  }
  if (from === "explore") location.hash = exploreAddress({ name: rules, players }, []);
  else location.hash = from === "rules" ? `#/rules/${rules}/${players}` : `#/${from === "table" ? "table" : "new"}`;
}
