/** Language, light, sound and vibration, in a sheet. */

import { click } from "./sound.js";
import { set, state } from "../store.js";
import { html } from "../vendor/htm-preact.js";
import { say, speak } from "../words.js";
import { Choice } from "./choice.js";
import { Sheet } from "./sheet.js";

/** @typedef {import("../store.js").Settings} Settings */

/** Dress the page in its colours.
 * @param {Settings} settings */
export function dress({ light }) {
  if (light === "system") delete document.documentElement.dataset.light;
  else document.documentElement.dataset.light = light;
}

/** Speak a language, and remember it.
 * @param {"zh" | "en"} language */
export async function switchLanguage(language) {
  await speak(language);
  set({ language });
}

/** @param {Settings["light"]} light */
function switchLight(light) {
  set({ light });
  dress(state.settings);
}

/** @param {boolean} sound */
function switchSound(sound) {
  set({ sound });
  click();
}

/** @param {{onClose: () => void}} props */
export function Settings({ onClose }) {
  const { settings } = state;
  const onOff = [
    { value: true, text: say("On") },
    { value: false, text: say("Off") },
  ];
  const lights = [
    { value: "system", text: say("System") },
    { value: "light", text: say("Light") },
    { value: "dark", text: say("Dark") },
  ];
  const languages = [
    { value: "zh", text: "中文" },
    { value: "en", text: "English" },
  ];
  return html`<${Sheet} title=${say("Settings")} onClose=${onClose}>
    <${Choice} name=${say("Language")} options=${languages} chosen=${settings.language} onChoose=${switchLanguage} />
    <${Choice} name=${say("Colours")} options=${lights} chosen=${settings.light} onChoose=${switchLight} />
    <${Choice} name=${say("Sound")} options=${onOff} chosen=${settings.sound} onChoose=${switchSound} />
    <${Choice}
      name=${say("Vibration")}
      options=${onOff}
      chosen=${settings.vibration}
      onChoose=${(/** @type {boolean} */ vibration) => set({ vibration })}
    />
    <p class="keys quiet">
      ${say("Keys: F and Z choose 飞 and 斋, 1 to 6 a face, arrows move, Enter bids, C challenges, H gives a hint.")}
    </p>
  <//>`;
}
