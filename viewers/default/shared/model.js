// What the views know about one log, worked out once from its compile table, and which log it is. No page needed.
import { attemptKey, frameKey, rowKey } from "../../lib/bundle/log.js";
import { RUNNING, statusInfo } from "../../lib/page/figures.js";
import { fileShortener } from "../../lib/page/format.js";

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
  const [rows, directory, live] = await Promise.all([log.compiles(), log.directory(), liveOf(log)]);
  const running = live?.runningIn(log);
  const compiles = running?.size ? rows.map((/** @type {Compile} */ row, i) => (running.has(i) && row.status === "missing" ? { ...row, status: RUNNING } : row)) : rows;
  return {
    log,
    compiles,
    directory,
    frames: frameCompiles(compiles),
    /** In the order of the log, the row without an id last. */
    order: compiles.map((_, index) => index).sort((a, b) => Number(compiles[a].id === null) - Number(compiles[b].id === null) || a - b),
    byKey: new Map(compiles.map((compile, index) => [compile.key, index])),
    byAttempt: new Map(compiles.map((compile, index) => [attemptKey(compile), index])),
    short: fileShortener(compiles.map((compile) => compile.filename)),
  };
}

/** The row of the compile table that a row of another table belongs to. @param {Model} model @param {{compile: string | null, attempt: number | null}} row @returns {number} */
export const numberOf = (model, row) => model.byAttempt.get(rowKey(row)) ?? -1;

/** What tells of the compiles that run now; null for a bundle that does not grow. @param {Log} log */
const liveOf = async ({ bundle }) => (bundle.manifest.growing ? import("../../lib/live/running-data.js") : null);

/** The findings as they stand now: that a log which grows is not whole yet is none. @param {Log} log */
export async function findingsOf(log) {
  const [found, live] = await Promise.all([log.findings(), liveOf(log)]);
  return found && live ? live.findingsNow(log, found) : found;
}

/** Attempts of the same compile, put together. @param {Compile[]} compiles @returns {FrameCompile[]} */
function frameCompiles(compiles) {
  /** @type {Map<string, FrameCompile>} */
  const frames = new Map();
  compiles.forEach((compile, index) => {
    if (compile.id === null) return;
    const key = frameKey(compile);
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
export const functionName = (compile) => compile.function ?? (compile.id === null ? "records without a compile id" : "(unknown function)");

/** "[0/1] forward ok": how a compile is called wherever it stands. @param {Compile} compile */
export const compileLabel = (compile) => `${idText(compile)} ${functionName(compile)} ${statusInfo(compile.status).word}`;

/** @param {Model} model @param {Compile} compile */
export function placeOf(model, compile) {
  return compile.filename === null ? "" : `${model.short(compile.filename)}:${compile.first_line}`;
}

/** Something a person would want to know about. @param {Compile} compile */
export const isProblem = (compile) =>
  ["error", "break", "missing"].includes(compile.status) || compile.recompile_reason !== null || compile.graph_break_count > 0;

const REFUSED = /RecompileLimit|(?:recompile|cache_size)_limit reached|recompile limit exceeded/i; // as findings/facts.py

/** Whether torch refused to begin it: the number of compiles in the headline leaves it out. @param {Compile} compile */
export const isRefused = ({ failure }) => failure !== null && (REFUSED.test(failure.type ?? "") || REFUSED.test((failure.reason ?? "").slice(0, 200)) || (failure.type ?? "").includes("RecompileError"));

/** How many records of a type the log has. @param {Model} model @param {string} type */
export const kindCount = (model, type) => model.directory.kinds.reduce((/** @type {number} */ n, /** @type {any} */ kind) => n + (kind.type === type ? kind.event_count : 0), 0);

/** Whether the log tells of torch.export. @param {Model} model */
export const hasExport = (model) => ["export", "exported_program", "missing_fake_kernel", "mismatched_fake_kernel"].some((type) => kindCount(model, type) > 0);

/** @param {Model} model */
export function facts(model) {
  const { frames } = model;
  const sum = (/** @type {(c: Compile) => number | null} */ value) => frames.reduce((total, frame) => total + (value(frame.last) ?? 0), 0);
  const total = sum((c) => c.compile_time_us);
  const whole = (/** @type {Compile} */ c) => (c.compile_time_us ?? 0) + (c.backward_time_us ?? 0);
  const backend = sum((c) => c.backend_time_us);
  const inductor = sum((c) => c.inductor_time_us);
  /** @type {Record<string, number>} */
  const statuses = {};
  for (const { last } of frames) if (last.status && !isRefused(last)) statuses[last.status] = (statuses[last.status] ?? 0) + 1;
  return {
    phases: [
      { id: "dynamo", title: "Dynamo", us: Math.max(0, total - backend) },
      { id: "aot", title: "AOTAutograd", us: Math.max(0, backend - inductor) },
      { id: "inductor", title: "Inductor", us: inductor },
      { id: "backward", title: "backward, later", us: sum((c) => c.backward_time_us) },
    ],
    statuses,
    refused: frames.filter(({ last }) => isRefused(last)).length,
    slowest: frames.map((frame) => ({ ...frame, us: whole(frame.last) })).filter(({ us }) => us > 0).sort((a, b) => b.us - a.us),
  };
}

// Which log of a bundle a page opens on.

/** The summary of a log, as the manifest has it; null in bundles before 1.2. @param {Log} log */
export const summaryOf = (log) => log.summary.summary ?? null;

/** @type {WeakMap<Bundle, string>} */
const opened = new WeakMap();

/** The log with most to say: errors, then warnings, then time of compiling; among equals the first. It stays the same while a bundle grows. @param {Bundle} bundle @returns {Log} */
export function openingLog(bundle) {
  const before = bundle.log(opened.get(bundle) ?? "");
  if (before) return before;
  const weight = (/** @type {Log} */ log) => {
    const summary = summaryOf(log);
    return summary === null ? [0, 0, 0] : [summary.findings.error, summary.findings.warning, summary.compile_time_us ?? 0];
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
