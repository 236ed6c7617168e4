/** With friends: `#/friends` opens a room, `#/friends/CODE` is one. */

import { JoinRoom, MakeRoom, WaitingRoom } from "../friends/seats.js";
import { askRooms, useRoom } from "../friends/room.js";
import { RoomTable } from "../friends/table.js";
import { Bar } from "../parts/bar.js";
import { useRules, Waiting } from "../parts/loading.js";
import { lineOf } from "../server/asking.js";
import { state } from "../store.js";
import { html, useState } from "../vendor/htm-preact.js";
import { say } from "../words.js";

/** @typedef {import("../friends/room.js").Seen} Seen */
/** @typedef {import("../friends/room.js").Act} Act */

/** @param {{path: string[]}} props */
export function FriendsScreen({ path }) {
  const code = path[0] ?? "";
  const secret = state.friends.seats[code];
  if (code && secret) return html`<${Room} key=${code} code=${code} secret=${secret} />`;
  return html`<main class="page">
    <${Bar} title=${say("With Friends")} />
    ${code ? html`<${JoinRoom} key=${code} code=${code} />` : html`<${MakeRoom} />`}
  </main>`;
}

/** @param {{code: string, secret: string}} props */
function Room({ code, secret }) {
  const { seen, lost } = useRoom(code, secret);
  const [shownFrom, setShownFrom] = useState(-1);
  const [refused, setRefused] = useState("");
  const act = async (/** @type {Act} */ act) => {
    setRefused("");
    setShownFrom(Infinity);
    try {
      const { version } = await askRooms(`${code}/act`, { secret, ...act });
      setShownFrom(version);
    } catch (error) {
      setShownFrom(-1);
      setRefused(lineOf(error));
    }
  };
  const acting = seen !== null && seen.version < shownFrom;
  const trouble = lost ? say("The connection is lost. Trying again…") : refused;
  if (seen?.match) return html`<${Playing} seen=${seen} acting=${acting} trouble=${trouble} onAct=${act} />`;
  return html`<main class="page">
    <${Bar} title=${say("With Friends")} rules=${seen ? `rules/${seen.rules}/${seen.players}` : ""} />
    ${trouble && html`<p role="alert">${trouble}</p>`}
    ${seen ? html`<${WaitingRoom} seen=${seen} acting=${acting} onAct=${act} />` : html`<${Waiting} failed=${false} />`}
  </main>`;
}

/** @param {{seen: Seen, acting: boolean, trouble: string, onAct: (act: Act) => void}} props */
function Playing({ seen, acting, trouble, onAct }) {
  const { rules, failed } = useRules(seen.rules, seen.players, false);
  if (rules) return html`<${RoomTable} seen=${seen} rules=${rules} acting=${acting} trouble=${trouble} onAct=${onAct} />`;
  return html`<main class="page"><${Bar} title=${say("With Friends")} /><${Waiting} failed=${failed} /></main>`;
}
