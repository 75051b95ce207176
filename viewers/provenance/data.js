// Loads what the viewer shows: the graphs of a log that have provenance, and the texts of one of them.

/** @typedef {import("../lib/bundle/log.js").Log} Log */
/** @typedef {{row: any, compile: any, id: string, label: string}} Graph a row of the table's groups, with its address and name */

const HANDLES = /^(extern_kernels\.|aoti_torch_|torch\.ops\.)/;

/** @param {Log} log @returns {Promise<{table: any, graphs: Graph[]} | null>} null for bundles without the table */
export function graphsOf(log) {
  return log.once("provenance graphs", async () => {
    const [table, compiles] = await Promise.all([log.table("provenance"), log.compiles()]);
    if (table === null) return null;
    /** @type {Map<number, number>} */
    const counts = new Map();
    const graphs = table.groups.map((/** @type {any} */ row) => {
      const nth = (counts.get(row.compile_index) ?? 0) + 1;
      counts.set(row.compile_index, nth);
      return { row, compile: compiles[row.compile_index], id: String(nth), label: "" };
    });
    for (const graph of graphs) graph.label = label(graph, counts.get(graph.row.compile_index) ?? 1);
    return { table, graphs };
  });
}

/** "[0/0] forward · backward graph · 2 of 2" @param {Graph} graph @param {number} total */
function label({ row, compile, id }, total) {
  const name = compile.id === null ? "no compile id" : `[${compile.key}]`;
  const parts = [compile.function ? `${name} ${compile.function}` : name, row.direction && `${row.direction} graph`, row.subgraph_name, total > 1 && `${id} of ${total}`];
  return parts.filter(Boolean).join(" · ");
}

/** @param {Log} log @param {any} table @param {any} group @param {AbortSignal} signal */
export async function textsOf(log, table, group, signal) {
  const event = (/** @type {number | null} */ index) => (index === null ? null : table.graphs[index].event_index);
  const [pre, post, code, bodies] = await Promise.all([event(group.pre_graph_index), event(group.post_graph_index), group.code_event_index, group.bodies_event_index].map((index) => textOf(log, index, signal)));
  return { pre, post, code, bodies };
}

/** @param {Log} log @param {number | null} eventIndex @param {AbortSignal} signal */
async function textOf(log, eventIndex, signal) {
  if (eventIndex === null) return null;
  const artifact = (await log.artifacts()).find(({ event }) => event === eventIndex);
  return artifact ? log.text(artifact, { signal }) : null;
}

/**
 * Estimated run times of the kernels in nanoseconds; null for those that the log does not estimate.
 * @param {Log} log @param {any} group @param {any[]} groups @param {import("./model.js").Kernel[]} kernels
 */
export async function timesOf(log, group, groups, kernels) {
  const runtime = await log.table("runtime");
  const none = kernels.map(() => null);
  const rows = runtime?.estimates?.map((/** @type {any} */ row, /** @type {number} */ i) => ({ ...row, i })) ?? [];
  const following = groups.filter((g) => g.code_event_index > group.code_event_index && g.compile_index === group.compile_index).map((g) => g.code_event_index);
  const until = Math.min(Infinity, ...following);
  const estimate = rows.find((/** @type {any} */ r) => r.compile_index === group.compile_index && r.event_index > group.code_event_index && r.event_index < until);
  if (!estimate || group.code_event_index === null) return none;
  const ops = [];
  for (let i = 0; i < runtime.ops.estimate_index.length; i++) {
    if (runtime.ops.estimate_index[i] === estimate.i) ops.push({ name: runtime.strings[runtime.ops.name[i]] ?? "", ns: runtime.ops.estimated_runtime_ns[i] });
  }
  return assign(ops, kernels);
}

/**
 * torch estimates operations in the order of the code; it names library calls, and fused kernels by a buffer.
 * @param {{name: string, ns: number | null}[]} ops @param {import("./model.js").Kernel[]} kernels @returns {(number | null)[]}
 */
export function assign(ops, kernels) {
  if (!ops.some((op) => op.ns)) return kernels.map(() => null); // a CPU: torch estimates nothing
  const order = kernels.map((_, k) => k).sort((a, b) => (kernels[a].calls[0] ?? Infinity) - (kernels[b].calls[0] ?? Infinity));
  const agree = ops.length === kernels.length && order.every((k, i) => !HANDLES.test(ops[i].name) || ops[i].name === kernels[k].name);
  /** @type {(number | null)[]} */
  const times = kernels.map(() => null);
  if (agree) order.forEach((k, i) => { times[k] = ops[i].ns; });
  else {
    const left = [...ops];
    for (const k of order) {
      const at = left.findIndex((op) => op.name === kernels[k].name);
      if (at >= 0) times[k] = left.splice(at, 1)[0].ns;
    }
  }
  return times;
}
