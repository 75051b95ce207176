// Compares two guard trees by their checks: pairs guards by source and kind. Source lines, latencies and
// object ids are not compared. Within one process, guards that differ only in these have their own section.
// No page needed.
import { count, plural } from "../page/format.js";
import { partsOf } from "./guard-parts.js";
import { sectionsOf } from "./meaning.js";
import { differences } from "./words.js";

const NODE = /^((?:\| )*)\+- (.*)$/;
const KIND = /^([A-Z][A-Z0-9_]+):\s?(.*)$/;
const SOURCE = /source=(.*?), (?:accessed_by|type)=/;
const CHECKED = /^(___check_\w+\(.*, )(\d+)\)(?:, type=|$)/; // the id of an object; a long number elsewhere is a value
const ADDRESS = /(?<= at )0x[0-9a-f]+\b/g;
const COUNTED = /(__builtins_dict___|__compiled_fn_)\d+|(_)\d{9,}(_c\d+)?/g; // names that torch numbers
const MANY = new Set([
  "LAMBDA_GUARD",
  "DICT_CONTAINS",
  "NO_HASATTR",
  "HASATTR",
  "DIMENSION_DYNAMIC_MARKING_GUARD",
  "DYNAMIC_INDICES",
  "SYMBOLIC_SHAPE_GUARD",
]); // a source can have several with different content

/** @typedef {{kind: string, source: string, text: string, note: string, line: number}} Guard line from 0 */
/** @typedef {import("./meaning.js").Row} Row */

/** @param {string} text @returns {{guards: Guard[], managers: number, latency: string}} */
export function guardsOf(text) {
  /** @type {Guard[]} */
  const guards = [];
  /** @type {string[]} by depth */
  const sources = [];
  let managers = 0,
    latency = "";
  text.split("\n").forEach((line, number) => {
    const node = NODE.exec(line);
    if (!node) {
      latency = /^Guard latency = (.*)/.exec(line)?.[1] ?? latency;
      return;
    }
    const depth = node[1].length / 2;
    const guard = KIND.exec(node[2]);
    if (!guard) {
      managers++;
      sources[depth] = SOURCE.exec(node[2])?.[1] ?? (depth > 0 ? (sources[depth - 1] ?? "") : "");
      return;
    }
    const at = guard[2].indexOf("  # ");
    guards.push({
      kind: guard[1],
      source: depth > 0 ? (sources[depth - 1] ?? "") : "",
      text: (at < 0 ? guard[2] : guard[2].slice(0, at)).trimEnd(),
      note: at < 0 ? "" : guard[2].slice(at + 4).trim(),
      line: number,
    });
  });
  return { guards, managers, latency };
}

/** Return the ranges of object ids. @param {string} text @returns {import("./words.js").Range[]} */
function idsIn(text) {
  const checked = CHECKED.exec(text);
  if (checked) return [[checked[1].length, checked[1].length + checked[2].length]];
  return [...text.matchAll(ADDRESS)].map((match) => [match.index, match.index + match[0].length]);
}

/** @param {string} text */
const idsOf = (text) =>
  idsIn(text)
    .map(([from, to]) => text.slice(from, to))
    .join();

/** Return the comparable part of a text. @param {string} text */
function comparable(text) {
  let out = "",
    at = 0;
  for (const [from, to] of idsIn(text)) {
    out += `${text.slice(at, from)}…`;
    at = to;
  }
  return (out + text.slice(at)).replace(COUNTED, (_, name, bar) => `${name ?? bar}…`);
}

/** @param {Guard[]} guards @param {(guard: Guard) => string} key */
function grouped(guards, key) {
  /** @type {Map<string, Guard[]>} */
  const groups = new Map();
  for (const guard of guards) {
    const name = key(guard),
      group = groups.get(name);
    if (group) group.push(guard);
    else groups.set(name, [guard]);
  }
  return groups;
}

/**
 * @param {string} left @param {string} right @param {{sameProcess: boolean}} options
 * @returns {import("./meaning.js").Meaning | null} null: one of them has no readable guards
 */
export function compareGuards(left, right, { sameProcess }) {
  const [a, b] = [guardsOf(left), guardsOf(right)];
  if (!a.guards.length || !b.guards.length) return null;
  const key = (/** @type {Guard} */ guard) => `${guard.kind}\n${comparable(guard.source)}`;
  const [mine, others] = [grouped(a.guards, key), grouped(b.guards, key)];
  /** @type {{changed: Row[], left: Row[], right: Row[], equal: Row[]}} */
  const rows = { changed: [], left: [], right: [], equal: [] };
  /** @type {Row[]} */
  const objects = [];
  /** @param {Guard} guard @param {boolean} ids are not compared @returns {import("./meaning.js").Side} */
  const side = ({ text, note, line }, ids) => ({ text, note, line, ignored: ids ? idsIn(text) : [] });
  const row = (/** @type {Guard | null} */ l, /** @type {Guard | null} */ r) => {
    const { kind, source } = /** @type {Guard} */ (l ?? r);
    const ids = l !== null && r !== null && !sameProcess;
    return { kind, subject: source, left: l && side(l, ids), right: r && side(r, ids) };
  };
  /**
   * Build the row of two guards of one source and kind, with the parts that differ.
   * @param {Guard} l @param {Guard} r
   */
  const changed = (l, r) => {
    const changes = partsOf(l.text, r.text);
    const ids = changes.some(({ what }) => what === "object id"); // otherwise the type or the process differs
    const [one, other] = [side(l, !ids || !sameProcess), side(r, !ids || !sameProcess)];
    [one.marks, other.marks] = differences(l.text, r.text, {
      ignored: [one.ignored ?? [], other.ignored ?? []],
    });
    return {
      ...row(l, r),
      left: one,
      right: other,
      changes: sameProcess ? changes : changes.filter(({ what }) => what !== "object id"),
    };
  };
  for (const [name, list] of mine) {
    const { equal, pairs, left: gone, right: come } = paired(list, others.get(name) ?? []);
    others.delete(name);
    for (const [l, r] of equal) {
      if (sameProcess && idsOf(l.text) !== idsOf(r.text)) objects.push(changed(l, r));
      else rows.equal.push(row(l, r));
    }
    for (const [l, r] of pairs) rows.changed.push(changed(l, r));
    for (const guard of gone) rows.left.push(row(guard, null));
    for (const guard of come) rows.right.push(row(null, guard));
  }
  for (const list of others.values()) for (const guard of list) rows.right.push(row(null, guard));
  const sections = sectionsOf("guard", rows);
  if (objects.length) {
    const title = `${plural(objects.length, "guard that differs", "guards that differ")} only in an object id`;
    sections.splice(sections.findLastIndex(({ folded }) => !folded) + 1, 0, {
      title,
      sign: "≈",
      rows: objects,
      folded: false,
    });
  }
  return {
    sections,
    notes: [
      `${plural(a.guards.length, "guard")} in the tree dump on the left, ${count(b.guards.length)} on the right, paired by source and kind.`,
      `Not compared: order, source lines${a.latency && b.latency ? `, check latency (${a.latency} and ${b.latency})` : ""}${sameProcess ? "" : ", object ids, which differ between processes"}.`,
    ],
  };
}

/**
 * @param {Guard[]} left @param {Guard[]} right of one source and kind
 * @returns {{equal: [Guard, Guard][], pairs: [Guard, Guard][], left: Guard[], right: Guard[]}}
 */
function paired(left, right) {
  let [open, rest] = [left, right];
  const match = (/** @type {(guard: Guard) => string} */ say) => {
    /** @type {[Guard, Guard][]} */
    const changed = [];
    const waiting = grouped([...rest].reverse(), say);
    const taken = new Set();
    open = open.filter((guard) => {
      const other = waiting.get(say(guard))?.pop();
      if (!other) return true;
      changed.push([guard, other]);
      taken.add(other);
      return false;
    });
    rest = rest.filter((guard) => !taken.has(guard));
    return changed;
  };
  const same = match((guard) => guard.text); // the same object, if there are several
  const equal = [...same, ...match((guard) => comparable(guard.text))];
  const pairs = match((guard) => comparable(guard.text).replace(/\d+|\[[^\]]*\]/g, "#"));
  if (open.length && rest.length && !MANY.has(open[0].kind)) pairs.push(...match(() => ""));
  return { equal, pairs, left: open, right: rest };
}
