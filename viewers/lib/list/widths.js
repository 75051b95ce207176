// Column widths of a table: as wide as the content; long columns shrink when space is short.
import { endLength } from "../page/cut-middle.js";
import { h } from "../page/dom.js";

/** @typedef {import("./grid.js").Column} Column */

const SAMPLE = 300; // rows sampled over the whole table
const MEASURED = 4; // widest texts of a column whose cells are measured
const WIDEST = 320; // most pixels of a column that does not shrink
const GAP = 12; // between two columns, and
const PADDING = 32; // of a row, as in widgets.css

const pen = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
pen.font = "13px system-ui, sans-serif"; // close enough to compare texts with each other

/** @param {Column} column */
export const cellClass = (column) =>
  [column.number && "number", column.class].filter(Boolean).join(" ") || null;

export class Widths {
  /** @param {Column[]} columns */
  constructor(columns) {
    this.columns = columns.map((column) => ({
      column,
      width: 0,
      title: 0,
      end: 0,
      known: /** @type {Set<string>} */ (new Set()),
    }));
  }

  /**
   * Widen the columns for these rows. They never get narrower, so filters cause no shift.
   * @param {ArrayLike<number>} rows @returns {boolean} whether a width changed
   */
  measure(rows) {
    const probe = h("div", { "class": "grid grid-probe", "aria-hidden": "true" });
    const cells = /** @type {[HTMLElement, {width: number, title: number, end: number}][]} */ ([]);
    for (const measured of this.columns) {
      const { column, known } = measured;
      if (column.width) continue;
      const isNew = known.size === 0;
      const add = (/** @type {any} */ content) => {
        const cell = h("div", { class: cellClass(column) }, content);
        probe.append(h("div", { class: "grid-row" }, cell));
        cells.push([cell, measured]);
      };
      if (isNew) add(h("button", { class: "sort" }, column.title, column.sort && " ▾"));
      const widestTexts = widest(column, rows);
      for (const [text, content] of widestTexts) if (!known.has(text)) add(content);
      for (const [text] of widestTexts) known.add(text);
    }
    if (cells.length === 0) return false;
    document.body.append(probe);
    const widths = cells.map(([cell]) => Math.ceil(cell.getBoundingClientRect().width));
    probe.remove();
    const before = this.tracks().join();
    cells.forEach(([cell, measured], i) => {
      measured.width = Math.max(measured.width, widths[i]);
      measured.title ||= widths[i]; // the first cell of a column is its title
      measured.end = Math.max(measured.end, endLength(cell));
    });
    return before !== this.tracks().join();
  }

  /** Return the least and the largest width of each column. @returns {[string, string][]} */
  tracks() {
    return this.columns.map(({ column: { width: fixed, least }, width, title, end }) => {
      if (fixed) return [least ?? fixed, fixed];
      if (!least) return [`${Math.min(width, WIDEST)}px`, `${Math.min(width, WIDEST)}px`];
      return [`min(max(${least}, ${title}px, ${end + 4}ch), ${width}px)`, `${width}px`]; // 4: a "…" and the beginning of a file name
    });
  }

  /** @param {HTMLElement} element */
  apply(element) {
    const tracks = this.tracks();
    element.style.setProperty(
      "--columns",
      tracks.map(([least, most]) => (least === most ? most : `minmax(${least}, ${most})`)).join(" "),
    );
    element.style.setProperty("--min-width", this.needed([...tracks.keys()]));
  }

  /** Return the least width of a row of these columns, in CSS. @param {number[]} columns */
  needed(columns) {
    const tracks = this.tracks();
    return summed(columns.map((at) => tracks[at][0]));
  }

  /** Return the width at which no column is cut, in CSS. */
  get wanted() {
    return summed(this.tracks().map(([, most]) => most));
  }
}

/** @param {string[]} widths of all columns @returns {string} the width of a row, in CSS */
const summed = (widths) => `calc(${widths.join(" + ")} + ${GAP * (widths.length - 1) + PADDING}px)`;

/**
 * Return the widest texts in a column, with their cells.
 * @param {Column} column @param {ArrayLike<number>} rows @returns {[string, any][]}
 */
function widest(column, rows) {
  const cells = new Map();
  const step = Math.max(1, Math.ceil(rows.length / SAMPLE));
  for (let i = 0; i < rows.length; i += step) note(rows[i]);
  if (rows.length > 0) note(rows[rows.length - 1]);
  const widths = new Map([...cells.keys()].map((text) => [text, pen.measureText(text.slice(0, 1000)).width]));
  const width = (/** @type {string} */ text) => widths.get(text) ?? 0;
  return [...cells].sort(([a], [b]) => width(b) - width(a)).slice(0, MEASURED);

  function note(/** @type {number} */ row) {
    const content = column.cell(row);
    cells.set(textOf(content), content);
  }
}

/** @param {any} content of a cell @returns {string} */
function textOf(content) {
  if (Array.isArray(content)) return content.map(textOf).join("");
  if (content instanceof Node) return content.textContent ?? "";
  return content === null || content === undefined || content === false ? "" : String(content);
}
