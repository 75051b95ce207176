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
    if (metadata === null || typeof metadata !== "object") return metadata;
    const resolved = expand(metadata, this);
    for (const [key, value] of Object.entries(resolved)) {
      if (value !== null && typeof value === "object" && !Array.isArray(value)) resolved[key] = expand(value, this);
    }
    return resolved;
  }
}

/** @param {any} object @param {Stacks} stacks */
function expand(object, stacks) {
  /** @type {Record<string, any>} */
  const copy = {};
  for (const [key, value] of Object.entries(object)) {
    const stack = (key === "stack_index" || key === "user_stack_index") && Number.isInteger(value);
    if (stack) copy[key.replace("_index", "")] = stacks.stack(value).map(frameText);
    else copy[key] = value;
  }
  return copy;
}

/** @param {Frame} frame */
export function frameText({ file, line, name, loc }) {
  return `${file ?? "(unknown file)"}:${line} in ${name}${loc ? `: ${loc}` : ""}`;
}
