// The bar above every view: where we are, the views, the log, light and dark, help.
import { h } from "../../lib/page/dom.js";
import { count } from "../../lib/page/format.js";
import { helpButton } from "../../lib/page/page.js";
import { picker } from "../../lib/page/picker.js";
import { themeButton } from "../../lib/page/theme.js";
import { summaryOf } from "../shared/logs.js";
import { hasExport, kindCount, modelOf } from "../shared/model.js";
import { ranksLink } from "../shared/ranks-link.js";
import { showHelp } from "./help.js";
import { searchBox } from "./search-box.js";

const TABS = [["overview", "Overview"], ["stack", "Stack"], ["compiles", "Compiles"], ["failures", "Failures"], ["breaks", "Breaks"], ["recompiles", "Recompiles"], ["symbols", "Symbols"], ["caches", "Caches"], ["timeline", "Timeline"], ["events", "Events"]];
const NARROW = 800; // pixels
/** Behind "More". */
const MORE = [["guards", "Guards"], ["kernels", "Kernels"], ["tensors", "Tensors"], ["export", "Export"], ["anatomy", "Log anatomy"], ["diagnostics", "Diagnostics"]];

/**
 * @param {import("../../lib/bundle/bundle.js").Bundle} bundle @param {import("../../lib/page/hash-state.js").HashState} state
 * @param {import("../../lib/bundle/log.js").Log | null} log @param {() => HTMLElement | null} [filter] the field of the view itself
 */
export function header(bundle, state, log, filter = () => null) {
  const current = state.current;
  const here = ["compile", "compare"].includes(current.view) ? "compiles" : current.view;
  const kept = /** @type {Record<string, string>} */ (current.log ? { log: current.log } : {});
  const tab = (/** @type {string[]} */ [id, title]) => h("a", { href: state.link({ ...kept, view: id }), "aria-current": here === id ? "page" : null, dataset: { view: id } }, title);
  const shown = TABS.map(tab);
  const spare = TABS.map(tab); // the same behind "More", for those that do not fit
  for (const link of spare) link.hidden = true;
  const tabs = h("nav", { "aria-label": "Views", class: "tabs" }, shown, moreTabs(here, [...spare, ...MORE.map(tab)]));
  const bar = h("header", { class: "shell" },
    h("a", { class: "brand", href: state.link({ ...kept, view: "overview" }) }, "tlparse-bundle"),
    log && (bundle.logs.length > 1 ? logPicker(bundle, state, log) : h("span", { class: "log-name", title: log.summary.source.name }, logName(log))),
    bundle.logs.length > 0 && tabs,
    h("span", { class: "shell-end" }, log && searchBox(state, filter), themeButton(), helpButton(showHelp)));
  const fit = () => oneRow(bar, shown, spare);
  if (log) tabCounts(log, tabs, fit);
  let width = 0;
  new ResizeObserver(() => width !== innerWidth && bar.isConnected && (width = innerWidth, fit())).observe(bar);
  return bar;
}

/** Tabs for which the bar has no room go behind "More"; the one that is open stays. @param {HTMLElement} bar @param {HTMLElement[]} shown @param {HTMLElement[]} spare */
function oneRow(bar, shown, spare) {
  const hide = (/** @type {number} */ i, /** @type {boolean} */ hidden) => {
    shown[i].hidden = hidden;
    spare[i].hidden = !hidden;
  };
  shown.forEach((_, i) => hide(i, false));
  if (innerWidth <= NARROW) return; // the tabs have a row of their own
  for (let i = shown.length - 1; i > 0 && bar.scrollWidth > bar.clientWidth; i--) if (!shown[i].hasAttribute("aria-current")) hide(i, true);
}

/** The views that are not asked for every day, behind a button that names the one that is open. @param {string} here @param {HTMLElement[]} links */
function moreTabs(here, links) {
  const open = MORE.find(([id]) => id === here);
  const list = h("span", { class: "more-list", id: "more-views", hidden: true }, links);
  const set = (/** @type {boolean} */ shown) => {
    list.hidden = !shown;
    button.setAttribute("aria-expanded", String(shown));
  };
  const button = h("button", { "aria-expanded": "false", "aria-controls": "more-views", class: open ? "here" : null, onclick: () => set(list.hidden), title: "More views" }, open ? `${open[1]} ` : "More ", h("span", { "aria-hidden": "true" }, "▾"));
  const key = (/** @type {KeyboardEvent} */ event) => {
    const at = links.indexOf(/** @type {any} */ (document.activeElement));
    const shown = links.filter((link) => !link.hidden);
    const next = { ArrowDown: shown[shown.indexOf(links[at]) + 1], ArrowUp: shown[shown.indexOf(links[at]) - 1] ?? button, Escape: button }[event.key];
    if (next === undefined || (event.key === "Escape" && list.hidden)) return;
    event.preventDefault();
    event.stopPropagation();
    set(event.key !== "Escape");
    next.focus();
  };
  return h("span", { class: "more", onkeydown: key, onfocusout: (/** @type {FocusEvent} */ event) => {
    if (!(/** @type {Element} */ (event.currentTarget).contains(/** @type {Node | null} */ (event.relatedTarget)))) set(false);
  } }, button, list);
}

/** How much there is to see, beside the names of the views: the numbers of the summary, and counts of records that come with the tables. @param {import("../../lib/bundle/log.js").Log} log @param {HTMLElement} tabs @param {() => void} fit */
function tabCounts(log, tabs, fit) {
  const show = (/** @type {string} */ view, /** @type {number} */ n) =>
    n > 0 && tabs.querySelector(`[data-view="${view}"]`)?.append(" ", h("span", { class: "tab-count", "aria-hidden": "true" }, count(n)));
  const summary = summaryOf(log);
  show("compiles", summary?.compile_count ?? 0);
  show("failures", summary?.failure_count ?? 0);
  show("breaks", summary?.graph_break_count ?? 0);
  show("recompiles", summary?.recompile_count ?? 0);
  modelOf(log).then((model) => {
    show("symbols", kindCount(model, "create_symbol") + kindCount(model, "create_unbacked_symbol"));
    show("tensors", kindCount(model, "describe_tensor"));
    if (!hasExport(model)) /** @type {HTMLElement} */ (tabs.querySelector("[data-view='export']")).hidden = true;
    fit();
  }, () => {}); // the views tell what went wrong
}

/** @param {import("../../lib/bundle/log.js").Log} log */
export function logName(log) {
  return log.rank === null ? log.id : `rank ${log.rank} · ${log.id}`;
}

/**
 * @param {import("../../lib/bundle/bundle.js").Bundle} bundle @param {import("../../lib/page/hash-state.js").HashState} state
 * @param {import("../../lib/bundle/log.js").Log} log
 */
function logPicker(bundle, state, log) {
  const pick = (/** @type {string} */ id) => {
    // An event number means something in its own log only; a compile id often means the same in all of them.
    state.go(state.patched({ log: id, event: "", line: "", stack: "", closed: "", span: "", range: "", item: "" }));
    /** @type {HTMLElement | null} */ (document.querySelector(".log-picker [aria-label='Log']"))?.focus();
  };
  return h("span", { class: "log-picker" }, picker({ label: "Log", items: bundle.logs.map((one) => ({ value: one.id, text: logName(one) })), value: log.id, onpick: pick }),
    h("span", { class: "dim log-count" }, ` of ${count(bundle.logs.length)}`), " ", ranksLink(bundle, "Ranks ›"));
}
