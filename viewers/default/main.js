// The default viewer: opens the bundle, draws the frame around the views, follows the address.
import { openBundle } from "../lib/bundle.js";
import { fill, h, typing } from "../lib/dom.js";
import { HashState } from "../lib/hash-state.js";
import { errorBox } from "../lib/load.js";
import { openBreaks } from "./breaks.js";
import { openCaches } from "./caches.js";
import { openCompare } from "./compare.js";
import { openCompile } from "./compile.js";
import { openCompiles } from "./compiles.js";
import { openDiagnostics } from "./diagnostics.js";
import { openEvents } from "./events.js";
import { openFailures } from "./failures.js";
import { openGuards } from "./guards.js";
import { showHelp } from "./help.js";
import { openOverview } from "./overview.js";
import { openRecompiles } from "./recompiles.js";
import { openSearch } from "./search.js";
import { focusSearch } from "./search-box.js";
import { header } from "./shell.js";
import { openStack } from "./stack.js";
import { openTimeline } from "./timeline.js";

/**
 * @typedef {object} Context what every view gets
 * @property {import("../lib/bundle.js").Bundle} bundle
 * @property {import("../lib/log.js").Log} log
 * @property {HashState} state
 */
/**
 * @typedef {object} View
 * @property {HTMLElement} element
 * @property {string} title for the title of the page
 * @property {(state: Record<string, string>) => void} [update] the address changed, the view and the log did not
 * @property {() => HTMLElement | null} [search] its own filter or find box, what 'f' goes to
 * @property {(event: KeyboardEvent) => boolean} [key] a key outside of fields; true when it was used
 * @property {() => void} [close]
 */

/** A view whose module is fetched when it is opened. @param {() => Promise<(context: Context) => Promise<View>>} load @returns {(context: Context) => Promise<View>} */
const openLater = (load) => async (context) => (await load())(context);

/** @type {Record<string, (context: Context) => Promise<View>>} */
const VIEWS = {
  overview: openOverview, stack: openStack, compiles: openCompiles, compile: openCompile, events: openEvents, diagnostics: openDiagnostics,
  timeline: openTimeline, recompiles: openRecompiles, breaks: openBreaks, failures: openFailures, guards: openGuards, caches: openCaches,
  compare: openCompare, search: openSearch,
  symbols: openLater(async () => (await import("./symbols.js")).openSymbols),
  tensors: openLater(async () => (await import("./tensors.js")).openTensors),
  kernels: openLater(async () => (await import("./kernels.js")).openKernels),
  export: openLater(async () => (await import("./export.js")).openExport),
  anatomy: openLater(async () => (await import("./anatomy.js")).openAnatomy),
};
const OWN_HEADING = new Set(["compile", "compare"]); // they write it when they know what they show
const DEFAULTS = {
  view: "overview", log: "", compile: "", artifact: "", line: "", event: "", q: "", type: "", status: "", sort: "",
  problems: "", torch: "", closed: "", stack: "", pane: "",
  span: "", range: "", by: "", shape: "", group: "",
  other: "", in: "",
  item: "", guard: "", left: "", right: "", width: "", hue: "",
};

document.getElementById("boot")?.remove();
const main = h("main", { id: "main", tabindex: "-1" });
const state = new HashState(DEFAULTS, ["log"]);
/** @type {View | null} */
let view = null;
let shown = "";

try {
  const url = bundleUrl();
  fill(document.body, h("p", { class: "loading", role: "status" }, `Opening ${url.pathname} …`));
  const bundle = await openBundle(url);
  start(bundle);
} catch (error) {
  fill(document.body, h("main", { class: "stopped" }, h("h1", null, "The bundle could not be opened"), errorBox(error, () => location.reload())));
}

function bundleUrl() {
  const asked = new URLSearchParams(location.search).get("bundle") ?? "bundle/";
  const url = new URL(asked, location.href);
  if (url.origin === location.origin) return url;
  throw new Error(
    `'?bundle=${asked}' is on another host. This page reads bundles from its own host only; put the bundle beside it, ` +
      "or fork the viewer and add that host to connect-src in index.html.",
  );
}

/** @param {import("../lib/bundle.js").Bundle} bundle */
function start(bundle) {
  if (bundle.logs.length === 0) {
    fill(document.body, header(bundle, state, null), fill(main, h("h1", null, "This bundle holds no logs"),
      h("p", null, "Record one with ", h("code", null, "TORCH_TRACE=/tmp/trace python train.py"), " and build the bundle again: ",
        h("code", null, "tlparse-bundle build /tmp/trace OUT"), ".")));
    return;
  }
  const follow = () => show(bundle, state.current);
  state.listen(follow);
  document.addEventListener("keydown", keys);
  document.addEventListener("click", follows);
  follow();
}

/** @param {import("../lib/bundle.js").Bundle} bundle @param {Record<string, string>} current */
async function show(bundle, current) {
  const log = current.log === "" ? bundle.logs[0] : bundle.log(current.log);
  const open = Object.hasOwn(VIEWS, current.view) ? VIEWS[current.view] : null;
  const place = `${current.view} ${log?.id}`;
  if (place === shown && view) {
    view.update?.(current);
    setTitle(bundle, log);
    return;
  }
  shown = place;
  view?.close?.();
  view = null;
  fill(main);
  fill(document.body, h("a", { class: "skip", href: "#main", onclick: skip }, "Skip to the content"), header(bundle, state, log ?? null, () => view?.search?.() ?? null), main);
  main.className = `view-${open ? current.view : "none"}`;
  try {
    if (!log) throw new Error(`This bundle has no log '${current.log}'. It has: ${bundle.logs.map((l) => l.id).join(", ")}.`);
    if (!open) throw new Error(`There is no view '${current.view}'. There are: ${Object.keys(VIEWS).join(", ")}.`);
    const timer = setTimeout(() => shown === place && fill(main, h("p", { class: "loading", role: "status" }, `Loading the ${current.view} of ${log.id} …`)), 120);
    const opened = await open({ bundle, log, state }).finally(() => clearTimeout(timer));
    if (shown !== place) return;
    view = opened;
    // Every page has a heading; where a view shows none, those who do not see the page still hear one.
    const heading = !OWN_HEADING.has(current.view) && !opened.element.querySelector("h1") && h("h1", { class: "visually-hidden" }, opened.title);
    fill(main, heading, opened.element);
    opened.update?.(state.current);
    setTitle(bundle, log);
  } catch (error) {
    if (shown === place) fill(main, h("h1", { class: "visually-hidden" }, "Error"), errorBox(error, () => { shown = ""; show(bundle, state.current); }));
  }
}

/** @param {import("../lib/bundle.js").Bundle} bundle @param {any} log */
function setTitle(bundle, log) {
  document.title = [view?.title, bundle.logs.length > 1 ? log?.id : log?.summary.source.name, "tlparse-bundle"].filter(Boolean).join(" · ");
}

/** @param {Event} event */
function skip(event) {
  event.preventDefault();
  main.focus();
}

/** Links within the page change the state without a new load. @param {MouseEvent} event */
function follows(event) {
  const link = /** @type {Element} */ (event.target).closest?.("a[href^='#v=']");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  state.go(link.getAttribute("href") ?? "");
}

/** @param {KeyboardEvent} event */
function keys(event) {
  if (typing(event) || document.querySelector("dialog[open]")) return;
  if (event.key === "?") showHelp();
  else if (event.key === "/") focusSearch();
  else if (event.key === "f" && view?.search?.()) view.search()?.focus();
  else if (!view?.key?.(event)) return;
  event.preventDefault();
}
