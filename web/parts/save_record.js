/** A button that saves a record as a file, which `zhaifei review` reads. */

import { loadRules } from "../game/rules.js";
import { html, useState } from "../vendor/htm-preact.js";
import { say } from "../words.js";
import { Icon } from "./icon.js";

/** @typedef {import("../match/match.js").Played} Played */
/** @typedef {import("../match/table_keeping.js").KeptTable} KeptTable */

/** @param {{record: Played | KeptTable}} props */
export function SaveRecord({ record }) {
  const [failed, setFailed] = useState(false);
  const save = async () => {
    try {
      download(`zhaifei-${record.begun.replace(/\..*$/, "").replaceAll(":", "-")}.jsonl`, await textOf(record));
    } catch {
      setFailed(true);
    }
  };
  return html`<button class="tool" aria-label=${say("Save as a File")} title=${say("Save as a File")} onClick=${save}><${Icon} name="save" /></button>
    ${failed && html`<small role="alert">${say("This record could not be saved.")}</small>`}`;
}

/** Return a record as the text of a file. Throws an error if the rules cannot be loaded, or have changed.
 * @param {Played | KeptTable} record */
async function textOf(record) {
  const { matchText, tableText } = await import("../match/record_file.js");
  const players = "players" in record ? record.players : record.seats.length;
  const rules = await loadRules(record.rules, players);
  return "players" in record ? tableText(rules, record.rounds) : matchText(rules, record.seats, record.log ?? []);
}

/** @param {string} name
 * @param {string} text */
function download(name, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/jsonl" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href));
}
