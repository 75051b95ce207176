// The table of tensors as rows, and how they belong together. No page needed.
import { bytes } from "../../lib/page/format.js";
import { sourceName } from "../shared/source-name.js";

/**
 * @typedef {object} Tensor
 * @property {number} event
 * @property {number} compile
 * @property {string[]} sources
 * @property {(number | string)[] | null} shape
 * @property {(number | string)[] | null} stride
 * @property {(number | string)[] | null} dynamic
 * @property {string | null} dtype
 * @property {string | null} device
 * @property {number} storage
 * @property {boolean} leaf
 * @property {Record<string, any>} other
 * @property {string[]} flags
 */
/** @typedef {{name: string, shape: (number | string)[] | null}} Input */
/** @typedef {ReturnType<typeof tensorModel>} Tensors */

/** @param {import("../../lib/bundle/log.js").Log} log @returns {Promise<Tensors>} */
export const tensorsOf = (log) => log.once("tensor rows", async () => tensorModel(await log.table("tensors")));

/** "(5, 7)", "()" @param {(number | string)[] | null} shape */
export const shapeText = (shape) => (shape === null ? "–" : `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`);

/** As the program calls it. @param {Tensor} tensor */
export const tensorName = (tensor) => (tensor.sources.length ? tensor.sources.map(sourceName).join(" = ") : "(part of another)");

/** @param {any} size */
const sizeText = (size) => (typeof size === "number" ? bytes(size) : size === null ? "unknown size" : `${size} bytes`);

/** "L['x']" and "l_x_" alike @param {string} name */
const plain = (name) => name.toLowerCase().replace(/[^a-z0-9]+/g, "");

/** @param {any} table see schema/tensors.schema.json; null for a bundle without it */
function tensorModel(table) {
  const t = table?.tensors ?? { event_index: [] };
  const text = (/** @type {number} */ i) => (i < 0 ? null : table.strings[i]);
  const shape = (/** @type {number} */ i) => (i < 0 ? null : table.shapes[i]);
  const users = new Map(/** @type {[number, number[]][]} */ ([])); // of each storage
  t.event_index.forEach((/** @type {number} */ _, /** @type {number} */ i) => {
    const known = users.get(t.storage_index[i]);
    if (known) known.push(i);
    else if (t.storage_index[i] >= 0) users.set(t.storage_index[i], [i]);
  });
  /** @type {Tensor[]} */
  const rows = t.event_index.map((/** @type {number} */ event, /** @type {number} */ i) => ({
    event, compile: t.compile_index[i], sources: t.sources[i].map(text), shape: shape(t.shape[i]), stride: shape(t.stride[i]), dynamic: shape(t.dynamic_dims[i]),
    dtype: text(t.dtype[i]), device: text(t.device[i]), storage: t.storage_index[i], leaf: t.is_leaf[i], other: t.other[i] < 0 ? {} : table.others[t.other[i]],
    flags: [t.is_parameter[i] && "parameter", t.requires_grad[i] && "grad", (users.get(t.storage_index[i])?.length ?? 0) > 1 && "shared", t.is_view[i] && "view", t.dynamic_dims[i] >= 0 && "dynamic"].filter(Boolean),
  }));
  const graphs = (table?.graphs.event_index ?? []).map((/** @type {number} */ event, /** @type {number} */ i) => {
    const g = table.graphs;
    const n = g.input_count[i] < 0 ? 0 : g.input_count[i];
    return { event, compile: g.compile_index[i], inputs: /** @type {Input[]} */ (g.nodes[i].slice(0, n).map((/** @type {number} */ name, /** @type {number} */ k) => ({ name: text(name), shape: shape(g.shapes[i][k]) }))) };
  });
  return {
    rows,
    graphs,
    /** "140 B", or the expression when it is symbolic. @param {number} storage */
    storageSize: (storage) => sizeText(table.storages.size_bytes[storage]),
    /** Others with the same memory. @param {number} i @returns {number[]} */
    sharing: (i) => (users.get(rows[i].storage) ?? []).filter((at) => at !== i),
    /** The tensor that it is a view of, or -1: numbers of tensors come again, the newest before is meant. @param {number} i */
    baseOf: (i) => {
      const base = rows[i].other.base;
      for (let at = i - 1; typeof base === "number" && at >= 0; at--) if (t.tensor_id[at] === base && t.describer_id[at] === t.describer_id[i]) return at;
      return -1;
    },
    /** The input of a graph of the same compile that has its name. @param {number} i @returns {Input | null} */
    inputOf: (i) => {
      const names = new Set(rows[i].sources.map(plain));
      for (const graph of graphs) if (graph.compile === rows[i].compile) for (const input of graph.inputs) if (names.has(plain(input.name))) return input;
      return null;
    },
    /** Graphs of a compile, those of its other attempts when it has none. @param {any} model @param {number} compile */
    graphsOf: (model, compile) => {
      const own = graphs.filter((/** @type {any} */ graph) => graph.compile === compile);
      if (own.length || model.compiles[compile].id === null) return own;
      return graphs.filter((/** @type {any} */ graph) => model.compiles[graph.compile].id !== null && model.compiles[graph.compile].compile === model.compiles[compile].compile);
    },
  };
}
