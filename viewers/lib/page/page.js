// What the pages of all viewers have: words when no bundle opens, the way past the bar, links within the page and to other pages, help.
import { fill, h } from "./dom.js";
import { errorBox } from "./load.js";

/** Shows why there is nothing to see, and the way to the other bundles where there is a list of them. @param {unknown} error */
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

/** @param {HTMLElement} main where it leads */
export function skipLink(main) {
  const skip = (/** @type {Event} */ event) => {
    event.preventDefault();
    main.focus();
  };
  return h("a", { class: "skip", href: "#main", onclick: skip }, "Skip to the content");
}

/** Links within the page change the state without a new load. @param {import("./hash-state.js").HashState} state */
export function followLinks(state) {
  document.addEventListener("click", (event) => {
    const link = /** @type {Element} */ (event.target).closest?.("a[href^='#v=']");
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    state.go(link.getAttribute("href") ?? "");
  });
}

/** A function that shows the help. @param {() => any[]} content made when it is shown first */
export function helpDialog(content) {
  /** @type {HTMLDialogElement | null} */
  let dialog = null;
  return () => {
    dialog ??= /** @type {HTMLDialogElement} */ (
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
      )
    );
    document.body.append(dialog);
    if (!dialog.open) dialog.showModal();
  };
}

/** A part of the help. @param {string} title @param {any[][]} rows terms, and what they mean */
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

/** An address of a bundle, if this page may read from there: its Content-Security-Policy says so. @param {string} address @param {string} [parameter] its name, for the error */
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
    `'${parameter}=${address}' is on another host. This page reads bundles from its own host only; put the bundle beside it, ` +
      `or fork the viewer and add ${url.origin} to connect-src in index.html.`,
  );
}

/**
 * What people call the bundle: the folder that it is served from, else the exported file, or what was dropped; else the trace. Never a name that torch made up, if there is another.
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

/** A part of an address as people read it; as it stands when it is no such part. @param {string} text */
export function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The address of the bundle in another viewer; null when it has none: it was dropped on the page, or the file has no such viewer.
 * @param {Bundle} bundle @param {string} viewer @param {Record<string, string>} [state] of the other
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

/** Where a server or a site of ours has its pages: below it lie viewers/ and bundles/. @returns {URL | null} */
function root() {
  const [, base] = /^(.*\/)viewers\/[^/]+\/(?:index\.html)?$/.exec(location.pathname) ?? [];
  return base === undefined ? null : new URL(base, location.href);
}

/** The page that opens logs, and lists what the browser keeps; null where there is none. */
export function openAddress() {
  const base = root();
  return base && `${base.href}viewers/open/`;
}

/** The page that lists the bundles beside the one that is shown; null where no such page is known of. */
export function listAddress() {
  const base = root(),
    asked = new URLSearchParams(location.search).get("bundle");
  if (new URLSearchParams(location.search).has("stored")) return openAddress();
  if (!base || asked === null || !URL.canParse(asked, location.href)) return null;
  return new URL(asked, location.href).href.startsWith(`${base.href}bundles/`)
    ? `${base.href}viewers/home/`
    : null;
}

/** The same when the address of the bundle is wrong: asks whether there is a list. @returns {Promise<string | null>} */
export async function wayHome() {
  const base = root();
  if (!base || listAddress()) return listAddress();
  const list = await fetch(`${base.href}bundles.json`, { method: "HEAD" }).catch(() => null);
  return list?.ok ? `${base.href}viewers/home/` : null;
}

/** What connect-src of the page's policy names. @returns {string[]} */
function policySources() {
  const policy =
    document.querySelector('meta[http-equiv="Content-Security-Policy"]')?.getAttribute("content") ?? "";
  const directive = policy
    .split(";")
    .map((text) => text.trim().split(/\s+/))
    .find(([name]) => name === "connect-src");
  return directive?.slice(1) ?? [];
}
