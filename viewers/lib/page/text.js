// Text functions without a page: lines, wrapping, search, JSON indentation.

/**
 * @param {string} text
 * @returns {{lines: string[], starts: Int32Array}} starts: offset of each line in the text
 */
export function splitLines(text) {
  const lines = text.split("\n");
  const starts = new Int32Array(lines.length);
  for (let i = 1; i < lines.length; i++) starts[i] = starts[i - 1] + lines[i - 1].length + 1;
  return { lines, starts };
}

/**
 * Wrap lines into rows of at most 'columns' characters: the line and the start of each row. A hidden line has
 * no row; its 'first' is the row above.
 * @param {string[]} lines @param {number} columns @param {Uint8Array | null} [hidden] a flag for each line
 */
export function layOut(lines, columns, hidden = null) {
  let total = 0;
  for (let i = 0; i < lines.length; i++)
    if (!hidden?.[i]) total += Math.max(1, Math.ceil(lines[i].length / columns));
  const line = new Int32Array(total);
  const from = new Int32Array(total);
  const first = new Int32Array(lines.length);
  for (let i = 0, row = 0; i < lines.length; i++) {
    if (hidden?.[i]) {
      first[i] = row - 1;
      continue;
    }
    first[i] = row;
    for (let start = 0; start === 0 || start < lines[i].length; start += columns) {
      line[row] = i;
      from[row++] = start;
    }
  }
  return { line, from, first, length: total, columns };
}

/** Return the last i with sorted[i] <= value. @param {ArrayLike<number>} sorted @param {number} value */
export function lastAtMost(sorted, value) {
  let low = 0,
    high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (sorted[middle] <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * Return the offsets of a text, ignoring case.
 * @param {string} text @param {string} wanted @param {number} limit
 */
export function findAll(text, wanted, limit) {
  /** @type {number[]} */
  const positions = [];
  if (!wanted) return positions;
  const pattern = new RegExp(wanted.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "gi");
  for (const match of text.matchAll(pattern)) {
    positions.push(match.index);
    if (positions.length >= limit) break;
  }
  return positions;
}

const DEEPEST = 100; // no more indentation below this depth: there would be more spaces than text
const JSON_PARTS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/**
 * Return JSON with line breaks and indentation; null if the text is not JSON. Numbers keep their spelling.
 * @param {string} text @returns {string | null}
 */
export function prettyJson(text) {
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  const out = [];
  let depth = 0;
  let before = "";
  for (const [part] of text.matchAll(JSON_PARTS)) {
    const opened = before === "{" || before === "[";
    const closes = part === "}" || part === "]";
    if (closes) depth--;
    if ((opened && !closes) || before === "," || (closes && !opened))
      out.push("\n", "  ".repeat(Math.min(depth, DEEPEST)));
    out.push(part === ":" ? ": " : part);
    if (part === "{" || part === "[") depth++;
    before = part;
  }
  return out.join("");
}
