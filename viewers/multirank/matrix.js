// The matrix: a row per group of equal ranks, a cell per compile, colored by group.
// Only visible rows and cells are in the page, so that 1,024 ranks with 200 compiles scroll smoothly.
import { size, words } from "../lib/bundle/ranks.js";
import { VirtualList } from "../lib/list/virtual-list.js";
import { fill, h } from "../lib/page/dom.js";
import { plural } from "../lib/page/format.js";
import { groupLetter } from "./data.js";
import { cellText, MARKS, tableRows } from "./matrix-data.js";
import { functionName } from "./names.js";

const ROW = 24;
const NARROW = 30,
  WORDS = 100,
  WIDEST = 200,
  ROOM = 1_000; // pixels
const FEW = 5; // rows
const BAR = 18; // pixels of the horizontal scroll bar
const MARGIN = 6; // columns kept on each side of the visible ones
const HUES = 7;

export class Matrix {
  /**
   * @param {import("./data.js").Model} model @param {import("./matrix-data.js").Group[]} groups @param {Map<number, Map<number, any>>} marks
   * @param {{open: Set<number>, onopen: (open: Set<number>) => void, oncell: (column: number, rank: number) => void}} options
   */
  constructor(model, groups, marks, options) {
    this.model = model;
    this.groups = groups;
    this.marks = marks;
    this.options = options;
    this.columns = model.columns ?? [];
    this.label = innerWidth < 700 ? 120 : 190;
    const each = Math.floor(Math.min(ROOM, innerWidth - this.label - 60) / Math.max(1, this.columns.length));
    this.wide = each >= WORDS; // enough room for words; otherwise names are vertical
    this.cell = this.wide ? Math.min(WIDEST, each) : NARROW;
    this.rows = tableRows(groups, options.open);
    this.column = 0; // of the active cell; -1: the row label
    this.first = this.last = 0;
    /** @type {Map<number, DocumentFragment>} cells of each group, for the columns in the page */
    this.made = new Map();
    this.header = h("div", {
      "role": "row",
      "class": `matrix-row matrix-header${this.wide ? "" : " upright"}`,
      "aria-rowindex": 1,
    });
    this.list = new VirtualList({
      rowHeight: ROW,
      role: "grid",
      label: "Compiles by rank",
      class: "matrix",
      header: this.header,
      render: (index) => this.renderRow(index),
    });
    this.element = this.list.element;
    this.element.tabIndex = 0;
    this.element.style.setProperty("--cell", `${this.cell}px`);
    this.element.style.setProperty("--label", `${this.label}px`);
    const head = this.wide ? 26 : 128;
    /** Minimum height in pixels. */
    this.least = head + ROW * Math.min(groups.length, FEW) + BAR;
    this.element.style.setProperty("--head", `${head}px`);
    this.element.style.setProperty("--all", `${this.label + this.columns.length * this.cell}px`);
    this.element.setAttribute("aria-colcount", String(this.columns.length + 1));
    this.element.addEventListener("scroll", () => this.sideways(), { passive: true });
    this.element.addEventListener("click", (/** @type {Event} */ event) => {
      const at = this.under(event);
      if (at) this.press(at.index, at.column);
    });
    this.element.addEventListener("pointerover", (/** @type {Event} */ event) => {
      const at = this.under(event);
      if (!at || at.column < 0 || at.cell.title) return;
      const { group, member } = this.rows[at.index];
      const one = member >= 0 ? member : this.groups[group].members[0];
      at.cell.title = cellText(this.model, at.column, one, this.marks.get(at.column)?.get(one));
    });
    this.element.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.key(event));
    // Keyboard focus only: a redraw on focus would replace the cell that a click hits.
    this.element.addEventListener(
      "focus",
      () => this.list.active < 0 && this.element.matches(":focus-visible") && this.activate(0, 0),
    );
    new ResizeObserver(() => this.sideways()).observe(this.element);
    this.show();
  }

  show() {
    this.element.setAttribute("aria-rowcount", String(this.rows.length + 1));
    this.list.reset(this.rows.length, this.list.active);
    this.element.style.setProperty("--rows", String(this.rows.length));
    this.sideways(true);
  }

  /** Draw the columns in view. @param {boolean} [always] redraw even if they did not change */
  sideways(always = false) {
    const { scrollLeft, clientWidth } = this.element;
    const first = Math.max(0, Math.floor(scrollLeft / this.cell));
    const last = Math.min(
      this.columns.length,
      Math.ceil((scrollLeft + (clientWidth || 1200) - this.label) / this.cell),
    );
    if (!always && first >= this.first && last <= this.last) return;
    const before = { first: this.first, last: this.last };
    this.first = Math.max(0, first - MARGIN);
    this.last = Math.min(this.columns.length, last + MARGIN);
    this.made.clear();
    this.drawHeader();
    if (always || this.first >= before.last || this.last <= before.first) this.list.redraw();
    else for (const [index, row] of this.list.shown) this.shift(index, row, before);
  }

  /** Remove cells of a row that left the view, and add those that entered it. @param {number} index @param {HTMLElement} row @param {{first: number, last: number}} before */
  shift(index, row, before) {
    const { group, member } = this.rows[index];
    const one = member >= 0 ? member : this.groups[group].members[0];
    const cell = (/** @type {number} */ column) =>
      this.renderCell(column, one, index === this.list.active && column === this.column);
    const range = (/** @type {number} */ from, /** @type {number} */ to) =>
      Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
    for (const _ of range(before.first, this.first)) row.children[2].remove();
    for (const _ of range(this.last, before.last)) row.lastElementChild?.remove();
    row.children[1].replaceWith(this.gap());
    row.children[1].after(...range(this.first, before.first).map(cell));
    row.append(...range(before.last, this.last).map(cell));
  }

  drawHeader() {
    fill(
      this.header,
      h("div", { "role": "columnheader", "class": "matrix-label", "aria-colindex": 1 }, "Ranks"),
      this.gap(),
      this.span((c) => {
        const { function: name, file, first_line: line, number, compile: id } = this.columns[c];
        const title = `${functionName(name)} [${id}]${number > 1 ? `, compile ${number} of this function` : ""}${file ? `\n${file}:${line}` : ""}`;
        return h(
          "div",
          { "role": "columnheader", "class": "matrix-cell", title, "aria-colindex": c + 2 },
          h(
            "span",
            null,
            h("span", { class: "matrix-name" }, functionName(name)),
            h("span", { class: "dim" }, ` [${id}]`),
          ),
        );
      }),
    );
  }

  /** @template T @param {(column: number) => T} make @returns {T[]} */
  span(make) {
    return Array.from({ length: this.last - this.first }, (_, i) => make(this.first + i));
  }

  /** @param {number} index @returns {HTMLElement} */
  renderRow(index) {
    const { group, member } = this.rows[index];
    const { members, runs } = this.groups[group];
    const one = member >= 0 ? member : members[0];
    const opened = member === -1 && this.options.open.has(runs[0][0]);
    const here = index === this.list.active;
    const name = member >= 0 ? `rank ${this.model.members[member].rank}` : words(runs);
    const label = h(
      "div",
      {
        "role": "rowheader",
        "class": `matrix-label${here && this.column < 0 ? " here" : ""}${member >= 0 ? " inner" : ""}`,
        "id": here ? "matrix--1" : null,
        "title": name,
        "aria-colindex": 1,
        "aria-expanded": member === -1 ? String(opened) : null,
      },
      member === -1 && h("span", { "class": "twisty", "aria-hidden": "true" }, opened ? "▾ " : "▸ "),
      name,
      member === -1 && h("span", { class: "dim" }, ` · ${size(runs)}`),
    );
    const row = h(
      "div",
      { "role": "row", "class": "matrix-row", "aria-rowindex": index + 2 },
      label,
      this.gap(),
    );
    row.append(here ? this.cells(one, this.column) : this.copiedCells(group, one));
    return row;
  }

  /** @param {number} member @param {number} active column of the active cell; -1: none of them */
  cells(member, active) {
    const cells = document.createDocumentFragment();
    for (let column = this.first; column < this.last; column++)
      cells.append(this.renderCell(column, member, column === active));
    return cells;
  }

  /** Copy the cells of a group: copying is faster than building. @param {number} group @param {number} member */
  copiedCells(group, member) {
    let made = this.made.get(group);
    if (!made) this.made.set(group, (made = this.cells(member, -1)));
    return made.cloneNode(true);
  }

  /** Build the placeholder for the columns left of the visible ones. */
  gap() {
    return h("div", {
      class: "matrix-gap",
      role: "presentation",
      style: { width: `${this.first * this.cell}px` },
    });
  }

  /** Build a cell. Scrolling builds thousands, so cells have no listeners, styles or titles. @param {number} column @param {number} member @param {boolean} here */
  renderCell(column, member, here) {
    const number = this.model.groupOf[column][member] ?? -1;
    const marked = this.marks.get(column)?.get(member);
    const cell = document.createElement("div");
    cell.setAttribute("role", "gridcell");
    cell.setAttribute("aria-colindex", String(column + 2));
    cell.className = `matrix-cell ${number < 0 ? "none" : `g${number === 0 ? 0 : 1 + ((number - 1) % (HUES - 1))}`}${marked ? " marked" : ""}${here ? " here" : ""}`;
    cell.textContent = number < 0 ? "·" : groupLetter(number);
    if (marked)
      cell.append(
        h(
          "span",
          { class: "matrix-mark" },
          MARKS[marked.kind][0],
          h("span", { class: this.wide ? "matrix-words" : "visually-hidden" }, ` ${MARKS[marked.kind][1]}`),
        ),
      );
    if (here) {
      cell.id = `matrix-${column}`;
      cell.title = cellText(this.model, column, member, marked);
    }
    return cell;
  }

  /** Return the cell under an event; null outside cells. @param {Event} event */
  under(event) {
    const cell = /** @type {Element} */ (event.target).closest("[role=gridcell], [role=rowheader]");
    const index = Number(cell?.parentElement?.getAttribute("aria-rowindex")) - 2;
    return cell && index >= 0
      ? {
          cell: /** @type {HTMLElement} */ (cell),
          index,
          column: Number(cell.getAttribute("aria-colindex")) - 2,
        }
      : null;
  }

  /** @param {number} index @param {number} column */
  activate(index, column) {
    this.column = column;
    this.list.activate(index);
    const left = column * this.cell;
    const room = this.element.clientWidth - this.label - this.cell;
    if (column >= 0 && (left < this.element.scrollLeft || left > this.element.scrollLeft + room)) {
      this.element.scrollLeft = left < this.element.scrollLeft ? left : left - room;
      this.sideways();
    }
    this.element.setAttribute("aria-activedescendant", `matrix-${column}`);
  }

  /** Scroll a column into view. @param {number} column */
  scrollTo(column) {
    const room = this.element.clientWidth - this.label;
    const left = column * this.cell;
    if (left >= this.element.scrollLeft && left + this.cell <= this.element.scrollLeft + room) return;
    this.element.scrollLeft = left - room / 2;
    this.sideways();
  }

  /** Go to the next cell that differs from most ranks, column by column. @param {number} by */
  step(by) {
    const odd = this.columns.flatMap((_, column) =>
      this.rows.flatMap(({ group, member }, index) => {
        const one = this.groups[group].members[0];
        return member < 0 && (this.marks.get(column)?.has(one) || (this.model.groupOf[column][one] ?? 0) > 0)
          ? [[column, index]]
          : [];
      }),
    );
    if (!odd.length) return;
    const here = odd.findIndex(
      ([column, index]) =>
        column > this.column || (column === this.column && index >= Math.max(0, this.list.active)),
    );
    const on = here >= 0 && odd[here][0] === this.column && odd[here][1] === this.list.active;
    const next =
      (here < 0 ? (by > 0 ? 0 : odd.length - 1) : here + (by > 0 ? Number(on) : -1) + odd.length) %
      odd.length;
    this.element.focus();
    this.activate(odd[next][1], odd[next][0]);
  }

  /** @param {number} index @param {number} column */
  press(index, column) {
    this.activate(index, column);
    const { group, member } = this.rows[index];
    const { members, runs } = this.groups[group];
    if (column >= 0) {
      this.options.oncell(column, this.model.members[member >= 0 ? member : members[0]].rank);
      return;
    }
    if (member !== -1) return;
    if (!this.options.open.delete(runs[0][0])) this.options.open.add(runs[0][0]);
    this.rows = tableRows(this.groups, this.options.open);
    this.show();
    this.options.onopen(this.options.open);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.rows.length) return;
    const index = Math.max(0, this.list.active);
    const last = this.columns.length - 1;
    /** @type {Record<string, number>} */
    const across = { ArrowLeft: this.column - 1, ArrowRight: this.column + 1, Home: -1, End: last };
    if (event.key in across) this.activate(index, Math.max(-1, Math.min(last, across[event.key])));
    else if (event.key === "Enter" || event.key === " ") this.press(index, this.column);
    else if (["ArrowDown", "ArrowUp", "PageDown", "PageUp"].includes(event.key))
      this.activate(this.list.target(event.key) ?? index, this.column);
    else return;
    event.preventDefault();
  }

  /** Counts for the heading. */
  get summary() {
    return `${plural(this.columns.length, "compile")}, ${plural(this.groups.length, "group")} of equal ranks`;
  }
}
