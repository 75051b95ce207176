// Merges the spans of two timelines by path: one node for all spans with the same path. Runs without a page.

/** @typedef {import("../lib/bundle/log.js").Log} Log */
/** @typedef {import("../../schema/bundle.d.ts").Spans} Span */
/** @typedef {{name: string, parent: number, depth: number, base_us: number, new_us: number, base_count: number, new_count: number, unended: number}} Node total times, summed over all spans of the path */
/** @typedef {{spans: Span[], wanted: string | null}} Side wanted: the compile asked for, or null for all */

const DEEPEST = 200; // deeper spans share one node

/** Return the spans of a log, limited to one compile if given. @param {Log | undefined} log @param {string | null} compile its key; null for the whole log @returns {Promise<Side | null>} null when the log has no timeline */
export async function spansOf(log, compile) {
  const spans = /** @type {Span[] | null} */ (log ? await log.table("spans") : null);
  return log && spans ? { spans, wanted: compile } : null;
}

/** Merge both sides. Parents come before their children. @param {Side | null} base @param {Side | null} other @returns {Node[]} */
export function spanTree(base, other) {
  /** @type {Node[]} */
  const nodes = [];
  /** @type {Map<string, number>} */
  const known = new Map();
  for (const [side, which] of /** @type {[Side | null, "base" | "new"][]} */ ([
    [other, "new"],
    [base, "base"],
  ])) {
    if (!side) continue;
    const { spans, wanted } = side;
    const asked = (/** @type {number} */ row) => wanted === null || spans[row].compile === wanted;
    /** @type {Map<number, number>} */
    const nodeOf = new Map();
    for (let row = 0; row < spans.length; row++) {
      if (!asked(row)) continue;
      const way = [];
      for (
        let at = row;
        at >= 0 && !nodeOf.has(at) && asked(at) && way.length < DEEPEST;
        at = spans[at].parent ?? -1
      )
        way.push(at);
      const above = way.length ? (spans[/** @type {number} */ (way.at(-1))].parent ?? -1) : row;
      let node = nodeOf.get(above) ?? -1;
      for (const at of way.reverse()) {
        const { name: text, duration_us: duration } = spans[at];
        const name = text.replace(/^(compile_attempt)_\d+$/, "$1"); // merge the attempts of one compile
        const key = `${node} ${name}`;
        let found = known.get(key);
        if (found === undefined) {
          found =
            nodes.push({
              name,
              parent: node,
              depth: node < 0 ? 0 : nodes[node].depth + 1,
              base_us: 0,
              new_us: 0,
              base_count: 0,
              new_count: 0,
              unended: 0,
            }) - 1;
          known.set(key, found);
        }
        const one = nodes[found];
        one[`${which}_us`] += duration ?? 0;
        one[`${which}_count`]++;
        one.unended += Number(duration === null);
        if (one.depth < DEEPEST) node = found;
        nodeOf.set(at, found);
      }
    }
  }
  return nodes;
}

/** Differences below this, in microseconds, or below 10% count as about the same. */
export const LEAST_US = 1_000;

/** Return "bad" if the path is slower in the new run, "good" if faster, else "plain". @param {Node} node @returns {"bad" | "good" | "plain"} */
export function toneOf({ base_us: base, new_us: other }) {
  const by = other - base;
  return Math.abs(by) < Math.max(LEAST_US, Math.min(base, other) / 10) ? "plain" : by > 0 ? "bad" : "good";
}

/** Compute start and end of the flame boxes, with the widths of one side and children in a row. @param {Node[]} nodes @param {"base" | "new"} which */
export function layOut(nodes, which) {
  const width = Float64Array.from(nodes, (node) => node[`${which}_us`]);
  const inside = new Float64Array(nodes.length);
  for (let i = nodes.length - 1; i >= 0; i--) {
    width[i] = Math.max(width[i], inside[i]); // an unfinished span is as long as its children
    if (nodes[i].parent >= 0) inside[nodes[i].parent] += width[i];
  }
  const from = new Float64Array(nodes.length),
    next = new Float64Array(nodes.length);
  let end = 0;
  nodes.forEach(({ parent }, i) => {
    from[i] = next[i] = parent < 0 ? end : next[parent];
    if (parent < 0) end += width[i];
    else next[parent] += width[i];
  });
  return { from, to: from.map((left, i) => left + width[i]), end };
}
