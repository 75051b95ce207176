// Strings, frames and stacks of one log.

/** @typedef {{file: string | null, line: number, name: string, loc: string | null}} Frame */

export class Stacks {
  /** @param {any} tables see schema/stacks.schema.json */
  constructor(tables) {
    /** @type {string[]} */
    this.strings = tables.strings;
    this.frames = tables.frames;
    /** @type {number[]} a parent stands before its children */
    this.parent = tables.stacks.parent_index;
    /** @type {number[]} */
    this.frameOf = tables.stacks.frame_index;
  }

  /** @param {number} frameIndex @returns {Frame} */
  frame(frameIndex) {
    const { file, line, name, loc } = this.frames;
    return {
      file: this.strings[file[frameIndex]] ?? null,
      line: line[frameIndex],
      name: this.strings[name[frameIndex]] ?? "",
      loc: this.strings[loc[frameIndex]] ?? null,
    };
  }

  /** The frames of a stack, outermost first. @param {number} stackIndex @returns {Frame[]} */
  stack(stackIndex) {
    const frames = [];
    for (let i = stackIndex; i >= 0; i = this.parent[i]) frames.push(this.frame(this.frameOf[i]));
    return frames.reverse();
  }

  /**
   * A copy of metadata with 'stack_index' and 'user_stack_index' replaced by readable frames.
   * @param {any} metadata @returns {any}
   */
  resolve(metadata) {
    const isObject = (/** @type {any} */ v) => v !== null && typeof v === "object" && !Array.isArray(v);
    if (!isObject(metadata)) return metadata;
    const entries = this.expand(metadata).map(([key, value]) => [key, isObject(value) ? Object.fromEntries(this.expand(value)) : value]);
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
export function frameText({ file, line, name, loc }) {
  return `${file ?? "(unknown file)"}:${line} in ${name}${loc ? `: ${loc}` : ""}`;
}

/** Whether torch itself has the file. @param {string | null} file */
export const isTorch = (file) => /(^|(site|dist)-packages\/|#link-tree\/)torch\//.test(file ?? "");
