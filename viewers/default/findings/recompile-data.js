// The recompiles of a log and what the recompile limit refused, with the guards that failed. No page needed.

/** @typedef {import("../../../schema/bundle.d.ts").RecompileReasons} Reason */
/** @typedef {import("../../../schema/bundle.d.ts").CodeObjects} CodeObject */
/** @typedef {{event: number, compile: string | null, attempt: number | null, code_object: number | null, caused_by: string | null, text: string | null, limit: boolean, reasons: Reason[]}} Recompile limit: torch refused it */
/** @typedef {{recompiles: Recompile[], codeObjects: CodeObject[]}} Recompiles in the order of the log */

/** Adds to the list of a key. @template T @param {Map<number, T[]>} lists @param {number} key @param {T} item */
function add(lists, key, item) {
  const known = lists.get(key);
  if (known) known.push(item);
  else lists.set(key, [item]);
}

/** Null when the tables were left out of the bundle. @param {import("../../lib/bundle/log.js").Log} log @returns {Promise<Recompiles | null>} */
export async function recompilesOf(log) {
  const [rows, limits, reasons, codeObjects] = await Promise.all(["recompiles", "limits", "recompile_reasons", "code_objects"].map((name) => log.table(name)));
  if (!rows || !limits || !reasons || !codeObjects) return null;
  /** @type {Map<number, Reason[]>} */
  const ofEvent = new Map();
  for (const reason of reasons) add(ofEvent, reason.event, reason);
  const whole = (/** @type {any} */ row, /** @type {boolean} */ limit) => ({ caused_by: null, ...row, limit, reasons: ofEvent.get(row.event) ?? [] });
  const recompiles = [...rows.map((/** @type {any} */ row) => whole(row, false)), ...limits.map((/** @type {any} */ row) => whole(row, true))];
  return { recompiles: recompiles.sort((a, b) => a.event - b.event), codeObjects };
}

/** Recompiles that one led to, directly, by position. @param {Recompile[]} recompiles @returns {Map<number, number[]>} */
export function cascadesOf(recompiles) {
  /** @type {Map<number, number[]>} */
  const children = new Map();
  /** @type {Map<string | null, number>} */
  const before = new Map();
  recompiles.forEach((row, index) => {
    const leader = row.caused_by === null ? undefined : before.get(row.caused_by);
    if (leader !== undefined) add(children, leader, index);
    before.set(row.compile, index);
  });
  return children;
}
