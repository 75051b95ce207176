// Names of generated Python code: buffers, arguments, kernels. Names in a function belong to it, others to
// the whole text; a name in the text of a kernel belongs to that kernel. No page needed.
import { lastAtMost } from "../page/text.js";
import { inKernel } from "./kernel-names.js";
import { blank, namesIn } from "./python-words.js";
import { outlineOf } from "./python-outline.js";
import { factsOfCode, factsOfKernel } from "./python-facts.js";

const FUNCTION = "function";

/** @param {string[]} lines @returns {import("./names.js").Names & {outline: import("./names.js").Item[]}} */
export function pythonNames(lines) {
  /** @type {ReturnType<typeof outlineOf> | null} */
  let parts = null;
  const outline = () => (parts ??= outlineOf(lines));
  return {
    hint: "Point at a name to see what it is. Click it, or press → in a line, to see its definition and uses. Ctrl+click goes to the definition.",
    get outline() {
      return outline().items;
    },
    inLine: (line) => namesIn(lines[line] ?? "", blockAt(outline(), line) !== null),
    look: (name, line) => look(lines, outline(), name, line),
  };
}

/**
 * Return the kernel whose text contains a line.
 * @param {ReturnType<typeof outlineOf>} outline @param {number} line
 */
function blockAt({ blocks }, line) {
  const block = blocks.length
    ? blocks[
        lastAtMost(
          blocks.map(({ first }) => first),
          line,
        )
      ]
    : null;
  return block && block.first < line && line < block.last ? block : null;
}

/**
 * @param {string[]} lines @param {ReturnType<typeof outlineOf>} outline @param {string} name
 * @param {number} at @returns {import("./names.js").Known}
 */
function look(lines, outline, name, at) {
  const block = blockAt(outline, at);
  if (block) return inKernel(lines, block, name, at);
  const scopes = outline.items.filter(({ kind }) => kind === FUNCTION);
  const around = (/** @type {number} */ line) =>
    scopes.filter((scope) => scope.line <= line && line <= scope.last); // outermost first
  /** @type {(import("./names.js").Use & {scope: import("./names.js").Item | null})[]} */
  const all = [];
  const own = new Set(); // the functions that define the name
  let next = 0;
  for (let i = 0; i < lines.length; i++) {
    while (next < outline.blocks.length && outline.blocks[next].last <= i) next++;
    const inside = outline.blocks[next];
    if (inside && inside.first < i && i < inside.last) {
      i = inside.last - 1;
      continue;
    }
    if (!lines[i].includes(name)) continue;
    const code = blank(lines[i], false);
    for (const occurrence of namesIn(lines[i], false)) {
      if (occurrence.name !== name || freed(code, occurrence.column)) continue;
      const kind = defines(code, occurrence.column, name);
      const functions = around(i);
      if (kind === "outside" && functions[functions.length - 1]?.line === i) functions.pop(); // "def f" defines f around it
      const scope = functions[functions.length - 1] ?? null;
      if (kind) own.add(scope);
      all.push({ line: i, column: occurrence.column, definition: Boolean(kind), scope });
    }
  }
  const here = around(at);
  // "def f(x)": f belongs to the outer scope
  if (all.some((use) => use.line === at && use.definition && use.scope !== (here[here.length - 1] ?? null)))
    here.pop();
  const scope = [...here].reverse().find((item) => own.has(item)) ?? null;
  const mine = all.filter(
    (use) =>
      use.scope === scope ||
      (!own.has(use.scope) &&
        (scope === null || (use.scope !== null && scope.line <= use.line && use.line <= scope.last))),
  );
  let defined = false;
  const uses = mine.map(({ line, column, definition }) => {
    const first = definition && !defined;
    defined ||= definition;
    return { line, column, definition: first };
  });
  const place = uses.find((use) => use.definition);
  const kernel =
    place &&
    outline.items.find((item) => item.line === place.line && item.name === name && item.kind !== "class");
  if (kernel)
    return {
      name,
      uses,
      facts: kernel.kind === FUNCTION ? [["", "function"]] : factsOfKernel(lines, kernel),
      missing: "",
      unit: "call",
      source: null,
    };
  return {
    name,
    uses,
    facts: place ? factsOfCode(lines, place.line, name) : [],
    missing: place ? "" : "not defined in this text",
    unit: "use",
    source: null,
  };
}

/** Return whether it is 'del buf0', which only frees it. @param {string} code @param {number} column */
const freed = (code, column) => /(?:^|;)\s*del\s+(?:\w+\s*,\s*)*$/.test(code.slice(0, column));

/**
 * Return whether a name is defined there; "outside" for the name of a function or class.
 * @param {string} code @param {number} column @param {string} name
 */
function defines(code, column, name) {
  const before = code.slice(code.lastIndexOf(";", column - 1) + 1, column);
  const after = code.slice(column + name.length);
  if (/\b(?:def|class)\s+$/.test(before)) return "outside";
  if (/^\s*(?:async\s+)?def\s/.test(code)) return /[(,]\s*\**$/.test(before) ? "inside" : "";
  if (/^\s*(?:\w+\s*,\s*)*$/.test(before) && /^\s*(?:,[\w,\s]*)?(?::[^=]*)?=(?!=)/.test(after))
    return "inside";
  if (/\bfor\s+(?:\w+\s*,\s*)*$/.test(before) || /\bas\s+$/.test(before)) return "inside";
  return /^\s*(?:from\s+[\w.]+\s+)?import\s+(?:[\w.]+(?:\s+as\s+\w+)?\s*,\s*)*$/.test(before) &&
    !/^\s+as\b/.test(after)
    ? "inside"
    : "";
}
