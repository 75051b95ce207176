// A row of a table in two lines, for windows and panes that are too narrow for its columns.
import { h } from "../page/dom.js";
import { cellClass } from "./widths.js";

/** @typedef {import("./grid.js").Column} Column */

const TEXTS = 3; // most columns of text in the first line

/** @param {Column[]} columns @returns {Column[]} the columns of text, which can be in the first line */
export const texts = (columns) => columns.filter(({ width, number }) => !width && !number).slice(0, TEXTS);

/**
 * Return the two lines of a row: its names first, then its numbers, each after its title. Columns of a fixed width,
 * which are pictures of such numbers, are left out.
 * @param {Column[]} columns @param {[least: string, most: string][]} tracks their widths
 * @param {number} most how many columns of text the first line has space for @param {number} row
 */
export function twoLines(columns, tracks, most, row) {
  const kept = columns.filter(({ width }) => !width);
  const isText = (/** @type {Column} */ column) => !column.number;
  const first = new Set(texts(columns).slice(0, Math.max(1, most)));
  if (first.size === kept.length) first.delete(kept[kept.length - 1]);
  const cell = (/** @type {Column} */ column) =>
    h(
      "div",
      {
        "role": "gridcell",
        "class": cellClass(column),
        "aria-colindex": columns.indexOf(column) + 1,
        "dataset": isText(column) || !column.title ? {} : { title: column.title },
        "style": first.has(column) ? { "min-width": tracks[columns.indexOf(column)][0] } : {},
      },
      column.cell(row),
    );
  const rest = kept.filter((column) => !first.has(column));
  const second = [...rest.filter((column) => column.number), ...rest.filter(isText)]; // what comes last can lack space
  return [[...first], second].map((line) =>
    h("div", { class: "grid-line", role: "presentation" }, line.map(cell)),
  );
}
