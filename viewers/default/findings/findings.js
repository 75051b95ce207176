// What the tables say about one log: failures, graph breaks, recompiles, caches. Small tables, read once, side by side.
import { firstLine } from "../../lib/page/format.js";
import { frameKey, functionName, modelOf, placeOf } from "../shared/model.js";

/** @typedef {import("../../lib/bundle/log.js").Log} Log */
/** @typedef {Awaited<ReturnType<typeof build>>} Findings */
/**
 * @typedef {object} Failure one failure, with all records that tell of it; or one restart
 * @property {string} id stays: row of the failure table
 * @property {any[]} rows of the failure table, in file order
 * @property {boolean} restart
 * @property {boolean} limit the recompile limit refused the compile
 * @property {number} compile
 * @property {string | null} type
 * @property {string | null} reason
 * @property {string | null} file
 * @property {number | null} line
 * @property {string | null} function
 * @property {string | null} source_line
 * @property {string | null} user_traceback
 * @property {number | null} stack_index
 */

const TABLES = ["failures", "graph_breaks", "recompiles", "caches"];

/** @param {Log} log @returns {Promise<Findings>} */
export const findingsOf = (log) => log.once("findings", () => build(log));

/** @param {Log} log */
async function build(log) {
  const [model, ...tables] = await Promise.all([modelOf(log), ...TABLES.map((name) => log.table(name))]);
  const [failureTable, breakTable, recompileTable, cacheTable] = tables;
  const recompiles = recompileTable?.recompiles ?? [];
  const breaks = breakTable?.graph_breaks ?? [];
  const limits = new Set(recompiles.flatMap((/** @type {any} */ row) => (row.limit ? [row.compile_index] : [])));
  const all = failuresOf(failureTable?.failures ?? [], model.compiles, limits);
  return {
    /** Tables that an older bundle lacks. */
    missing: TABLES.filter((_, i) => tables[i] === null),
    failures: all.filter((failure) => !failure.restart),
    restarts: all.filter((failure) => failure.restart),
    breaks,
    breakCount: breaks.reduce((/** @type {number} */ n, /** @type {any} */ row) => n + row.occurrences.length, 0),
    recompiles,
    frames: recompileTable?.frames ?? [],
    causes: recompileTable?.causes ?? [],
    caches: cacheTable?.caches ?? [],
  };
}

/**
 * Records of one failure put together: the exception, then the metrics of the same compile.
 * @param {any[]} rows @param {any[]} compiles @param {Set<number>} limits @returns {Failure[]}
 */
function failuresOf(rows, compiles, limits) {
  /** @type {Map<string, Failure>} */
  const failures = new Map();
  rows.forEach((row, at) => {
    const compile = compiles[row.compile_index];
    const restart = row.kind === "restart";
    const joined = !restart && compile.id !== null && row.kind !== "fx_interpreter" && row.kind !== "make_fx";
    const key = joined ? `${row.kind.includes("backward")} ${frameKey(compile)}` : `row ${at}`;
    const known = failures.get(key);
    if (!known) {
      const { compile_index, event_index, kind, ...cells } = row;
      failures.set(key, { ...cells, id: String(at), rows: [row], restart, limit: limits.has(compile_index), compile: compile_index });
      return;
    }
    known.rows.push(row);
    known.limit ||= limits.has(row.compile_index);
    for (const cell of /** @type {const} */ (["reason", "file", "line", "function", "source_line", "user_traceback", "stack_index"])) {
      if (known[cell] === null) /** @type {any} */ (known)[cell] = row[cell];
    }
  });
  return [...failures.values()];
}

const KINDS = /** @type {Record<string, string>} */ ({
  compile: "failed compile", backward: "failed backward compile", exception: "exception", eager_backward: "backward not compiled ahead",
  fx_interpreter: "graph could not be run", make_fx: "make_fx failed", restart: "restart",
});

/** @param {Failure} failure */
export const failureKind = (failure) => (failure.limit ? "recompile limit" : KINDS[(failure.rows.find((row) => row.kind !== "exception") ?? failure.rows[0]).kind]);

/** "Unsupported: Failed to trace …" in one line. @param {Failure} failure */
export function failureText(failure) {
  const type = failure.type?.replace(/^.*\./, "");
  const message = firstLine(failure.reason);
  return [type, message].filter(Boolean).join(": ") || `${failureKind(failure)}, no message`;
}

/** Equal failures at one place are one line. @param {Failure[]} failures @returns {Failure[][]} the most frequent first */
export function grouped(failures) {
  /** @type {Map<string, Failure[]>} */
  const groups = new Map();
  for (const failure of failures) {
    const key = JSON.stringify([failureText(failure), failure.file, failure.line]);
    const group = groups.get(key);
    if (group) group.push(failure);
    else groups.set(key, [failure]);
  }
  return [...groups.values()].sort((a, b) => b.length - a.length);
}

/** Restarts that no recorded graph break explains. @param {Findings} found */
export function otherRestarts({ restarts, breaks }) {
  const reasons = breaks.map((/** @type {any} */ row) => row.reason);
  return restarts.filter((restart) => !reasons.some((/** @type {string} */ reason) => restart.reason?.includes(reason)));
}

/** Distinct places of graph breaks. @param {any[]} breaks */
export const placesOf = (breaks) => new Set(breaks.map((row) => `${row.file}:${row.line}`)).size;

/**
 * Lookups by cache: [cache, {hit: 1, miss: 2}]. @param {any[]} rows @returns {[string, Record<string, number>][]}
 */
export function cacheCounts(rows) {
  /** @type {Map<string, Record<string, number>>} */
  const caches = new Map();
  for (const { cache, outcome } of rows) {
    const counts = caches.get(cache) ?? {};
    counts[outcome] = (counts[outcome] ?? 0) + 1;
    caches.set(cache, counts);
  }
  return [...caches];
}

/** Recompiles that one led to, directly. @param {any[]} recompiles @returns {Map<number, number[]>} */
export function cascadesOf(recompiles) {
  /** @type {Map<number, number[]>} */
  const children = new Map();
  recompiles.forEach((row, index) => {
    if (row.caused_by === null) return;
    const known = children.get(row.caused_by);
    if (known) known.push(index);
    else children.set(row.caused_by, [index]);
  });
  return children;
}

/** @param {any} model @param {any} row */
export const breakPlace = (model, row) => (row.file === null ? "place unknown" : `${model.short(row.file)}:${row.line}`);

/** @param {any} model @param {Failure} failure */
export const who = (model, failure) => {
  const compile = model.compiles[failure.compile];
  return compile.id === null ? failure.function ?? "outside of a compile" : compile.function ?? failure.function ?? functionName(compile);
};

/** @param {any} model @param {Failure} failure */
export const failurePlace = (model, failure) => (failure.file !== null ? `${model.short(failure.file)}:${failure.line}` : placeOf(model, model.compiles[failure.compile]));

/** @param {any} frame */
export const frameName = (frame) => frame?.function ?? "(unknown function)";
