// Sentences of the verdict: what a statement of ranks/verdict.json says to a person. No page needed.
import { count, plural, shortFile, time } from "../lib/format.js";
import { numbers, size, Words, words } from "./ranks.js";

/** @typedef {any} Statement see schema/ranks_verdict.schema.json */
/** @typedef {{code: string} | string} Part of a sentence: words, or text of the program */

const STAGES = new Map([
  ["dynamo", "graph of Dynamo"], ["joint", "joint graph"], ["forward", "forward graph"], ["backward", "backward graph"],
  ["inference", "graph of AOTAutograd"], ["post_grad", "graph behind Inductor's passes"], ["code", "generated code"],
]);

/** What a part of the compiler is called. @param {string} stage */
export const stageName = (stage) => STAGES.get(stage) ?? stage;

/** 1 -> "1st" @param {number} n */
export function ordinal(n) {
  const teen = n % 100 >= 11 && n % 100 <= 13;
  return `${n}${teen ? "th" : ["th", "st", "nd", "rd"][n % 10] ?? "th"}`;
}

/** An operation without what all of them have in common. @param {string} op */
export const shortOp = (op) => op.replace(/^torch\.ops\.(_c10d_functional\.|c10d\.)?/, "").replace(/_?\.default$/, "");

/** "f32[17, 8]", or less when less is known. @param {any} tensor */
export function tensorText(tensor) {
  if (!tensor) return "nothing";
  const shape = tensor.shape ? `(${tensor.shape.join(", ")})` : "";
  return [tensor.dtype?.replace("torch.", ""), shape].filter(Boolean).join(" ") || "another tensor";
}

/** "block [1/0]" @param {any[]} columns @param {number | null} column @param {string | null} key @returns {Part[]} */
export function compileName(columns, column, key) {
  const known = column === null ? null : columns[column];
  const id = key ?? known?.compile_id;
  return [{ code: known?.function ?? "unknown function" }, id ? ` [${id}]` : ""];
}

/**
 * What is said of the ranks of a statement, without naming them: "did not finish block [1/0]".
 * @param {Statement} st @param {any[]} columns of matching @returns {Part[]}
 */
export function predicate(st, columns) {
  const d = st.details ?? {};
  const what = compileName(columns, st.column_index, st.compile_key);
  const theirs = compileName(columns, st.column_index, st.others_compile_key);
  const nth = st.number ? `, ${size(st.ranks) === 1 ? "its" : "their"} ${ordinal(st.number)} compile` : "";
  const shifted = d.shifted ? "; the ids of later compiles are shifted" : "";
  const place = d.file ? [" at ", { code: `${shortFile(d.file).split("/").pop()}${d.line ? `:${d.line}` : ""}` }] : [];
  const text = d.text ? [": ", { code: firstWords(d.text) }] : [];
  switch (st.kind) {
    case "graph": return ["compiled ", ...what, nth, " to another ", stageName(d.stage ?? "graph"), ...because(d)];
    case "graph_break": return ["broke the graph of ", ...what, nth, ...place, ...text];
    case "failure": return ["failed to compile ", ...what, nth, d.type ? ` (${d.type})` : "", ...place, ...text];
    case "restart": return ["began ", ...what, " again", ...text];
    case "recompile": return ["recompiled ", ...what, nth, ...text];
    case "guard": return ["guard ", ...what, " by another condition", ...text];
    case "extra_compile": return ["compiled ", ...what, nth, `, which ${words(st.others)} did not${shifted}`];
    case "missing_compile": return ["did not compile ", ...theirs, shifted];
    case "compile_order": return ["compiled ", ...what, nth, ` in another order${shifted}`];
    case "collectives": return ["calls other collectives in ", ...what, ...operations(d)];
    case "missing_wait": return ["does not wait for ", plural(d.missing_waits ?? 1, "collective"), " in ", ...what];
    case "parity": return ["schedules ", `${d.scheduled ?? "?"} × `, { code: d.op ?? "a collective" }, " in ", ...what, `, but its code calls ${d.in_code ?? "?"}`];
    case "execution_order": return ["ran its graphs in another order", ...(d.position === null || d.position === undefined ? [] : [": ", ...ran(d, columns)])];
    case "tensors": return ["computed other tensors in ", ...what, ...(d.name ? [" from ", { code: d.name }, " on"] : [])];
    case "straggler": return ["took ", time(d.slowest_us), " for ", ...what, `${nth}; the median is ${time(d.median_us)}`, `, so ${words(st.others)} wait ${time(d.lost_us)}`, ...cache(d)];
    case "late_start": return ["began ", d.late_us ? `${time(d.late_us)} ` : "", "later than the others"];
    case "missing_rank": return [`left no log; there are logs of ${words(st.others)}`];
    case "empty_log": return ["left an empty log"];
    case "cut_log": return ["left a log that ends within a record", ...endedBefore(d)];
    case "silent_rank": return [`compiled nothing, while ${words(st.others)} did`];
    case "stopped_rank": return ["stopped before ", ...theirs, ", which others compiled", ...endedBefore(d)];
    case "unfinished_compile": return ["never finished ", ...what, nth, `, which ${words(st.others)} did`, d.phase ? [`; the last that was written is `, { code: d.phase }] : "", ...endedBefore(d)].flat();
    default: return [`${st.kind.replaceAll("_", " ")} in `, ...what];
  }
}

/** @param {any} d @returns {Part[]} */
function because(d) {
  const [input, ...more] = d.inputs ?? [];
  if (input) {
    return [", because input ", { code: input.name }, ...(input.here && input.others ? [" is ", tensorText(input.here), " instead of ", tensorText(input.others)] : input.here ? [" exists here only"] : [" is missing"]), more.length ? ` (and ${plural(more.length, "more input")})` : ""];
  }
  if (!d.line) return [];
  return [`, first in line ${d.line.number}: `, d.line.here === null ? "nothing" : { code: d.line.here.trim() }, " instead of ", d.line.others === null ? "nothing" : { code: d.line.others.trim() }];
}

/** @param {any} d @returns {Part[]} */
function operations(d) {
  const position = d.position_in_compile ?? d.position;
  const one = (/** @type {string | null} */ op) => (op ? { code: shortOp(op) } : "no more");
  const counts = Object.entries(d.counts ?? {}).filter(([op]) => !op.includes("wait_tensor")).map(([op, [here, others]]) =>
    [`${count(Math.abs(here - others))} `, { code: shortOp(op) }, here < others ? " fewer" : " more"]);
  const text = counts.length ? [": ", ...counts.flatMap((parts, i) => (i ? [", ", ...parts] : parts))] : [];
  if (position === null || position === undefined) return text;
  return [...text, `${text.length ? ";" : ":"} from position ${position} on, `, one(d.here), " where others have ", one(d.others)];
}

/** @param {any} d @param {any[]} columns @returns {Part[]} */
function ran(d, columns) {
  const name = (/** @type {string | null | undefined} */ id, /** @type {number | null | undefined} */ column) =>
    (id === null || id === undefined ? ["nothing more"] : compileName(columns, column ?? null, id));
  return [`the ${ordinal(d.position + 1)} was `, ...name(d.here, d.here_column), ", where others ran ", ...name(d.others, d.others_column)];
}

/** @param {any} d @returns {Part[]} */
function cache(d) {
  const outcomes = Array.isArray(d.cache) ? d.cache.join(", ") : d.cache;
  return outcomes ? [" (", { code: outcomes }, ")"] : [];
}

/** @param {any} d @returns {Part[]} */
function endedBefore(d) {
  const us = (d.others_last_epoch_us ?? 0) - (d.last_epoch_us ?? Infinity);
  return us > 0 ? [`; its log ends ${time(us)} before the others'`] : [];
}

/** @param {string} text */
function firstWords(text) {
  const line = text.trim().split("\n")[0];
  return line.length > 160 ? `${line.slice(0, 160)}…` : line;
}

/** The first line of the page. @param {any} verdict @param {any} matching */
export function headline(verdict, matching) {
  const total = plural(size(verdict.ranks), "rank");
  const { statements } = verdict;
  if (statements.length === 0) return `${total} agree: ${plural(matching.columns.length, "compile")}, the same on each`;
  const [first] = statements;
  if (statements.every((/** @type {Statement} */ st) => st.severity === "info")) return `${total} compiled the same; ${words(first.ranks)} held the others up`;
  const agree = size(verdict.agreeing);
  const start = agree === 0 ? `${total}.` : agree === 1 ? `${total}. Rank ${numbers(verdict.agreeing)} has no difference;` : `${total}. ${numbers(verdict.agreeing)} agree;`;
  const from = first.number > 1 ? ` from ${size(first.ranks) === 1 ? "its" : "their"} ${ordinal(first.number)} compile on` : "";
  const verb = size(first.ranks) === 1 ? "differs" : "differ";
  return `${start} ${agree ? words(first.ranks) : Words(first.ranks)} ${verb}${from}`;
}
