/** The questions for the rules of your bar, answered by taps. */

import { Choice } from "../parts/choice.js";
import { html } from "../vendor/htm-preact.js";
import { say } from "../words.js";
import { withAnswer } from "./asking.js";

/** @typedef {import("./kept.js").Answers} Answers */
/** @typedef {import("./asking.js").Asked} Asked */

const SIZES = [2, 3, 4, 5, 6, 7, 8];

/** @param {{answers: Answers, asked: Asked | null, onAnswer: (answers: Answers) => void}} props */
export function Questions({ answers, asked, onAnswer }) {
  return html`<div class="paper">
      <${Choice}
        name=${say("Players")}
        options=${SIZES.map((value) => ({ value, text: value }))}
        chosen=${answers.players}
        onChoose=${(/** @type {number} */ players) => onAnswer({ ...answers, players, counts: {} })}
      />
    </div>
    ${asked?.questions.map(
      (question) => html`<${Rows}
        key=${question.name}
        question=${question}
        given=${answers.chosen[question.name] ?? question.given}
        onTap=${(/** @type {string} */ value) => onAnswer(withAnswer(answers, question, value))}
      />`,
    )}
    ${asked && html`<${Openings} asked=${asked} answers=${answers} onAnswer=${onAnswer} />`}`;
}

/** A question with its answers, one below the other.
 * @param {{question: import("./asking.js").Choice, given: string[], onTap: (value: string) => void}} props */
function Rows({ question, given, onTap }) {
  const { asked, many, options } = question;
  return html`<div id=${question.name} class="paper answers" role="group" aria-label=${asked}>
    <h2>${asked} ${many && html`<small>${say("any of them")}</small>`}</h2>
    ${options.map(
      ({ value, text }) => html`<button key=${value} aria-pressed=${given.includes(value)} onClick=${() => onTap(value)}>
        ${text}
      </button>`,
    )}
  </div>`;
}

/** The counts of the first bid.
 * @param {{asked: Asked, answers: Answers, onAnswer: (answers: Answers) => void}} props */
function Openings({ asked, answers, onAnswer }) {
  return html`<div class="paper">
    ${asked.counts.map(
      ({ name, asked: text, options, given }) => html`<${Choice}
        key=${name}
        name=${text}
        options=${options.map((value) => ({ value, text: value }))}
        chosen=${answers.counts[name] ?? given}
        onChoose=${(/** @type {number} */ count) => onAnswer({ ...answers, counts: { ...answers.counts, [name]: count } })}
      />`,
    )}
  </div>`;
}
