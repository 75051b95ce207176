// Finds foldable blocks of a text by indentation. No page needed.

const SPACE = 32,
  TAB = 9,
  BAR = 124;

/**
 * Return the last line of the block below each line, which is indented deeper; 0 without a block.
 * The bars of a guard tree count as indentation. Trailing blank lines belong to no block.
 * @param {string[]} lines @param {boolean} [bars] a tree drawn with '| '
 */
export function foldEnds(lines, bars = false) {
  const ends = new Int32Array(lines.length);
  /** @type {{line: number, indent: number}[]} the open blocks, each deeper than the one before */
  const open = [];
  let last = -1; // the last line that is not blank
  const close = (/** @type {number} */ indent) => {
    for (let top = open[open.length - 1]; top && top.indent >= indent; top = open[open.length - 1]) {
      if (last > top.line) ends[top.line] = last;
      open.pop();
    }
  };
  for (let i = 0; i < lines.length; i++) {
    const indent = indentOf(lines[i], bars);
    if (indent < 0) continue;
    close(indent);
    open.push({ line: i, indent });
    last = i;
  }
  close(0);
  return ends;
}

/** -1 for a blank line. @param {string} line @param {boolean} bars */
export function indentOf(line, bars) {
  for (let i = 0; i < line.length; i++) {
    const code = line.charCodeAt(i);
    if (code !== SPACE && code !== TAB && !(bars && code === BAR)) return i;
  }
  return -1;
}

/**
 * Return flags for lines hidden by closed folds; null if none is closed.
 * @param {number} length @param {Int32Array} ends @param {Set<number>} closed
 */
export function hiddenLines(length, ends, closed) {
  if (closed.size === 0) return null;
  const hidden = new Uint8Array(length);
  for (const line of closed) hidden.fill(1, line + 1, ends[line] + 1);
  return hidden;
}

/**
 * Return the blocks of the outermost level with several blocks; folding them leaves an overview.
 * @param {string[]} lines @param {Int32Array} ends @param {boolean} bars
 */
export function foldLevel(lines, ends, bars) {
  /** @type {Map<number, number[]>} */
  const levels = new Map();
  for (let i = 0; i < ends.length; i++) {
    if (!ends[i]) continue;
    const indent = indentOf(lines[i], bars);
    const level = levels.get(indent);
    if (level) level.push(i);
    else levels.set(indent, [i]);
  }
  const byIndent = [...levels].sort((a, b) => a[0] - b[0]).map(([, heads]) => heads);
  return new Set(byIndent.find((heads) => heads.length > 1) ?? byIndent[0] ?? []);
}
