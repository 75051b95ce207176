// Values of an FX graph's text: definition, uses and facts of a name. No page needed.
//
//   # File: model.py:26 in forward, code: x = x + y
//   add: "f32[8, 4][4, 1]cpu" = torch.ops.aten.add.Tensor(x, y);  x = y = None
//
// A name belongs to the function around it, so only that part of the text is read, on demand.
import { indentOf } from "./folding.js";

const WORD = /[A-Za-z_]\w*/g;
const DEFINED =
  /^\s*%?([A-Za-z_]\w*)\s*(?::\s*"([^"]*)"\s*(?:=(?!=)|,\s*(?:#|$)|#|$)|:[^="#]*(?:=(?!=)|#|$)|=(?!=)|#|$)/; // its parts do not overlap: a line may be long
const SEVERAL = /^\s*((?:[A-Za-z_]\w*,\s*)+(?:[A-Za-z_]\w*)?)\s*=/;
const PARAMETER = /([A-Za-z_]\w*)(?:\s*:\s*"([^"]*)")?\s*(?:=[^,)]*)?(?=[,)]|$)/g;
const FREED = /;\s+((?:[A-Za-z_]\w*\s*=\s*)+None)\s*(?:#.*)?$/;
const FILE = /^\s*# File: (.*?):(\d+) in (.*?)(?:, code: (.*))?$/;
const TARGET = /=\s*([A-Za-z_][\w.]*)\s*[([;]?/;
const PYTHON = new Set(
  "False None True and as class def del for from if import in is lambda not or pass return self torch while with".split(
    " ",
  ),
);

/** @typedef {{line: number, column: number, definition: boolean}} Use line and column from 0 */
/**
 * @typedef {{name: string, annotation: string, dtype: string, shape: string, stride: string, device: string,
 *   target: string, file: string, fileLine: number, where: string, code: string}} Facts
 */

/** Return the names in a line that can be values. @param {string} line */
export function valuesIn(line) {
  /** @type {{name: string, column: number}[]} */
  const names = [];
  const code = blank(line);
  const head = /^\s*(?:class\s.*|def\s+\w+\s*)/.exec(code)?.[0].length ?? -1;
  for (const match of code.matchAll(WORD)) {
    const name = match[0];
    if (code[match.index - 1] === "." || PYTHON.has(name) || match.index < head) continue;
    // f(dim = 1): a keyword of the call
    if (
      head < 0 &&
      /^\s*=(?!=)/.test(code.slice(match.index + name.length, match.index + name.length + 4)) &&
      within(code, match.index)
    )
      continue;
    names.push({ name, column: match.index });
  }
  return names;
}

/** Replace strings and comments by spaces, to keep columns. @param {string} line */
function blank(line) {
  if (!/["'#]/.test(line)) return line;
  return line.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|#.*/g, (text) => " ".repeat(text.length));
}

/**
 * Return whether a column is inside brackets, where 'name = ' is a keyword argument.
 * @param {string} code @param {number} end
 */
function within(code, end) {
  let depth = 0;
  for (let i = 0; i < end; i++) {
    const c = code[i];
    if (c === "(" || c === "[") depth++;
    else if (c === ")" || c === "]") depth--;
  }
  return depth > 0;
}

/**
 * Return the first and last line of the function around a line, or of the whole text.
 * @param {string[]} lines @param {number} at
 */
export function scopeOf(lines, at) {
  let first = at;
  let indent = indentOf(lines[at], false);
  if (indent < 0) indent = Infinity;
  while (first >= 0 && !(isDef(lines[first]) && (first === at || indentOf(lines[first], false) < indent)))
    first--;
  if (first < 0) return { first: 0, last: lines.length - 1 };
  const own = indentOf(lines[first], false);
  let last = first + 1;
  // "def forward(" over several lines ends with "):" at its own indentation
  for (; last < lines.length; last++) {
    const depth = indentOf(lines[last], false);
    if (depth >= 0 && depth <= own && !/^\s*\)/.test(lines[last])) break;
  }
  return { first, last: last - 1 };
}

/** @param {string} line */
const isDef = (line) => /^\s*def\s/.test(line);

/**
 * Return the uses of a name within its function.
 * @param {string[]} lines @param {{first: number, last: number}} scope @param {string} name @returns {Use[]}
 */
export function usesOf(lines, scope, name) {
  /** @type {Use[]} */
  const uses = [];
  let defined = false;
  const word = new RegExp(`\\b${name}\\b`);
  for (let i = scope.first; i <= scope.last; i++) {
    const line = lines[i];
    if (!line.includes(name) || !word.test(line)) continue;
    const freed = FREED.exec(line);
    for (const value of valuesIn(line)) {
      if (value.name !== name) continue;
      if (freed && value.column > freed.index) continue; // "x = None" only frees it
      /** @type {boolean} */
      const definition = !defined && defines(line, value.column);
      defined ||= definition;
      uses.push({ line: i, column: value.column, definition });
    }
  }
  return uses;
}

/** @param {string} line @param {number} column */
function defines(line, column) {
  if (isDef(line)) return true;
  const before = line.slice(0, column);
  if (before.trim() === "") return DEFINED.test(line) || SEVERAL.test(line) || /^\s*\w+,$/.test(line);
  return /^\s*(?:\w+,\s*)+$/.test(before) && SEVERAL.test(line);
}

/**
 * Return the facts in the text about a value where it is defined.
 * @param {string[]} lines @param {number} at @param {string} name @returns {Facts}
 */
export function factsOf(lines, at, name) {
  const line = lines[at];
  let annotation = "";
  let target = "";
  if (isDef(line)) {
    for (const match of line.slice(line.indexOf("(") + 1).matchAll(PARAMETER))
      if (match[1] === name) annotation = match[2] ?? "";
    target = "input";
  } else {
    annotation = DEFINED.exec(line)?.[2] ?? "";
    target = TARGET.exec(blank(line))?.[1] ?? "input";
  }
  const source = isDef(line) ? null : sourceAbove(lines, at);
  return {
    name,
    annotation,
    ...typeOf(annotation),
    target,
    ...(source ?? { file: "", fileLine: 0, where: "", code: "" }),
  };
}

/** "f32[8, 4][4, 1]cpu" -> its parts. @param {string} annotation */
export function typeOf(annotation) {
  if (annotation.startsWith("Sym("))
    return { dtype: "symbol", shape: annotation.slice(4, -1), stride: "", device: "" };
  const match = /^([\w.]+)?(\[[^\]]*\])?(\[[^\]]*\])?(\w[\w:]*)?$/.exec(annotation);
  return {
    dtype: match?.[1] ?? "",
    shape: match?.[2] ?? "",
    stride: match?.[3] ?? "",
    device: match?.[4] ?? "",
  };
}

/**
 * Return the nearest '# File:' comment above, within the function.
 * @param {string[]} lines @param {number} at
 */
function sourceAbove(lines, at) {
  for (let i = at - 1; i >= 0 && !isDef(lines[i]); i--) {
    const source = sourceIn(lines[i]);
    if (source || /^\s*# No stacktrace/.test(lines[i])) return source;
  }
  return null;
}

/** @param {string} line */
export function sourceIn(line) {
  if (!line.includes("# File: ")) return null;
  const match = FILE.exec(line);
  return match && { file: match[1], fileLine: Number(match[2]), where: match[3], code: match[4] ?? "" };
}

export { blank, DEFINED, FREED, isDef, PARAMETER, SEVERAL, TARGET };
