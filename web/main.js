/** Begin: load the texts, draw the screen that the address names, and keep the page for offline. */

import { html, render } from "./vendor/htm-preact.js";
import { App } from "./app.js";
import { dress } from "./parts/settings.js";
import { state } from "./store.js";
import { speak } from "./words.js";

async function begin() {
  dress(state.settings);
  await speak(state.settings.language);
  const root = /** @type {Element} */ (document.querySelector("#app"));
  root.replaceChildren();
  render(html`<${App} />`, root);
  await goOffline();
}

/** Let the service worker keep the files of this version. Its address names the version, so that a
 * browser sees a new one at once. */
async function goOffline() {
  if (!("serviceWorker" in navigator)) return;
  try {
    const answer = await fetch("data/files.json", { cache: "no-cache" });
    const { version } = await answer.json();
    await navigator.serviceWorker.register(`sw.js?v=${version}`);
    await keepPolicy();
    // Kept for offline, after what the first match needs.
    await Promise.all([
      import("./screens/lesson.js"),
      import("./parts/picture.js"),
      import("./screens/table.js"),
      import("./screens/explore.js"),
      import("./screens/drill.js"),
      import("./screens/puzzle.js"),
      import("./screens/review.js"),
      import("./screens/trends.js"),
      import("./game/rules.js").then(({ loadRules }) => loadRules("zhaifei", 2)),
    ]);
  } catch {
    // Without the network the version that is kept plays on.
  }
}

/** Load the policy of the next match, so that the service worker keeps it too. */
async function keepPolicy() {
  const { serviceWorker } = navigator;
  await serviceWorker.ready;
  if (!serviceWorker.controller) {
    await new Promise((done) => serviceWorker.addEventListener("controllerchange", done, { once: true }));
  }
  const [{ lastSetup }, { loadRules }, { loadPolicy }] = await Promise.all([
    import("./match/beginning.js"),
    import("./game/rules.js"),
    import("./policy/policy.js"),
  ]);
  const { rules, seats } = lastSetup();
  await loadPolicy(await loadRules(rules, seats.length));
}

begin();
