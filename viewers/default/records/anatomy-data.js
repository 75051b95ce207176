// The bytes of a log as rows. No page needed.

/**
 * @typedef {object} Row
 * @property {string} id stays
 * @property {number} index row of 'kinds', of 'origins' or of the compile table
 * @property {string} name
 * @property {string} help
 * @property {any} kind row of 'kinds', or null
 * @property {number} count
 * @property {number} size
 * @property {number} payload
 * @property {number | null} distinct
 */

/** Largest first. @param {any} model @param {any} table see schema/anatomy.schema.json @param {string} by @returns {Row[]} */
export function anatomyRows(model, table, by) {
  const { kinds, origins } = model.directory;
  const rows = by === "origin" ? originRows(origins, table.origins) : by === "compile" ? compileRows(model, table.cells)
    : kinds.map((/** @type {any} */ kind, /** @type {number} */ index) => ({
      id: kind.name === null ? kind.type : `${kind.type}:${kind.name}`, index, name: kind.name ?? kind.type, help: kind.type, kind,
      count: kind.event_count, size: kind.size_bytes, payload: table.kinds.payload_size_bytes[index], distinct: table.kinds.distinct_payload_size_bytes[index],
    }));
  return rows.filter((/** @type {Row} */ row) => row.count > 0).sort((/** @type {Row} */ a, /** @type {Row} */ b) => b.size - a.size || a.index - b.index);
}

/** @param {any[]} origins @param {any} columns @returns {Row[]} */
const originRows = (origins, columns) => origins.map((origin, index) => ({
  id: `${origin.path}:${origin.line}`, index, name: `${origin.path}:${origin.line}`, help: origin.level, kind: null,
  count: columns.event_count[index], size: columns.size_bytes[index], payload: columns.payload_size_bytes[index], distinct: null,
}));

/** @param {any} model @param {any} cells @returns {Row[]} */
function compileRows(model, cells) {
  /** @type {Row[]} */
  const rows = model.compiles.map((/** @type {any} */ compile, /** @type {number} */ index) => ({
    id: compile.key, index, name: compile.function ?? "", help: compile.file ?? "", kind: null, count: compile.event_count, size: compile.size_bytes, payload: 0, distinct: null,
  }));
  cells.compile_index.forEach((/** @type {number} */ compile, /** @type {number} */ i) => { rows[compile].payload += cells.payload_size_bytes[i]; });
  return rows;
}

/** The cells of one kind or of one compile, largest first. @param {any} table @param {"kind" | "compile"} of @param {number} index */
export function cellsOf(table, of, index) {
  const { kind_index: kind, compile_index: compile, event_count: n, size_bytes: size, payload_size_bytes: payload } = table.cells;
  const wanted = of === "kind" ? kind : compile;
  const found = [];
  for (let i = 0; i < wanted.length; i++) if (wanted[i] === index) found.push({ kind: kind[i], compile: compile[i], count: n[i], size: size[i], payload: payload[i] });
  return found.sort((a, b) => b.size - a.size);
}

/** @param {Row[]} rows */
export const sumOf = (rows) => rows.reduce((sum, row) => ({
  count: sum.count + row.count, size: sum.size + row.size, payload: sum.payload + row.payload, distinct: sum.distinct + (row.distinct ?? 0),
}), { count: 0, size: 0, payload: 0, distinct: 0 });
