// The Compiles view: the compiles of both logs, matched by code, one pair per row.
import { Grid } from "../lib/list/grid.js";
import { cutMiddle } from "../lib/page/cut-middle.js";
import { fill, h, searchField } from "../lib/page/dom.js";
import { count, time } from "../lib/page/format.js";
import { compileState } from "./links.js";
import { CACHES, differenceText, minus } from "./words.js";

/** @typedef {import("./document.js").Compared} Compared */

/** Sign and word. @type {Record<string, [string, string]>} */
const SAME = { same: ["=", "same"], other: ["≠", "different"], unknown: ["–", "unknown"] };
/** Filters by value of 'only'. @type {Record<string, [string, (compile: Compared) => boolean]>} */
const ONLY = {
  both: ["in both", ({ base, new: other }) => Boolean(base && other)],
  one: ["on one side only", ({ base, new: other }) => !base || !other],
  graph: ["different graph", ({ graph }) => graph === "other"],
  code: ["different code", ({ code }) => code === "other"],
  cache: ["different cache outcome", ({ lookups }) => lookups.length > 0],
};

/** @param {import("./viewer.js").Context} context @returns {Promise<import("./viewer.js").View>} */
export async function openCompiles({ run, pair, state }) {
  const { compiles, changes } = run.document.logs[pair];
  const change = (/** @type {Compared} */ compile) => minus(compile.base_us, compile.new_us);
  const open = (/** @type {number} */ row) => state.go(state.link(compileState(compiles[row])));
  const id = (/** @type {{compile: string} | null} */ side) =>
    side ? `[${side.compile}]` : h("span", { class: "dim" }, "none");
  const same = (/** @type {string} */ verdict) =>
    h(
      "span",
      { class: verdict === "other" ? "changed" : verdict === "unknown" ? "dim" : null },
      h("span", { "aria-hidden": "true" }, `${SAME[verdict]?.[0] ?? "–"} `),
      SAME[verdict]?.[1] ?? verdict,
    );
  const grid = new Grid({
    label: "Compiles of both runs",
    sort: state.current.sort || "-difference",
    onsort: (sort) => state.replace({ sort }),
    onopen: open,
    name: (row) => nameOf(compiles[row]),
    columns: [
      {
        id: "base",
        title: "Base",
        sort: (row) => compiles[row].base?.compile,
        cell: (row) => id(compiles[row].base),
      },
      {
        id: "new",
        title: "New",
        sort: (row) => compiles[row].new?.compile,
        cell: (row) => id(compiles[row].new),
      },
      {
        id: "function",
        title: "Function",
        least: "9rem",
        sort: (row) => nameOf(compiles[row]),
        cell: (row) =>
          h(
            "a",
            { href: state.link(compileState(compiles[row])), title: placeOf(compiles[row]) },
            cutMiddle(nameOf(compiles[row]), ""),
          ),
      },
      {
        id: "before",
        title: "Before",
        number: true,
        sort: (row) => compiles[row].base_us,
        cell: (row) => time(compiles[row].base_us),
      },
      {
        id: "after",
        title: "After",
        number: true,
        sort: (row) => compiles[row].new_us,
        cell: (row) => time(compiles[row].new_us),
      },
      {
        id: "difference",
        title: "Difference",
        number: true,
        help: "New minus base; sorts by absolute value",
        sort: (row) => {
          const us = change(compiles[row]);
          return us === null ? null : Math.abs(us);
        },
        cell: (row) => differenceText(change(compiles[row])),
      },
      {
        id: "graph",
        title: "Graph",
        help: "Whether Dynamo captured the same graph in both runs",
        sort: (row) => compiles[row].graph,
        cell: (row) => same(compiles[row].graph),
      },
      {
        id: "code",
        title: "Code",
        help: "Whether Inductor generated the same code in both runs",
        sort: (row) => compiles[row].code,
        cell: (row) => same(compiles[row].code),
      },
      {
        id: "caches",
        title: "Different cache outcomes",
        least: "10rem",
        cell: (row) => cachesOf(compiles[row]),
      },
    ],
  });
  const shown = h("span", { class: "dim", role: "status" });
  const field = searchField("Filter compiles", "Filter: function, file, id", (q) =>
    state.replace({ q }, true),
  );
  const only = h("select", {
    "aria-label": "Show compiles",
    "onchange": (/** @type {any} */ event) =>
      state.go(state.patched({ only: event.target.value, change: "" })),
  });
  const element = h(
    "div",
    { class: "fill" },
    h("div", { class: "toolbar" }, h("h1", { class: "toolbar-title" }, "Compiles"), field, only, shown),
    grid.element,
  );
  return {
    element,
    title: "Compiles",
    update: (current) => {
      if (field.value !== current.q && document.activeElement !== field) field.value = current.q;
      const about = /^\d+$/.test(current.change) ? changes[Number(current.change)] : undefined;
      fill(
        only,
        h(
          "option",
          { value: "", selected: !current.only },
          about ? "compiles of one change" : "all compiles",
        ),
        Object.entries(ONLY).map(([value, [text]]) =>
          h("option", { value, selected: value === current.only }, text),
        ),
      );
      const fits = Object.hasOwn(ONLY, current.only) ? ONLY[current.only][1] : () => true;
      const words = current.q.toLowerCase().split(/\s+/).filter(Boolean);
      const rows = (about?.pair_indexes ?? compiles.map((_, row) => row)).filter(
        (row) => fits(compiles[row]) && words.every((word) => textOf(compiles[row]).includes(word)),
      );
      shown.textContent =
        rows.length === compiles.length
          ? `${count(rows.length)}`
          : `${count(rows.length)} of ${count(compiles.length)}`;
      grid.show(rows, grid.selected);
    },
  };
}

/** @param {Compared} compile */
const nameOf = ({ function: name }) => name ?? "(unknown function)";

/** @param {Compared} compile */
function placeOf({ base, new: other }) {
  const side = other ?? base;
  return side?.file ? `${side.file}:${side.line ?? ""}` : null;
}

/** Return the text that the filter searches. @param {Compared} compile */
const textOf = (compile) =>
  [nameOf(compile), placeOf(compile), compile.base?.compile, compile.new?.compile].join(" ").toLowerCase();

/** @param {Compared} compile */
const cachesOf = ({ lookups }) =>
  lookups.map(({ cache, base, new: other }) => `${CACHES[cache] ?? cache}: ${base} → ${other}`).join(", ");
