// Ranks × compiles: a row for each group of equal ranks, a cell for each compile, coloured by what it is the same as.
// Only the rows and cells in sight are in the page, so that 1,024 ranks with 200 compiles scroll smoothly.
import { fill, h } from "../lib/dom.js";
import { plural } from "../lib/format.js";
import { VirtualList } from "../lib/virtual-list.js";
import { groupLetter } from "./data.js";
import { cellText, MARKS, tableRows } from "./matrix-data.js";
import { size, words } from "../lib/ranks.js";
import { functionName } from "./verdict.js";

const ROW = 24;
const NARROW = 30, WORDS = 100, WIDEST = 200, ROOM = 1_000; // pixels
const MARGIN = 10; // columns beside those in sight
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
    this.columns = model?.columns ?? [];
    this.label = innerWidth < 700 ? 120 : 190;
    const each = Math.floor(Math.min(ROOM, innerWidth - this.label - 60) / Math.max(1, this.columns.length));
    this.wide = each >= WORDS; // room for names and words; else names stand upright
    this.cell = this.wide ? Math.min(WIDEST, each) : NARROW;
    this.rows = tableRows(groups, options.open);
    this.column = 0; // of the active cell; -1 is the name of the row
    this.first = this.last = 0;
    this.header = h("div", { role: "row", class: `matrix-row matrix-header${this.wide ? "" : " upright"}`, "aria-rowindex": 1 });
    this.list = new VirtualList({
      rowHeight: ROW, role: "grid", label: "Ranks and what they compiled", class: "matrix", header: this.header,
      render: (index) => this.renderRow(index),
    });
    this.element = this.list.element;
    this.element.tabIndex = 0;
    this.element.style.setProperty("--cell", `${this.cell}px`);
    this.element.style.setProperty("--label", `${this.label}px`);
    this.element.style.setProperty("--head", this.wide ? "26px" : "128px");
    this.element.style.setProperty("--all", `${this.label + this.columns.length * this.cell}px`);
    this.element.setAttribute("aria-colcount", String(this.columns.length + 1));
    this.element.addEventListener("scroll", () => this.sideways(), { passive: true });
    this.element.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.key(event));
    // By the keyboard only: a click must find the cell that was pressed, not one drawn anew.
    this.element.addEventListener("focus", () => this.list.active < 0 && this.element.matches(":focus-visible") && this.activate(0, 0));
    new ResizeObserver(() => this.sideways()).observe(this.element);
    this.show();
  }

  show() {
    this.element.setAttribute("aria-rowcount", String(this.rows.length + 1));
    this.list.reset(this.rows.length, this.list.active);
    this.element.style.setProperty("--rows", String(this.rows.length));
    this.sideways(true);
  }

  /** Which columns are in sight. @param {boolean} [always] draw in any case */
  sideways(always = false) {
    const { scrollLeft, clientWidth } = this.element;
    const first = Math.max(0, Math.floor(scrollLeft / this.cell));
    const last = Math.min(this.columns.length, Math.ceil((scrollLeft + (clientWidth || 1200) - this.label) / this.cell));
    if (!always && first >= this.first && last <= this.last) return;
    this.first = Math.max(0, first - MARGIN);
    this.last = Math.min(this.columns.length, last + MARGIN);
    this.drawHeader();
    this.list.redraw();
  }

  drawHeader() {
    fill(this.header, h("div", { role: "columnheader", class: "matrix-label", "aria-colindex": 1 }, "Ranks"),
      this.span((c) => {
        const { function: name, filename, first_line: line, number, compile_id: id } = this.columns[c];
        const title = `${functionName(name)} [${id}]${number > 1 ? `, ${number}. compile of it` : ""}${filename ? `\n${filename}:${line}` : ""}`;
        return h("div", { role: "columnheader", class: "matrix-cell", style: { left: `${this.label + c * this.cell}px` }, title, "aria-colindex": c + 2 },
          h("span", null, h("span", { class: "matrix-name" }, functionName(name)), h("span", { class: "dim" }, ` [${id}]`)));
      }));
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
    const name = member >= 0 ? `rank ${this.model?.members[member].rank}` : words(runs);
    const label = h("div", {
      role: "rowheader", class: `matrix-label${here && this.column < 0 ? " here" : ""}${member >= 0 ? " inner" : ""}`, id: here ? "matrix--1" : null, title: name,
      "aria-colindex": 1, "aria-expanded": member === -1 ? String(opened) : null, onclick: () => this.press(index, -1),
    }, member === -1 && h("span", { class: "twisty", "aria-hidden": "true" }, opened ? "▾ " : "▸ "), name, member === -1 && h("span", { class: "dim" }, ` · ${size(runs)}`));
    return h("div", { role: "row", class: "matrix-row", "aria-rowindex": index + 2 }, label, this.span((c) => this.renderCell(index, c, one)));
  }

  /** @param {number} index @param {number} column @param {number} member */
  renderCell(index, column, member) {
    const number = this.model?.groupOf[column][member] ?? -1;
    const marked = this.marks.get(column)?.get(member);
    const here = index === this.list.active && column === this.column;
    const text = cellText(this.model, column, member, marked);
    return h("div", {
      role: "gridcell", class: `matrix-cell ${number < 0 ? "none" : `g${number === 0 ? 0 : 1 + ((number - 1) % (HUES - 1))}`}${marked ? " marked" : ""}${here ? " here" : ""}`,
      style: { left: `${this.label + column * this.cell}px` }, id: here ? `matrix-${column}` : null, title: text, "aria-colindex": column + 2,
      onclick: () => this.press(index, column),
    }, number < 0 ? "·" : groupLetter(number), marked && h("span", { class: "matrix-mark" }, MARKS[marked.kind][0], h("span", { class: this.wide ? "matrix-words" : "visually-hidden" }, ` ${MARKS[marked.kind][1]}`)));
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

  /** @param {number} index @param {number} column */
  press(index, column) {
    this.activate(index, column);
    const { group, member } = this.rows[index];
    const { members, runs } = this.groups[group];
    if (column >= 0) {
      this.options.oncell(column, this.model?.members[member >= 0 ? member : members[0]].rank);
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
    else if (["ArrowDown", "ArrowUp", "PageDown", "PageUp"].includes(event.key)) this.activate(this.list.target(event.key) ?? index, this.column);
    else return;
    event.preventDefault();
  }

  /** What there is, in a sentence. */
  get summary() {
    return `${plural(this.groups.length, "group")} of equal ranks, ${plural(this.columns.length, "compile")}`;
  }
}
