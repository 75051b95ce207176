// Compares two texts line by line. No page needed; also runs in a worker.
//
// Lines that both sides have exactly once are anchors (patience diff); between them Myers' algorithm, in
// steps of MOST_EDITS edits that continue from the furthest point. So the time stays near linear.

const MOST_EDITS = 1_000;

/**
 * Return the equal runs as triples: first line on the left, first line on the right, number of lines.
 * @param {string[]} left @param {string[]} right
 */
export function equalRuns(left, right) {
  const [a, b] = intern(left, right);
  /** @type {[number, number, number][]} */
  const runs = [];
  const work = [[0, a.length, 0, b.length]];
  for (let range = work.pop(); range; range = work.pop()) {
    let [a0, a1, b0, b1] = range;
    const start = a0;
    while (a0 < a1 && b0 < b1 && a[a0] === b[b0]) (a0++, b0++);
    if (a0 > start) runs.push([start, b0 - (a0 - start), a0 - start]);
    const end = a1;
    while (a0 < a1 && b0 < b1 && a[a1 - 1] === b[b1 - 1]) (a1--, b1--);
    if (a1 < end) runs.push([a1, b1, end - a1]);
    if (a0 === a1 || b0 === b1) continue;
    const anchors = anchorsOf(a, a0, a1, b, b0, b1);
    if (anchors.length === 0) {
      const rest = myers(a, a0, a1, b, b0, b1, runs);
      if (rest) work.push(rest);
      continue;
    }
    for (const [i, j] of [...anchors, [a1, b1]]) {
      work.push([a0, i, b0, j]);
      if (i < a1) runs.push([i, j, 1]);
      [a0, b0] = [i + 1, j + 1];
    }
  }
  return merged(runs);
}

/** Map equal lines to equal numbers. @param {string[]} left @param {string[]} right */
function intern(left, right) {
  /** @type {Map<string, number>} */
  const numberOf = new Map();
  const numbers = (/** @type {string[]} */ lines) =>
    Int32Array.from(lines, (line) => {
      let number = numberOf.get(line);
      if (number === undefined) numberOf.set(line, (number = numberOf.size));
      return number;
    });
  return [numbers(left), numbers(right)];
}

/** @param {[number, number, number][]} runs */
function merged(runs) {
  runs.sort((x, y) => x[0] - y[0]);
  /** @type {number[]} */
  const flat = [];
  for (const [i, j, count] of runs) {
    const n = flat.length;
    if (n && flat[n - 3] + flat[n - 1] === i && flat[n - 2] + flat[n - 1] === j) flat[n - 1] += count;
    else flat.push(i, j, count);
  }
  return Int32Array.from(flat);
}

/**
 * Return the lines that occur once on each side, in a common order.
 * @param {Int32Array} a @param {number} a0 @param {number} a1 @param {Int32Array} b @param {number} b0
 * @param {number} b1
 */
function anchorsOf(a, a0, a1, b, b0, b1) {
  const places = (/** @type {Int32Array} */ lines, /** @type {number} */ from, /** @type {number} */ to) => {
    /** @type {Map<number, number>} line -> place, -1 when there are several */
    const places = new Map();
    for (let i = from; i < to; i++) places.set(lines[i], places.has(lines[i]) ? -1 : i);
    return places;
  };
  const right = places(b, b0, b1);
  /** @type {[number, number][]} */
  const pairs = [];
  for (const [line, i] of places(a, a0, a1)) {
    const j = right.get(line) ?? -1;
    if (i >= 0 && j >= 0) pairs.push([i, j]);
  }
  return longestIncreasing(pairs.sort((x, y) => x[0] - y[0]));
}

/**
 * @param {[number, number][]} pairs sorted by the first number
 * @returns {[number, number][]} the longest subsequence in which the second number grows
 */
function longestIncreasing(pairs) {
  /** @type {number[]} */
  const tails = [];
  const before = new Int32Array(pairs.length);
  pairs.forEach(([, j], index) => {
    let low = 0,
      high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[tails[middle]][1] < j) low = middle + 1;
      else high = middle;
    }
    before[index] = low > 0 ? tails[low - 1] : -1;
    tails[low] = index;
  });
  const out = [];
  for (let at = tails[tails.length - 1] ?? -1; at >= 0; at = before[at]) out.push(pairs[at]);
  return out.reverse();
}

/**
 * @param {Int32Array} a @param {number} a0 @param {number} a1 @param {Int32Array} b @param {number} b0
 * @param {number} b1 @param {[number, number, number][]} runs @returns {number[] | null} the rest
 */
function myers(a, a0, a1, b, b0, b1, runs) {
  const n = a1 - a0,
    m = b1 - b0;
  const most = Math.min(n + m, MOST_EDITS);
  /** @type {Int32Array[]} progress of each diagonal by edit */
  const trace = [];
  let last = new Int32Array(3);
  for (let d = 0; d <= most; d++) {
    const far = new Int32Array(2 * d + 3); // diagonal k at k + d + 1
    for (let k = -d; k <= d; k += 2) {
      const at = (/** @type {number} */ diagonal) => last[diagonal + d]; // from the previous round: d - 1 + 1
      let x = d === 0 ? 0 : k === -d || (k !== d && at(k - 1) < at(k + 1)) ? at(k + 1) : at(k - 1) + 1;
      while (x < n && x - k < m && a[a0 + x] === b[b0 + x - k]) x++;
      far[k + d + 1] = x;
      if (x >= n && x - k >= m) {
        walkBack(trace, d, n, m, a0, b0, runs);
        return null;
      }
    }
    trace.push(far);
    last = far;
  }
  let x = 0,
    y = 0;
  for (let k = -most; k <= most; k += 2) {
    const reached = Math.min(last[k + most + 1], n);
    if (reached - k <= m && reached - k >= 0 && 2 * reached - k > x + y) [x, y] = [reached, reached - k];
  }
  walkBack(trace, most, x, y, a0, b0, runs);
  return [a0 + x, a1, b0 + y, b1];
}

/**
 * @param {Int32Array[]} trace @param {number} edits @param {number} x @param {number} y @param {number} a0
 * @param {number} b0 @param {[number, number, number][]} runs
 */
function walkBack(trace, edits, x, y, a0, b0, runs) {
  for (let d = edits; d > 0; d--) {
    const last = trace[d - 1];
    const k = x - y;
    const at = (/** @type {number} */ diagonal) => last[diagonal + d];
    const down = k === -d || (k !== d && at(k - 1) < at(k + 1));
    const fromX = down ? at(k + 1) : at(k - 1);
    const fromY = fromX - (down ? k + 1 : k - 1);
    const middleX = down ? fromX : fromX + 1;
    if (x > middleX) runs.push([a0 + middleX, b0 + middleX - k, x - middleX]);
    [x, y] = [fromX, fromY];
  }
  if (x > 0) runs.push([a0, b0, x]);
}

export const EQUAL = 0,
  CHANGED = 1,
  LEFT = 2,
  RIGHT = 3,
  GAP = 4;

/**
 * Return the rows to show. Lines are -1 on a side without one. Equal runs far from a change become one row
 * (GAP) with the number of lines.
 * @param {Int32Array} runs @param {number} leftCount @param {number} rightCount
 * @param {{unified: boolean, context: number, opened: Set<number>}} options opened: expanded gaps, by their
 *   first line on the left
 */
export function diffRows(runs, leftCount, rightCount, { unified, context, opened }) {
  /** @type {{kind: number, left: number, right: number, count: number}[]} */
  const rows = [];
  /** @type {number[]} first row of each change */
  const changes = [];
  let i = 0,
    j = 0;
  const push = (
    /** @type {number} */ kind,
    /** @type {number} */ left,
    /** @type {number} */ right,
    count = 1,
  ) => rows.push({ kind, left, right, count });
  const change = (/** @type {number} */ toI, /** @type {number} */ toJ) => {
    if (i === toI && j === toJ) return;
    changes.push(rows.length);
    if (unified) {
      for (; i < toI; i++) push(LEFT, i, -1);
      for (; j < toJ; j++) push(RIGHT, -1, j);
      return;
    }
    for (; i < toI && j < toJ; i++, j++) push(CHANGED, i, j);
    for (; i < toI; i++) push(LEFT, i, -1);
    for (; j < toJ; j++) push(RIGHT, -1, j);
  };
  for (let r = 0; r < runs.length; r += 3) {
    change(runs[r], runs[r + 1]);
    const count = runs[r + 2];
    const head = i === 0 && j === 0 ? 0 : context;
    const tail = i + count === leftCount && j + count === rightCount ? 0 : context;
    const hidden = count - head - tail;
    for (let k = 0; k < count; k++) {
      if (k === head && hidden > 3 && !opened.has(i + k)) {
        push(GAP, i + k, j + k, hidden);
        k += hidden - 1;
      } else push(EQUAL, i + k, j + k);
    }
    i += count;
    j += count;
  }
  change(leftCount, rightCount);
  return { rows, changes };
}
