// Judges a next call after the end of a log: which cache entry it matches, and which guards fail.
// preprocessor/tlparse_bundle/guards/replay.py does the same.
import { check, stated } from "./evaluate.js";

/** @typedef {import("../../../schema/bundle.d.ts").Guards} Guard */
/** @typedef {import("./evaluate.js").Outcome} Outcome */
/** @typedef {import("./evaluate.js").Known} Known */
/** @typedef {{compile: string, guards: Guard[]}} Entry a cache entry, guards in the order of torch */
/** @typedef {{guard: Guard, outcome: Outcome}} Checked */
/** @typedef {{entry: Entry, failed: Checked[], unknown: Checked[], unchanged: Checked[]}} Judged of an entry: guards that fail, that cannot be evaluated, and that nothing contradicts */
/**
 * @typedef {object} Prediction
 * @property {boolean} recompiles no entry fits
 * @property {Entry | null} entry the one that fits
 * @property {boolean} isCertain no guard that cannot be evaluated can change the answer
 * @property {boolean} isRefused no entry fits, and the recompile limit is reached: the call runs eager
 * @property {Judged[]} judged entries as torch tries them, newest first, up to the one that fits
 */

const ARGUMENT = /L\['(?!self'\])/;
const EXCLUSIVE = new Set([
  "EQUALS_MATCH",
  "ID_MATCH",
  "TRUE_MATCH",
  "FALSE_MATCH",
  "NONE_MATCH",
  "CONSTANT_MATCH",
]);
const LEAVE_OPEN = new Set([...EXCLUSIVE, "LAMBDA_GUARD", "SET_CONTAINS"]);
const IN_MODULE = /\.(?:_modules|_parameters|_buffers|__dict__)\['(\w+)'\]/g;

/** Whether a source is part of the arguments of a call, not of a module. @param {string} source */
export const isArgument = (source) => ARGUMENT.test(source);

/** Return a source as users write it, without the dict that holds attributes of a module. @param {string} source */
export const plainSource = (source) => source.replace(IN_MODULE, ".$1");

/** @type {WeakMap<Guard, any>} */
const conditions = new WeakMap();

/** @param {Guard} guard */
export function conditionOf(guard) {
  if (!conditions.has(guard)) conditions.set(guard, parsed(guard.condition));
  return conditions.get(guard);
}

/** @param {string | null} text */
function parsed(text) {
  try {
    const condition = text === null ? null : JSON.parse(text);
    return Array.isArray(condition) ? condition : null;
  } catch {
    return null; // redacted
  }
}

/** Evaluate a guard. @param {Guard} guard @param {Known} known @returns {Outcome} */
export function checkGuard(guard, known) {
  const condition = conditionOf(guard);
  return condition
    ? check(condition, guard.text, known)
    : { holds: null, missing: guard.source || guard.text };
}

/** What surrounds calls, as the last compile saw it: globals, modules, modes. */
class Circumstances {
  /** @param {Entry[]} entries in the order in which they were compiled */
  constructor(entries) {
    /** Texts of the guards of the latest entry with each source. @type {Map<string, Set<string>>} */
    this.texts = new Map();
    /** @type {Map<string, import("./values.js").Value>} */
    this.values = new Map();
    for (const { guards } of entries) {
      for (const [key, texts] of textsOf(guards)) this.texts.set(key, texts);
      for (const guard of guards) {
        const found = stated(conditionOf(guard));
        if (found && !isArgument(found[0])) this.values.set(...found);
      }
    }
  }

  /** Whether the last compile that checked its source met a guard; null when none did. @param {Guard} guard */
  agrees(guard) {
    return this.texts.get(keyOf(guard))?.has(guard.text) ?? null;
  }
}

/** @param {Guard} guard */
function keyOf({ kind, source }) {
  return `${EXCLUSIVE.has(kind) || kind === "TYPE_MATCH" ? "value" : kind} ${source ?? ""}`;
}

/** @param {Guard[]} guards */
function textsOf(guards) {
  /** @type {Map<string, Set<string>>} */
  const texts = new Map();
  for (const guard of guards) {
    const key = keyOf(guard);
    if (!texts.has(key)) texts.set(key, new Set());
    texts.get(key)?.add(guard.text);
  }
  return texts;
}

/** Whether a guard checks something of these sources. @param {Guard} guard @param {Iterable<string>} sources */
function isAbout({ source, text }, sources) {
  const own = plainSource(source ?? ""),
    written = plainSource(text);
  for (const one of sources) if (own.includes(one) || written.includes(one)) return true;
  return false;
}

/** Whether a call states a guard's source, or what it is a part of. @param {Guard} guard @param {Known} given */
function isStated({ source }, given) {
  if (source === null) return false;
  const own = plainSource(source);
  for (const one of given.keys()) {
    const place = own.indexOf(one);
    if (place >= 0 && !/^\w/.test(own.slice(place + one.length))) return true;
  }
  return false;
}

/**
 * Judge a call.
 * @param {Entry[]} entries in the order in which they were compiled
 * @param {Known} given values of the call by source
 * @param {Set<string>} changed sources whose value differs from that of the last compile, or is not
 *   stated; the guards of the last compile hold for all others
 * @param {boolean} isLimited the recompile limit is reached
 * @returns {Prediction}
 */
export function predict(entries, given, changed, isLimited) {
  const circumstances = new Circumstances(entries);
  const known = new Map([...circumstances.values, ...given]);
  const last = new Set(entries.at(-1)?.guards);
  /** @type {(guard: Guard) => {outcome: Outcome, list: string | null}} */
  const judge = (guard) => {
    const outcome = checkGuard(guard, known);
    if (outcome.holds !== null) return { outcome, list: outcome.holds ? null : "failed" };
    if (last.has(guard) && !isAbout(guard, changed)) return { outcome, list: "unchanged" };
    return { outcome, list: isOpen(guard, given, changed, circumstances) ? "unknown" : "unchanged" };
  };
  /** Entries share most guards. @type {Map<Guard, ReturnType<typeof judge>>} */
  const answers = new Map();
  /** @type {Judged[]} */
  const judged = [];
  /** @type {Entry | null} */
  let likely = null;
  let isCertain = true;
  for (const entry of [...entries].reverse()) {
    /** @type {Record<string, Checked[]>} */
    const lists = { failed: [], unknown: [], unchanged: [] };
    for (const guard of entry.guards) {
      const answer = answers.get(guard) ?? judge(guard);
      answers.set(guard, answer);
      const { outcome, list } = answer;
      if (list !== null) lists[list].push({ guard, outcome });
    }
    judged.push({ entry, .../** @type {any} */ (lists) });
    if (lists.failed.length > 0) continue;
    if (lists.unknown.length === 0) {
      return { recompiles: false, entry, isCertain, isRefused: false, judged };
    }
    isCertain = false;
    const agrees = lists.unknown.every(({ guard }) => circumstances.agrees(guard) !== false);
    if (agrees) likely ??= entry;
  }
  const isRefused = likely === null && isLimited;
  return { recompiles: likely === null && !isRefused, entry: likely, isCertain, isRefused, judged };
}

/** Whether a guard that cannot be evaluated may decide. @param {Guard} guard @param {Known} given @param {Set<string>} changed @param {Circumstances} circumstances */
function isOpen(guard, given, changed, circumstances) {
  if (LEAVE_OPEN.has(guard.kind) && isStated(guard, given)) return true;
  if (!isArgument(guard.source ?? guard.text) || !guard.can_be_evaluated) return false;
  if (isAbout(guard, given.keys())) return false;
  return isAbout(guard, changed) || circumstances.agrees(guard) !== true;
}
