// Sentences of the verdict: what a statement of ranks/verdict.json says to a person. No page needed.
import { numbers, size, Words, words } from "../lib/bundle/ranks.js";
import { count, plural, shortFile, time } from "../lib/page/format.js";

/** @typedef {import("../../schema/bundle.d.ts").RanksVerdict["statements"][number]} Statement */
/** @typedef {import("../../schema/bundle.d.ts").RanksMatching["columns"]} Columns */
/** @typedef {{code: string} | string} Part of a sentence: words, or text of the program */

const HOUR_US = 3_600_000_000, DAY_US = 24 * HOUR_US;
const STAGES = new Map([
  ["dynamo", "graph of Dynamo"], ["joint", "joint graph"], ["forward", "forward graph"], ["backward", "backward graph"],
  ["inference", "graph of AOTAutograd"], ["post_grad", "graph behind Inductor's passes"], ["code", "generated code"],
]);

/** What a part of the compiler is called. @param {string} stage */
const stageName = (stage) => STAGES.get(stage) ?? stage;

/** 1 -> "1st" @param {number} n */
function ordinal(n) {
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

/** What a function is called; a resume function by the one that it goes on with. @param {string | null | undefined} name */
export function functionName(name) {
  const resumed = /^torch_dynamo_resume_in_(.+)_at_(\d+)$/.exec(name ?? "");
  return resumed ? `${resumed[1]}, resumed at ${resumed[2]}` : name ?? "unknown function";
}

/** "block [1/0]" @param {Columns} columns @param {number | null} column @param {string | null} key @returns {Part[]} */
export function compileName(columns, column, key) {
  const known = column === null ? null : columns[column];
  const id = key ?? known?.compile_id;
  return [{ code: functionName(known?.function) }, id ? ` [${id}]` : ""];
}

/**
 * What is said of the ranks of a statement, without naming them: "did not finish block [1/0]".
 * @param {Statement} st @param {Columns} columns @returns {Part[]}
 */
export function predicate(st, columns) {
  const d = /** @type {any} */ (st.details);
  const plain = compileName(columns, st.column_index, st.compile_key);
  const what = [...plain, st.number && st.because_of === null ? ` (${size(st.ranks) === 1 ? "its" : "their"} ${ordinal(st.number)} compile)` : ""];
  const theirs = compileName(columns, st.column_index, st.others_compile_key);
  const shifted = d.shifted ? "; the ids of later compiles are shifted" : "";
  const place = d.file ? [" at ", { code: `${shortFile(d.file).split("/").pop()}${d.line ? `:${d.line}` : ""}` }] : [];
  const text = d.text ? [": ", { code: firstWords(d.text) }] : [];
  const lacking = Boolean(d.lacking); // these ranks are those where it did not happen
  switch (st.kind) {
    case "graph": return ["compiled ", ...what, ` to another ${stageName(d.stage ?? "graph")}`, ...because(d)];
    case "graph_break": return [lacking ? "did not break the graph of " : "broke the graph of ", ...(lacking ? theirs : what), ...place, ...text];
    case "failure": return [lacking ? "did not fail to compile " : "failed to compile ", ...what, d.type ? `, ${d.type}` : "", ...place, ...text];
    case "restart": return ["began ", ...what, " again", ...text];
    case "recompile": return ["recompiled ", ...what, ...text];
    case "guard": return [lacking ? verb(st, "lacks a guard in ", "lack a guard in ") : verb(st, "has a guard of its own in ", "have a guard of their own in "), ...what, ...text];
    case "extra_compile": return ["compiled ", ...what, `, which ${words(st.others)} did not${shifted}`];
    case "missing_compile": return ["did not compile ", ...theirs, shifted];
    case "compile_order": return ["compiled ", ...what, ` in another order${shifted}`];
    case "collectives": return [`${verb(st, "calls", "call")} other collectives in `, ...what, ...operations(d)];
    case "missing_wait": return [`${verb(st, "does", "do")} not wait for ${plural(d.missing_waits ?? 1, "collective")} in `, ...what];
    case "parity": return [`${verb(st, "schedules", "schedule")} ${d.scheduled ?? "?"} × `, { code: d.op ?? "a collective" }, " in ", ...what, `, but the code there calls ${d.in_code ?? "?"}`];
    case "execution_order": return ["ran graphs in another order", ...(typeof d.position === "number" ? [": ", ...ran(d, columns)] : [])];
    case "tensors": return ["computed other tensors in ", ...what, ...(d.name ? [" from ", { code: d.name }, " on"] : [])];
    case "straggler": return [`took ${time(d.slowest_us)} for `, ...what, `, half of the ranks no more than ${time(d.median_us)}: up to ${time(d.lost_us)} in which the others wait`, ...cache(d)];
    case "late_start": return [`began ${d.late_us ? `${longTime(d.late_us)} ` : ""}later than the others${d.late_us > DAY_US ? ", as if in another run" : ""}`];
    case "missing_rank": return [`left no log; there are logs of ${words(st.others)}`];
    case "empty_log": return ["left an empty log"];
    case "cut_log": return ["left a log that ends within a record", ...endedBefore(st, d)];
    case "silent_rank": return [`compiled nothing, while ${words(st.others)} did`];
    case "stopped_rank": return ["stopped before ", ...theirs, ", which others compiled", ...endedBefore(st, d)];
    case "unfinished_compile": return ["never finished ", ...what, `, which ${words(st.others)} did`, ...(d.phase ? ["; the last that it wrote is ", { code: d.phase }] : []), ...endedBefore(st, d)];
    default: return [`${String(st.kind).replaceAll("_", " ")} in `, ...what]; // a kind that is newer than this viewer
  }
}

/** @param {number} us */
const longTime = (us) => (us < 2 * HOUR_US ? time(us) : us < 2 * DAY_US ? `${(us / HOUR_US).toFixed(1)} h` : `${count(Math.round(us / DAY_US))} days`);

/** @param {Statement} st @param {string} one @param {string} several */
const verb = (st, one, several) => (size(st.ranks) === 1 ? one : several);

/** @param {any} d @returns {Part[]} */
function because(d) {
  const [input, ...more] = d.inputs ?? [];
  if (input) {
    return [", because input ", { code: input.name }, ...(input.here && input.others ? [" is ", tensorText(input.here), " instead of ", tensorText(input.others)] : input.here ? [" exists here only"] : [" is missing"]), more.length ? ` (and ${plural(more.length, "more input")})` : ""];
  }
  if (!d.line) return [];
  const [here, others] = linesOf(d.line);
  return [`, first in line ${d.line.number}: `, here, " instead of ", others];
}

const TOLD = /^# File: (.*), code: (.+)$/;

/** Two lines of a graph: the code of the program, where they are comments that tell it; its place, where that is all that differs. @param {any} line @returns {Part[]} */
function linesOf({ here, others }) {
  const told = [here, others].map((text) => TOLD.exec(text?.trim() ?? ""));
  const group = told[0] && told[1] && told[0][2] === told[1][2] ? 1 : 2;
  return [here, others].map((text, i) => {
    if (!text?.trim()) return text === null ? "no line" : "an empty line";
    return { code: firstWords(told[i]?.[group] ?? text) };
  });
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

/** @param {any} d @param {Columns} columns @returns {Part[]} */
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

/** @param {Statement} st @param {any} d @returns {Part[]} */
function endedBefore(st, d) {
  const us = (d.others_last_epoch_us ?? 0) - (d.last_epoch_us ?? Infinity);
  return us > 0 ? [`; ${verb(st, "its log ends", "their logs end")} ${longTime(us)} before the others'`] : [];
}

/** @param {string} text */
function firstWords(text) {
  const line = text.trim().split("\n")[0];
  return line.length > 160 ? `${line.slice(0, 160)}…` : line;
}

/** The first line of the page. @param {import("./data.js").Verdict} verdict @param {import("./data.js").Matching} matching */
export function headline(verdict, matching) {
  const total = plural(size(verdict.ranks), "rank");
  const { statements } = verdict;
  if (statements.length === 0) return `${total} agree: ${plural(matching.columns.length, "compile")}, the same on each`;
  const [first] = statements;
  if (statements.every((/** @type {Statement} */ st) => st.severity === "info")) return `${total} compiled the same; ${words(first.ranks)} ${first.kind === "straggler" ? "held the others up" : first.kind === "late_start" ? "began late" : `${verb(first, "differs", "differ")} in details`}`;
  const agree = size(verdict.agreeing);
  const start = agree === 0 ? `${total}.` : agree === 1 ? `${total}. Rank ${numbers(verdict.agreeing)} has no difference;` : `${total}. ${numbers(verdict.agreeing)} agree;`;
  return `${start} ${agree ? words(first.ranks) : Words(first.ranks)} ${brief(first)}`;
}

/** @param {Statement} st */
function brief(st) {
  const own = `${verb(st, "its", "their")} ${st.number ? `${ordinal(st.number)} ` : ""}compile`;
  switch (st.kind) {
    case "unfinished_compile": return `never finished ${own}`;
    case "execution_order": return "ran graphs in another order";
    case "missing_rank": return "left no log";
    case "empty_log": return "left an empty log";
    case "cut_log": return "left a log that is cut";
    case "silent_rank": return "compiled nothing";
    case "stopped_rank": return "stopped early";
    case "failure": return st.details.lacking ? verb(st, "differs", "differ") : `failed at ${own}`;
    case "parity": return `${verb(st, "has", "have")} code that does not fit the schedule`;
    case "missing_wait": return `${verb(st, "does", "do")} not wait for a collective`;
    case "late_start": return "began late";
    default: return `${verb(st, "differs", "differ")}${(st.number ?? 0) > 1 ? ` from ${own} on` : ""}`;
  }
}
