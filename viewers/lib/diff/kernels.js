// Compares generated code kernel by kernel. Equal kernels are paired by their code, under any number, the
// others by name without number, then by the operations in their names. No page needed.
import { outlineOf } from "../code/python-outline.js";
import { count, plural } from "../page/format.js";
import { linesOf, sectionsOf } from "./meaning.js";

const NUMBER = /_\d+$/;
const NOISE = /^# AOT ID|^# kernel path|'(?:backend_hash|kernel_hash)': /; // specific to a machine or run
const WORDS = /[A-Za-z]+|\d+/g;
const FIRST_LINES = 8; // of a part on one side only
const MOST_LINES = 2_000;
const ALIKE = 0.5; // of the operations in both names

/** @typedef {import("../code/names.js").Item} Item */
/** @typedef {import("./meaning.js").Row} Row */
/**
 * @typedef {{item: Item, kernel: boolean, stem: string, body: string, lines: string[], numbers: number[]}}
 *   Part numbers: of the lines, from 0
 */

/**
 * @param {string} left @param {string} right
 * @returns {import("./meaning.js").Meaning | null} null: there are no kernels or functions
 */
export function compareKernels(left, right) {
  const [a, b] = [partsOf(left), partsOf(right)];
  if (!a.parts.length || !b.parts.length) return null;
  let [open, rest] = [a.parts, b.parts];
  /** @type {[Part, Part, boolean][]} the last: whether their code is equal */
  const pairs = [];
  const match = (/** @type {(part: Part) => string | null} */ say, /** @type {boolean} */ equal) => {
    /** @type {Map<string, Part[]>} */
    const waiting = new Map();
    for (const part of [...rest].reverse()) {
      const key = say(part);
      if (key !== null) waiting.set(key, [...(waiting.get(key) ?? []), part]);
    }
    const taken = new Set();
    open = open.filter((part) => {
      const key = say(part);
      const other = key === null ? undefined : waiting.get(key)?.pop();
      if (!other) return true;
      pairs.push([part, other, equal]);
      taken.add(other);
      return false;
    });
    rest = rest.filter((part) => !taken.has(part));
  };
  match((part) => (part.kernel ? part.body : null), true);
  match((part) => (part.kernel ? null : part.item.name), false);
  match((part) => (part.kernel ? `${part.item.kind} ${part.stem}` : null), false);
  for (const [part, other] of alike(open, rest)) pairs.push([part, other, false]);
  const paired = new Set(pairs.flat());

  /** Maps kernel numbers on the left to those on the right. @type {Map<string, string>} */
  const renamed = new Map(
    pairs
      .filter(([l, r]) => l.kernel && l.item.name !== r.item.name)
      .map(([l, r]) => [l.item.name, r.item.name]),
  );
  const rename = (/** @type {string[]} */ lines) =>
    renamed.size
      ? lines.map((line) => line.replace(/\b\w+_\d+\b/g, (name) => renamed.get(name) ?? name))
      : lines;
  /** @type {{changed: Row[], left: Row[], right: Row[], equal: Row[]}} */
  const rows = { changed: [], left: [], right: [], equal: [] };
  const side = (/** @type {Part | null} */ part) =>
    part && { text: part.lines[0], line: part.item.line, note: plural(part.lines.length, "line") };
  const row = (/** @type {Part | null} */ l, /** @type {Part | null} */ r) => {
    const { item } = /** @type {Part} */ (l ?? r);
    return {
      kind: item.kind,
      subject: l && r && l.item.name !== r.item.name ? `${l.item.name} → ${r.item.name}` : item.name,
      left: side(l),
      right: side(r),
    };
  };
  for (const [l, r, equal] of pairs.sort(([x], [y]) => x.item.line - y.item.line)) {
    const named = equal ? [] : rename(l.lines);
    if (equal || withoutNoise(named) === withoutNoise(r.lines)) rows.equal.push(row(l, r));
    else
      rows.changed.push({
        ...row(l, r),
        language: languageOf(l.item),
        lines: linesOf(
          named,
          r.lines,
          (i) => l.numbers[i],
          (i) => r.numbers[i],
        ),
      });
  }
  const around = [rename(a.rest.lines), b.rest.lines];
  const sameAround = withoutNoise(around[0]) === withoutNoise(around[1]);
  const outside = { kind: "code outside kernels", subject: "", left: null, right: null };
  if (!sameAround)
    rows.changed.push({
      ...outside,
      lines: linesOf(
        around[0],
        around[1],
        (i) => a.rest.numbers[i],
        (i) => b.rest.numbers[i],
      ),
    });
  const content = (/** @type {Part} */ { lines, numbers, item }, /** @type {string} */ sign) => ({
    most: FIRST_LINES,
    language: languageOf(item),
    lines: lines.slice(0, MOST_LINES).map((text, i) => ({ sign, line: numbers[i], text })),
  });
  for (const part of open)
    if (!paired.has(part)) rows.left.push({ ...row(part, null), ...content(part, "−") });
  for (const part of rest)
    if (!paired.has(part)) rows.right.push({ ...row(null, part), ...content(part, "+") });
  const n = (/** @type {Part[]} */ parts) => parts.filter(({ kernel }) => kernel).length;
  return {
    sections: sectionsOf("part", rows),
    notes: [
      `${plural(n(a.parts), "kernel")} on the left, ${count(n(b.parts))} on the right, paired by code, then by name without number.`,
      renamed.size > 0 && `${plural(renamed.size, "kernel")} renamed.`,
      sameAround && "The code outside kernels is equal.",
      "Not compared: kernel numbers, paths, run ids.",
    ].filter((note) => typeof note === "string"),
  };
}

/** @param {Item} item */
const languageOf = ({ kind }) => (kind === "C++ kernel" ? "cpp" : "python");

/** Return the comparable part of lines. @param {string[]} lines */
const withoutNoise = (lines) => lines.filter((line) => line.trim() && !NOISE.test(line.trim())).join("\n");

/**
 * Pair kernels whose names have nearly the same operations, closest first.
 * @param {Part[]} left @param {Part[]} right @returns {[Part, Part][]}
 */
function alike(left, right) {
  const words = new Map([...left, ...right].map((part) => [part, new Set(part.stem.match(WORDS))]));
  /** @type {[number, Part, Part][]} */
  const near = [];
  for (const part of left) {
    for (const other of right) {
      if (!part.kernel || part.item.kind !== other.item.kind) continue;
      const [mine, theirs] = [
        /** @type {Set<string>} */ (words.get(part)),
        /** @type {Set<string>} */ (words.get(other)),
      ];
      const common = [...mine].filter((word) => theirs.has(word) && !PREFIX.has(word)).length;
      const all = new Set([...mine, ...theirs].filter((word) => !PREFIX.has(word))).size;
      if (all && common / all >= ALIKE) near.push([common / all, part, other]);
    }
  }
  const taken = new Set();
  return near
    .sort((x, y) => y[0] - x[0])
    .flatMap(([, part, other]) => {
      if (taken.has(part) || taken.has(other)) return [];
      taken.add(part).add(other);
      return [[part, other]];
    });
}

/** Words in kernel names that are not operations. */
const PREFIX = new Set(["triton", "cpp", "poi", "per", "red", "tem", "fused"]);

/** @param {string} text @returns {{parts: Part[], rest: {lines: string[], numbers: number[]}}} */
function partsOf(text) {
  const lines = text.split("\n");
  const items = outlineOf(lines).items.filter((item) => item.kind !== "class");
  /** @type {Part[]} */
  const parts = [];
  const rest = { lines: /** @type {string[]} */ ([]), numbers: /** @type {number[]} */ ([]) };
  let at = 0;
  const pass = (/** @type {number} */ to) => {
    for (; at < to; at++) {
      if (NOISE.test(lines[at])) continue;
      rest.lines.push(lines[at]);
      rest.numbers.push(at);
    }
  };
  for (const item of items) {
    if (item.line < at) continue; // a function within a function
    pass(item.line);
    at = item.last + 1;
    const own = lines.slice(item.line, at);
    const kernel = item.kind !== "function";
    const stem = item.name.replace(NUMBER, "");
    parts.push({
      item,
      kernel,
      stem,
      lines: own,
      body: kernel ? withoutNoise(own).replaceAll(item.name, stem) : "",
      numbers: own.map((_, i) => item.line + i),
    });
  }
  pass(lines.length);
  return { parts, rest };
}
