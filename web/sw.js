/* Keeps a version of the page for offline. One version is one cache: all of its files are fetched
   before it serves any, and an open page is served by the version that it began with. */

const VERSION = new URL(location.href).searchParams.get("v") ?? "0";
const CACHE = `zhaifei-${VERSION}`;

async function install() {
  const answer = await fetch("data/files.json", { cache: "no-store" });
  const { version, files } = await answer.json();
  if (version !== VERSION) throw new Error(`${version} was published, ${VERSION} was asked for`);
  const cache = await caches.open(CACHE);
  const requests = ["./", "data/files.json", ...files].map((file) => new Request(file, { cache: "no-cache" }));
  await cache.addAll(requests);
  await skipIfUnused();
}

/* The first version may serve the page that installs it; a later one waits until no page is open. */
async function skipIfUnused() {
  if (!self.registration.active) await self.skipWaiting();
}

async function activate() {
  const old = (await caches.keys()).filter((name) => name.startsWith("zhaifei-") && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
  await self.clients.claim();
}

/* Tables of rules of one's own, which the server may have solved meanwhile: the network, or else what
   was kept. They outlive the version. */
async function ownFile(request) {
  const cache = await caches.open("own-rules");
  let fresh = Response.error();
  try {
    fresh = await fetch(request);
    if (fresh.ok) await cache.put(request, fresh.clone());
  } catch {
    // What is kept serves without the network.
  }
  return fresh.ok ? fresh : ((await cache.match(request)) ?? fresh);
}

/* A kept file, or else the network; policies, which are not fetched ahead, are kept when used. */
async function answer(request) {
  const cache = await caches.open(CACHE);
  const kept = await cache.match(request, { ignoreSearch: true });
  if (kept) return kept;
  const fresh = await fetch(request);
  if (fresh.ok) await cache.put(request, fresh.clone());
  return fresh;
}

/* Asked of the network, where there is one: whether there is a new version; and an address with a
   token, for which the server gives a cookie and redirects. */
async function newest(request) {
  try {
    const fresh = await fetch(request);
    if (fresh.ok || fresh.type === "opaqueredirect") return fresh;
  } catch {
    // What is kept serves without the network.
  }
  return (await caches.match(request, { ignoreSearch: true })) ?? Response.error();
}

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const address = new URL(request.url);
  if (request.method !== "GET" || address.origin !== location.origin) return;
  if (address.pathname.endsWith("/data/server.json")) return;
  const asks = address.pathname.endsWith("/data/files.json") || address.searchParams.has("token");
  const isOwn = address.pathname.includes("/data/") && address.pathname.includes("~");
  event.respondWith(asks ? newest(request) : isOwn ? ownFile(request) : answer(request));
});
