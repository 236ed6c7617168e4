// What pages do by themselves, beyond what NiceGUI does.

// A server that was started again may not know a page any more: then the page is loaded anew or,
// where that needs the address with the token, says so.
function watchConnection(socket, words) {
  let wasConnected = socket.connected, asking = false;
  socket.on("connect", () => { wasConnected = true; });
  socket.io.on("reconnect_error", async () => {
    if (!wasConnected || asking) return;  // a browser without cookies would load it for ever
    asking = true;
    try {
      const answer = await fetch(location.href, {cache: "no-store"});
      if (answer.ok) location.reload();
      if (answer.status === 403) document.getElementById("popup").textContent = words;
    } catch {
      // The server is not back yet.
    }
    asking = false;
  });
}

function whenThere(find, act) {
  const timer = setInterval(() => {
    const found = find();
    if (found) { clearInterval(timer); act(found); }
  }, 50);
}

whenThere(() => window.socket, (socket) => watchConnection(socket, window.zhaifeiWords.lost));

// Tab leads into a grid of buttons and from there beyond it; arrows lead about in it.
const GRIDS = "[data-keys]";
const WAYS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};

function buttonsOf(grid) {
  return [...grid.querySelectorAll("button")].filter((one) => one.checkVisibility());
}

function giveOneStop(grid) {
  const all = buttonsOf(grid);
  const stop = all.find((one) => one === document.activeElement)
    ?? all.find((one) => one === grid.lastStop)
    ?? all.find((one) => one.matches(".z-chosen, .z-advised"))
    ?? all.find((one) => one.getAttribute("aria-disabled") !== "true") ?? all[0];
  for (const one of all) {
    const index = one === stop ? 0 : -1;
    if (one.tabIndex !== index) one.tabIndex = index;
  }
}

function middleOf(one) {
  const box = one.getBoundingClientRect();
  return [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
}

function nextOn(all, from, [right, down]) {
  if (right) return all[all.indexOf(from) + right];
  const [x, y] = middleOf(from);
  const cost = (one) => {
    const [its, height] = middleOf(one);
    return 4 * Math.abs(height - y) + Math.abs(its - x);
  };
  const beyond = all.filter((one) => (middleOf(one)[1] - y) * down > 8);
  return beyond.sort((one, other) => cost(one) - cost(other))[0];
}

document.addEventListener("keydown", (event) => {
  const from = event.target.closest?.("button"), grid = from?.closest(GRIDS);
  const way = WAYS[event.key];
  if (!grid || !way || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  nextOn(buttonsOf(grid), from, way)?.focus();
});
document.addEventListener("focusin", (event) => {
  const grid = event.target.closest?.(GRIDS);
  if (!grid) return;
  grid.lastStop = event.target;
  giveOneStop(grid);
});
let planned = false;
new MutationObserver(() => {
  if (planned) return;
  planned = true;
  requestAnimationFrame(() => {
    planned = false;
    document.querySelectorAll(GRIDS).forEach(giveOneStop);
  });
}).observe(document.body, {childList: true, subtree: true});
