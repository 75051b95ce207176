// One find bar for all panes: matches are counted in each pane, and steps go from pane to pane.
import { CHOICES } from "../lib/code/find.js";
import { fill, h, searchField } from "../lib/page/dom.js";
import { count } from "../lib/page/format.js";

/** @typedef {import("./line-pane.js").LinePane} LinePane */
/** @typedef {import("../lib/code/find-text.js").How} How */

const LINE = /^:\d*$/;

export class FindInPanes {
  /** @param {LinePane[]} panes in order @param {() => LinePane[]} visible @param {(searching: boolean) => void} onsearch */
  constructor(panes, visible, onsearch) {
    this.panes = panes;
    this.visible = visible;
    this.onsearch = onsearch;
    /** @type {LinePane | null} the pane with the current match */
    this.current = null;
    /** @type {LinePane | null} the pane that last had the focus */
    this.active = null;
    /** @type {LinePane[]} panes to be searched */
    this.waiting = [];
    /** @type {How} */
    this.how = { word: false, pattern: false, sameCase: false };
    this.field = searchField("Find in all panes", "Find in all panes, or :line", () => this.search(), {
      class: "find",
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.key(event),
    });
    this.status = h("span", { "class": "find-status", "aria-live": "polite" });
    const choices = CHOICES.map(([name, sign, title]) => {
      const button = h(
        "button",
        {
          "class": "tool find-choice",
          "aria-pressed": "false",
          "aria-label": `${title} ${sign}`,
          title,
          "onclick": () => {
            this.how[name] = !this.how[name];
            button.setAttribute("aria-pressed", String(this.how[name]));
            this.search();
          },
        },
        sign,
      );
      return button;
    });
    const step = (/** @type {string} */ sign, /** @type {string} */ title, /** @type {number} */ by) =>
      h("button", { "class": "tool", "aria-label": title, title, "onclick": () => this.step(by) }, sign);
    this.element = h(
      "div",
      { "class": "find-panes", "role": "search", "aria-label": "Find in all panes" },
      h("span", { class: "find-box" }, this.field, choices),
      step("↑", "Previous match", -1),
      step("↓", "Next match", 1),
      this.status,
    );
    for (const pane of panes) {
      pane.ontell = () => this.settle();
      pane.section.addEventListener("focusin", () => (this.active = pane));
    }
  }

  /** Visible panes, from the active one on. */
  get ordered() {
    const shown = this.visible();
    const at = Math.max(0, this.active ? shown.indexOf(this.active) : 0);
    return [...shown.slice(at), ...shown.slice(0, at)];
  }

  focus() {
    this.field.focus();
    this.field.select();
  }

  search() {
    const wanted = this.field.value;
    this.current = null;
    this.onsearch(Boolean(wanted) && !LINE.test(wanted));
    this.waiting = [...new Set([...this.ordered, ...this.panes])];
    for (const { found } of this.waiting) found.clear();
    this.next();
    this.settle();
  }

  /** Search the next pane. One at a time: all expressions share a worker. */
  next() {
    const wanted = this.field.value;
    while (this.waiting.length > 0 && !this.panes.some(({ found }) => found.busy)) {
      const pane = /** @type {LinePane} */ (this.waiting.shift());
      pane.found.how = this.how;
      pane.found.field.value = LINE.test(wanted) && pane !== this.ordered[0] ? "" : wanted;
      pane.found.search();
    }
  }

  /** Make the first match the current one when its pane has found it, and show the numbers. */
  settle() {
    this.next();
    const open = (/** @type {LinePane} */ pane) => pane.found.busy || this.waiting.includes(pane);
    if (!this.current) {
      const first = this.ordered.find((pane) => pane.found.found.starts.length > 0 || open(pane));
      if (first && !open(first)) this.go(first, 1);
    }
    const shown = this.visible();
    const total = shown.reduce((sum, { found }) => sum + found.found.starts.length, 0);
    const before = shown
      .slice(0, this.current ? shown.indexOf(this.current) : 0)
      .reduce((sum, { found }) => sum + found.found.starts.length, 0);
    const wanted = this.field.value && !LINE.test(this.field.value);
    const problem = shown[0]?.found.problem;
    const busy = shown.some(open);
    fill(
      this.status,
      !wanted
        ? ""
        : problem
          ? `not a regular expression: ${problem}`
          : this.current && total
            ? `${count(before + this.current.found.at + 1)} of ${count(total)}`
            : busy
              ? "searching …"
              : "not found",
    );
    this.status.classList.toggle("wrong", Boolean(wanted && problem));
  }

  /** @param {LinePane} pane @param {number} by */
  go(pane, by) {
    const before = this.current;
    this.current = pane;
    if (before && before !== pane) {
      before.found.at = -1;
      before.list.redraw();
      before.found.tell();
    }
    if (before !== pane) pane.found.at = by > 0 ? -1 : 0;
    pane.found.step(by);
  }

  /** @param {number} by */
  step(by) {
    const panes = this.visible().filter(({ found }) => found.found.starts.length > 0);
    if (panes.length === 0) return;
    const at = this.current ? panes.indexOf(this.current) : -1;
    if (at < 0) return this.go(panes[by > 0 ? 0 : panes.length - 1], by);
    const { found } = panes[at];
    const next = found.at + by;
    if (next >= 0 && next < found.found.starts.length) this.go(panes[at], by);
    else if (panes.length === 1) found.step(by);
    else this.go(panes[(at + by + panes.length) % panes.length], by);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key === "Enter") this.step(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") {
      this.field.value = "";
      this.search();
      this.ordered[0]?.body.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
