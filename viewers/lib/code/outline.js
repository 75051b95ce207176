// The outline of a text: functions, classes and kernels, with a filter. Marks the visible part.
import { VirtualList } from "../list/virtual-list.js";
import { cutMiddle } from "../page/cut-middle.js";
import { fill, h, searchField, typing } from "../page/dom.js";
import { count, plural } from "../page/format.js";
import { store, stored } from "../page/remember.js";
import { lastAtMost } from "../page/text.js";

const ROW = 24;
const KEPT = "tlparse-bundle.outline";
/** @type {Record<string, string>} */
const SIGNS = { function: "ƒ", class: "C" };

/** @typedef {import("./names.js").Item} Item */

export class Outline {
  /**
   * @param {{line: () => number, onpick: (item: Item) => void, ontoggle: () => void}} options line: returns
   *   the first visible line
   */
  constructor(options) {
    this.options = options;
    this.items = /** @type {Item[]} */ ([]);
    this.shown = /** @type {Item[]} */ ([]);
    this.here = -1; // index of the current item in 'shown'
    this.wanted = stored(KEPT) ?? "";
    this.filter = searchField("Filter the outline", "Filter", () => this.draw(), {
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.fieldKey(event),
    });
    this.status = h("span", { class: "dim" });
    this.list = new VirtualList({
      rowHeight: ROW,
      label: "Outline of this text",
      role: "listbox",
      class: "outline-list",
      render: (index) => this.renderRow(index),
    });
    this.list.element.tabIndex = 0;
    this.list.element.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.key(event));
    this.list.element.addEventListener("click", (/** @type {MouseEvent} */ event) => this.click(event));
    this.element = h(
      "aside",
      { "class": "outline", "aria-label": "Outline", "hidden": true },
      h("div", { class: "outline-head" }, this.filter, this.status),
      this.list.element,
    );
  }

  /** Return whether the outline is open: by default if there is space, until the user closes it. */
  get open() {
    return this.items.length > 1 && (this.wanted ? this.wanted === "1" : innerWidth >= 1400);
  }

  toggle() {
    this.wanted = this.open ? "0" : "1";
    store(KEPT, this.wanted);
    this.draw();
    this.options.ontoggle();
  }

  /** @param {Item[]} items */
  set(items) {
    this.items = items;
    this.filter.value = "";
    this.draw();
  }

  draw() {
    this.element.hidden = !this.open;
    if (!this.open) return;
    const wanted = this.filter.value.toLowerCase();
    this.shown = this.items.filter(
      ({ name, kind }) => name.toLowerCase().includes(wanted) || kind.toLowerCase().includes(wanted),
    );
    fill(
      this.status,
      wanted
        ? `${count(this.shown.length)} of ${count(this.items.length)}`
        : plural(this.items.length, "part"),
    );
    this.here = this.current();
    this.list.reset(this.shown.length, this.here);
    if (this.here >= 0) this.list.reveal(this.here);
  }

  /** Mark the last item that starts at or above the first visible line. */
  current() {
    if (!this.shown.length) return -1;
    const line = this.options.line();
    const at = lastAtMost(
      this.shown.map((item) => item.line),
      line,
    );
    return this.shown[at].line <= line ? at : 0;
  }

  follow() {
    if (this.element.hidden || this.list.element.contains(document.activeElement)) return;
    const now = this.current();
    if (now === this.here) return;
    this.here = now;
    this.list.activate(now);
  }

  /** @param {number} index @returns {HTMLElement} */
  renderRow(index) {
    const { name, kind, line, depth } = this.shown[index];
    const row = h(
      "div",
      {
        "class": "outline-row",
        "role": "option",
        "id": `outline-${index}`,
        "aria-selected": String(index === this.list.active),
        "aria-label": `${name}, ${kind}, line ${line + 1}`,
        "dataset": { index },
        "title": `${name}: ${kind}, line ${line + 1}`,
        "style": { "--depth": depth },
      },
      h("span", { "class": "outline-sign", "aria-hidden": "true" }, SIGNS[kind] ?? "▦"),
      cutMiddle(name, ""),
    );
    if (index === this.list.active) this.list.element.setAttribute("aria-activedescendant", row.id);
    return row;
  }

  /** @param {number} index */
  pick(index) {
    const item = this.shown[index];
    if (!item) return;
    this.here = index;
    this.list.activate(index);
    this.options.onpick(item);
  }

  /** @param {MouseEvent} event */
  click(event) {
    const row = /** @type {HTMLElement | null} */ (
      /** @type {Element} */ (event.target).closest(".outline-row")
    );
    if (row) this.pick(Number(row.dataset.index));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const next = typing(event) ? null : this.list.target(event.key);
    if (next !== null) this.list.activate(next);
    else if (event.key === "Enter") this.pick(this.list.active);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Move the focus from the filter to the list. @param {KeyboardEvent} event */
  fieldKey(event) {
    if (event.key === "Enter") this.pick(Math.max(0, this.list.active));
    else if (event.key === "ArrowDown") this.list.element.focus();
    else return;
    event.preventDefault();
  }
}
