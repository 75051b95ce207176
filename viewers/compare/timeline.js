// The Timeline view: the spans of both runs, merged by path, as a flame chart and a table.
import { FlameChart } from "../lib/flame/chart.js";
import { byRow } from "../lib/flame/data.js";
import { Grid } from "../lib/list/grid.js";
import { fill, h, searchField } from "../lib/page/dom.js";
import { count, time } from "../lib/page/format.js";
import { loader } from "../lib/page/load.js";
import { layOut, spansOf, spanTree, toneOf } from "./span-tree.js";
import { difference, differenceText, idsText } from "./words.js";

/** @typedef {import("./span-tree.js").Node} Node */

const HUES = { bad: 13, good: 0, plain: 10 };
const WORDS = { bad: "slower", good: "faster", plain: "about the same" };

/** @param {import("./viewer.js").Context} context @returns {Promise<import("./viewer.js").View>} */
export async function openTimeline({ run, pair, state }) {
  const { base, new: other, compiles } = run.document.logs[pair];
  /** @type {Node[]} */
  let nodes = [];
  let place = "",
    drawn = "";
  const path = (/** @type {number} */ i) => {
    const names = [];
    for (let at = i; at >= 0; at = nodes[at].parent) names.unshift(nodes[at].name);
    return names.join(" › ");
  };
  const words = (/** @type {number} */ i) => {
    const { name, base_us: before, new_us: after } = nodes[i];
    return `${name}: base ${time(before)}, new ${time(after)}, ${difference(after - before)}, ${WORDS[toneOf(nodes[i])]}`;
  };
  const flame = new FlameChart({
    label: "Spans of both runs. The table below has the same data.",
    tell: words,
    onopen: () => flame.fit(),
    least: 1,
    tip: (i) => [
      h("b", null, nodes[i].name),
      h("div", null, `base ${time(nodes[i].base_us)}, new ${time(nodes[i].new_us)}`),
      h(
        "div",
        null,
        differenceText(nodes[i].new_us - nodes[i].base_us, toneOf(nodes[i])),
        ` ${WORDS[toneOf(nodes[i])]}`,
      ),
    ],
    onselect: (i) => {
      if (i >= 0) grid.show(grid.rows, i);
    },
  });
  const grid = new Grid({
    label: "Spans of both runs by path",
    sort: state.current.sort || "-difference",
    onsort: (sort) => state.replace({ sort }),
    onselect: (i) => flame.mark(i),
    onopen: (i) => {
      flame.mark(i);
      flame.fit(i);
    },
    name: words,
    columns: [
      {
        id: "name",
        title: "Span",
        least: "12rem",
        sort: (i) => nodes[i].name,
        cell: (i) =>
          h(
            "span",
            { title: path(i) },
            nodes[i].name,
            nodes[i].parent >= 0 && h("span", { class: "dim" }, ` in ${nodes[nodes[i].parent].name}`),
          ),
      },
      {
        id: "before",
        title: "Before",
        number: true,
        sort: (i) => nodes[i].base_us,
        cell: (i) => (nodes[i].base_count ? time(nodes[i].base_us) : "–"),
      },
      {
        id: "after",
        title: "After",
        number: true,
        sort: (i) => nodes[i].new_us,
        cell: (i) => (nodes[i].new_count ? time(nodes[i].new_us) : "–"),
      },
      {
        id: "difference",
        title: "Difference",
        number: true,
        help: "New minus base; sorts by absolute value",
        sort: (i) => Math.abs(nodes[i].new_us - nodes[i].base_us),
        cell: (i) => differenceText(nodes[i].new_us - nodes[i].base_us, toneOf(nodes[i])),
      },
      {
        id: "tone",
        title: "",
        help: "Slower or faster",
        cell: (i) =>
          nodes[i].base_count === 0
            ? "new only"
            : nodes[i].new_count === 0
              ? "base only"
              : WORDS[toneOf(nodes[i])],
      },
      {
        id: "spans",
        title: "Spans",
        number: true,
        help: "Number of spans in base and new",
        sort: (i) => nodes[i].new_count,
        cell: (i) => `${count(nodes[i].base_count)} → ${count(nodes[i].new_count)}`,
      },
    ],
  });
  const title = h("h1", { class: "toolbar-title" }, "Timeline");
  const whole = h("a", { href: state.link({ view: "timeline" }) }, "whole log ›");
  const shown = h("span", { class: "dim", role: "status" });
  const widths = h("span", { "role": "group", "aria-label": "Box width" });
  const field = searchField("Filter spans", "Filter: span name", (q) => state.replace({ q }, true));
  const legend = h(
    "p",
    { class: "flame-legend" },
    [
      ["bad", "slower"],
      ["good", "faster"],
      ["plain", "about the same (less than 10 % or 1 ms)"],
    ].map(([tone, word]) =>
      h("span", null, h("span", { "class": `swatch flame-${tone}`, "aria-hidden": "true" }), ` ${word}`),
    ),
  );
  const body = h("div", { class: "fill" });
  const load = loader(body);
  const element = h(
    "div",
    { class: "fill timeline" },
    h("div", { class: "toolbar" }, title, whole, widths, field, shown),
    body,
  );

  const draw = (/** @type {Record<string, string>} */ { width, q }) => {
    const which = width === "base" ? "base" : "new";
    if (drawn !== which) {
      drawn = which;
      const { from, to, end } = layOut(nodes, which);
      const row = nodes.map(({ depth }) => depth);
      const height = nodes.reduce((most, { depth }) => Math.max(most, depth + 1), 0);
      flame.show({
        length: nodes.length,
        from,
        to,
        row,
        hue: nodes.map((node) => HUES[toneOf(node)]),
        label: (i) => `${nodes[i].name} ${difference(nodes[i].new_us - nodes[i].base_us)}`,
        rows: byRow(row, from, height, (i) => to[i] > from[i]),
        end: Math.max(1, end),
      });
      const focused = widths.contains(document.activeElement);
      fill(
        widths,
        /** @type {["base" | "new", string][]} */ ([
          ["new", "Width: new"],
          ["base", "Width: base"],
        ]).map(([value, text]) =>
          h(
            "button",
            {
              "class": "tool",
              "aria-pressed": String(value === which),
              "onclick": () =>
                value === which || state.replace({ width: value === "base" ? value : "" }, true),
            },
            text,
          ),
        ),
      );
      if (focused) /** @type {HTMLElement | null} */ (widths.querySelector("[aria-pressed=true]"))?.focus();
    }
    if (field.value !== q && document.activeElement !== field) field.value = q;
    const wanted = q.toLowerCase();
    const rows = nodes.flatMap(({ name }, i) => (name.toLowerCase().includes(wanted) ? [i] : []));
    shown.textContent = wanted ? `${count(rows.length)} of ${count(nodes.length)}` : count(nodes.length);
    grid.show(rows, grid.selected);
  };

  return {
    element,
    title: "Timeline",
    update: async (current) => {
      const wanted = JSON.stringify([current.left, current.right]);
      if (wanted === place) return void (nodes.length > 0 && draw(current));
      place = wanted;
      drawn = "";
      nodes = [];
      const compile =
        current.left || current.right
          ? compiles.find(
              (one) =>
                (one.base?.compile ?? "") === current.left && (one.new?.compile ?? "") === current.right,
            )
          : null;
      fill(
        title,
        compile ? `Timeline of ${idsText(compile)} ${compile.function ?? "(unknown function)"}` : "Timeline",
      );
      whole.hidden = compile === null;
      await load(
        "both timelines",
        async () => {
          if (compile === undefined) throw new Error("Compile not found in these logs.");
          const of = async (/** @type {"base" | "new"} */ which) => {
            const log = which === "base" ? base : other;
            if (!log || (compile && !compile[which])) return null;
            return spansOf((await run.bundle(which)).log(log.id), compile?.[which]?.compile ?? null);
          };
          return spanTree(...(await Promise.all([of("base"), of("new")])));
        },
        (made) => {
          nodes = made;
          if (!nodes.length)
            return void fill(
              body,
              h("p", { class: "padded" }, "No spans recorded. torch writes them since version 2.4."),
            );
          fill(body, legend, flame.element, grid.element);
          draw(state.current);
        },
      );
    },
    close: () => flame.close(),
  };
}
