// One step of a profiler trace as a flame graph: threads and devices, and what ran inside what, added up.
import { FlameChart } from "../../lib/flame/chart.js";
import { ROW } from "../../lib/flame/paint.js";
import { byRow } from "../../lib/flame/data.js";
import { tableBox } from "../../lib/list/table.js";
import { h } from "../../lib/page/dom.js";
import { percent } from "../../lib/page/figures.js";
import { count, plural, time } from "../../lib/page/format.js";

const MOST_LISTED = 100;
const MOST_LEVELS = 20; // visible without scrolling
/** Names, colors and words of the legend. @type {[RegExp, number, string][]} */
const KNOWN = [
  [/^(?:graph_\d+_)?(?:cpp|triton)_/, 11, "generated kernels"],
  [/^(?:## Call CompiledFxGraph |Torch-Compiled Region: )/, 12, "compiled regions and graphs"],
  [/^aten::/, 9, "operators of torch"],
];
const OTHER = 8;
/** @type {import("../../lib/list/table.js").TableColumn<any>[]} */
const COLUMNS = [
  { title: "Range", cell: (row) => h("code", null, row.name), sort: (row) => row.name },
  { title: "Calls", number: true, cell: (row) => count(row.count), sort: (row) => row.count },
  { title: "Total", number: true, cell: (row) => time(row.total_us), sort: (row) => row.total_us },
  { title: "Self", number: true, cell: (row) => time(row.self_us), sort: (row) => row.self_us },
];

/** @param {any} row */
const hueOf = ({ name, kind }) =>
  kind === "thread" || kind === "device" ? 10 : (KNOWN.find(([pattern]) => pattern.test(name))?.[1] ?? OTHER);

/**
 * Lay out the rows of one trace: a lane for each thread and device, children inside their parents.
 * @param {any[]} rows of step_tree, parents first @returns {{flame: import("../../lib/flame/data.js").Flame, rows: any[]}}
 */
export function stepBoxes(rows) {
  const from = /** @type {number[]} */ ([]),
    row = /** @type {number[]} */ ([]),
    to = /** @type {number[]} */ ([]);
  const [step, ...others] = rows;
  /** @type {Map<number, {x: number, end: number, level: number}>} */
  const places = new Map();
  let deepest = -1;
  for (const one of others) {
    const parent = places.get(one.parent);
    const level = parent ? parent.level + 1 : deepest < 0 ? 0 : deepest + 2; // a gap between lanes
    const x = parent ? parent.x : 0;
    const end = Math.min(x + one.total_us, parent ? parent.end : Infinity);
    if (parent) parent.x = end; // where the next child begins
    deepest = Math.max(deepest, level);
    places.set(one.id, { x, end, level });
    from.push(x);
    to.push(end);
    row.push(level);
  }
  return {
    rows: others,
    flame: {
      length: others.length,
      from,
      to,
      row,
      hue: others.map(hueOf),
      label: (box) => others[box].name,
      rows: byRow(row, from, deepest + 1),
      end: Math.max(step.total_us, ...to, 1),
    },
  };
}

/**
 * Build the picture of a step with its table.
 * @param {any[]} tree rows of step_tree of one trace @returns {{element: HTMLElement, close: () => void}}
 */
export function stepFlame(tree) {
  const [step] = tree;
  const { flame, rows } = stepBoxes(tree);
  const amount = (/** @type {any} */ row) =>
    `${time(row.total_us)} in ${plural(row.count, "call")}, ${percent(row.total_us, step.total_us)} of the step`;
  const chart = new FlameChart({
    label: "Flame graph of a step",
    tell: (box) => `${rows[box].name}, ${amount(rows[box])}`,
    tip: (box) => [h("b", null, rows[box].name), h("div", null, amount(rows[box]))],
    onselect: () => {},
    onopen: () => {},
  });
  chart.show(flame);
  const frame = h("div", {
    class: "runtime-flame",
    style: { height: `${ROW * Math.min(MOST_LEVELS, flame.rows.length) + 4}px` },
  });
  frame.append(chart.element);
  // The wheel scrolls the page, and zooms with Ctrl.
  frame.addEventListener(
    "wheel",
    (/** @type {WheelEvent} */ event) => event.ctrlKey || event.stopPropagation(),
    { capture: true },
  );
  const longest = rows
    .filter((row) => row.kind === "range" || row.kind === "kernel")
    .sort((a, b) => b.self_us - a.self_us);
  return {
    close: () => chart.close(),
    element: h(
      "div",
      null,
      h(
        "p",
        null,
        `${step.name} of ${step.profile}: ${time(step.total_us)}. Each box is as wide as the time of its calls, inside the range that made them. Ctrl and the wheel zoom, n and N go to the next and previous box.`,
      ),
      frame,
      h(
        "p",
        { class: "legend" },
        KNOWN.map(([, hue, words]) => legend(hue, words)),
        legend(OTHER, "other ranges"),
      ),
      h(
        "details",
        null,
        h("summary", null, `Table of ${plural(Math.min(longest.length, MOST_LISTED), "range")} by self time`),
        tableBox("Ranges of the step", COLUMNS, longest.slice(0, MOST_LISTED), { class: "compact" }),
      ),
    ),
  };
}

/** @param {number} hue @param {string} text */
const legend = (hue, text) =>
  h(
    "span",
    null,
    h("span", { "class": "swatch", "style": { background: `var(--hue-${hue})` }, "aria-hidden": "true" }),
    ` ${text} `,
  );
