// An FX graph as a table: one row for each node.
import { nodesOf, shapeOf } from "../../lib/code/fx-nodes.js";
import { Grid } from "../../lib/list/grid.js";
import { cutMiddle } from "../../lib/page/cut-middle.js";
import { fill, h, searchField } from "../../lib/page/dom.js";
import { count, plural } from "../../lib/page/format.js";
import { lastParts, shortFile } from "../../lib/page/paths.js";
import { splitLines } from "../../lib/page/text.js";

/** Address keys of the table. */
export const TABLE_ONLY = { q: "", type: "", sort: "" };

/**
 * @param {string} text @param {string} name of the artifact @param {any} tools the switch between text and table
 * @param {import("../../lib/page/hash-state.js").HashState} state @param {AbortSignal} signal
 */
export async function openGraphTable(text, name, tools, state, signal) {
  const nodes = await nodesOf(splitLines(text).lines, signal);
  const several = new Set(nodes.graph).size > 1;
  const total = h("span", { class: "dim", role: "status" });
  const ops = [...new Set(nodes.op)].sort();
  const op = h(
    "select",
    {
      "aria-label": "Op",
      "onchange": () => {
        state.replace({ type: op.value });
        apply();
      },
    },
    h("option", { value: "" }, "any op"),
    ops.map((value) => h("option", { value }, value)),
  );
  const filter = searchField("Filter nodes", "Filter by name, target, shape, source", (q) => {
    state.replace({ q });
    apply();
  });
  const onopen = (/** @type {number} */ line) =>
    state.go(state.patched({ ...TABLE_ONLY, pane: "", line: String(line) }));
  const grid = new Grid({
    label: `Nodes of ${name}`,
    columns: columns(nodes, several),
    name: (i) => `${nodes.name[i]} ${nodes.target[i]}`,
    sort: state.current.sort,
    onsort: (sort) => state.replace({ sort }),
    onselect: (i) => state.replace({ line: String(nodes.line[i]) }),
    onopen: (i) => onopen(nodes.line[i]),
  });
  grid.element.addEventListener("dblclick", () => grid.selected >= 0 && onopen(nodes.line[grid.selected]));
  const apply = () => {
    const wanted = filter.value.toLowerCase();
    const rows = [];
    for (let i = 0; i < nodes.length; i++) {
      if (op.value && nodes.op[i] !== op.value) continue;
      if (
        !wanted ||
        [
          nodes.name[i],
          nodes.target[i],
          nodes.annotation[i],
          nodes.source[i],
          nodes.code[i],
          nodes.graph[i],
        ].some((value) => value.toLowerCase().includes(wanted))
      )
        rows.push(i);
    }
    grid.show(rows, nodes.line.indexOf(Number(state.current.line)));
    fill(
      total,
      rows.length === nodes.length
        ? plural(nodes.length, "node")
        : `${count(rows.length)} of ${plural(nodes.length, "node")}`,
      nodes.length > 0 && ". Press Enter to show the line in the text.",
    );
  };
  filter.value = state.current.q;
  op.value = state.current.type;
  apply();
  const empty =
    nodes.length === 0 &&
    h("p", { class: "note padded" }, "No graph recognized in this text. Choose Text to read it.");
  return {
    element: h(
      "div",
      { class: "fill" },
      h("div", { class: "toolbar" }, tools, h("span", { class: "spring" }), filter, op, total),
      empty || grid.element,
    ),
    find: filter,
  };
}

/** @param {import("../../lib/code/fx-nodes.js").Nodes} nodes @param {boolean} several @returns {import("../../lib/list/grid.js").Column[]} */
function columns(nodes, several) {
  const text = (/** @type {string} */ value) => h("span", { title: value }, value);
  const all = [
    {
      id: "line",
      title: "Line",
      number: true,
      cell: (/** @type {number} */ i) => count(nodes.line[i]),
      sort: (/** @type {number} */ i) => nodes.line[i],
    },
    {
      id: "name",
      title: "Name",
      least: "9rem",
      class: "mono",
      cell: (/** @type {number} */ i) => text(nodes.name[i]),
      sort: (/** @type {number} */ i) => nodes.name[i],
    },
    {
      id: "op",
      title: "Op",
      cell: (/** @type {number} */ i) => nodes.op[i],
      sort: (/** @type {number} */ i) => nodes.op[i],
    },
    {
      id: "target",
      title: "Target",
      least: "10rem",
      class: "mono",
      cell: (/** @type {number} */ i) => text(nodes.target[i]),
      sort: (/** @type {number} */ i) => nodes.target[i],
    },
    {
      id: "shape",
      title: "Shape",
      least: "6rem",
      class: "mono",
      cell: (/** @type {number} */ i) => text(shapeOf(nodes, i).shape),
      sort: (/** @type {number} */ i) => shapeOf(nodes, i).shape,
    },
    {
      id: "dtype",
      title: "Dtype",
      class: "mono",
      cell: (/** @type {number} */ i) => shapeOf(nodes, i).dtype,
      sort: (/** @type {number} */ i) => shapeOf(nodes, i).dtype,
    },
    {
      id: "users",
      title: "Users",
      number: true,
      cell: (/** @type {number} */ i) => count(nodes.users[i]),
      sort: (/** @type {number} */ i) => nodes.users[i],
      help: "Number of nodes that use it",
    },
    {
      id: "source",
      title: "Location",
      least: "6rem",
      class: "mono",
      cell: (/** @type {number} */ i) =>
        nodes.source[i] && cutMiddle(lastParts(shortFile(nodes.source[i]), 2), nodes.source[i]),
      sort: (/** @type {number} */ i) => nodes.source[i],
    },
    {
      id: "code",
      title: "Source line",
      least: "6rem",
      class: "mono",
      cell: (/** @type {number} */ i) => text(nodes.code[i]),
    },
  ];
  if (several)
    all.splice(1, 0, {
      id: "graph",
      title: "Graph",
      class: "mono",
      cell: (i) => text(nodes.graph[i]),
      sort: (i) => nodes.graph[i],
    });
  return all;
}
