// A table of a few rows, all on the page, with columns to sort by. For any number of rows, see grid.js.
import { fill, h } from "../page/dom.js";
import { oneStop, stopAt } from "../page/one-stop.js";

/**
 * @template T
 * @typedef {object} TableColumn
 * @property {string} title
 * @property {(row: T) => any} cell text or an element
 * @property {(row: T) => string | number | null | undefined} [sort] key; without it, the column can't be sorted
 * @property {boolean} [number] right-aligned, and sorted from the largest
 * @property {boolean} [head] the cells name their rows
 * @property {string | ((row: T) => string | null | undefined)} [class] of the cells; a string also of the title
 * @property {string} [help]
 * @property {any} [foot] cell of a last row, which is not sorted
 */

/**
 * Build a table in the order of its rows. A press on a title sorts, another one reverses, a third one restores the
 * order.
 * @template T
 * @param {TableColumn<T>[]} columns @param {T[]} rows
 * @param {{label?: string, class?: string, row?: (row: T) => Record<string, any>}} [options] label: name of the table; row: attributes of a row
 * @returns {HTMLElement}
 */
export function table(columns, rows, { label, class: name = "", row: propsOf = () => ({}) } = {}) {
  const elements = new Map(rows.map((row) => [row, rowOf(columns, row, propsOf(row))]));
  const body = h(
    "tbody",
    null,
    rows.map((row) => elements.get(row)),
  );
  const head = h("tr");
  let sorted = -1,
    down = false;
  const press = (/** @type {number} */ at) => {
    const first = columns[at].number === true; // the first direction
    if (sorted !== at) [sorted, down] = [at, first];
    else if (down === first) down = !first;
    else sorted = -1;
    const order = sorted < 0 ? rows : inOrder(rows, columns[at].sort ?? (() => 0), down);
    body.append(...order.map((row) => /** @type {HTMLElement} */ (elements.get(row))));
    draw();
    const button = head.querySelectorAll("th")[at].querySelector("button");
    stopAt(head, button);
    button.focus();
  };
  const draw = () =>
    fill(
      head,
      columns.map(({ title, number, sort, help, class: own }, at) => {
        const arrow = h(
          "span",
          { "aria-hidden": "true", "class": "arrow" },
          at === sorted && (down ? " ▾" : " ▴"),
        );
        return h(
          "th",
          {
            "scope": "col",
            "class": classOf(number, typeof own === "string" ? own : null),
            "title": help,
            "aria-sort": at === sorted ? (down ? "descending" : "ascending") : null,
          },
          sort && rows.length > 1
            ? h("button", { class: "sort", onclick: () => press(at) }, title, arrow)
            : title,
        );
      }),
    );
  draw();
  oneStop(head);
  return h(
    "table",
    { "class": `plain rows ${name}`.trim(), "aria-label": label },
    h("thead", null, head),
    body,
    columns.some(({ foot }) => foot) &&
      h(
        "tfoot",
        null,
        rowOf(
          columns.map((column) => ({ ...column, cell: () => column.foot })),
          /** @type {any} */ (null),
          { class: "totals" },
        ),
      ),
  );
}

/**
 * Build a table that scrolls to the side where it has to.
 * @template T
 * @param {string} label @param {TableColumn<T>[]} columns @param {T[]} rows @param {Parameters<typeof table<T>>[2]} [options]
 */
export const tableBox = (label, columns, rows, options) =>
  h(
    "div",
    { "class": "table-box", "tabindex": "0", "role": "region", "aria-label": label },
    table(columns, rows, options),
  );

/** @param {boolean | undefined} number @param {string | null | undefined} own */
const classOf = (number, own) => [number && "number", own].filter(Boolean).join(" ") || null;

/** @template T @param {TableColumn<T>[]} columns @param {T} row @param {Record<string, any>} props */
const rowOf = (columns, row, props) =>
  h(
    "tr",
    props,
    columns.map(({ number, head, cell, title, class: own }) =>
      h(
        head ? "th" : "td",
        {
          scope: head ? "row" : null,
          class: classOf(number, typeof own === "function" ? row && own(row) : own),
          dataset: { title },
        },
        cell(row),
      ),
    ),
  );

/**
 * Sort rows; missing keys come last in either direction.
 * @template T @param {T[]} rows @param {(row: T) => string | number | null | undefined} key @param {boolean} down
 */
function inOrder(rows, key, down) {
  const order = new Intl.Collator("en", { numeric: true });
  return [...rows].sort((a, b) => {
    const [x, y] = [key(a) ?? null, key(b) ?? null];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    const by = typeof x === "number" && typeof y === "number" ? x - y : order.compare(String(x), String(y));
    return down ? -by : by;
  });
}
