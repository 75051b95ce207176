// The bytes of a log as rows. No page needed.
import { numberOf } from "../shared/model.js";

/**
 * @typedef {object} Row
 * @property {string} id stable id
 * @property {number} index position in 'kinds' or 'origins', or row of the compile table
 * @property {string} name
 * @property {string} help
 * @property {Kind | null} kind
 * @property {number} count
 * @property {number} size
 * @property {number} payload
 * @property {number | null} distinct
 */

/** @typedef {import("../../../schema/bundle.d.ts").Kinds} Kind */
/** @typedef {import("../../../schema/bundle.d.ts").Origins} Origin */
/** @typedef {import("../../../schema/bundle.d.ts").KindCompiles} Cell */
/** @typedef {{kinds: Kind[], origins: Origin[], cells: Cell[]}} Anatomy */

/** @param {{type: string, name: string | null}} kind */
export const kindId = ({ type, name }) => (name === null ? type : `${type}:${name}`);

/** Return the rows, largest first. @param {any} model @param {Anatomy} anatomy @param {string} by @returns {Row[]} */
export function anatomyRows(model, { kinds, origins, cells }, by) {
  const rows =
    by === "origin" ? originRows(origins) : by === "compile" ? compileRows(model, cells) : kindRows(kinds);
  return rows.filter((row) => row.count > 0).sort((a, b) => b.size - a.size || a.index - b.index);
}

/** @param {Kind[]} kinds @returns {Row[]} */
const kindRows = (kinds) =>
  kinds.map((kind, index) => ({
    id: kindId(kind),
    index,
    name: kind.name ?? kind.type,
    help: kind.type,
    kind,
    count: kind.event_count,
    size: kind.size_bytes,
    payload: kind.payload_size_bytes,
    distinct: kind.distinct_payload_size_bytes,
  }));

/** @param {Origin[]} origins @returns {Row[]} */
const originRows = (origins) =>
  origins.map((origin, index) => ({
    id: `${origin.path}:${origin.line}`,
    index,
    name: `${origin.path}:${origin.line}`,
    help: origin.level,
    kind: null,
    count: origin.event_count,
    size: origin.size_bytes,
    payload: origin.payload_size_bytes,
    distinct: null,
  }));

/** @param {any} model @param {Cell[]} cells @returns {Row[]} */
function compileRows(model, cells) {
  /** @type {Row[]} */
  const rows = model.compiles.map((/** @type {any} */ compile, /** @type {number} */ index) => ({
    id: compile.key,
    index,
    name: compile.function ?? "",
    help: compile.file ?? "",
    kind: null,
    count: compile.event_count,
    size: compile.size_bytes,
    payload: 0,
    distinct: null,
  }));
  for (const cell of cells) {
    const row = rows[numberOf(model, cell)];
    if (row) row.payload += cell.payload_size_bytes;
  }
  return rows;
}

/** Return the cells of one kind or compile, largest first. @param {any} model @param {Anatomy} anatomy @param {Row} row */
export function cellsOf(model, { cells }, { kind, index }) {
  const fits = (/** @type {Cell} */ cell) =>
    kind ? cell.type === kind.type && cell.name === kind.name : numberOf(model, cell) === index;
  return cells.filter(fits).sort((a, b) => b.size_bytes - a.size_bytes);
}

/** @param {Row[]} rows */
export const sumOf = (rows) =>
  rows.reduce(
    (sum, row) => ({
      count: sum.count + row.count,
      size: sum.size + row.size,
      payload: sum.payload + row.payload,
      distinct: sum.distinct + (row.distinct ?? 0),
    }),
    { count: 0, size: 0, payload: 0, distinct: 0 },
  );
