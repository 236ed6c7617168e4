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
