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

/* Files of rules that the server may have solved meanwhile: the network, or else what was kept. They
   outlive the version. */
async function solvedFile(request) {
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

/* Return whether a server makes this file of rules: those of one's own, and policies that did not
   come with the page. */
function isSolved(path) {
  return path.includes("/data/") && (path.includes("~") || /\/policies\/[^/]+-\d\.safetensors$/.test(path));
}

/* Return whether a kept file has the tables of a preset without a policy. */
async function isUnsolved(request, kept) {
  if (!/\/data\/rules\/[^/]+-\d\.json$/.test(new URL(request.url).pathname)) return false;
  const { policy, match } = await kept.clone().json();
  return policy === null && match === null;
}

/* A kept file, or else the network; policies, which are not fetched ahead, are kept when used. */
async function answer(request) {
  const cache = await caches.open(CACHE);
  const kept = await cache.match(request, { ignoreSearch: true });
  if (kept && !(await isUnsolved(request, kept))) return kept;
  if (kept) return solvedOr(kept, request, cache);
  const fresh = await fetch(request);
  if (fresh.ok) await cache.put(request, fresh.clone());
  return fresh;
}

/* The tables of a preset that the server has solved, or else those that were kept. */
async function solvedOr(kept, request, cache) {
  try {
    const fresh = await fetch(request);
    if (!fresh.ok) return kept;
    await cache.put(request, fresh.clone());
    return fresh;
  } catch {
    return kept;
  }
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
  const finds = asks ? newest : isSolved(address.pathname) ? solvedFile : answer;
  event.respondWith(finds(request));
});
