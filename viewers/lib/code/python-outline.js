// The outline of generated Python code: functions, classes, and kernels in strings of a different language.
// No page needed.
import { indentOf } from "./folding.js";

const KERNEL = /^(\w+)\s*=\s*async_compile\.(\w+)/;
const DEFINED = /^(\s*)(?:async\s+)?(def|class)\s+(\w+)/;
const KINDS = /** @type {Record<string, string>} */ ({
  triton: "Triton kernel",
  cpp: "C++ kernel",
  cpp_pybinding: "C++ kernel",
  halide: "Halide kernel",
  cuda: "CUDA kernel",
  multi_kernel: "kernel",
  metal: "Metal kernel",
});

/** @typedef {import("./names.js").Item} Item */
/** @typedef {{first: number, last: number}} Block a multi-line string, including its first and last line */

/** @param {string[]} lines @returns {{items: Item[], blocks: Block[]}} in the order of the text */
export function outlineOf(lines) {
  /** @type {Item[]} */
  const items = [];
  /** @type {Block[]} */
  const blocks = [];
  /** @type {{item: Item, indent: number}[]} open functions and classes, outermost first */
  const open = [];
  let quotes = ""; // of the open string
  let last = -1; // the last nonblank line
  /** @type {Item | null} */
  let kernel = null;
  const close = (/** @type {number} */ indent) => {
    while (open.length && open[open.length - 1].indent >= indent)
      /** @type {any} */ (open.pop()).item.last = last;
  };
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i];
    if (quotes) {
      last = i;
      if (!line.includes(quotes)) continue;
      quotes = opened(line.slice(line.indexOf(quotes) + 3));
      blocks[blocks.length - 1].last = i;
      if (kernel) kernel.last = i;
      kernel = null;
      if (quotes) blocks.push({ first: i, last: i });
      continue;
    }
    const indent = indentOf(line, false);
    if (indent < 0) continue;
    if (line[indent] !== ")") close(indent);
    last = i;
    if (line[indent] === "#") continue;
    const made = indent === 0 ? KERNEL.exec(line) : null;
    if (made)
      items.push((kernel = { name: made[1], kind: KINDS[made[2]] ?? "kernel", line: i, last: i, depth: 0 }));
    else if ("adc".includes(line[indent])) {
      const defined = DEFINED.exec(line);
      if (defined) {
        const item = {
          name: defined[3],
          kind: defined[2] === "def" ? "function" : "class",
          line: i,
          last: i,
          depth: open.length,
        };
        items.push(item);
        open.push({ item, indent });
      }
    }
    if (!line.includes("'''") && !line.includes('"""')) kernel = null;
    else if ((quotes = opened(line))) blocks.push({ first: i, last: lines.length - 1 });
    else kernel = null;
  }
  close(0);
  return { items, blocks };
}

/** Return the quotes of the string that a line leaves open, or "". @param {string} line */
function opened(line) {
  let quotes = "";
  for (const [part] of line.matchAll(/'''|"""|#.*|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g)) {
    if (part !== "'''" && part !== '"""') continue;
    if (!quotes) quotes = part;
    else if (quotes === part) quotes = "";
  }
  return quotes;
}
