// A table of any number of rows: sortable columns, one tab stop, arrow keys, Enter opens.
import { fill, h, typing } from "../page/dom.js";
import { VirtualList } from "./virtual-list.js";
import { cellClass, Widths } from "./widths.js";
import { texts, twoLines } from "./two-lines.js";

/**
 * @typedef {object} Column
 * @property {string} id
 * @property {string} title
 * @property {string} [least] the column can shrink to this length; without it, it is as wide as its content
 * @property {string} [width] of a column without text to measure
 * @property {(row: number) => any} cell text or an element
 * @property {(row: number) => any} [sort] sort key; without it the column can't be sorted
 * @property {boolean} [number] right-aligned
 * @property {string} [class]
 * @property {string} [help]
 */

const ROW = 24;
const TWO = 44; // of a row with two lines

export class Grid {
  /**
   * @param {{label: string, columns: Column[], sort?: string, onsort?: (sort: string) => void,
   *   onselect?: (row: number) => void, onopen?: (row: number) => void,
   *   name?: (row: number) => string, below?: (row: number) => number[], onfold?: (row: number, open: boolean) => void}} options
   *   sort: a column's id, with '-' in front for descending; '' for the order of the rows
   *   below: child rows, which stay below their row in any order; onfold: → or ← on a row
   */
  constructor(options) {
    this.options = options;
    this.sort = options.sort ?? "";
    /** @type {ArrayLike<number>} the rows that match, in their own order */
    this.rows = [];
    /** @type {ArrayLike<number>} the same, sorted */
    this.order = [];
    this.header = h("div", { "role": "row", "class": "grid-row grid-header", "aria-rowindex": 1 });
    this.list = new VirtualList({
      rowHeight: ROW,
      role: "grid",
      label: options.label,
      class: "grid",
      header: this.header,
      render: (index) => this.renderRow(index),
    });
    this.element = this.list.element;
    this.widths = new Widths(options.columns);
    this.widths.apply(this.element);
    this.two = false;
    this.texts = 0; // columns of text that fit in the first of two lines
    this.least = h("div", { "class": "grid-least", "aria-hidden": "true" }); // as wide as the columns at least
    this.element.append(this.least);
    const sized = new ResizeObserver(() => this.fit());
    for (const element of [this.element, this.least]) sized.observe(element);
    this.element.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.key(event));
    this.drawHeader();
  }

  /** @param {ArrayLike<number>} rows @param {number} [selected] one of them */
  show(rows, selected = -1) {
    this.rows = rows;
    if (this.widths.measure(rows)) this.widths.apply(this.element);
    this.arrange(selected);
  }

  /** Use two lines for each row where the columns have no space. */
  fit() {
    const width = this.element.clientWidth;
    const two = width > 0 && width < this.least.offsetWidth;
    const fitting = two ? this.fitting(width) : 0;
    if (two === this.two && fitting === this.texts) return;
    [this.two, this.texts] = [two, fitting];
    this.element.classList.toggle("two-lines", two);
    this.list.resize(two ? TWO : ROW);
  }

  /** Return how many columns of text fit beside each other. @param {number} width */
  fitting(width) {
    const probe = h("div", { "class": "grid-least", "aria-hidden": "true" });
    this.element.append(probe);
    const all = texts(this.options.columns).map((column) => this.options.columns.indexOf(column));
    let most = all.length;
    for (; most > 1; most--) {
      probe.style.width = this.widths.needed(all.slice(0, most));
      if (probe.offsetWidth <= width) break;
    }
    probe.remove();
    return most;
  }

  /** Return the selected row, or -1. */
  get selected() {
    return this.list.active >= 0 ? this.order[this.list.active] : -1;
  }

  /** @param {number} selected */
  arrange(selected) {
    this.order = sorted(this.rows, this.options.columns, this.sort);
    const { below } = this.options;
    if (below) this.order = Array.from(this.order).flatMap((row) => [row, ...below(row)]);
    this.element.setAttribute("aria-rowcount", String(this.order.length + 1));
    const at = selected < 0 ? -1 : Array.prototype.indexOf.call(this.order, selected);
    this.list.reset(this.order.length, at);
    if (at >= 0 && !this.list.element.contains(document.activeElement)) this.list.center(at);
  }

  drawHeader() {
    fill(
      this.header,
      this.options.columns.map((column) => {
        const down = this.sort === `-${column.id}`;
        const on = down || this.sort === column.id;
        const props = {
          "role": "columnheader",
          "class": column.number ? "number" : null,
          "title": column.help,
          "aria-sort": on ? (down ? "descending" : "ascending") : null,
        };
        if (!column.sort)
          return h(
            "div",
            props,
            column.title || h("span", { class: "visually-hidden" }, column.help ?? column.id),
          );
        const button = { class: "sort", tabindex: "-1", onclick: () => this.toggleSort(column) };
        return h(
          "div",
          props,
          h(
            "button",
            button,
            column.title,
            h("span", { "aria-hidden": "true", "class": "arrow" }, on ? (down ? " ▾" : " ▴") : ""),
          ),
        );
      }),
    );
    // One button is in the tab order; ← and → move between the buttons.
    const buttons = this.header.querySelectorAll("button");
    buttons[0]?.setAttribute("tabindex", "0");
    this.header.onkeydown = (/** @type {KeyboardEvent} */ event) => {
      const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      const at = Array.from(buttons).indexOf(/** @type {any} */ (document.activeElement));
      if (step && at >= 0) buttons[(at + step + buttons.length) % buttons.length].focus();
    };
  }

  /** Sort by a column, numbers largest first; a third press restores the row order. @param {Column} column */
  toggleSort(column) {
    const order = column.number ? [`-${column.id}`, column.id, ""] : [column.id, `-${column.id}`, ""];
    this.sort = order[(order.indexOf(this.sort) + 1) % 3];
    const at = this.options.columns.filter((c) => c.sort).indexOf(column);
    this.drawHeader();
    /** @type {HTMLElement} */ (this.header.querySelectorAll("button")[at]).focus();
    this.arrange(this.selected);
    this.options.onsort?.(this.sort);
  }

  /** @param {number} index @returns {HTMLElement} */
  renderRow(index) {
    const row = this.order[index];
    const active = index === this.list.active;
    const stop = active || (this.list.active < 0 && index === 0);
    return h(
      "div",
      {
        "role": "row",
        "class": "grid-row",
        "tabindex": stop ? "0" : "-1",
        "aria-rowindex": index + 2,
        "aria-selected": active ? "true" : "false",
        "aria-label": this.options.name?.(row),
        "onclick": (/** @type {MouseEvent} */ event) => this.click(event, index),
      },
      this.two
        ? twoLines(this.options.columns, this.widths.tracks(), this.texts, row)
        : this.options.columns.map((column) =>
            h("div", { role: "gridcell", class: cellClass(column) }, column.cell(row)),
          ),
    );
  }

  /** @param {MouseEvent} event @param {number} index */
  click(event, index) {
    if (/** @type {Element} */ (event.target).closest("a, button")) return;
    this.select(index);
  }

  /** @param {number} index index in the sorted order */
  select(index) {
    this.list.activate(index, true);
    this.options.onselect?.(this.order[index]);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (typing(event) || this.header.contains(/** @type {Node} */ (event.target))) return;
    if (event.key === "Enter" && this.list.active >= 0) {
      if (/** @type {Element} */ (event.target).closest("a")) return;
      event.preventDefault();
      this.options.onopen?.(this.selected);
      return;
    }
    if (this.options.onfold && ["ArrowRight", "ArrowLeft"].includes(event.key) && this.selected >= 0) {
      event.preventDefault();
      this.options.onfold(this.selected, event.key === "ArrowRight");
      return;
    }
    const target = this.list.target(event.key);
    if (target === null) return;
    event.preventDefault();
    this.select(target);
  }
}

/**
 * @param {ArrayLike<number>} rows @param {Column[]} columns @param {string} sort @returns {ArrayLike<number>}
 */
function sorted(rows, columns, sort) {
  const down = sort.startsWith("-");
  const value = columns.find((column) => column.id === sort.replace(/^-/, ""))?.sort;
  if (!value) return rows;
  const keys = Array.prototype.map.call(rows, (row) => value(row)); // Array.from takes longer than the rest
  const values = fewValues(keys);
  if (values) {
    const groups = new Map(
      (down ? values.reverse() : values).map((value) => [value, /** @type {number[]} */ ([])]),
    );
    const unknown = /** @type {number[]} */ ([]);
    keys.forEach((key, i) => (groups.get(key) ?? unknown).push(rows[i]));
    return [...groups.values(), unknown].flat();
  }
  const order = keys.map((_, i) => i);
  const sign = down ? -1 : 1;
  order.sort((a, b) => {
    const x = keys[a],
      y = keys[b];
    if (x === y) return a - b;
    if (x === null || x === undefined) return 1; // missing values come last in either direction
    if (y === null || y === undefined) return -1;
    return x < y ? -sign : sign;
  });
  return order.map((i) => rows[i]);
}

/**
 * Return the distinct non-null keys in order if they are few enough that grouping takes a quarter of the time
 * of comparing rows; else null.
 * @param {any[]} keys
 * @returns {any[] | null}
 */
function fewValues(keys) {
  const values = new Set();
  for (const key of keys) if (values.add(key).size > keys.length / 16) return null;
  values.delete(null);
  values.delete(undefined);
  return [...values].sort((x, y) => (x < y ? -1 : 1));
}
