// The stacks of one log.
import { damaged } from "./shape.js";

/**
 * @typedef {import("../../../schema/bundle.d.ts").Stacks} Frame a stack: its innermost frame, and its parent
 */

export class Stacks {
  /** @param {Frame[]} rows of the table */
  constructor(rows) {
    this.rows = rows;
    /** Parents come before their children; -1 for none. @type {number[]} */
    this.parent = rows.map(({ parent }) => parent ?? -1);
    const wrong = rows.findIndex(({ id, parent }, i) => id !== i || (parent !== null && parent >= i));
    if (wrong >= 0)
      throw damaged(
        "The table 'stacks'",
        `row ${wrong} has the id ${rows[wrong].id} and the parent ${rows[wrong].parent}`,
      );
  }

  /** Return the innermost frame of a stack. @param {number} id @returns {Frame} */
  frame(id) {
    return this.rows[id];
  }

  /** Return the frames of a stack, outermost first. @param {number} id @returns {Frame[]} */
  stack(id) {
    const frames = [];
    for (let i = id; i >= 0; i = this.parent[i]) frames.push(this.rows[i]);
    return frames.reverse();
  }

  /**
   * Return a copy of metadata with 'stack_index' and 'user_stack_index' replaced by readable frames.
   * @param {any} metadata @returns {any}
   */
  resolve(metadata) {
    const isObject = (/** @type {any} */ v) => v !== null && typeof v === "object" && !Array.isArray(v);
    if (!isObject(metadata)) return metadata;
    const entries = this.expand(metadata).map(([key, value]) => [
      key,
      isObject(value) ? Object.fromEntries(this.expand(value)) : value,
    ]);
    return Object.fromEntries(entries);
  }

  /** @param {any} object @returns {[string, any][]} */
  expand(object) {
    return Object.entries(object).map(([key, value]) => {
      const stack = (key === "stack_index" || key === "user_stack_index") && Number.isInteger(value);
      return stack ? [key.replace("_index", ""), this.stack(value).map(frameText)] : [key, value];
    });
  }
}

/** @param {Frame} frame */
export function frameText({ file, line, function: name, code }) {
  return `${file ?? "(unknown file)"}:${line} in ${name}${code ? `: ${code}` : ""}`;
}

/** Return whether a file belongs to torch. @param {string | null} file */
export const isTorch = (file) => /(^|(site|dist)-packages\/|#link-tree\/)torch\//.test(file ?? "");
