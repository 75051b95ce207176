const FILES = /** @type {Record<string, string>} */ ({}); // 'tlparse-bundle site' writes here the SHA-256 of each file, by its path on the site
// Caches the viewers and Python, so that a site opens logs offline. Bundles of the site are not cached.
// A new version is installed once all its files are present and match their hashes.

const scope = /** @type {any} */ (self);
const CACHE = `tlparse-bundle ${scope.registration.scope}`;
const ROOT = new URL(scope.registration.scope);
const HERE = /^(localhost|127\.[\d.]+|\[::1\])$/; // different servers may reuse local ports
const AT_ONCE = 8;
let left = false;

/** Return the cache key of a file. @param {string} path */
const keyOf = (path) => new URL(`${path}?sha256=${FILES[path]}`, ROOT).href;

/** Return the site path of a URL; null when it is not cached. @param {string} address */
function pathOf(address) {
  const url = new URL(address);
  if (url.origin !== ROOT.origin || !url.pathname.startsWith(ROOT.pathname)) return null;
  const path = decodeURI(url.pathname.slice(ROOT.pathname.length)).replace(/(^|\/)$/, "$1index.html");
  return Object.hasOwn(FILES, path) ? path : null;
}

/** @param {Cache} cache @param {string} path */
async function keep(cache, path) {
  if (await cache.match(keyOf(path))) return;
  const response = await fetch(new URL(path, ROOT), { cache: "no-cache" });
  const bytes = await response.clone().arrayBuffer();
  const found = Array.from(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
  if (!response.ok || found !== FILES[path])
    throw new Error(`${path} does not match this version of the site`);
  await cache.put(keyOf(path), response);
}

async function install() {
  const cache = await caches.open(CACHE),
    paths = Object.keys(FILES);
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let path; (path = paths.pop());) await keep(cache, path);
    }),
  );
  const pages = await scope.clients.matchAll({ type: "window", includeUncontrolled: true });
  if (pages.length < 2) await scope.skipWaiting(); // open pages must not mix modules of two versions
}

async function activate() {
  const cache = await caches.open(CACHE),
    own = new Set(Object.keys(FILES).map(keyOf));
  for (const request of await cache.keys()) if (!own.has(request.url)) await cache.delete(request);
  await scope.clients.claim();
}

/** Whether a different server uses this local port: it responds but lacks this file. */
async function isOther() {
  if (!HERE.test(ROOT.hostname)) return false;
  const response = await fetch(scope.location.href, { method: "HEAD", cache: "no-store" }).catch(() => null);
  return response !== null && !response.ok;
}

/** @param {Request} request @param {string} path */
async function answer(request, path) {
  if (request.mode === "navigate") {
    // each time: a loading page may have registered this worker again
    left = await isOther();
    if (left) await scope.registration.unregister();
  }
  if (left) return fetch(request);
  return (await (await caches.open(CACHE)).match(keyOf(path))) ?? fetch(request);
}

scope.addEventListener("install", (/** @type {any} */ event) => event.waitUntil(install()));
scope.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(activate()));
scope.addEventListener("fetch", (/** @type {any} */ event) => {
  const { method, mode, url } = event.request;
  const path = method === "GET" && (mode === "navigate" || !left) ? pathOf(url) : null;
  if (path !== null) event.respondWith(answer(event.request, path));
});
