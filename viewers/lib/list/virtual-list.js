// A long list of rows of equal height; only visible rows are in the page.
//
// Short lists are complete, for the browser's search and screen readers.
// The active row and the kept rows stay in the page when scrolled away, so the focus is never lost.
import { h } from "../page/dom.js";
import { count } from "../page/format.js";

const ALL_UP_TO = 160; // unless the options say otherwise
const OVERSCAN = 6;
const TALLEST = 8_000_000; // browsers limit the height of an element; beyond this the scroll bar is scaled

export class VirtualList {
  /**
   * @param {{rowHeight: number, render: (index: number) => HTMLElement, header?: HTMLElement, label?: string,
   *   role?: string, class?: string, allUpTo?: number}} options
   *   header: stays above the rows; allUpTo: most rows of a complete list
   */
  constructor(options) {
    this.options = options;
    this.rowHeight = options.rowHeight;
    this.allUpTo = options.allUpTo ?? ALL_UP_TO;
    this.length = 0;
    this.active = -1;
    this.kept = /** @type {number[]} */ ([]);
    /** @type {Map<number, HTMLElement>} */
    this.shown = new Map();
    this.spacer = h("div", { class: "virtual-spacer", role: options.role ? "presentation" : null });
    this.element = h(
      "div",
      { "class": `virtual ${options.class ?? ""}`, "role": options.role, "aria-label": options.label },
      options.header,
      this.spacer,
    );
    this.element.addEventListener("scroll", () => this.update(), { passive: true });
    new ResizeObserver(() => this.update()).observe(this.element);
  }

  /** Replace the rows. @param {number} length @param {number} [active] */
  reset(length, active = -1) {
    this.length = length;
    this.kept = [];
    this.active = Math.min(active, length - 1);
    if (length > this.allUpTo)
      this.element.dataset.rest = `… ${count(length)} rows in total. Only the visible rows are printed.`;
    else delete this.element.dataset.rest;
    this.height = Math.min(length * this.rowHeight, TALLEST);
    this.spacer.style.height = `${this.height}px`;
    this.redraw();
  }

  /** Give all rows another height. @param {number} height */
  resize(height) {
    this.rowHeight = height;
    this.height = Math.min(this.length * height, TALLEST);
    this.spacer.style.height = `${this.height}px`;
    this.redraw();
    if (this.active >= 0) this.reveal(this.active);
  }

  /** Redraw the rows. */
  redraw() {
    const focused = this.element.contains(document.activeElement) && document.activeElement !== this.element;
    for (const row of this.shown.values()) row.remove();
    this.shown.clear();
    this.update();
    if (focused) this.focusActive();
  }

  /** Return the pixels of rows per pixel of the scroll bar. */
  get scale() {
    const full = this.length * this.rowHeight;
    if (full <= TALLEST) return 1;
    const view = this.element.clientHeight;
    return (full - view) / Math.max(1, TALLEST - view);
  }

  update() {
    const { clientHeight, scrollTop } = this.element;
    const scale = this.scale;
    const top = scrollTop * scale;
    const everything = this.length <= this.allUpTo;
    const first = everything ? 0 : Math.max(0, Math.floor(top / this.rowHeight) - OVERSCAN);
    const last = everything
      ? this.length
      : Math.min(this.length, Math.ceil((top + clientHeight) / this.rowHeight) + OVERSCAN);
    const away = [...new Set([this.active, ...this.kept])]
      .filter((index) => index >= 0 && index < this.length && (index < first || index >= last))
      .sort((a, b) => b - a);
    for (const [index, row] of this.shown) {
      if ((index < first || index >= last) && !away.includes(index)) {
        row.remove();
        this.shown.delete(index);
      }
    }
    // The rows are in order in the page, including the kept ones.
    /** @type {HTMLElement | null} */
    let next = null;
    for (const index of away) if (index >= last) next = this.place(index, next, top - scrollTop);
    for (let index = last - 1; index >= first; index--) next = this.place(index, next, top - scrollTop);
    for (const index of away) if (index < first) next = this.place(index, next, top - scrollTop);
  }

  /** Keep rows in the page even when scrolled away. @param {number[]} rows */
  keep(rows) {
    this.kept = rows;
  }

  /** @param {number} index @param {ChildNode | null} before @param {number} shift */
  place(index, before, shift) {
    let row = this.shown.get(index);
    if (!row) {
      row = this.options.render(index);
      this.shown.set(index, row);
      this.spacer.insertBefore(row, before);
    }
    row.style.top = `${index * this.rowHeight - shift}px`;
    return row;
  }

  /** @param {number} index */
  reveal(index) {
    const top = index * this.rowHeight;
    const seen = this.element.scrollTop * this.scale;
    const room = this.room;
    if (top < seen) this.element.scrollTop = top / this.scale;
    else if (top + this.rowHeight > seen + room)
      this.element.scrollTop = (top + this.rowHeight - room) / this.scale;
    this.update();
  }

  /** Scroll a row to the middle. @param {number} index */
  center(index) {
    this.element.scrollTop = Math.max(0, index * this.rowHeight - this.room / 2) / this.scale;
    this.update();
  }

  /** Activate a row; render() draws it as active. @param {number} index @param {boolean} [focus] */
  activate(index, focus = false) {
    const before = this.active;
    this.active = index;
    for (const changed of new Set([before, index])) {
      const old = this.shown.get(changed);
      if (!old) continue;
      const fresh = this.options.render(changed);
      fresh.style.top = old.style.top;
      const hadFocus = old === document.activeElement;
      old.replaceWith(fresh);
      this.shown.set(changed, fresh);
      if (hadFocus && changed === index) fresh.focus({ preventScroll: true });
    }
    this.reveal(index);
    if (focus) this.focusActive();
  }

  focusActive() {
    this.shown.get(this.active)?.focus({ preventScroll: true });
  }

  /** Return the visible height of the rows. */
  get room() {
    return this.element.clientHeight - (this.options.header?.offsetHeight ?? 0);
  }

  /** Return the number of rows per page. */
  get page() {
    return Math.max(1, Math.floor(this.room / this.rowHeight) - 1);
  }

  /**
   * Return the target row of ↓ ↑ PgDn PgUp Home End, or null.
   * @param {string} key @returns {number | null}
   */
  target(key) {
    const here = Math.max(this.active, 0);
    /** @type {Record<string, number>} */
    const targets = {
      ArrowDown: this.active + 1,
      ArrowUp: here - 1,
      PageDown: here + this.page,
      PageUp: here - this.page,
      Home: 0,
      End: this.length - 1,
    };
    return key in targets && this.length ? Math.max(0, Math.min(this.length - 1, targets[key])) : null;
  }
}
