// The stacks as a flame graph: callers above callees, each as wide as the compile time below it.
import { FlameChart } from "../../lib/flame/chart.js";
import { byRow } from "../../lib/flame/data.js";
import { h } from "../../lib/page/dom.js";
import { plural, time } from "../../lib/page/format.js";
import { statusInfo } from "../../lib/page/figures.js";
import { compileLabel } from "../shared/model.js";
import { prune } from "./trie.js";

const FILES = 10;
/** @type {Record<string, number>} */
const STATUS_HUES = { ok: 11, empty: 10, break: 12, error: 13, missing: 14 };

/** @typedef {{flame: import("../../lib/flame/data.js").Flame, stack: number[], compile: number[], names: string[], left: number}} StackBoxes left: compiles without a width */

/**
 * Return the boxes of frames and compiles. The attempts of a compile share one box.
 * @param {any} model @param {import("./groups.js").Trie} trie
 * @param {{problems: boolean, hideTorch: boolean, width: string, label: (stack: number) => string}} options
 * @returns {StackBoxes}
 */
export function stackBoxes(model, trie, options) {
  const weigh = (/** @type {any} */ compile) => (options.width === "count" ? 1 : (compile.total_us ?? 0));
  const tree = prune(model, trie, { ...options, query: "", weigh });
  const numbers = () => /** @type {number[]} */ ([]);
  const stack = numbers(),
    compile = numbers(),
    from = numbers(),
    to = numbers(),
    row = numbers(),
    hue = numbers();
  /** @type {string[]} */
  const names = [];
  const files = new Map();
  const hueOf = (/** @type {number} */ node) => {
    const { file } = trie.frame(node);
    if (!files.has(file)) files.set(file, files.size % FILES);
    return files.get(file);
  };
  let left = 0;
  const add = (
    /** @type {number} */ node,
    /** @type {number} */ index,
    /** @type {number} */ x,
    /** @type {number} */ wide,
    /** @type {number} */ depth,
    /** @type {number} */ color,
    /** @type {string} */ name,
  ) => {
    stack.push(node);
    compile.push(index);
    from.push(x);
    to.push(x + wide);
    row.push(depth);
    hue.push(color);
    names.push(name);
  };
  /** @type {[number, number, number][]} node, left edge, row */
  const work = [];
  const push = (/** @type {number[]} */ nodes, /** @type {number} */ x, /** @type {number} */ depth) => {
    for (const node of nodes) {
      if (tree.time[node]) work.push([node, x, depth]);
      x += tree.time[node];
    }
  };
  push(tree.roots, 0, 0);
  for (let item = work.pop(); item; item = work.pop()) {
    const [node, start, depth] = item;
    let x = start;
    add(node, -1, x, tree.time[node], depth, hueOf(node), options.label(node));
    const leaves = new Map(
      (tree.compiles[node] ?? []).map((index) => [model.compiles[index].compile, index]),
    );
    for (const [key, index] of leaves) {
      const wide = tree.weights.get(`${node} ${key}`) ?? 0;
      const last = model.compiles[index];
      if (wide)
        add(
          -1,
          index,
          x,
          wide,
          depth + 1,
          STATUS_HUES[last.status] ?? 10,
          `${statusInfo(last.status).sign} ${compileLabel(last)}`,
        );
      x += wide;
    }
    push(tree.children[node] ?? [], x, depth + 1);
  }
  const keys = new Set(
    Object.values(tree.compiles)
      .flat()
      .map((i) => model.compiles[i].compile),
  );
  left = keys.size - compile.filter((index) => index >= 0).length;
  const height = row.reduce((most, r) => Math.max(most, r + 1), 0);
  const end = tree.roots.reduce(
    (/** @type {number} */ sum, /** @type {number} */ node) => sum + tree.time[node],
    0,
  );
  return {
    flame: {
      length: row.length,
      from,
      to,
      row,
      hue,
      label: (box) => names[box],
      rows: byRow(row, from, height),
      end: end || 1,
    },
    stack,
    compile,
    names,
    left,
  };
}

/** @param {StackBoxes} boxes @param {any} model @param {Record<string, string>} current @returns {number} index of the selected box, or -1 */
function selectedBox(boxes, model, current) {
  if (current.stack) return boxes.stack.indexOf(Number(current.stack));
  const index = current.compile ? model.byKey.get(current.compile) : undefined;
  if (index === undefined) return -1;
  const key = model.compiles[index].compile;
  return boxes.compile.findIndex((i) => i >= 0 && model.compiles[i].compile === key);
}

/** @param {any} model @param {{onselect: (row: {stack: number, compile: number} | null) => void, onopen: (compile: number) => void}} options */
export function stackFlame(model, { onselect, onopen }) {
  /** @type {StackBoxes} */
  let boxes = {
    flame: { length: 0, from: [], to: [], row: [], hue: [], label: () => "", rows: [], end: 1 },
    stack: [],
    compile: [],
    names: [],
    left: 0,
  };
  let unit = "";
  const amount = (/** @type {number} */ box) => {
    const n = boxes.flame.to[box] - boxes.flame.from[box];
    return `${unit === "count" ? plural(n, model.counted) : time(n)}, ${Math.round((1000 * n) / boxes.flame.end) / 10} % of total`;
  };
  const chart = new FlameChart({
    label: "Flame graph of the stacks",
    tell: (box) => `${boxes.names[box]}, ${amount(box)}`,
    tip: (box) => [h("b", null, boxes.names[box]), h("div", null, amount(box))],
    onselect: (box) => onselect(box < 0 ? null : { stack: boxes.stack[box], compile: boxes.compile[box] }),
    onopen: (box) => boxes.compile[box] >= 0 && onopen(boxes.compile[box]),
  });
  return {
    chart,
    element: chart.element,
    /** @param {StackBoxes} fresh @param {string} width @param {string} query */
    show(fresh, width, query) {
      boxes = fresh;
      unit = width;
      chart.show(fresh.flame);
      const wanted = query.trim().toLowerCase();
      if (wanted)
        chart.light(
          byRow(fresh.flame.row, fresh.flame.from, fresh.flame.rows.length, (box) =>
            fresh.names[box].toLowerCase().includes(wanted),
          ),
        );
    },
    /** @param {Record<string, string>} current */
    mark(current) {
      chart.mark(selectedBox(boxes, model, current));
    },
  };
}
