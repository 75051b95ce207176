// A list with the details of the selected item. The address has the selection and the filters.
import { fill, h, searchField } from "../page/dom.js";
import { count, plural } from "../page/format.js";
import { errorBox } from "../page/load.js";
import { split } from "../page/splitter.js";
import { Grid } from "./grid.js";

const SCROLL_BAR = 16; // pixels, at most

/**
 * @typedef {object} Choice a filter with a few values
 * @property {string} key in the address
 * @property {string} label
 * @property {string} all label for no filter
 * @property {[string, string][]} options value and words
 * @property {(row: number, value: string) => boolean} fits
 */
/**
 * @typedef {object} ListOptions
 * @property {import("../page/hash-state.js").HashState} state uses the keys 'item', 'q' and 'sort'; 'line'
 *   belongs to the detail
 * @property {string} name of the stored panel size
 * @property {string} label accessible name of the list: "Graph breaks"
 * @property {[string, string]} noun ["graph break", "graph breaks"]
 * @property {number} length
 * @property {import("./grid.js").Column[]} columns
 * @property {(row: number) => string} id stable id for the address
 * @property {(row: number) => string} title accessible name of a row
 * @property {(row: number) => string} text the text to filter by
 * @property {(row: number) => any} detail
 * @property {Choice[]} [choices]
 * @property {any} [above] shown above the list
 * @property {any} [tools] shown beside the filter
 * @property {number} [share] default share of the window's width for the list
 */

/**
 * @param {ListOptions} options
 * @returns {{element: HTMLElement, title: string, search: () => HTMLElement, update: (state: Record<string,
 *   string>) => void}}
 */
export function listDetail(options) {
  const { state, length, choices = [] } = options;
  const rows = Array.from({ length }, (_, i) => i);
  const byId = new Map(rows.map((row) => [options.id(row), row]));
  const texts = new Map(/** @type {[number, string][]} */ ([]));
  const textOf = (/** @type {number} */ row) => {
    let text = texts.get(row);
    if (text === undefined) texts.set(row, (text = options.text(row).toLowerCase()));
    return text;
  };
  const detail = h("section", {
    "class": "pane detail padded",
    "aria-label": `${options.label}: details`,
    "tabindex": "0",
  });
  const total = h("span", { class: "dim", role: "status" });
  const filter = searchField(`Filter ${options.noun[1]}`, "Filter", (q) => state.replace({ q }, true));
  const selects = choices.map(({ key, label, all, options: values }) =>
    h(
      "select",
      {
        "aria-label": label,
        "onchange": (/** @type {Event} */ event) =>
          state.go(state.patched({ [key]: /** @type {any} */ (event.target).value })),
      },
      h("option", { value: "" }, all),
      values.map(([value, words]) => h("option", { value }, words)),
    ),
  );
  let shown = -2;
  const showDetail = (/** @type {number} */ row) => {
    if (row === shown) return;
    shown = row;
    detail.scrollTop = 0;
    try {
      fill(
        detail,
        row < 0 ? h("p", { class: "dim" }, `No ${options.noun[1]} match the filter.`) : options.detail(row),
      );
    } catch (error) {
      fill(detail, errorBox(error));
    }
  };
  const grid = new Grid({
    label: options.label,
    columns: options.columns,
    sort: state.current.sort,
    name: options.title,
    onsort: (sort) => state.replace({ sort }),
    onselect: (row) => {
      state.replace({ item: options.id(row), line: "" });
      showDetail(row);
    },
    onopen: () => /** @type {HTMLElement} */ (detail.querySelector("a, button, summary") ?? detail).focus(),
  });
  const list = h(
    "section",
    { "class": "pane", "aria-label": `List of ${options.noun[1]}` },
    options.above,
    h("div", { class: "toolbar" }, options.tools, length > 1 && filter, selects, total),
    grid.element,
  );
  let drawn = "";
  let hidden = -1; // the row of the address if the filter hides it
  // The details have what they need, and the list is not wider than its columns, whose width is known later.
  const element = split(options.name, list, detail, {
    label: "List width",
    size: `max(360px, min(max(${100 * (options.share ?? 0.5)}vw, 100vw - 54rem), var(--wanted, 100vw)))`,
  });
  return {
    element,
    title: options.label,
    search: () => filter,
    update: (current) => {
      if (document.activeElement !== filter) filter.value = current.q;
      choices.forEach(({ key }, i) => {
        selects[i].value = current[key];
      });
      if (grid.sort !== current.sort) {
        grid.sort = current.sort;
        grid.drawHeader();
        drawn = "";
      }
      const wanted = current.q.toLowerCase();
      const key = JSON.stringify([wanted, choices.map((choice) => current[choice.key])]);
      const requested = byId.get(current.item) ?? -1;
      if (key !== drawn || (requested >= 0 && requested !== grid.selected && requested !== hidden)) {
        drawn = key;
        const fit = rows.filter(
          (row) =>
            choices.every((choice) => !current[choice.key] || choice.fits(row, current[choice.key])) &&
            (!wanted || textOf(row).includes(wanted)),
        );
        fill(
          total,
          fit.length === length
            ? plural(length, ...options.noun)
            : `${count(fit.length)} of ${plural(length, ...options.noun)}`,
        );
        const listed = fit.includes(requested);
        hidden = listed ? -1 : requested;
        grid.show(fit, listed ? requested : -1);
        element.style.setProperty("--wanted", `calc(${grid.widths.wanted} + ${SCROLL_BAR}px)`);
        if (!listed && fit.length > 0) grid.list.activate(0); // its details are shown beside the list
      }
      if (requested < 0 && current.item !== "") {
        shown = -2;
        fill(detail, h("p", { class: "note" }, `No ${options.noun[0]} '${current.item}' in this list.`));
      } else showDetail(requested >= 0 && requested !== hidden ? requested : (grid.order[0] ?? -1));
    },
  };
}

/** Build an empty page. @param {string} title @param {...any} text */
export function emptyPage(title, ...text) {
  return {
    title,
    element: h(
      "div",
      { class: "page" },
      h("h1", null, title),
      text.map((part) => h("p", null, part)),
    ),
  };
}
