// The frame around every view: the rail of views, and a bar with the log, the search field, the theme and the help.
import { fill, h, searchField } from "../../lib/page/dom.js";
import { Frame } from "../../lib/frame/frame.js";
import { count } from "../../lib/page/format.js";
import { bundleName, helpButton, listAddress } from "../../lib/page/page.js";
import { themeButton } from "../../lib/page/remember.js";
import { logName, modelOf } from "../shared/model.js";
import { railView, viewGroups } from "./views.js";

const KEY = /Mac|iP/.test(navigator.platform) ? "⌘K" : "Ctrl K";

/** Show the help, which is loaded on first use. */
export const showHelp = async () => (await import("./help.js")).showHelp();

export class Shell {
  /** @param {import("../../lib/bundle/bundle.js").Bundle} bundle @param {import("../../lib/page/hash-state.js").HashState} state @param {HTMLElement} main @param {() => HTMLElement | null} filter the filter field of the current view */
  constructor(bundle, state, main, filter) {
    this.bundle = bundle;
    this.state = state;
    this.frame = new Frame(main, state);
    this.shared = h("span", { class: "share-box" });
    /** Container of the live mark of a growing bundle. */
    this.live = h("span", { class: "live-place" });
    /** @type {import("../../lib/bundle/log.js").Log | null | undefined} */
    this.log = undefined;
    /** @type {import("../shared/model.js").Model | null} */
    this.model = null;
    this.ranks = 0;
    this.listed = "";
    this.countRanks();
    fill(
      this.frame.tools,
      this.live,
      bundle.logs.length > 0 && [
        searchBox(state, filter),
        h(
          "button",
          {
            "class": "tool jump",
            "title": "Go to a view, compile, artifact or setting",
            "aria-keyshortcuts": "Control+K Meta+K",
            "onclick": () => this.jump(),
          },
          h("span", { class: "visually-hidden" }, "Go to "),
          h("kbd", null, KEY),
        ),
      ],
      this.shared,
      themeButton(),
      helpButton(showHelp),
    );
    fill(document.body, this.frame.elements);
  }

  countRanks() {
    if (!this.bundle.manifest.rank_tables) return;
    const read = this.bundle.manifest.growing
      ? import("../overview/ranks.js")
          .then(({ ranksFound }) => ranksFound(this.bundle))
          .then((found) => found?.findings)
      : this.bundle.rankTable("rank_findings");
    read.then(
      (findings) => {
        this.ranks = findings?.filter((/** @type {any} */ { severity }) => severity !== "info").length ?? 0;
        if (this.log !== undefined) this.draw(this.log);
      },
      () => {},
    ); // the multirank viewer shows the error
  }

  share() {
    void import("../../lib/page/share.js").then(({ shareButton }) =>
      this.shared.replaceWith(shareButton({ bundle: this.bundle, viewer: "default" })),
    );
  }

  /** Open the command palette. */
  async jump() {
    const { jump } = await import("./jump.js");
    jump(
      this.bundle,
      this.state,
      this.log ?? null,
      viewGroups(this.bundle, this.state, this.log ?? null, this.model, this.ranks),
    );
  }

  /** Draw the frame for a log and the view in the address. @param {import("../../lib/bundle/log.js").Log | null} log */
  draw(log) {
    if (log !== this.log) this.drawLog(log);
    const { bundle, state } = this;
    const home = listAddress();
    syncSearch(state);
    this.frame.draw({
      name: bundleName(bundle),
      home: home ?? state.link({ view: "overview" }),
      homeTitle: home ? "All bundles" : "Overview",
      here: railView(state.current.view),
      groups: viewGroups(bundle, state, log, this.model, this.ranks),
    });
  }

  /** @param {import("../../lib/bundle/log.js").Log | null} log */
  drawLog(log) {
    const listed = JSON.stringify([log?.id, this.bundle.logs.map((one) => [one.id, logName(one)])]);
    if (this.log?.id !== log?.id) this.model = null; // the same log in a newer state keeps its model until the new one loads
    this.log = log;
    if (listed === this.listed) void 0;
    else if (log && this.bundle.logs.length > 1) void this.pickLog(log);
    else
      fill(
        this.frame.where,
        log && h("span", { class: "log-name gives", title: log.summary.source.name }, logName(log)),
      );
    this.listed = listed;
    if (!log) return;
    modelOf(log).then(
      (model) => {
        if (log !== this.log) return;
        this.model = model;
        this.draw(log);
      },
      () => {},
    ); // the views show the error
  }

  /** @param {import("../../lib/bundle/log.js").Log} log */
  async pickLog(log) {
    const { picker } = await import("../../lib/page/picker.js");
    if (log.id !== this.log?.id) return;
    const {
      bundle,
      state,
      frame: { where },
    } = this;
    const focused = where.contains(document.activeElement);
    // Event numbers are valid in one log only; compile ids often match between logs.
    const pick = (/** @type {string} */ id) =>
      state.go(
        state.patched({ log: id, event: "", line: "", stack: "", closed: "", span: "", range: "", item: "" }),
      );
    fill(
      where,
      h(
        "span",
        { class: "log-picker" },
        picker({
          label: "Log",
          items: bundle.logs.map((one) => ({ value: one.id, text: logName(one) })),
          value: log.id,
          onpick: pick,
        }),
      ),
      h("span", { class: "dim log-count" }, `of ${count(bundle.logs.length)}`),
    );
    if (focused) /** @type {HTMLElement | null} */ (where.querySelector("[aria-label='Log']"))?.focus();
  }
}

// The search field in the bar. Typing opens the search view.

/** @type {any} one element for all views, so that typing continues when the view changes */
let box = null;
/** @type {() => HTMLElement | null} */
let filterOf = () => null;

/** @param {import("../../lib/page/hash-state.js").HashState} state @param {() => HTMLElement | null} filter the filter field of the current view */
export function searchBox(state, filter) {
  filterOf = filter;
  box ??= make(state);
  return h("search", { class: "search-box" }, box);
}

/** Copy the query from the address into the search field. @param {import("../../lib/page/hash-state.js").HashState} state */
export function syncSearch(state) {
  if (box && document.activeElement !== box)
    box.value = state.current.view === "search" ? state.current.q : "";
}

export const focusSearch = () => box?.select?.() ?? box?.focus();

/** @param {import("../../lib/page/hash-state.js").HashState} state */
function make(state) {
  const go = (/** @type {string} */ q, /** @type {Record<string, string>} */ more = {}) => {
    if (state.current.view === "search" && state.current.q === q && !more.in) return; // Enter already applied it
    if (state.current.view === "search") state.replace({ q, in: "", ...more }, true);
    else if (q.trim()) state.go(state.link({ view: "search", q, ...more }));
  };
  const key = (/** @type {KeyboardEvent} */ event) => {
    const filter = event.key === "/" && field.value === "" ? filterOf() : null;
    if (event.key === "Enter") go(field.value, { in: "text" });
    else if (event.key === "ArrowDown")
      /** @type {HTMLElement | null} */ (document.querySelector(".search-names a, .search-list a"))?.focus();
    else if (event.key === "Escape") {
      field.value = "";
      /** @type {HTMLElement | null} */ (document.querySelector("main"))?.focus();
    } else if (filter) filter.focus();
    else return;
    event.preventDefault();
  };
  const field = searchField("Search everywhere", "Search everywhere", (q) => go(q), {
    "onkeydown": key,
    "aria-keyshortcuts": "/",
  });
  return field;
}
