// What the views know about one log, worked out once from its compile table, and which log it is. No page needed.
import { attemptKey } from "../../lib/bundle/log.js";
import { RUNNING, statusInfo } from "../../lib/page/figures.js";
import { fileShortener } from "../../lib/page/paths.js";

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
    /** What a list of these counts: attempts, where a compile has several. */
    counted: compiles.some(({ attempt }) => attempt) ? "attempt" : "compile",
    /** In the order of the log, what belongs to no compile last. */
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

/** What a compile that is none has of its fields. */
const UNKNOWN = Object.fromEntries(
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
 * What views list: each attempt with what its compile turned out to be; ahead-of-time compiles, which have no attempts; and last what belongs to no compile.
 * 'key' is the address of a view, 'id' what a person reads.
 * @param {any[]} compiled @param {any[]} attempts @param {any[]} others limits and captures @returns {Compile[]}
 */
function views(compiled, attempts, others) {
  const rows = new Map(
    [...others, ...compiled].map((row) => [
      row.compile,
      {
        ...UNKNOWN,
        restart_reasons: [],
        graph_break_count: 0,
        attempt_count: 1,
        refused: row.kind === "recompile_limit" || row.kind === "error_on_recompile",
        ...row,
      },
    ]),
  );
  const tried = attempts
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
  const known = new Set(tried.map(({ compile }) => compile));
  const untried = compiled
    .filter(({ compile }) => !known.has(compile))
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
    ...UNKNOWN,
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
  return [...[...tried, ...untried].sort((a, b) => a.first_event - b.first_event), outside];
}

/** The view of the attempt that a row of a table belongs to, by its position. @param {Model} model @param {{compile: string | null, attempt: number | null}} row @returns {number} */
export const numberOf = (model, row) => model.byAttempt.get(attemptKey(row)) ?? -1;

/** The view of a compile: of its first attempt; -1 when there is none. @param {Model} model @param {string | null} compile @returns {number} */
export function rowOf(model, compile) {
  const first = compile === null ? -1 : numberOf(model, { compile, attempt: 0 });
  return first < 0 && compile !== null ? (model.byCompile.get(compile) ?? -1) : first;
}

/** The views of the compiles that a finding is about. @param {Model} model @param {{compiles: string[]}} finding @returns {number[]} */
export const compilesOf = (model, { compiles }) => compiles.flatMap((key) => model.byCompile.get(key) ?? []);

/** What tells of the compiles that run now; null for a bundle that does not grow. @param {Log} log */
const liveOf = async ({ bundle }) =>
  bundle.manifest.growing ? import("../../lib/live/running-data.js") : null;

/** The findings as they stand now, and the numbers of the headline: that a log which grows is not whole yet is no finding. Null when they were left out. @param {Log} log */
export async function findingsOf(log) {
  const [findings, live] = await Promise.all([log.findings(), liveOf(log)]);
  const all = findings && { summary: log.summary.summary, findings };
  return all && live ? live.findingsNow(log, all) : all;
}

/** Attempts of the same compile, put together. @param {Compile[]} compiles @returns {FrameCompile[]} */
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

/** "[0/1]", or words for the row without an id. @param {Compile} compile */
export const idText = (compile) => (compile.id === null ? "no compile id" : `[${compile.key}]`);

/** @param {Compile} compile */
export const functionName = (compile) =>
  compile.function ?? (compile.id === null ? "records without a compile id" : "(unknown function)");

/** "[0/1] forward ok": how a compile is called wherever it stands. @param {Compile} compile */
export const compileLabel = (compile) =>
  `${idText(compile)} ${functionName(compile)} ${statusInfo(compile.status).word}`;

/** @param {Model} model @param {Compile} compile */
export function placeOf(model, compile) {
  return compile.file === null ? "" : `${model.short(compile.file)}:${compile.line}`;
}

/** Something a person would want to know about. @param {Compile} compile */
export const isProblem = (compile) =>
  ["failed", "skipped", "unfinished"].includes(compile.status) ||
  compile.attempt_count > 1 ||
  compile.recompile_reason !== null ||
  compile.graph_break_count > 0;

/** How many records of a type the log has. @param {Model} model @param {string} type */
export const kindCount = (model, type) =>
  model.directory.kinds.reduce(
    (/** @type {number} */ n, /** @type {any} */ kind) => n + (kind.type === type ? kind.event_count : 0),
    0,
  );

/** Whether the log tells of torch.export. @param {Model} model */
export const hasExport = (model) =>
  ["export", "exported_program", "missing_fake_kernel", "mismatched_fake_kernel"].some(
    (type) => kindCount(model, type) > 0,
  );

/** What the overview shows beside the findings. @param {Model} model */
export function facts(model) {
  const summary = /** @type {any} */ (model.log.summary.summary),
    us = summary.phase_times_us;
  return {
    phases:
      us === null
        ? []
        : [
            { id: "dynamo", title: "Dynamo", us: us.dynamo },
            { id: "aot", title: "AOTAutograd", us: us.aot },
            { id: "inductor", title: "Inductor", us: us.inductor },
            { id: "backward", title: "backward, later", us: us.backward },
          ],
    statuses: statusesNow(model, summary.statuses),
    refused: summary.limit_count,
    slowest: model.frames
      .map((frame) => ({ ...frame, us: frame.last.total_us ?? 0 }))
      .filter(({ us: time }) => time > 0)
      .sort((a, b) => b.us - a.us),
  };
}

/** How many compiles have each status; those that are open in a log which grows are running. @param {Model} model @param {Record<string, number>} statuses */
function statusesNow({ frames }, { unfinished = 0, ...others }) {
  const running = frames.filter(({ last }) => last.status === RUNNING).length,
    left = unfinished - running;
  return { ...others, ...(left > 0 && { unfinished: left }), ...(running > 0 && { running }) };
}

/** The numbers of the headline of a log, as the manifest has them. @param {Log} log */
export const summaryOf = (log) => log.summary.summary;

/** @type {WeakMap<Bundle, string>} */
const opened = new WeakMap();

/** The log with most to say: errors, then warnings, then time of compiling; among equals the first. It stays the same while a bundle grows. @param {Bundle} bundle @returns {Log} */
export function openingLog(bundle) {
  const before = bundle.log(opened.get(bundle) ?? "");
  if (before) return before;
  const weight = (/** @type {Log} */ log) => {
    const summary = summaryOf(log);
    return [summary.findings.error, summary.findings.warning, summary.compile_us ?? 0];
  };
  const found = bundle.logs.reduce((best, log) => {
    const [a, b] = [weight(log), weight(best)];
    const at = a.findIndex((value, i) => value !== b[i]);
    return at >= 0 && a[at] > b[at] ? log : best;
  });
  opened.set(bundle, found.id);
  return found;
}

/** What an address says of a log: nothing of the one that the page opens on. @param {Log} log */
export const logInAddress = (log) => (log === openingLog(log.bundle) ? "" : log.id);

/** "rank 0 · 6_vppokp", or the id alone. @param {Log} log */
export const logName = (log) => (log.rank === null ? log.id : `rank ${log.rank} · ${log.id}`);
