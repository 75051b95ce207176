// Compares two FX graphs node by node. Renamed symbols and values are not a difference, and neither are
// source lines of the program. No page needed.
import { typeOf, valuesIn } from "../code/fx-graph.js";
import { nodesOf } from "../code/fx-nodes.js";
import { count, plural } from "../page/format.js";
import { sectionsOf } from "./meaning.js";
import { nodePairs } from "./node-pairs.js";
import { differences } from "./words.js";

const SYMBOL = /\b[suz]\d+\b/g;
const IS_SYMBOL = /^[suz]\d+$/;
const SIZE = /\b(?:[suz]?\d+)\b/g;
const FREED = /;\s+(?:[A-Za-z_]\w*\s*=\s*)+None\s*(?:#.*)?$/;
const ANNOTATED = /^%?\w+\s*:\s*"[^"]*"\s*=\s*(.*)$/;
const LONGEST_RETURN = 10_000; // lines

/** @typedef {import("./meaning.js").Row} Row */
/** @typedef {import("./node-pairs.js").Node} Node */

/** @param {string} text @returns {Promise<Node[]>} */
async function nodesIn(text) {
  const lines = text.split("\n");
  const nodes = await nodesOf(lines);
  return nodes.name.map((name, i) => ({
    name,
    op: nodes.op[i],
    target: nodes.target[i],
    type: nodes.annotation[i],
    call: callIn(lines, nodes.line[i] - 1, nodes.op[i]),
    line: nodes.line[i] - 1,
    source: nodes.source[i],
    graph: nodes.graph[i],
  }));
}

const withoutComment = (/** @type {string} */ line) => line.replace(/\s+#.*$/, "").trim();

/** @param {string[]} lines @param {number} at @param {string} op */
function callIn(lines, at, op) {
  if (op === "placeholder") return "";
  const line = withoutComment(lines[at].replace(FREED, ""));
  if (op !== "output") return ANNOTATED.exec(line)?.[1] ?? line.slice(line.search(/=(?!=)/) + 1).trim();
  let text = line.replace(/^return\s*/, "");
  for (let i = at + 1; text.endsWith("(") || text.endsWith(",") || text.endsWith("["); i++) {
    // "return (" continues
    if (i >= lines.length || i - at > LONGEST_RETURN) break;
    const next = withoutComment(lines[i]);
    text += /^[)\]]/.test(next) || /[([]$/.test(text) ? next : ` ${next}`;
  }
  return text.replace(/,(?=[)\]])/g, "");
}

/** A one-to-one map from names on the left to names on the right. */
class Renames {
  constructor() {
    /** @type {Map<string, string>} */
    this.names = new Map();
    /** @type {Set<string>} */
    this.taken = new Set();
  }

  /**
   * Return whether two names can be equal, and map them from then on.
   * @param {string} left @param {string} right
   */
  same(left, right) {
    const partner = this.names.get(left);
    if (partner !== undefined) return partner === right;
    if (this.taken.has(right)) return false;
    this.names.set(left, right);
    this.taken.add(right);
    return true;
  }

  get changed() {
    return [...this.names].filter(([left, right]) => left !== right);
  }
}

/**
 * @param {string} left @param {string} right
 * @returns {Promise<import("./meaning.js").Meaning | null>} null: one of them has no readable nodes
 */
export async function compareGraphs(left, right) {
  const [a, b] = await Promise.all([nodesIn(left), nodesIn(right)]);
  if (!a.length || !b.length) return null;
  const pairing = nodePairs(a, b);
  const symbols = new Renames();
  /** @type {Map<string, string>} names on the right by graph and left name */
  const names = new Map(pairing.pairs.map(([i, j]) => [`${a[i].graph} ${a[i].name}`, b[j].name]));
  const nodeNames = [a, b].map((nodes) => new Set(nodes.map(({ graph, name }) => `${graph} ${name}`)));

  /** @param {Node} node @returns {import("./meaning.js").Side} */
  const side = (node) => ({
    text: [node.type && `${node.name}: "${node.type}"`, node.call].filter(Boolean).join(" = ") || node.name,
    line: node.line,
    note: node.source,
  });
  const row = (/** @type {Node | null} */ l, /** @type {Node | null} */ r) => {
    const node = /** @type {Node} */ (l ?? r);
    const kind =
      node.op === "placeholder"
        ? "input"
        : node.op === "output"
          ? "output"
          : (l && r && l.target !== r.target ? r.target : node.target) || node.op;
    return {
      kind,
      subject: node.op === "output" ? "" : l && r && l.name !== r.name ? `${l.name} → ${r.name}` : node.name,
      left: l && side(l),
      right: r && side(r),
    };
  };

  const of = (/** @type {Node} */ l, /** @type {Node} */ r) => {
    /** @type {import("./guard-parts.js").Change[]} */
    const changes = [];
    if (l.op !== "placeholder" && l.op !== "output" && l.target !== r.target)
      changes.push({ what: "target", left: l.target, right: r.target });
    changes.push(...typeChanges(l.type, r.type, symbols));
    const values = differentValues(l, r, names, nodeNames, symbols);
    if (values && (values.length || l.target === r.target))
      changes.push({
        what: l.op === "output" ? "values" : "arguments",
        left: values.map(([was]) => was).join(", "),
        right: values.map(([, is]) => is).join(", "),
      });
    return changes;
  };

  /** @type {{changed: Row[], left: Row[], right: Row[], equal: Row[]}} */
  const rows = {
    changed: [],
    left: pairing.left.map((i) => row(a[i], null)),
    right: pairing.right.map((j) => row(null, b[j])),
    equal: [],
  };
  /** @type {Row[]} */
  const sizes = [];
  const substituted = new Set();
  let renamed = 0;
  for (const [i, j] of pairing.pairs) {
    const [l, r] = [a[i], b[j]];
    const changes = of(l, r);
    if (changes.length === 0) {
      if (l.name !== r.name) renamed++;
      rows.equal.push(row(l, r));
      continue;
    }
    const made = row(l, r),
      [was, is] = [side(l), side(r)];
    const rename = (/** @type {string} */ word) => names.get(`${l.graph} ${word}`) ?? word;
    [was.marks, is.marks] = differences(was.text, is.text, { rename });
    Object.assign(made, { left: was, right: is, changes });
    const follows =
      l.op !== "placeholder" &&
      changes.every(({ what }) => what === "size" || what === "stride") &&
      sizesOnly(l.type, r.type);
    if (!follows) rows.changed.push(made);
    else {
      for (const size of follows) substituted.add(size);
      sizes.push(made);
    }
  }
  const few = [...substituted].slice(0, 4);
  const sections = sectionsOf("node", rows);
  if (sizes.length) {
    const title = `${plural(sizes.length, "node")} with the same computation and different sizes: ${few.join(", ")}${substituted.size > few.length ? " …" : ""}`;
    sections.splice(sections.findLastIndex(({ folded }) => !folded) + 1, 0, {
      title,
      sign: "≠",
      rows: sizes,
      folded: rows.changed.length > 0,
    });
  }
  return {
    sections,
    notes: [
      `${plural(a.length, "node")} on the left, ${count(b.length)} on the right, paired by computation.`,
      renamed && `${plural(renamed, "equal node")} renamed.`,
      symbols.changed.length > 0 &&
        `Symbols: ${symbols.changed
          .slice(0, 8)
          .map(([l, r]) => `${l} is ${r}`)
          .join(", ")}.`,
      "Not compared: names and source lines.",
    ].filter((note) => typeof note === "string"),
  };
}

/**
 * Return the parts of a type that differ, by name.
 * @param {string} left @param {string} right @param {Renames} symbols
 * @returns {import("./guard-parts.js").Change[]}
 */
function typeChanges(left, right, symbols) {
  if (sameType(left, right, symbols)) return [];
  const [l, r] = [typeOf(left), typeOf(right)];
  if (!l.shape || !r.shape || (l.dtype === "symbol") !== (r.dtype === "symbol"))
    return [{ what: "type", left: left || "–", right: right || "–" }];
  const parts = /** @type {[string, string, string][]} */ ([
    ["dtype", l.dtype, r.dtype],
    ["size", l.shape, r.shape],
    ["stride", l.stride, r.stride],
    ["device", l.device, r.device],
  ]);
  return parts
    .filter(([, a, b]) => !sameType(a, b, symbols))
    .map(([what, a, b]) => ({ what, left: a || "–", right: b || "–" }));
}

/** @param {string} left @param {string} right @param {Renames} symbols */
function sameType(left, right, symbols) {
  if (left === right && left.search(SYMBOL) < 0) return true;
  const [a, b] = [left.match(SYMBOL) ?? [], right.match(SYMBOL) ?? []];
  return (
    a.length === b.length &&
    left.replace(SYMBOL, "#") === right.replace(SYMBOL, "#") &&
    a.every((symbol, i) => symbols.same(symbol, b[i]))
  );
}

/**
 * Return the sizes and strides that differ, as "4 → s77"; null if anything else differs.
 * @param {string} left @param {string} right
 */
function sizesOnly(left, right) {
  const shapes = [left, right].map((type) => /^([\w.]*)(\[[^\]]*\])(\[[^\]]*\])?(.*)$/.exec(type));
  const [l, r] = shapes;
  if (!l || !r || l[1] !== r[1] || l[4] !== r[4]) return null;
  const [a, b] = [l[2], r[2]].map((shape) => shape.slice(1, -1).split(", "));
  if (a.length !== b.length) return null;
  const strides = [l[3] ?? "", r[3] ?? ""].map((stride) => stride.replace(SIZE, "#"));
  if (l[2] === r[2] || (strides[0] !== strides[1] && !/[suz]\d/.test(l[3] + r[3]))) return null;
  return a.map((size, i) => (size === b[i] ? "" : `${size} → ${b[i]}`)).filter(Boolean);
}

/**
 * Return the values that differ, as pairs; null if none does; an empty list if anything else differs.
 * @param {Node} left @param {Node} right @param {Map<string, string>} names
 * @param {Set<string>[]} nodeNames nodes of both @param {Renames} symbols
 * @returns {[string, string][] | null}
 */
function differentValues(left, right, names, nodeNames, symbols) {
  const [a, b] = [valuesIn(left.call), valuesIn(right.call)];
  if (a.length !== b.length || without(left.call, a) !== without(right.call, b)) return [];
  /** @type {[string, string][]} */
  const different = [];
  a.forEach(({ name }, i) => {
    const other = b[i].name;
    const isNode = nodeNames[0].has(`${left.graph} ${name}`) || nodeNames[1].has(`${right.graph} ${other}`);
    const same = isNode
      ? names.get(`${left.graph} ${name}`) === other
      : IS_SYMBOL.test(name) && IS_SYMBOL.test(other)
        ? symbols.same(name, other)
        : name === other;
    if (!same) different.push([name, other]);
  });
  return different.length ? different : null;
}

/** @param {string} text @param {{name: string, column: number}[]} values */
function without(text, values) {
  let out = "",
    at = 0;
  for (const { name, column } of values) {
    out += `${text.slice(at, column)}#`;
    at = column + name.length;
  }
  return out + text.slice(at);
}
