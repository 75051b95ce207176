// The kernel list: fused nodes, source lines, callers and estimated times.
import { Grid } from "../lib/list/grid.js";
import { cutMiddle } from "../lib/page/cut-middle.js";
import { fill, h } from "../lib/page/dom.js";
import { count, plural, time } from "../lib/page/format.js";
import { list, placesOf } from "./chain.js";
import { nodeName } from "./model.js";

const MOST = 8;
const MOST_LINES = 4; // caller lines shown per kernel; the column is never truncated

/**
 * @param {import("./model.js").Model} model @param {string[]} postLines @param {(file: string) => string} short
 * @param {(number | null)[]} times
 * @param {{sort: string, onsort: (sort: string) => void, onselect: (k: number) => void, onopen: (k: number) => void}} options
 */
export function kernelGrid(model, postLines, short, times, options) {
  const { kernels } = model;
  const fused = kernels.map((kernel) => kernel.post.map((line) => nodeName(postLines[line - 1] ?? "")));
  const unknown = (/** @type {number} */ k) => model.byLine.kernels && fused[k].length === 0; // torch did not say, which is not none
  const places = kernels.map((kernel) => placesOf(model, kernel.stacks.flat(), short));
  const cut = (/** @type {string[]} */ names, more = "", most = MOST) =>
    h("span", { title: `${names.join(", ")}${more}` }, names.length ? list(names, most) : "–");
  const grid = new Grid({
    label: "Kernels",
    name: (k) => `kernel ${kernels[k].label}`,
    columns: [
      {
        id: "name",
        title: "Kernel",
        least: "14rem",
        class: "mono",
        cell: (k) => cutMiddle(kernels[k].label),
        sort: (k) => kernels[k].label,
      },
      {
        id: "count",
        title: "Ops",
        number: true,
        cell: (k) => (unknown(k) ? "–" : count(fused[k].length)),
        sort: (k) => (unknown(k) ? null : fused[k].length),
        help: "Number of post-grad nodes that the kernel fuses",
      },
      {
        id: "fused",
        title: "Fused post-grad nodes",
        least: "10rem",
        class: "mono",
        cell: (k) => cut(fused[k], kernels[k].fromCode ? " (from the generated code)" : ""),
      },
      {
        id: "source",
        title: "Source",
        least: "9rem",
        class: "mono",
        cell: (k) => cutMiddle(places[k]?.short ?? "–", places[k]?.full),
        sort: (k) => places[k]?.short ?? null,
      },
      {
        id: "lines",
        title: "Lines of code",
        number: true,
        cell: (k) => cut(kernels[k].calls.map(String), "", MOST_LINES),
        sort: (k) => kernels[k].calls[0] ?? null,
        help: "Lines of the generated code that call the kernel",
      },
      {
        id: "time",
        title: "Estimated",
        number: true,
        cell: (k) => timeText(times[k]),
        sort: (k) => times[k],
        help: "torch's estimated run time (recorded with LOG_TLPARSE=1 on a GPU)",
      },
    ],
    ...options,
  });
  grid.show(kernels.map((_, k) => k));
  return grid;
}

/** @param {number | null} ns */
const timeText = (ns) => (ns === null ? "–" : ns < 1_000 ? `${Math.round(ns)} ns` : time(ns / 1_000));

/** "9 of 10 (90 %)" @param {number} part @param {number} whole */
export const share = (part, whole) =>
  whole ? `${count(part)} of ${count(whole)} (${Math.floor((100 * part) / whole)} %)` : "none";

/** @param {any} group a row of provenance_groups @param {Element} root @param {import("./model.js").Model["byLine"]} byLine */
export function showCoverage(group, root, byLine) {
  const fact = (/** @type {string} */ name, /** @type {string} */ value, /** @type {string} */ help) =>
    h("span", { title: help }, h("span", { class: "dim" }, `${name} `), h("b", null, value));
  fill(
    root,
    fact(
      "post-grad nodes in kernels",
      share(group.post_in_kernel_count, group.post_node_count),
      "Nodes that are part of a kernel. Views don't need a kernel.",
    ),
    fact(
      "from the pre-grad graph",
      share(group.post_in_pre_count, group.post_node_count),
      "Post-grad nodes with a recorded pre-grad node.",
    ),
    fact(
      "kernels mapped",
      share(group.kernel_in_post_count, group.kernel_count),
      "Kernels with known post-grad nodes, from torch's map or from the generated code.",
    ),
    fact(
      "with source",
      share(group.kernel_with_source_count, group.kernel_count),
      "Kernels with recorded source lines.",
    ),
    (byLine.kernels || byLine.pre) && h("span", { class: "note" }, withoutMap(group, byLine)),
  );
}

/** Say how lines are matched without torch's map. @param {any} group @param {import("./model.js").Model["byLine"]} byLine */
function withoutMap({ kernel_count: all, kernel_from_code_count: read }, byLine) {
  const rest = all - read;
  const how = [
    read > 0 &&
      `the generated code names the nodes of ${rest ? `${read} of ${plural(all, "kernel")}` : read > 1 ? "all kernels" : "the kernel"}`,
    (rest > 0 || byLine.pre) &&
      `lines with the same source line are shown ${read ? (rest ? "for the rest" : "in the pre-grad graph") : "instead"}`,
  ]
    .filter(Boolean)
    .join(", ");
  return `torch did not map nodes here (usual for a backward that is compiled later): ${how}.`;
}
