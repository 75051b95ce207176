// Loads the vLLM tables of a log, and matches the pieces of two logs.
import { plural } from "../lib/page/format.js";

/** @typedef {import("../lib/bundle/log.js").Log} Log */
/** @typedef {import("../../schema/bundle.d.ts").VllmPieces} PieceRow */
/** @typedef {import("../../schema/bundle.d.ts").VllmBackends} BackendRow */
/** @typedef {{backends: BackendRow[], submodules: import("../../schema/bundle.d.ts").VllmSubmodules[], passes: import("../../schema/bundle.d.ts").VllmPasses[]}} Tables */
/**
 * @typedef {object} Piece a row of the table, with a name where one is known
 * @property {number} id
 * @property {PieceRow} row
 * @property {string | null} submodule
 * @property {[number, number] | null} range
 * @property {string | null} namedBy id of the log whose equal code gave the name
 */
/** @typedef {{log: Log, tables: Tables, pieces: Piece[], wallUs: number | null}} Start a log in which vLLM compiled or loaded something */

const MOST_LOGS = 16; // logs whose tables are read

/** @param {Log} log @returns {Promise<Start | null>} null when the log has nothing of vLLM, or the bundle left it out */
export function startOf(log) {
  return log.once("vllm start", async () => {
    const [backends, submodules, rows, passes] = await Promise.all(
      ["vllm_backends", "vllm_submodules", "vllm_pieces", "vllm_passes"].map((name) => log.table(name)),
    );
    if (!backends?.length && !rows?.length) return null;
    const pieces = /** @type {PieceRow[]} */ (rows ?? []).map((row) => ({
      id: row.id,
      row,
      submodule: row.submodule,
      namedBy: null,
      range:
        row.range_start === null || row.range_end === null
          ? null
          : /** @type {[number, number]} */ ([row.range_start, row.range_end]),
    }));
    return {
      log,
      tables: { backends: backends ?? [], submodules: submodules ?? [], passes: passes ?? [] },
      pieces,
      wallUs: await lengthOf(log),
    };
  });
}

/** Return the time from the first to the last record, in microseconds. @param {Log} log */
async function lengthOf(log) {
  const { event_count: count } = await log.directory();
  return count === 0
    ? null
    : log.event(count - 1).then(
        (/** @type {any} */ event) => event.time_us,
        () => null,
      );
}

/** Load the starts of the first logs. @param {import("../lib/bundle/bundle.js").Bundle} bundle */
export async function startsOf(bundle) {
  const found = await Promise.all(
    bundle.logs.slice(0, MOST_LOGS).map((log) => startOf(log).catch(() => null)),
  );
  return {
    starts: found.filter((start) => start !== null),
    left: Math.max(0, bundle.logs.length - MOST_LOGS),
  };
}

/** Name unnamed pieces after the piece with the same code in a different log. @param {Start} start @param {Start[]} others @returns {Start} */
export function named(start, others) {
  /** @type {Map<string, {piece: Piece, id: string} | null>} */
  const byCode = new Map();
  for (const other of others) {
    if (other.log === start.log) continue;
    for (const piece of other.pieces) {
      const code = piece.row.code_hash;
      if (code === null || piece.row.submodule === null) continue;
      const known = byCode.get(code);
      if (known === undefined) byCode.set(code, { piece, id: other.log.id });
      else if (known && keyOf(known.piece) !== keyOf(piece)) byCode.set(code, null); // two pieces have this code
    }
  }
  const pieces = start.pieces.map((piece) => {
    const same =
      piece.submodule === null && piece.row.code_hash !== null ? byCode.get(piece.row.code_hash) : null;
    return same
      ? { ...piece, submodule: same.piece.submodule, range: same.piece.range, namedBy: same.id }
      : piece;
  });
  return { ...start, pieces };
}

/** Return the key that matches a piece across logs; null without a name. @param {Piece} piece */
export const keyOf = ({ submodule, range }) =>
  submodule === null || range === null ? null : `${submodule} ${range[0]} ${range[1]}`;

/** Return the matching pieces of a different start. @param {Start} other @param {Piece} piece @param {string | null} prefix */
export function counterpart(other, piece, prefix) {
  const key = keyOf(piece);
  if (key === null) return null;
  const fits = other.pieces.filter((one) => keyOf(one) === key);
  return fits.find((one) => other.tables.backends[one.row.backend]?.prefix === prefix) ?? fits[0] ?? null;
}

/** Return the recorded time of a start: captures, or the backends without one. @param {Start} start */
export function totalOf({ tables }) {
  const known = tables.backends
    .map((backend) => backend.capture_time_us ?? backend.duration_us)
    .filter((us) => us !== null);
  return known.length ? known.reduce((sum, us) => sum + us, 0) : null;
}

/** Count pieces by outcome. @param {Piece[]} pieces @returns {Map<string, number>} */
export function outcomesOf(pieces) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { row } of pieces) counts.set(row.outcome ?? "", (counts.get(row.outcome ?? "") ?? 0) + 1);
  return counts;
}

/** @param {[number, number] | null} range */
export const rangeText = (range) =>
  range === null ? "size not recorded" : range[0] === range[1] ? String(range[0]) : `${range[0]}–${range[1]}`;

/** @param {[number, number]} range */
export const tokensText = (range) =>
  range[0] === range[1] ? plural(range[0], "token") : `${rangeText(range)} tokens`;

/** "submod_2 · 1–64 tokens" @param {Piece} piece */
export const nameOf = (piece) =>
  piece.submodule === null
    ? `load of ${piece.row.aot_id ?? `code ${piece.id}`}`
    : `${piece.submodule} · ${piece.range === null ? rangeText(null) : tokensText(piece.range)}`;
