// Names of functions, compiles, operations and tensors in this viewer. Runs without a page.
import { resumeFunction } from "../lib/page/format.js";

/** @typedef {import("../../schema/bundle.d.ts").RankCompiles[]} Columns */
/** @typedef {{code: string} | string} Part of a text: words, or text of the program */

/** Return the name of an operation without its namespace and overload. @param {string} op */
export const shortOp = (op) =>
  op.replace(/^torch\.ops\.(_c10d_functional\.|c10d\.)?/, "").replace(/_?\.default$/, "");

/** Return dtype and shape such as "float32 (17, 8)", as far as recorded. @param {any} tensor */
export function tensorText(tensor) {
  if (!tensor) return "no tensor";
  const shape = tensor.shape ? `(${tensor.shape.join(", ")})` : "";
  return [tensor.dtype?.replace("torch.", ""), shape].filter(Boolean).join(" ") || "unknown tensor";
}

/** Return the name of a function; for a resume function, the original function and line. @param {string | null | undefined} name */
export function functionName(name) {
  const part = resumeFunction(name);
  return part?.line ? `${part.function}, resumed at ${part.line}` : (name ?? "unknown function");
}

/** Return a name such as "block [1/0]". @param {Columns} columns @param {number | null} column @param {string | null} [key] @returns {Part[]} */
export function compileName(columns, column, key = null) {
  const compile = column === null ? null : columns[column];
  const id = key ?? compile?.compile;
  return [{ code: functionName(compile?.function) }, id ? ` [${id}]` : ""];
}

/** Return a call such as "all_reduce (sum) f32 (16, 8)", as far as recorded. @param {import("../../schema/bundle.d.ts").CollectiveCalls} call */
export const callText = ({ op, reduce_op: reduce, dtype, shape }) =>
  [op, reduce && `(${reduce})`, dtype, shape && `(${shape.join(", ")})`].filter(Boolean).join(" ");
