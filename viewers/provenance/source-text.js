// The recorded source lines as text, by file and function.
import { fileShortener } from "../lib/page/paths.js";

/** @typedef {import("./model.js").Model} Model */

/**
 * @param {Model} model
 * @returns {{text: string, labels: string[], keys: number[], lineOf: Map<number, number>, short: (file: string) => string}}
 *   labels: the gutter text of each line; keys: the row of sources of each line, -1 for headings; lineOf: the other way
 */
export function sourceText(model) {
  const rows = model.sources.map((s) => ({ s, ...model.source(s) }));
  const short = fileShortener(rows.map((row) => row.file));
  // User code before libraries.
  rows.sort(
    (a, b) =>
      Number(a.library) - Number(b.library) || compare(a.file, b.file) || a.line - b.line || a.s - b.s,
  );
  const lines = [],
    labels = [],
    keys = [];
  /** @type {Map<number, number>} */
  const lineOf = new Map();
  let file = null,
    name = null;
  for (const row of rows) {
    if (row.file !== file) {
      if (file !== null) push(lines, labels, keys, "");
      push(lines, labels, keys, `# ${short(row.file)}`);
      file = row.file;
      name = null;
    }
    if (row.function !== name && row.function) push(lines, labels, keys, `# in ${row.function}`);
    name = row.function;
    lines.push(`    ${oneLine(row.code ?? "(source line not recorded)")}`);
    labels.push(String(row.line));
    keys.push(row.s);
    lineOf.set(row.s, lines.length);
  }
  return { text: lines.join("\n"), labels, keys, lineOf, short: (path) => short(path) };
}

/** @param {string[]} lines @param {string[]} labels @param {number[]} keys @param {string} text */
function push(lines, labels, keys, text) {
  lines.push(oneLine(text));
  labels.push("");
  keys.push(-1);
}

/** Replace line breaks, which names from a log can contain. @param {string} text */
const oneLine = (text) => text.replace(/[\r\n\u2028\u2029]+/g, " ");

/** @param {string} a @param {string} b */
const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
