// The model of one log that all views share, built once from its tables, and the log that opens first. Needs no page.
import { attemptKey } from "../../lib/bundle/log.js";
import { RUNNING, statusInfo } from "../../lib/page/figures.js";
import { fileShortener } from "../../lib/page/paths.js";
import { phasesOf } from "./phases.js";

/** @typedef {import("../../lib/bundle/bundle.js").Bundle} Bundle */
/** @typedef {import("../../lib/bundle/log.js").Log} Log */
/** @typedef {any} Compile a row of the compile table, see schema/compiles.schema.json */
/** @typedef {{rows: number[], last: Compile}} FrameCompile the attempts of one compile of one function */
/** @typedef {Awaited<ReturnType<typeof build>>} Model */

/** @type {WeakMap<Log, Promise<Model>>} */
const models = new WeakMap();

/** @param {Log} log @returns {Promise<Model>} */
export function modelOf(log) {
  let model = models.get(log);
  if (!model) {
    model = build(log);
    models.set(log, model);
    model.catch(() => models.delete(log));
  }
  return model;
}

/** @param {Log} log */
async function build(log) {
  const [compiled, attempts, limits, captures, directory, live] = await Promise.all([
    log.compiles(),
    log.table("attempts"),
    log.table("limits"),
    log.table("captures"),
    log.directory(),
    liveOf(log),
  ]);
  const running = live?.runningIn(log);
  const compiles = views(compiled, attempts, [...(limits ?? []), ...(captures ?? [])]).map((view) =>
    running?.has(view.compile) && view.status === "unfinished" ? { ...view, status: RUNNING } : view,
  );
  return {
    log,
    compiles,
    directory,
    frames: frameCompiles(compiles),
    /** Noun for a list of compiles: "attempt" when a compile has several of them. */
    counted: compiles.some(({ attempt }) => attempt) ? "attempt" : "compile",
    /** Indexes in the order of the log; records without a compile id last. */
    order: compiles
      .map((_, index) => index)
      .sort((a, b) => Number(compiles[a].id === null) - Number(compiles[b].id === null) || a - b),
    byKey: new Map(compiles.map((compile, index) => [compile.key, index])),
    byAttempt: new Map(compiles.map((view, index) => [attemptKey(view), index])),
    /** The last attempt of each compile. */
    byCompile: new Map(compiles.map((view, index) => [view.compile, index])),
    short: fileShortener(compiles.map((compile) => compile.file)),
  };
}

/** Fields of a row that stands for no compile. */
const NO_COMPILE = Object.fromEntries(
  [
    "kind",
    "status",
    "function",
    "file",
    "line",
    "stack",
    "start_epoch_us",
    "total_us",
    "dynamo_us",
    "aot_us",
    "inductor_us",
    "backward_us",
    "restart_us",
    "graph_op_count",
    "graph_node_count",
    "graph_input_count",
    "guard_count",
    "recompile_reason",
    "failure_type",
    "failure_reason",
    "failure_file",
    "failure_line",
    "metrics_event",
    "frame_id",
    "frame_compile_id",
  ].map((field) => [field, null]),
);

/**
 * Return the rows that views list: attempts with the fields of their compiles, ahead-of-time compiles (without attempts),
 * and last the records without a compile id. 'key' is the row's address, 'id' the displayed id.
 * @param {any[]} compiled @param {any[]} attempts @param {any[]} others limits and captures @returns {Compile[]}
 */
function views(compiled, attempts, others) {
  const rows = new Map(
    [...others, ...compiled].map((row) => [
      row.compile,
      {
        ...NO_COMPILE,
        restart_reasons: [],
        graph_break_count: 0,
        attempt_count: 1,
        refused: row.kind === "recompile_limit" || row.kind === "error_on_recompile",
        ...row,
      },
    ]),
  );
  const withAttempts = attempts
    .filter(({ compile }) => compile !== null)
    .map((attempt) => {
      const {
        compile,
        attempt: number,
        stack,
        graph_break_count: breaks,
        first_event: first,
        event_count: events,
        size_bytes: size,
        artifact_count: artifacts,
      } = attempt;
      const [base, occurrence] = compile.split("@"),
        id = number ? `${base}_${number}` : base;
      return {
        ...rows.get(compile),
        id,
        key: occurrence ? `${id}@${occurrence}` : id,
        attempt: number,
        stack,
        graph_break_count: breaks,
        first_event: first,
        event_count: events,
        size_bytes: size,
        artifact_count: artifacts,
      };
    });
  const attempted = new Set(withAttempts.map(({ compile }) => compile));
  const withoutAttempts = compiled
    .filter(({ compile }) => !attempted.has(compile))
    .map((row) => ({
      ...row,
      id: row.compile,
      key: row.compile,
      attempt: 0,
      event_count: row.event_count ?? 0,
      size_bytes: row.size_bytes ?? 0,
      artifact_count: row.artifact_count ?? 0,
    }));
  const outside = {
    ...NO_COMPILE,
    compile: null,
    attempt: null,
    id: null,
    key: "-",
    restart_reasons: [],
    graph_break_count: 0,
    attempt_count: 0,
    first_event: 0,
    event_count: 0,
    size_bytes: 0,
    artifact_count: 0,
  };
  return [...[...withAttempts, ...withoutAttempts].sort((a, b) => a.first_event - b.first_event), outside];
}

/** Return the index in model.compiles of the attempt that a table row belongs to, or -1. @param {Model} model @param {{compile: string | null, attempt: number | null}} row @returns {number} */
export const numberOf = (model, row) => model.byAttempt.get(attemptKey(row)) ?? -1;

/** Return the index in model.compiles of a compile's first attempt, or -1. @param {Model} model @param {string | null} compile @returns {number} */
export function rowOf(model, compile) {
  const first = compile === null ? -1 : numberOf(model, { compile, attempt: 0 });
  return first < 0 && compile !== null ? (model.byCompile.get(compile) ?? -1) : first;
}

/** Return the indexes in model.compiles of the compiles that a finding names. @param {Model} model @param {{compiles: string[]}} finding @returns {number[]} */
export const compilesOf = (model, { compiles }) => compiles.flatMap((key) => model.byCompile.get(key) ?? []);

/** Load the module that knows the running compiles; null unless the bundle is growing. @param {Log} log */
const liveOf = async ({ bundle }) =>
  bundle.manifest.growing ? import("../../lib/live/running-data.js") : null;

/** Return the current findings and headline numbers, without findings that only say that a growing log is incomplete. Null when the bundle leaves them out. @param {Log} log */
export async function findingsOf(log) {
  const [findings, live] = await Promise.all([log.findings(), liveOf(log)]);
  const all = findings && { summary: log.summary.summary, findings };
  return all && live ? live.findingsNow(log, all) : all;
}

/** Group attempts by compile. @param {Compile[]} compiles @returns {FrameCompile[]} */
function frameCompiles(compiles) {
  /** @type {Map<string, FrameCompile>} */
  const frames = new Map();
  compiles.forEach((compile, index) => {
    if (compile.id === null) return;
    const key = compile.compile;
    const frame = frames.get(key);
    if (frame) {
      frame.rows.push(index);
      frame.last = compile;
    } else frames.set(key, { rows: [index], last: compile });
  });
  return [...frames.values()];
}

/** "[0/1]", or "no compile id". @param {Compile} compile */
export const idText = (compile) => (compile.id === null ? "no compile id" : `[${compile.key}]`);

/** @param {Compile} compile */
export const functionName = (compile) =>
  compile.function ?? (compile.id === null ? "records without a compile id" : "(unknown function)");

/** "[0/1] forward ok": the label of a compile everywhere. @param {Compile} compile */
export const compileLabel = (compile) =>
  `${idText(compile)} ${functionName(compile)} ${statusInfo(compile.status).word}`;

/** "model.py:12", or "". @param {Model} model @param {Compile} compile */
export function placeOf(model, compile) {
  return compile.file === null ? "" : `${model.short(compile.file)}:${compile.line}`;
}

/** True for a compile that failed, restarted, recompiled, or has a graph break. @param {Compile} compile */
export const isProblem = (compile) =>
  ["failed", "skipped", "unfinished"].includes(compile.status) ||
  compile.attempt_count > 1 ||
  compile.recompile_reason !== null ||
  compile.graph_break_count > 0;

/** Return the number of records of a type. @param {Model} model @param {string} type */
export const kindCount = (model, type) =>
  model.directory.kinds.reduce(
    (/** @type {number} */ n, /** @type {any} */ kind) => n + (kind.type === type ? kind.event_count : 0),
    0,
  );

/** True when the log has calls of torch.export or their problems. @param {Model} model */
export const hasExport = (model) =>
  summaryOf(model.log).export_count > 0 ||
  ["export", "exported_program", "missing_fake_kernel", "mismatched_fake_kernel"].some(
    (type) => kindCount(model, type) > 0,
  );

/** True when one of these tables has rows. @param {Model} model @param {...string} names */
export const hasRows = (model, ...names) => names.some((name) => Object.hasOwn(model.directory.tables, name));

/** Return what the overview shows beside the findings: phases, statuses, refused and slowest compiles. @param {Model} model */
export function facts(model) {
  const summary = /** @type {any} */ (model.log.summary.summary),
    us = summary.phase_times_us;
  return {
    phases:
      us === null
        ? []
        : phasesOf(Object.fromEntries(Object.entries(us).map(([part, time]) => [`${part}_us`, time]))),
    statuses: statusesNow(model, summary.statuses),
    refused: summary.limit_count,
    slowest: model.frames
      .map((frame) => ({ ...frame, us: frame.last.total_us ?? 0 }))
      .filter(({ us: time }) => time > 0)
      .sort((a, b) => b.us - a.us),
  };
}

/** Count compiles by status; open compiles of a growing log count as running. @param {Model} model @param {Record<string, number>} statuses */
function statusesNow({ frames }, { unfinished = 0, ...others }) {
  const running = frames.filter(({ last }) => last.status === RUNNING).length,
    left = unfinished - running;
  return { ...others, ...(left > 0 && { unfinished: left }), ...(running > 0 && { running }) };
}

/** Return the headline numbers of a log from the manifest. @param {Log} log */
export const summaryOf = (log) => log.summary.summary;

/** @type {WeakMap<Bundle, string>} */
const opened = new WeakMap();

/** Return the log to open first: most errors, then warnings, then compile time. It stays the same while a bundle grows. @param {Bundle} bundle @returns {Log} */
export function openingLog(bundle) {
  const before = bundle.log(opened.get(bundle) ?? "");
  if (before) return before;
  const weight = (/** @type {Log} */ log) => {
    const summary = summaryOf(log);
    return [summary.findings.error, summary.findings.warning, summary.compile_us ?? 0];
  };
  const first = bundle.logs.reduce((best, log) => {
    const [a, b] = [weight(log), weight(best)];
    const at = a.findIndex((value, i) => value !== b[i]);
    return at >= 0 && a[at] > b[at] ? log : best;
  });
  opened.set(bundle, first.id);
  return first;
}

/** Return the log id for an address: "" for the log that opens first. @param {Log} log */
export const logInAddress = (log) => (log === openingLog(log.bundle) ? "" : log.id);

/** @type {WeakMap<import("../../lib/bundle/bundle.js").Bundle, Map<number | null, number>>} */
const logsOfProcesses = new WeakMap();

/** "rank 0 · 6_vppokp"; without a rank "process 4711"; with the id of the log where a process has several. @param {Log} log */
export function processName({ id, rank, bundle, summary: { pid } }) {
  if (rank !== null) return `rank ${rank} · ${id}`;
  if (pid === null || bundle.logs.length === 1) return id;
  let counts = logsOfProcesses.get(bundle);
  if (!counts) {
    logsOfProcesses.set(bundle, (counts = new Map()));
    for (const { summary } of bundle.logs) counts.set(summary.pid, (counts.get(summary.pid) ?? 0) + 1);
  }
  return counts.get(pid) === 1 ? `process ${pid}` : `process ${pid} · ${id}`;
}

/** processName() with the start of a process: "process 4711 · 07:21:53". @param {Log} log */
export function logName(log) {
  const name = processName(log),
    start = name.startsWith("process ") && utc(log.summary.summary.start_epoch_us).slice(-8);
  return start ? `${name} · ${start}` : name;
}

/** "2026-11-23 07:21:53"; "" when not recorded. @param {number | null} us since 1970 */
export function utc(us) {
  const date = new Date((us ?? NaN) / 1_000);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString().slice(0, 19).replace("T", " ");
}
