// The tensors of a log and their relations. No page needed.
import { bytes } from "../../lib/page/format.js";
import { modelOf, numberOf } from "../shared/model.js";
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
 * @property {number | null} storage event of its storage
 * @property {boolean} leaf
 * @property {Record<string, any>} other
 * @property {string[]} flags
 */
/** @typedef {{name: string, shape: (number | string)[] | null}} Input */
/** @typedef {ReturnType<typeof tensorModel>} Tensors */

/** @param {import("../../lib/bundle/log.js").Log} log @returns {Promise<Tensors>} */
export const tensorsOf = (log) =>
  log.once("tensor rows", async () => {
    const [model, ...tables] = await Promise.all([
      modelOf(log),
      log.table("tensors"),
      log.table("tensor_storages"),
      log.table("graph_tensors"),
    ]);
    const [tensors, storages, graphs] = tables.map((rows) => rows ?? []); // null if left out of a redacted bundle
    return tensorModel(model, tensors, storages, graphs);
  });

/** "(5, 7)", "()" @param {(number | string)[] | null} shape */
export const shapeText = (shape) =>
  shape === null ? "–" : `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;

/** Return a tensor's name in the program. @param {Tensor} tensor */
export const tensorName = (tensor) =>
  tensor.sources.length ? tensor.sources.map(sourceName).join(" = ") : "(part of a tensor)";

/** @param {any} size */
const sizeText = (size) =>
  typeof size === "number" ? bytes(size) : size === null ? "unknown size" : `${size} bytes`;

/** Normalize "L['x']" and "l_x_" to the same name. @param {string} name */
const plain = (name) => name.toLowerCase().replace(/[^a-z0-9]+/g, "");

/** @param {any} model @param {any[]} tensors rows of the table, as those below @param {any[]} storages @param {any[]} graphTensors */
function tensorModel(model, tensors, storages, graphTensors) {
  const users = new Map(/** @type {[number, number[]][]} */ ([])); // of each storage
  tensors.forEach((tensor, i) => {
    const known = users.get(tensor.storage_event);
    if (known) known.push(i);
    else if (tensor.storage_event !== null) users.set(tensor.storage_event, [i]);
  });
  /** @type {Tensor[]} */
  const rows = tensors.map((tensor) => ({
    event: tensor.event,
    compile: numberOf(model, tensor),
    sources: tensor.sources,
    shape: tensor.shape,
    stride: tensor.stride,
    dynamic: tensor.dynamic_dims,
    dtype: tensor.dtype,
    device: tensor.device,
    storage: tensor.storage_event,
    leaf: tensor.is_leaf,
    other: tensor.other ?? {},
    flags: [
      tensor.is_parameter && "parameter",
      tensor.requires_grad && "grad",
      (users.get(tensor.storage_event)?.length ?? 0) > 1 && "shared",
      tensor.is_view && "view",
      tensor.dynamic_dims !== null && "dynamic",
    ].filter(Boolean),
  }));
  const graphs = graphTensors.map((graph) => ({
    event: graph.event,
    compile: numberOf(model, graph),
    inputs: /** @type {Input[]} */ (
      graph.nodes
        .slice(0, graph.input_count ?? 0)
        .map((/** @type {string} */ name, /** @type {number} */ i) => ({ name, shape: graph.shapes[i] }))
    ),
  }));
  const sizes = new Map(storages.map((storage) => [storage.event, storage.size_bytes]));
  return {
    rows,
    graphs,
    /** Return "140 B", or the expression of a symbolic size. @param {number} storage */
    storageSize: (storage) => sizeText(sizes.get(storage) ?? null),
    /** Return the other tensors with the same memory. @param {number} i @returns {number[]} */
    sharing: (i) => (users.get(/** @type {number} */ (rows[i].storage)) ?? []).filter((at) => at !== i),
    /** Return the base of a view, or -1. Tensor ids repeat, so it is the latest one before. @param {number} i */
    baseOf: (i) => {
      const base = rows[i].other.base;
      for (let at = i - 1; typeof base === "number" && at >= 0; at--)
        if (tensors[at].tensor_id === base && tensors[at].describer_id === tensors[i].describer_id) return at;
      return -1;
    },
    /** Return the input of that name in a graph of the same compile. @param {number} i @returns {Input | null} */
    inputOf: (i) => {
      const names = new Set(rows[i].sources.map(plain));
      for (const graph of graphs)
        if (graph.compile === rows[i].compile)
          for (const input of graph.inputs) if (names.has(plain(input.name))) return input;
      return null;
    },
    /** Return the graphs of a compile, or of its other attempts if it has none. @param {any} model @param {number} compile */
    graphsOf: (model, compile) => {
      const own = graphs.filter((/** @type {any} */ graph) => graph.compile === compile);
      if (own.length || model.compiles[compile].id === null) return own;
      return graphs.filter(
        (/** @type {any} */ graph) =>
          model.compiles[graph.compile].id !== null &&
          model.compiles[graph.compile].compile === model.compiles[compile].compile,
      );
    },
  };
}
