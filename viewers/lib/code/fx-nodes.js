// Reads the nodes of an FX graph from its text as columns, in time slices so the page stays responsive.
import {
  blank,
  DEFINED,
  FREED,
  isDef,
  PARAMETER,
  SEVERAL,
  sourceIn,
  TARGET,
  typeOf,
  valuesIn,
} from "./fx-graph.js";

const SLICE_MS = 12;

/**
 * @typedef {{name: string[], op: string[], target: string[], annotation: string[], users: number[], line:
 *   number[], source: string[], code: string[], graph: string[], length: number}} Nodes line from 1
 */

/** @param {string[]} lines @param {AbortSignal} [signal] @returns {Promise<Nodes>} */
export async function nodesOf(lines, signal) {
  const reader = new Reader();
  let until = performance.now() + SLICE_MS;
  for (let i = 0; i < lines.length; i++) {
    reader.read(lines[i], i + 1);
    if ((i & 63) === 0 && performance.now() > until) {
      await new Promise((resume) => setTimeout(resume));
      signal?.throwIfAborted();
      until = performance.now() + SLICE_MS;
    }
  }
  return reader.nodes;
}

class Reader {
  constructor() {
    /** @type {Nodes} */
    this.nodes = {
      name: [],
      op: [],
      target: [],
      annotation: [],
      users: [],
      line: [],
      source: [],
      code: [],
      graph: [],
      length: 0,
    };
    /** @type {Map<string, number>} rows of the names of the current function */
    this.known = new Map();
    this.class = "";
    this.source = "";
    this.code = "";
    this.head = false; // within "def forward(" over several lines
  }

  /** @param {string} line @param {number} number */
  read(line, number) {
    const text = line.trim();
    if (text === "") return;
    if (text.startsWith("#")) return this.comment(line);
    if (text.startsWith("class ")) {
      this.class = /^class (\w+)/.exec(text)?.[1] ?? "";
      return;
    }
    if (isDef(line)) return this.define(line, number);
    if (this.head) {
      const parameter = /^(\w+)\s*(?::\s*"([^"]*)")?\s*,?\s*(?:#.*)?$/.exec(text);
      if (parameter && parameter[1] !== "self")
        this.add(parameter[1], "placeholder", parameter[1], parameter[2] ?? "", number);
      if (/\)\s*(->.*)?:/.test(text)) this.head = false;
      return;
    }
    if (text.startsWith("return")) {
      this.use(valuesIn(line).map((value) => value.name));
      this.add("output", "output", "return", "", number, false);
      return;
    }
    this.statement(line, number);
  }

  /** @param {string} line */
  comment(line) {
    const source = sourceIn(line);
    if (source) {
      this.source = `${source.file}:${source.fileLine}`;
      this.code = source.code;
    } else if (line.includes("# No stacktrace")) this.source = this.code = "";
  }

  /** @param {string} line @param {number} number */
  define(line, number) {
    this.known = new Map();
    this.source = this.code = "";
    const rest = line.slice(line.indexOf("(") + 1);
    this.head = !/\)\s*(->.*)?:/.test(rest.replace(/"[^"]*"/g, ""));
    for (const [, name, annotation] of rest.matchAll(PARAMETER))
      if (name !== "self") this.add(name, "placeholder", name, annotation ?? "", number);
  }

  /** @param {string} line @param {number} number */
  statement(line, number) {
    const several = SEVERAL.exec(line);
    const defined = several ? null : DEFINED.exec(line);
    if (!several && !defined) return this.use(valuesIn(line).map((value) => value.name));
    const freed = FREED.exec(line);
    const code = blank(line);
    const equals = code.search(/=(?!=)/);
    const used =
      equals < 0
        ? []
        : valuesIn(line)
            .filter((v) => v.column > equals && !(freed && v.column > freed.index))
            .map((v) => v.name);
    this.use(used);
    if (several) return; // the inputs again, unpacked from a tree
    const name = /** @type {RegExpExecArray} */ (defined)[1];
    const { op, target } = equals < 0 ? { op: "placeholder", target: name } : this.call(code.slice(equals));
    this.add(name, op, target, defined?.[2] ?? "", number);
  }

  /** Parse the right side of an assignment. @param {string} code begins with it */
  call(code) {
    const target = TARGET.exec(code)?.[1] ?? "";
    const after = code[code.indexOf(target) + target.length] ?? "";
    if (target === "" || target === "return") return { op: "call_function", target: "" };
    if (target.startsWith("self."))
      return after === "(" ? { op: "call_module", target } : { op: "get_attr", target };
    const [first, ...rest] = target.split(".");
    if (rest.length && this.known.has(first))
      return after === "("
        ? { op: "call_method", target: rest.join(".") }
        : { op: "call_function", target: "getattr" };
    if (after === "[") return { op: "call_function", target: "operator.getitem" };
    if (after === "(") return { op: "call_function", target };
    const operator = /^=\s*\S+\s*(\*\*|\/\/|==|!=|<=|>=|[-+*/@%<>&|^])\s/.exec(code)?.[1];
    return { op: "call_function", target: operator ?? "" };
  }

  /** @param {string[]} names */
  use(names) {
    for (const name of new Set(names)) {
      const row = this.known.get(name);
      if (row !== undefined) this.nodes.users[row]++;
    }
  }

  /**
   * @param {string} name @param {string} op @param {string} target @param {string} annotation
   * @param {number} line @param {boolean} [named]
   */
  add(name, op, target, annotation, line, named = true) {
    const { nodes } = this;
    const row = nodes.length++;
    nodes.name.push(name);
    nodes.op.push(op);
    nodes.target.push(target);
    nodes.annotation.push(annotation);
    nodes.users.push(0);
    nodes.line.push(line);
    const input = op === "placeholder";
    nodes.source.push(input ? "" : this.source);
    nodes.code.push(input ? "" : this.code);
    nodes.graph.push(this.class);
    if (named) this.known.set(name, row);
  }
}

/** @param {Nodes} nodes @param {number} row */
export const shapeOf = (nodes, row) => typeOf(nodes.annotation[row]);
