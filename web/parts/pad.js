/** The pad: one tap a bid. Rows are counts from the lowest that may be bid, columns are faces; each
 * cell has the chance that the bid is true. A bid that is not legal says why. */

import { isAsked, raisesAfter, whyNot } from "../game/round.js";
import { html, useLayoutEffect, useMemo, useRef, useState } from "../vendor/htm-preact.js";
import { inLanguage, percent, say } from "../words.js";
import { bidInWords, MODES } from "./bid.js";
import { Die } from "./die.js";
import { Icon } from "./icon.js";

/** @typedef {import("../game/rules.js").Bid} Bid */
/** @typedef {import("../game/round.js").Round} Round */
/** @typedef {(bid: number) => number | null} Chance  of a bid being true, 0 to 1; null is not shown */

const ROWS = 4;

/**
 * @typedef {object} PadProps
 * @property {Round} round
 * @property {Chance} chance
 * @property {boolean} active  whether a bid may be made now
 * @property {number | null} advised  the bid that a hint recommends
 * @property {(bid: number) => void} onBid
 * @property {unknown} [children]  what stands beside the modes: challenges, hint
 */

/** @param {PadProps} props */
export function Pad({ round, chance, advised, onBid, children, ...props }) {
  const { rules } = round;
  const active = props.active && !isAsked(round);
  const legal = useMemo(() => new Set(raisesAfter(round)), [round]);
  const last = [...round.history].reverse().find((action) => action < rules.bids.length);
  const standing = last === undefined ? undefined : rules.bids[last];
  const modes = useMemo(() => [...new Set(rules.bids.map(({ mode }) => mode))], [rules]);
  const [mode, setMode] = useState(standing?.mode ?? modes[0] ?? "fei");
  const [above, setAbove] = useState(0);
  const [refused, setRefused] = useState(/** @type {Bid | null} */ (null));
  const grid = useRef(/** @type {HTMLElement | null} */ (null));
  const rows = rowsOf(rules.bids, legal, mode, above);
  useLayoutEffect(() => {
    setAbove(0);
    setMode(standing?.mode ?? modes[0] ?? "fei");
  }, [round]);
  useLayoutEffect(() => {
    const bid = advised === null ? undefined : rules.bids[advised];
    if (bid) setMode(bid.mode);
  }, [advised]);
  useLayoutEffect(() => setRefused(null), [round, mode, above]);
  useKeys({ grid, active, modes, setMode });
  useLayoutEffect(() => {
    if (active) firstCell(grid.current)?.focus({ preventScroll: true });
  }, [active, round]);
  return html`<section class="pad" aria-label=${say("Your bid")}>
    <div class="pad-top">
      ${modes.length > 1 &&
      rules.bids.some(({ id }) => legal.has(id)) &&
      html`<div class="modes" role="group" aria-label=${say("Mode")}>
        ${modes.map(
          (one) =>
            html`<button key=${one} aria-pressed=${one === mode} onClick=${() => setMode(one)}>
              ${MODES[one]}<small>${one === "fei" ? say("wild") : say("plain")}</small>
            </button>`,
        )}
      </div>`}
      ${children}
    </div>
    <div class="grid-box">
      <div class="grid" ref=${grid} role="group" aria-label=${say("Bids")} style=${`--faces: ${rows.faces.length}`}>
        ${rows.cells.map(
          (bid) =>
            html`<${Cell}
              key=${bid.id}
              bid=${bid}
              active=${active}
              legal=${legal.has(bid.id)}
              chance=${active && legal.has(bid.id) ? chance(bid.id) : null}
              advised=${bid.id === advised}
              onTap=${() => (legal.has(bid.id) ? onBid(bid.id) : setRefused(bid))}
            />`,
        )}
        ${rows.cells.length === 0 && html`<p class="quiet">${noneInWords(round, mode)}</p>`}
      </div>
      <p class="why" role="status">${refused && whyInWords(round, refused)}</p>
      <div class="shift">
        <button class="tool" aria-label=${say("Lower counts")} disabled=${above === 0} onClick=${() => setAbove(above - ROWS)}>
          <${Icon} name="up" />
        </button>
        <button class="tool" aria-label=${say("Higher counts")} disabled=${!rows.more} onClick=${() => setAbove(above + ROWS)}>
          <${Icon} name="down" />
        </button>
      </div>
    </div>
  </section>`;
}

/** Return why a bid may not follow.
 * @param {Round} round
 * @param {Bid} bid */
function whyInWords(round, bid) {
  const why = whyNot(round, bid);
  return why && inLanguage(why);
}

/** Return why no bid of a mode may follow.
 * @param {Round} round
 * @param {Bid["mode"]} mode */
function noneInWords(round, mode) {
  const first = round.rules.bids.find((bid) => bid.mode === mode);
  return (first && whyInWords(round, first)) ?? say("No higher bid here");
}

/** A bid. One that is not legal can be tapped, but is no stop of the Tab key.
 * @param {{
 *   bid: Bid, active: boolean, legal: boolean, chance: number | null, advised: boolean, onTap: () => void,
 * }} props */
function Cell({ bid, active, legal, chance, advised, onTap }) {
  const told = chance === null ? "" : percent(chance);
  return html`<button
    class=${["cell", active && legal && "legal", advised && "advised"].filter(Boolean).join(" ")}
    data-face=${bid.face}
    data-bid=${bid.id}
    disabled=${!active}
    aria-disabled=${active && !legal ? "true" : null}
    tabindex=${legal ? null : -1}
    aria-label=${`${bidInWords(bid)} ${told}`.trim()}
    style=${`--chance: ${chance ?? 0}`}
    onClick=${onTap}
  >
    <span class="cell-bid">${bid.count}<${Die} face=${bid.face} /></span>
    <small>${told}</small>
  </button>`;
}

/** Return the bids of the rows that are shown: a few counts of a mode, all faces.
 * @param {readonly Bid[]} bids
 * @param {Set<number>} legal
 * @param {string} mode
 * @param {number} above  rows above the lowest legal count
 * @returns {{faces: number[], cells: Bid[], more: boolean}} */
function rowsOf(bids, legal, mode, above) {
  const here = bids.filter((bid) => bid.mode === mode);
  const faces = [...new Set(here.map(({ face }) => face))].sort((a, b) => a - b);
  const counts = here.filter(({ id }) => legal.has(id)).map(({ count }) => count);
  const low = Math.min(...counts) + above;
  const cells = here
    .filter(({ count }) => count >= low && count < low + ROWS)
    .sort((a, b) => a.count - b.count || a.face - b.face);
  return { faces, cells, more: counts.some((count) => count >= low + ROWS) };
}

/** @param {HTMLElement | null} grid
 * @returns {HTMLButtonElement[]} */
function cellsOf(grid) {
  return grid ? [...grid.querySelectorAll("button")] : [];
}

/** @param {HTMLElement | null} grid */
function firstCell(grid) {
  return cellsOf(grid).find(isLegal);
}

/** @param {HTMLButtonElement} cell */
function isLegal({ classList }) {
  return classList.contains("legal");
}

/** Bids by keys: a digit goes to the lowest bid on that face and, pressed again, to one die more;
 * arrows move, F and Z choose 飞 and 斋, Enter bids. A digit without a legal bid says why.
 * @param {{
 *   grid: {current: HTMLElement | null}, active: boolean, modes: Bid["mode"][],
 *   setMode: (mode: Bid["mode"]) => void,
 * }} props */
function useKeys({ grid, active, modes, setMode }) {
  useLayoutEffect(() => {
    if (!active) return undefined;
    /** @param {KeyboardEvent} event */
    const pressed = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
      const mode = { f: "fei", z: "zhai" }[event.key.toLowerCase()];
      const chosen = modes.find((one) => one === mode);
      if (chosen) setMode(chosen);
      else if (/^[1-9]$/.test(event.key)) toFace(grid.current, event.key);
      else if (event.key.startsWith("Arrow") && grid.current?.contains(document.activeElement)) {
        event.preventDefault();
        step(grid.current, event.key);
      }
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [active, modes, setMode]);
}

/** @param {HTMLElement | null} grid
 * @param {string} face */
function toFace(grid, face) {
  const all = cellsOf(grid).filter((cell) => cell.dataset.face === face);
  const cells = all.filter(isLegal);
  const place = cells.findIndex((cell) => cell === document.activeElement);
  if (cells.length === 0) all[0]?.click();
  else cells[(place + 1) % cells.length]?.focus();
}

/** Move the focus by an arrow, around the edges, past bids that are not legal.
 * @param {HTMLElement} grid
 * @param {string} key */
function step(grid, key) {
  const cells = cellsOf(grid);
  const columns = new Set(cells.map(({ dataset }) => dataset.face)).size;
  const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[key] ?? 0;
  if (!cells.some(isLegal)) return;
  let place = cells.findIndex((cell) => cell === document.activeElement);
  let cell;
  do {
    place = (place + by + cells.length) % cells.length;
    cell = cells[place];
  } while (cell && !isLegal(cell));
  cell?.focus();
}
