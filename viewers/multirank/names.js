// What functions, compiles, operations and tensors are called in the tables of this viewer. No page needed.
import { resumeFunction } from "../lib/page/format.js";

/** @typedef {import("../../schema/bundle.d.ts").RankCompiles[]} Columns */
/** @typedef {{code: string} | string} Part of a text: words, or text of the program */

/** An operation without what all of them have in common. @param {string} op */
export const shortOp = (op) =>
  op.replace(/^torch\.ops\.(_c10d_functional\.|c10d\.)?/, "").replace(/_?\.default$/, "");

/** "float32 (17, 8)", or less when less is known. @param {any} tensor */
export function tensorText(tensor) {
  if (!tensor) return "nothing";
  const shape = tensor.shape ? `(${tensor.shape.join(", ")})` : "";
  return [tensor.dtype?.replace("torch.", ""), shape].filter(Boolean).join(" ") || "another tensor";
}

/** What a function is called; a resume function by the one that it goes on with. @param {string | null | undefined} name */
export function functionName(name) {
  const part = resumeFunction(name);
  return part?.line ? `${part.function}, resumed at ${part.line}` : (name ?? "unknown function");
}

/** "block [1/0]" @param {Columns} columns @param {number | null} column @param {string | null} [key] @returns {Part[]} */
export function compileName(columns, column, key = null) {
  const known = column === null ? null : columns[column];
  const id = key ?? known?.compile;
  return [{ code: functionName(known?.function) }, id ? ` [${id}]` : ""];
}

/** "all_reduce (sum) f32 (16, 8)", as far as it is known. @param {import("../../schema/bundle.d.ts").CollectiveCalls} call */
export const callText = ({ op, reduce_op: reduce, dtype, shape }) =>
  [op, reduce && `(${reduce})`, dtype, shape && `(${shape.join(", ")})`].filter(Boolean).join(" ");
