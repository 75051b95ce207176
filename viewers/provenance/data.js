// Loads the graphs of a log that have provenance, and the texts of one graph.
import { attemptKey, attemptName } from "../lib/bundle/log.js";
import { damaged } from "../lib/bundle/shape.js";

/** @typedef {import("../lib/bundle/log.js").Log} Log */
/** @typedef {{row: any, compile: any, key: string, id: string, label: string}} Graph a row of provenance_groups with its compile (null when it has none), the address of the attempt, its own, and its name */
/** @typedef {{sources: any[], lines: Map<number, any[]>, nodes: Map<number, any[]>, kernels: Map<number, any[]>}} Tables rows of provenance_sources; of provenance_lines by event of the graph; of provenance_nodes and provenance_kernels by group */

const HANDLES = /^(extern_kernels\.|aoti_torch_|torch\.ops\.)/;
const TABLES = [
  "provenance_groups",
  "provenance_sources",
  "provenance_lines",
  "provenance_nodes",
  "provenance_kernels",
];

/** @param {Log} log @returns {Promise<{table: Tables, graphs: Graph[]} | null>} null for redacted bundles without provenance */
export function graphsOf(log) {
  return log.once("provenance graphs", async () => {
    const [compiles, [groups, sources, lines, nodes, kernels]] = await Promise.all([
      log.compiles(),
      Promise.all(TABLES.map((name) => log.table(name))),
    ]);
    if (groups === null) return null;
    const table = {
      sources,
      lines: grouped(lines, "graph_event"),
      nodes: grouped(nodes, "group"),
      kernels: grouped(kernels, "group"),
    };
    checkSources(log, table);
    const byKey = new Map(compiles.map((compile) => [compile.compile, compile]));
    /** @type {Map<string, number>} */
    const counts = new Map();
    const graphs = groups.map((/** @type {any} */ row) => {
      const nth = (counts.get(attemptKey(row)) ?? 0) + 1;
      counts.set(attemptKey(row), nth);
      return {
        row,
        compile: byKey.get(row.compile) ?? null,
        key: attemptName(row),
        id: String(nth),
        label: "",
      };
    });
    for (const graph of graphs) graph.label = label(graph, counts.get(attemptKey(graph.row)) ?? 1);
    return { table, graphs };
  });
}

/** Group rows by the value of a field. @param {any[]} rows @param {string} field @returns {Map<number, any[]>} */
function grouped(rows, field) {
  const map = new Map();
  for (const row of rows) {
    const known = map.get(row[field]);
    if (known) known.push(row);
    else map.set(row[field], [row]);
  }
  return map;
}

/** @param {Log} log @param {Tables} table */
function checkSources(log, { sources, lines, kernels }) {
  const lacks = (/** @type {number | null} */ source) => source !== null && source >= sources.length;
  const wrong =
    [...lines.values()].some((rows) => rows.some((row) => lacks(row.source))) ||
    [...kernels.values()].some((rows) =>
      rows.some((row) => row.sources.some((/** @type {number[]} */ stack) => stack.some(lacks))),
    );
  if (wrong)
    throw damaged(
      `Log ${log.id}`,
      "its provenance refers to a source that is missing from table 'provenance_sources'",
    );
}

/** "[0/0] forward · backward graph · 2 of 2" @param {Graph} graph @param {number} total */
function label({ row, compile, id }, total) {
  const name = row.compile === null ? "no compile id" : `[${row.compile}]`;
  const parts = [
    compile?.function ? `${name} ${compile.function}` : name,
    row.direction && `${row.direction} graph`,
    row.subgraph_name,
    total > 1 && `${id} of ${total}`,
  ];
  return parts.filter(Boolean).join(" · ");
}

/** @param {Log} log @param {any} group @param {AbortSignal} signal */
export async function textsOf(log, group, signal) {
  const [pre, post, code, bodies] = await Promise.all(
    [group.pre_graph_event, group.post_graph_event, group.code_event, group.bodies_event].map((event) =>
      textOf(log, event, signal),
    ),
  );
  return { pre, post, code, bodies };
}

/** @param {Log} log @param {number | null} eventIndex @param {AbortSignal} signal */
async function textOf(log, eventIndex, signal) {
  if (eventIndex === null) return null;
  const artifact = (await log.artifacts()).find(({ event }) => event === eventIndex);
  return artifact ? log.text(artifact, { signal }) : null;
}

/**
 * Return torch's estimated run times of the kernels in nanoseconds; null where not recorded.
 * @param {Log} log @param {Graph} graph @param {Graph[]} graphs of the log @param {import("./model.js").Kernel[]} kernels
 */
export async function timesOf(log, graph, graphs, kernels) {
  const none = kernels.map(() => null);
  const [estimates, operations] = await Promise.all([
    log.table("runtime_estimates"),
    log.table("estimated_ops"),
  ]);
  const { code_event: codeEvent } = graph.row,
    own = attemptKey(graph.row);
  const following = graphs
    .filter((other) => other.row.code_event > codeEvent && attemptKey(other.row) === own)
    .map((other) => other.row.code_event);
  const until = Math.min(Infinity, ...following);
  const estimate = estimates?.find(
    (/** @type {any} */ row) => attemptKey(row) === own && row.event > codeEvent && row.event < until,
  );
  if (!estimate || codeEvent === null) return none;
  const ops = operations
    .filter((/** @type {any} */ op) => op.estimate_event === estimate.event)
    .map((/** @type {any} */ op) => ({ name: op.name ?? "", ns: op.estimated_runtime_ns }));
  return assign(ops, kernels);
}

/**
 * torch estimates operations in the order of the code; it names library calls, and fused kernels by a buffer.
 * @param {{name: string, ns: number | null}[]} ops @param {import("./model.js").Kernel[]} kernels @returns {(number | null)[]}
 */
export function assign(ops, kernels) {
  if (!ops.some((op) => op.ns)) return kernels.map(() => null); // torch has no estimates on CPU
  const order = kernels
    .map((_, k) => k)
    .sort((a, b) => (kernels[a].calls[0] ?? Infinity) - (kernels[b].calls[0] ?? Infinity));
  const agree =
    ops.length === kernels.length &&
    order.every((k, i) => !HANDLES.test(ops[i].name) || ops[i].name === kernels[k].name);
  /** @type {(number | null)[]} */
  const times = kernels.map(() => null);
  if (agree)
    order.forEach((k, i) => {
      times[k] = ops[i].ns;
    });
  else {
    const left = [...ops];
    for (const k of order) {
      const at = left.findIndex((op) => op.name === kernels[k].name);
      if (at >= 0) times[k] = left.splice(at, 1)[0].ns;
    }
  }
  return times;
}
