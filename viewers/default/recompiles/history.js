// What the tables about guards say about one function: its cache entries, the inputs of its calls, and what failed.
import { BadValue, parseValue } from "../../lib/guards/literal.js";
import { plainSource } from "../../lib/guards/predict.js";
import { Tensor } from "../../lib/guards/values.js";

/** @typedef {import("../../../schema/bundle.d.ts").GuardFailures} Failure */
/** @typedef {import("../../../schema/bundle.d.ts").CallInputs} Input */
/** @typedef {import("../../../schema/bundle.d.ts").RecompileFixes} Fix */
/** @typedef {import("../../../schema/bundle.d.ts").Guards} Guard */
/** @typedef {import("../../lib/guards/predict.js").Entry} Entry */
/** @typedef {import("../../lib/guards/values.js").Value} Value */
/**
 * @typedef {object} History of a function
 * @property {Entry[]} entries in the order in which they were compiled
 * @property {Map<string, Map<string, Value>>} inputs of each call that compiled, by source
 * @property {Map<string, Failure>} failures by pairOf(compile, entry)
 * @property {(id: number) => Guard} guard
 * @property {Fix[]} fixes
 * @property {boolean} isLimited no more cache entries can be added
 */

const DEFAULT_LIMIT = 8; // torch/_dynamo/config.py, recompile_limit
const NAMES = ["guards", "guard_trees", "guard_failures", "call_inputs", "recompile_fixes", "metric_configs"];

/** @param {string} compile @param {string} entry */
export const pairOf = (compile, entry) => `${compile} ${entry}`;

/** Return a source without the scope of locals, as newer versions of torch write it. @param {string} text */
export const localName = (text) => plainSource(text).replace(/\bL\[(['"])(\w+)\1\]/g, "$2");

/** Return the history of a function; null when a redacted bundle omits its tables. @param {any} log @param {import("./data.js").CodeObject} code @returns {Promise<History | null>} */
export async function historyOf(log, code) {
  const tables = await Promise.all(NAMES.map((name) => log.table(name)));
  const [guards, trees, failures, inputs, fixes, configs] = tables;
  if (!guards || !trees || !failures || !inputs) return null;
  const own = new Set(code.compiles);
  /** @type {Map<string, Entry>} */
  const entries = new Map();
  for (const tree of trees) {
    if (tree.form === "tree" && own.has(tree.compile)) {
      const ids = /** @type {number[]} */ (tree.guards);
      entries.set(tree.compile, { compile: tree.compile, guards: ids.map((id) => guards[id]) });
    }
  }
  const ordered = [...own].flatMap((compile) => entries.get(compile) ?? []);
  return {
    entries: ordered,
    inputs: valuesOf(inputs.filter((/** @type {Input} */ { compile }) => own.has(compile))),
    failures: new Map(
      failures
        .filter((/** @type {Failure} */ { compile }) => own.has(compile))
        .map((/** @type {Failure} */ row) => [pairOf(row.compile, row.entry), row]),
    ),
    guard: (id) => guards[id],
    fixes: (fixes ?? []).filter((/** @type {Fix} */ row) => row.code_object === code.id),
    isLimited: code.limit_compile !== null || ordered.length >= limitOf(configs ?? []),
  };
}

/** Return the recompile limit of the newest configuration. @param {any[]} configs */
function limitOf(configs) {
  const own = configs.filter(({ field }) => field === "dynamo_config");
  const [first, last] = [own[0]?.value, own.at(-1)?.changes];
  const found = ["recompile_limit", "cache_size_limit"].map((name) => last?.[name] ?? first?.[name]);
  return found.find((limit) => typeof limit === "number") ?? (own.length > 0 ? DEFAULT_LIMIT : Infinity);
}

/** @param {Input[]} rows */
function valuesOf(rows) {
  /** @type {Map<string, Map<string, Value>>} */
  const inputs = new Map();
  for (const row of rows) {
    const values = inputs.get(row.compile) ?? new Map();
    inputs.set(row.compile, values.set(plainSource(row.source), valueOf(row)));
  }
  return inputs;
}

/** Return the value of a row; the text of one that is not a literal, as a call states it. @param {Input} row @returns {Value} */
function valueOf({ kind, value, shape, stride, dtype, device, requires_grad: grad }) {
  if (kind === "tensor") {
    return new Tensor((shape ?? []).map(BigInt), stride && stride.map(BigInt), dtype, device, grad);
  }
  try {
    return parseValue(value ?? "None");
  } catch (error) {
    if (!(error instanceof BadValue)) throw error;
    return value;
  }
}
