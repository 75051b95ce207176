// Parts of every viewer's page: the error page, the skip link, links within the page and to other pages,
// help.
import { fill, h } from "./dom.js";
import { errorBox } from "./load.js";

/**
 * Show why the bundle does not open, and a link to the list of bundles if there is one.
 * @param {unknown} error
 */
export function stopped(error) {
  const home = h("p");
  fill(
    document.body,
    h(
      "main",
      { class: "stopped" },
      h("h1", null, "Can't open the bundle"),
      errorBox(error, () => location.reload()),
      home,
    ),
  );
  void wayHome().then((href) => href && fill(home, h("a", { href, class: "home-link" }, "All bundles")));
}

/** Build the skip link. @param {HTMLElement} main its target */
export function skipLink(main) {
  const skip = (/** @type {Event} */ event) => {
    event.preventDefault();
    main.focus();
  };
  return h("a", { class: "skip", href: "#main", onclick: skip }, "Skip to the content");
}

/**
 * Let links within the page change the state without a page load.
 * @param {import("./hash-state.js").HashState} state
 */
export function followLinks(state) {
  document.addEventListener("click", (event) => {
    const link = /** @type {Element} */ (event.target).closest?.("a[href^='#v=']");
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    state.go(link.getAttribute("href") ?? "");
  });
}

/** Return a function that shows the help. @param {() => any[]} content built each time */
export function helpDialog(content) {
  /** @type {HTMLDialogElement | null} */
  let dialog = null;
  const settings = async () => {
    dialog?.close();
    (await import("./source-settings.js")).showSourceSettings();
  };
  return () => {
    if (dialog?.open) return;
    dialog?.remove();
    dialog = /** @type {HTMLDialogElement} */ (
      h(
        "dialog",
        { "aria-labelledby": "help-title", "class": "help" },
        h(
          "header",
          { class: "help-head" },
          h("h2", { id: "help-title" }, "Help"),
          h("button", { class: "tool", onclick: () => dialog?.close() }, "Close"),
        ),
        content(),
        h("button", { class: "tool", onclick: settings }, "Open source lines in an editor …"),
      )
    );
    document.body.append(dialog);
    dialog.showModal();
  };
}

/** Build a section of the help. @param {string} title @param {any[][]} rows terms and their meanings */
export const helpSection = (title, rows) => [
  h("h3", null, title),
  h(
    "dl",
    { class: "pairs" },
    rows.map(([term, what]) => [h("dt", null, term), h("dd", null, what)]),
  ),
];

/** @param {() => void} show */
export const helpButton = (show) =>
  h("button", { "class": "tool", "onclick": () => show(), "title": "Help (?)", "aria-label": "Help" }, "?");

/** @typedef {import("../bundle/bundle.js").Bundle} Bundle */

/**
 * Return the URL of a bundle if the page's Content-Security-Policy allows it; throw otherwise.
 * @param {string} address @param {string} [parameter] its name, for the error
 */
export function allowed(address, parameter = "bundle") {
  const url = new URL(address, location.href);
  if (url.origin === location.origin) return url;
  if (
    policySources().some(
      (source) =>
        source === url.origin ||
        (source.endsWith(":*") && source.slice(0, -2) === `${url.protocol}//${url.hostname}`),
    )
  )
    return url;
  throw new Error(
    `'${parameter}=${address}' is on a different host, and this page reads bundles from its own host only. Put the bundle there, ` +
      `or fork the viewer and add ${url.origin} to connect-src in index.html.`,
  );
}

/**
 * Return the bundle's name for people: its served folder, the exported or dropped file, or the trace. Prefers
 * any of these to a name that torch generated.
 * @param {Bundle} bundle
 */
export function bundleName({ source, logs }) {
  const path = source.url?.pathname ?? (source.viewers ? location.pathname : source.label);
  const last = path.split("/").filter(Boolean).at(-1) ?? "";
  const name = source.url || source.viewers ? decoded(last) : last;
  return (
    (source.url ? name : name.replace(/\.(html?|zip)$/i, "")) || logs[0]?.summary.source.name || "bundle"
  );
}

/** Decode a part of a URL; return it unchanged if it is malformed. @param {string} text */
export function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Return the bundle's address in a different viewer; null if it was dropped on the page or the file lacks
 * that viewer.
 * @param {Bundle} bundle @param {string} viewer @param {Record<string, string>} [state] of that viewer
 */
export function inViewer({ source }, viewer, state) {
  const beside = source.url || source.stored;
  if (!beside && !source.viewers?.includes(viewer)) return null;
  const url = new URL(beside ? `../${viewer}/` : location.pathname, location.href);
  url.search = beside
    ? location.search
    : String(new URLSearchParams({ viewer, ...(source.folder ? { folder: source.folder } : {}) }));
  if (state) url.hash = new URLSearchParams({ v: "1", ...state }).toString();
  return url.href;
}

/** Return the root URL of our server or site, with viewers/ and bundles/ below it. @returns {URL | null} */
function root() {
  const [, base] = /^(.*\/)viewers\/[^/]+\/(?:index\.html)?$/.exec(location.pathname) ?? [];
  return base === undefined ? null : new URL(base, location.href);
}

/** Return the URL of the page that opens logs and lists stored bundles; null if there is none. */
export function openAddress() {
  const base = root();
  return base && `${base.href}viewers/open/`;
}

/** Return the URL of the page that lists the bundles; null if it is not known. */
export function listAddress() {
  const base = root(),
    requested = new URLSearchParams(location.search).get("bundle");
  if (new URLSearchParams(location.search).has("stored")) return openAddress();
  if (!base || requested === null || !URL.canParse(requested, location.href)) return null;
  return new URL(requested, location.href).href.startsWith(`${base.href}bundles/`)
    ? `${base.href}viewers/home/`
    : null;
}

/**
 * Return the same when the bundle's address is wrong, by asking the server for its list.
 * @returns {Promise<string | null>}
 */
export async function wayHome() {
  const base = root();
  if (!base || listAddress()) return listAddress();
  const list = await fetch(`${base.href}bundles.json`, { method: "HEAD" }).catch(() => null);
  return list?.ok ? `${base.href}viewers/home/` : null;
}

/** Return the sources in the policy's connect-src. @returns {string[]} */
function policySources() {
  const policy =
    document.querySelector('meta[http-equiv="Content-Security-Policy"]')?.getAttribute("content") ?? "";
  const directive = policy
    .split(";")
    .map((text) => text.trim().split(/\s+/))
    .find(([name]) => name === "connect-src");
  return directive?.slice(1) ?? [];
}
