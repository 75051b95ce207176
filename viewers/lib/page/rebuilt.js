// Notices when the bundle of an open page is rebuilt and offers a reload. The state is in the address, so it
// stays.
import { h } from "./dom.js";

/** @typedef {import("../bundle/bundle.js").Bundle} Bundle */

const EVERY_MS = 5_000,
  ELSEWHERE_MS = 60_000; // a local server; any other server
const HERE = /^(localhost|127\.[\d.]+|\[::1\])$/;

/**
 * Poll for a new manifest while the page is visible. Stop when the server does not answer, until the user
 * returns.
 * Does nothing for a bundle without a URL.
 * @param {Bundle} bundle @param {{everyMs?: number}} [options]
 */
export function watchRebuilt({ source }, { everyMs } = {}) {
  if (!source.url) return;
  const wait = everyMs ?? (HERE.test(source.url.hostname) ? EVERY_MS : ELSEWHERE_MS);
  const manifest = new URL("manifest.json", source.url);
  /** @type {string | null} */
  let first = null;
  let timer = 0,
    asking = false;

  const look = async () => {
    clearTimeout(timer);
    if (asking || document.visibilityState !== "visible") return;
    asking = true;
    const now = await versionOf(manifest);
    asking = false;
    if (now === null) return; // no answer, or no usable headers
    first ??= now.tag;
    if (now.tag !== first) stop(now.modified);
    else timer = setTimeout(look, wait);
  };
  const stop = (/** @type {Date} */ when) => {
    document.removeEventListener("visibilitychange", look);
    removeEventListener("focus", look);
    notice(when);
  };
  document.addEventListener("visibilitychange", look);
  addEventListener("focus", look);
  void look();
}

/** @param {URL} manifest @returns {Promise<{tag: string, modified: Date} | null>} */
async function versionOf(manifest) {
  const response = await fetch(manifest, { method: "HEAD", cache: "no-store" }).catch(() => null);
  const modified = response?.headers.get("last-modified") ?? "";
  const tag = response?.headers.get("etag") ?? modified;
  if (!response?.ok || !tag) return null;
  return { tag, modified: Number.isNaN(Date.parse(modified)) ? new Date() : new Date(modified) };
}

/** @param {Date} when */
function notice(when) {
  const close = () => {
    kept.disconnect();
    bar.remove();
  };
  const clock = when.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  const bar = h(
    "div",
    { class: "rebuilt", role: "status" },
    `This bundle was rebuilt at ${clock}.`,
    h("button", { class: "tool", onclick: () => location.reload() }, "Reload"),
    h("button", { "class": "tool", "aria-label": "Not now", "onclick": close }, "×"),
  );
  const kept = new MutationObserver(() => bar.isConnected || document.body.append(bar)); // views redraw the whole body
  kept.observe(document.body, { childList: true });
  document.body.append(bar);
}
