// Pairs the nodes of two FX graphs: first those with the same computation on the same inputs, then those that
// look alike, then those with the same target or name. Names count least, since torch numbers them. No page
// needed.
import { valuesIn } from "../code/fx-graph.js";
import { equalRuns } from "./diff.js";

const SYMBOL = /\b[suz]\d+\b/g;
const NUMBERED = /^(?:arg\d+_\d+|primals_\d+|tangents_\d+|args?_\d+)$/; // input names that only have a position

/**
 * @typedef {{name: string, op: string, target: string, type: string, call: string, line: number, source:
 *   string, graph: string}} Node line from 0; call: the computation as written
 */
/**
 * @typedef {{node: Node, shape: string, args: number[]}} Parsed shape: the call without its values; args:
 *   rows of the nodes that are used
 */
/** @typedef {[number, number]} Pair rows on the left and on the right */

/** @param {string} type "Sym(s0)" is a number, all others are tensors or unknown */
const isSymbol = (type) => type.startsWith("Sym(");

/** @param {Node[]} nodes @returns {Parsed[]} */
function parsed(nodes) {
  /** @type {Map<string, number>} */
  const rows = new Map();
  return nodes.map((node, row) => {
    const args = [];
    let shape = "",
      at = 0;
    for (const { name, column } of valuesIn(node.call)) {
      const used = rows.get(`${node.graph} ${name}`);
      if (used === undefined) continue;
      args.push(used);
      shape += `${node.call.slice(at, column)}\0`;
      at = column + name.length;
    }
    if (node.op !== "output") rows.set(`${node.graph} ${node.name}`, row);
    return { node, shape: (shape + node.call.slice(at)).replace(SYMBOL, "#"), args };
  });
}

/** Maps equal texts to equal numbers. */
class Numbers {
  constructor() {
    /** @type {Map<string, number>} */
    this.known = new Map();
  }

  /** @param {string} text */
  of(text) {
    let number = this.known.get(text);
    if (number === undefined) this.known.set(text, (number = this.known.size));
    return number;
  }
}

/**
 * Return a node's key at each level, the most specific first.
 * @param {Parsed[]} nodes @param {Numbers} numbers @param {boolean} named graphs count
 */
function keysOf(nodes, numbers, named) {
  const of = (/** @type {Node} */ { graph }) => (named ? graph : "");
  const loose = nodes.map(({ node, shape }) =>
    numbers.of(`${of(node)}\n${node.op}\n${isSymbol(node.type)}\n${node.op === "placeholder" ? "" : shape}`),
  );
  /** @type {number[]} */
  const full = [];
  nodes.forEach(({ node, args }, row) => {
    const own =
      node.op === "placeholder" && !NUMBERED.test(node.name) && !isSymbol(node.type) ? node.name : "";
    full.push(
      numbers.of(
        `full ${loose[row]} ${node.type.replace(SYMBOL, "#")} ${own} ${args.map((arg) => full[arg])}`,
      ),
    );
  });
  const near = nodes.map(({ node, args }, row) =>
    numbers.of(
      `near ${loose[row]} ${node.op === "placeholder" ? `${node.name.replace(NUMBERED, "")} ${node.type.replace(/\d+/g, "").replace(SYMBOL, "")}` : ""} ${args.map((arg) => loose[arg])}`,
    ),
  );
  const target = (/** @type {Parsed} */ { node }) =>
    `${of(node)}\n${node.op}\n${isSymbol(node.type)}\n${node.op === "placeholder" ? "" : node.target}`;
  const same = nodes.map((one) =>
    numbers.of(
      `same ${target(one)} ${NUMBERED.test(one.node.name) || isSymbol(one.node.type) ? "" : one.node.name}`,
    ),
  );
  const alike = nodes.map((one) =>
    numbers.of(
      `alike ${target(one)} ${one.node.op === "placeholder" && !NUMBERED.test(one.node.name) && !isSymbol(one.node.type) ? one.node.name : ""}`,
    ),
  );
  return { full, near, same, alike, levels: [full, near, same, alike] };
}

/**
 * @param {Node[]} left @param {Node[]} right
 * @returns {{pairs: Pair[], left: number[], right: number[]}} and the rows on one side only
 */
export function nodePairs(left, right) {
  const [a, b] = [parsed(left), parsed(right)];
  const named = [left, right].some((nodes) => nodes.some(({ graph }) => graph !== nodes[0].graph));
  const numbers = new Numbers();
  const [mine, others] = [keysOf(a, numbers, named), keysOf(b, numbers, named)];
  /** @type {Pair[]} */
  const pairs = [];
  /** @type {number[]} */
  let open = [];
  /** @type {number[]} */
  let rest = [];
  const align = (
    /** @type {number} */ level,
    /** @type {number} */ a0,
    /** @type {number} */ a1,
    /** @type {number} */ b0,
    /** @type {number} */ b1,
  ) => {
    if (level === mine.levels.length || a0 === a1 || b0 === b1) {
      for (let i = a0; i < a1; i++) open.push(i);
      for (let j = b0; j < b1; j++) rest.push(j);
      return;
    }
    const runs = equalRuns(
      mine.levels[level].slice(a0, a1).map(String),
      others.levels[level].slice(b0, b1).map(String),
    );
    let i = a0,
      j = b0;
    for (let r = 0; r < runs.length; r += 3) {
      align(level + 1, i, a0 + runs[r], j, b0 + runs[r + 1]);
      [i, j] = [a0 + runs[r], b0 + runs[r + 1]];
      for (let k = 0; k < runs[r + 2]; k++) pairs.push([i++, j++]);
    }
    align(level + 1, i, a1, j, b1);
  };
  align(0, 0, a.length, 0, b.length);

  /**
   * Pair nodes that are in a different order.
   * @param {(row: number) => string | number | null} l @param {(row: number) => string | number | null} r
   */
  const match = (l, r) => {
    /** @type {Map<string | number, number[]>} */
    const waiting = new Map();
    for (const row of rest) {
      const key = r(row);
      if (key === null) continue;
      const list = waiting.get(key);
      if (list) list.push(row);
      else waiting.set(key, [row]);
    }
    const taken = new Set();
    for (const list of waiting.values()) list.reverse();
    open = open.filter((row) => {
      const key = l(row);
      const other = key === null ? undefined : waiting.get(key)?.pop();
      if (other === undefined) return true;
      pairs.push([row, other]);
      taken.add(other);
      return false;
    });
    rest = rest.filter((row) => !taken.has(row));
  };
  match(
    (row) => mine.full[row],
    (row) => others.full[row],
  );
  match(
    (row) => mine.near[row],
    (row) => others.near[row],
  );
  match(
    (row) => mine.same[row],
    (row) => others.same[row],
  );
  // A different operation on the same values replaces the first.
  const counterpart = new Map(pairs);
  const inputs = (
    /** @type {Parsed} */ { node, args },
    /** @type {(row: number) => number | undefined} */ of,
  ) => ((node.op === "call_function" || node.op === "call_method") && args.length ? `${args.map(of)}` : null);
  match(
    (row) => inputs(a[row], (arg) => counterpart.get(arg)),
    (row) => inputs(b[row], (arg) => arg),
  );
  return { pairs: pairs.sort(([i], [j]) => i - j), left: open, right: rest };
}
