// Recompiles and refused compiles of a log, with their guard failures. Needs no page.

/** @typedef {import("../../../schema/bundle.d.ts").RecompileReasons} Reason */
/** @typedef {import("../../../schema/bundle.d.ts").CodeObjects} CodeObject */
/** @typedef {import("../../../schema/bundle.d.ts").Recompiles} RecompileRow */
/** @typedef {import("../../../schema/bundle.d.ts").RecompileCauses} Cause */
/** @typedef {import("../../../schema/bundle.d.ts").Limits} Limit */
/** @typedef {{event: number, compile: string | null, attempt: number | null, code_object: number | null, follows: string | null, text: string | null, refused: boolean, limit: boolean, reasons: Reason[], reason: Reason | undefined}} Recompile refused: Dynamo didn't start it; limit: because of the recompile limit; reason: the one that its cause names, or else the first */
/** @typedef {{recompiles: Recompile[], codeObjects: CodeObject[]}} Recompiles in the order of the log */

/** Append to the list of a key. @template T @param {Map<any, T[]>} lists @param {any} key @param {T} item */
function add(lists, key, item) {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}

/** Return the recompiles of a log, or null when a redacted bundle omits the tables. @param {import("../../lib/bundle/log.js").Log} log @returns {Promise<Recompiles | null>} */
export async function recompilesOf(log) {
  const [rows, limits, reasons, codeObjects, causes] = await Promise.all(
    ["recompiles", "limits", "recompile_reasons", "code_objects", "recompile_causes"].map((name) =>
      log.table(name),
    ),
  );
  if (!rows || !reasons || !codeObjects) return null;
  /** @type {Map<string | null, Reason[]>} */
  const ofCompile = new Map();
  for (const reason of reasons) add(ofCompile, reason.compile, reason);
  const codeOf = new Map(
    codeObjects.flatMap((/** @type {CodeObject} */ { id, compiles }) =>
      compiles.map((compile) => [compile, id]),
    ),
  );
  const started = rows.map((/** @type {RecompileRow} */ row) => {
    const failed = ofCompile.get(row.compile) ?? [];
    const reason = failed.find(isOf(causes?.[row.cause])) ?? failed[0];
    return { ...row, refused: false, limit: false, reasons: failed, reason };
  });
  const refused = (limits ?? []).map(
    (/** @type {Limit} */ { compile, first_event: first, recompile_reason: text, kind }) => {
      const failed = ofCompile.get(compile) ?? [];
      return {
        event: failed[0]?.event ?? first,
        compile,
        attempt: failed[0]?.attempt ?? 0,
        code_object: codeOf.get(compile) ?? null,
        follows: null,
        text: failed.length > 0 ? null : text,
        refused: true,
        limit: kind === "recompile_limit",
        reasons: failed,
        reason: failed[0],
      };
    },
  );
  return { recompiles: [...started, ...refused].sort((a, b) => a.event - b.event), codeObjects };
}

/** Return whether a reason is about what a cause is about. @param {Cause | undefined} cause @returns {(reason: Reason) => boolean} */
const isOf = (cause) => (reason) =>
  cause !== undefined &&
  reason.source === cause.source &&
  reason.change === cause.change &&
  reason.dimension === cause.dimension;

/** Map the index of a recompile to the indexes of those that follow it. @param {Recompile[]} recompiles @returns {Map<number, number[]>} */
export function followersOf(recompiles) {
  /** @type {Map<number, number[]>} */
  const children = new Map();
  /** @type {Map<string | null, number>} */
  const before = new Map();
  recompiles.forEach((row, index) => {
    const leader = row.follows === null ? undefined : before.get(row.follows);
    if (leader !== undefined) add(children, leader, index);
    before.set(row.compile, index);
  });
  return children;
}
