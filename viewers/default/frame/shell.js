// The frame around every view: the views on the left, the log, the search, light and dark, help above.
import { fill, h, searchField } from "../../lib/page/dom.js";
import { Frame } from "../../lib/frame/frame.js";
import { count } from "../../lib/page/format.js";
import { bundleName, helpButton, listAddress } from "../../lib/page/page.js";
import { themeButton } from "../../lib/page/remember.js";
import { logName, modelOf } from "../shared/model.js";
import { railView, viewGroups } from "./views.js";

const KEY = /Mac|iP/.test(navigator.platform) ? "⌘K" : "Ctrl K";

/** Its words come when they are asked for. */
export const showHelp = async () => (await import("./help.js")).showHelp();

export class Shell {
  /** @param {import("../../lib/bundle/bundle.js").Bundle} bundle @param {import("../../lib/page/hash-state.js").HashState} state @param {HTMLElement} main @param {() => HTMLElement | null} filter the field of the view that is shown */
  constructor(bundle, state, main, filter) {
    this.bundle = bundle;
    this.state = state;
    this.frame = new Frame(main, state);
    this.shared = h("span", { class: "hand-on" });
    /** Where the mark of a bundle that grows stands. */
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
    ); // their viewer tells what went wrong
  }

  share() {
    void import("../../lib/page/share.js").then(({ shareButton }) =>
      this.shared.replaceWith(shareButton({ bundle: this.bundle, viewer: "default" })),
    );
  }

  /** Everywhere that one can go to. */
  async jump() {
    const { jump } = await import("./jump.js");
    jump(
      this.bundle,
      this.state,
      this.log ?? null,
      viewGroups(this.bundle, this.state, this.log ?? null, this.model, this.ranks),
    );
  }

  /** The log that is shown, and the view by the address. @param {import("../../lib/bundle/log.js").Log | null} log */
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
    const listed = JSON.stringify([log?.id, this.bundle.logs.map(({ id, rank }) => [id, rank])]);
    if (this.log?.id !== log?.id) this.model = null; // of a newer state it comes soon, and the one before will do
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
    ); // the views tell what went wrong
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
    const again = where.contains(document.activeElement);
    // An event number means something in its own log only; a compile id often means the same in all of them.
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
    if (again) /** @type {HTMLElement | null} */ (where.querySelector("[aria-label='Log']"))?.focus();
  }
}

// The field in the bar above every view. What is typed leads to the search view at once.

/** @type {any} the same element in every view, so that typing goes on when the view changes */
let box = null;
/** @type {() => HTMLElement | null} */
let filterOf = () => null;

/** @param {import("../../lib/page/hash-state.js").HashState} state @param {() => HTMLElement | null} filter the field of the view itself */
export function searchBox(state, filter) {
  filterOf = filter;
  box ??= make(state);
  return h("search", { class: "search-box" }, box);
}

/** The address has changed: the field says what is searched. @param {import("../../lib/page/hash-state.js").HashState} state */
export function syncSearch(state) {
  if (box && document.activeElement !== box)
    box.value = state.current.view === "search" ? state.current.q : "";
}

export const focusSearch = () => box?.select?.() ?? box?.focus();

/** @param {import("../../lib/page/hash-state.js").HashState} state */
function make(state) {
  const go = (/** @type {string} */ q, /** @type {Record<string, string>} */ more = {}) => {
    if (state.current.view === "search" && state.current.q === q && !more.in) return; // Enter was quicker
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
  const field = searchField("Search everywhere", "Search or jump", (q) => go(q), {
    "onkeydown": key,
    "aria-keyshortcuts": "/",
  });
  return field;
}
