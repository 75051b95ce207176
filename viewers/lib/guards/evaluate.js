// Evaluates the condition of a guard for a call, as preprocessor/tlparse_bundle/guards does.
// schema/guards.schema.json describes conditions.
import { FUNCTIONS, OPERATORS, interval } from "./operators.js";
import { Dict, Named, Sequence, Tensor, areEqual, isTrue, repr, typeName } from "./values.js";

/** @typedef {import("./values.js").Value} Value */
/** @typedef {any} Expression nested lists, see schema/guards.schema.json */
/** @typedef {ReadonlyMap<string, Value>} Known values of a call by source */
/**
 * @typedef {object} Outcome
 * @property {boolean | null} holds null when it cannot be evaluated; 'missing' is the value that it needs
 * @property {string} [expected] @property {string} [actual] @property {string} [missing]
 */

/** The result when a value is not known. isAbsent: the call has no such value; torch's guard then fails. */
class Missing {
  /** @param {string} source */
  constructor(source, isAbsent = false) {
    this.source = source;
    this.isAbsent = isAbsent;
  }
}

const MAX_NUMBER = 1n << 256n;
const MODULES = "torch.nn.modules.";
const SCALARS = new Set(["int", "float", "bool", "str", "NoneType", "Tensor", "Parameter"]);
const JSON_TYPES = new Set([...SCALARS, "list", "tuple", "dict"]);
const PARTS = new Set(["start", "stop", "step"]);
/** @typedef {[string, (tensor: Tensor) => Value][]} Readers */
const OF_TENSOR = new Map(
  /** @type {Readers} */ ([
    ["shape", ({ size }) => new Sequence("tuple", size)],
    ["dtype", ({ dtype }) => (dtype === null ? null : new Named(dtype))],
    ["requires_grad", ({ requiresGrad }) => requiresGrad],
    ["ndim", ({ size }) => BigInt(size.length)],
    ["_base", () => null],
  ]),
);
const METHODS = new Map(
  /** @type {Readers} */ ([
    ["size", ({ size }) => new Sequence("tuple", size)],
    ["stride", ({ stride }) => stride && new Sequence("tuple", stride)],
    ["dim", ({ size }) => BigInt(size.length)],
  ]),
);

/** @param {Expression} expression @param {Known} known @returns {Value | Missing} */
export function evaluate(expression, known) {
  if (!Array.isArray(expression)) {
    return typeof expression === "number" ? BigInt(expression) : expression;
  }
  const [name, ...parts] = expression;
  if (name === "int") return BigInt(parts[0]);
  if (name === "float") return Number(parts[0].replace("inf", "Infinity"));
  if (name === "named") return known.get(parts[0]) ?? new Named(parts[0]);
  if (name === "get") {
    const stated = known.get(parts[0]);
    if (stated !== undefined) return stated;
    return parts.length === 1 ? new Missing(parts[0]) : inner(parts[1], known, parts[0]);
  }
  if (name === "and" || name === "or") return logical(name === "and", parts, known);
  return applied(OPERATORS.get(name), parts, known);
}

/** @param {boolean} isAnd @param {Expression[]} parts @param {Known} known */
function logical(isAnd, parts, known) {
  /** @type {Value | Missing} */
  let value = isAnd;
  let missing = null;
  for (const part of parts) {
    value = evaluate(part, known);
    if (value instanceof Missing) missing ??= value;
    else if (isTrue(value) !== isAnd) return value;
  }
  return missing ?? value;
}

/** @param {((...values: any[]) => Value) | undefined} operation @param {Expression[]} parts @param {Known} known */
function applied(operation, parts, known) {
  const values = parts.map((part) => evaluate(part, known));
  const missing = values.find((value) => value instanceof Missing);
  if (missing) return missing;
  if (!operation) return new Missing("an operation that the page does not know");
  try {
    const result = operation(...values);
    const isLarge = typeof result === "bigint" && (result > MAX_NUMBER || result < -MAX_NUMBER);
    return isLarge ? new Missing("a number that is too large") : result;
  } catch {
    return new Missing("an operation on values of these types");
  }
}

/** Evaluate how a source follows from others. @param {Expression} expression @param {Known} known @param {string} text @returns {Value | Missing} */
function inner(expression, known, text) {
  const [name, ...parts] = Array.isArray(expression) ? expression : [null];
  if (name === "call") return applied(FUNCTIONS.get(parts[0]), parts.slice(1), known);
  if (name === "method") return ofTensor(METHODS.get(parts[1]), evaluate(parts[0], known), text);
  if (name === "attr") return attribute(evaluate(parts[0], known), parts[1], text);
  if (name === "at") return item(evaluate(parts[0], known), evaluate(parts[1], known), text);
  return evaluate(expression, known);
}

/** @param {((tensor: Tensor) => Value) | undefined} read @param {Value | Missing} value @param {string} text */
function ofTensor(read, value, text) {
  if (!(value instanceof Tensor)) return value instanceof Missing ? value : new Missing(text);
  return read?.(value) ?? new Missing(text);
}

/** @param {Value | Missing} value @param {string} name @param {string} text */
function attribute(value, name, text) {
  if (OF_TENSOR.has(name)) return ofTensor(OF_TENSOR.get(name), value, text);
  if (value instanceof Dict && value.isJson) {
    const found = value.get(name);
    if (found !== undefined) return found;
  }
  const found = PARTS.has(name) && !(value instanceof Missing) ? interval(value) : null;
  return found ? /** @type {any} */ (found)[name] : new Missing(text);
}

/** @param {Value | Missing} value @param {Value | Missing} place @param {string} text */
function item(value, place, text) {
  if (value instanceof Missing && value.isAbsent) return value;
  if (value instanceof Dict && !(place instanceof Missing)) {
    const found = value.get(place);
    return found === undefined ? new Missing(text, true) : found;
  }
  if (value instanceof Sequence) {
    const index = typeof place === "boolean" ? BigInt(place) : place;
    const found = typeof index === "bigint" ? value.items.at(Number(index)) : undefined;
    return found === undefined ? new Missing(text, true) : found;
  }
  return new Missing(text);
}

/** @param {Missing} missing @returns {Outcome} */
const unknown = ({ source, isAbsent }) =>
  isAbsent
    ? { holds: false, expected: `${source} exists`, actual: "the call has none" }
    : { holds: null, missing: source };

/**
 * Evaluate a guard for a call.
 * @param {Expression} condition @param {string} text of the guard @param {Known} known @returns {Outcome}
 */
export function check(condition, text, known) {
  const [kind, source, wanted] = condition;
  const value = evaluate(source, known);
  if (value instanceof Missing) return unknown(value);
  if (kind === "tensor") return tensorMatch(wanted, value, source[1] ?? text, known);
  if (kind === "type") return typeMatch(wanted, value, source[1] ?? text);
  if (kind === "same") return valueMatch(wanted, value, known);
  if (kind === "text") {
    const isSame = typeof value === "string" && value.trim() === wanted;
    return isSame ? { holds: true, expected: wanted } : { holds: null, missing: `${wanted} as text` };
  }
  if (isTrue(value)) return { holds: true, expected: text };
  return { holds: false, expected: text, actual: operands(source, known) };
}

/** Return the values that an expression has in a call: "L['x'].size()[0] = 1". @param {Expression} expression @param {Known} known */
function operands(expression, known) {
  const parts = new Map();
  const todo = [expression];
  while (todo.length > 0) {
    const one = todo.shift();
    if (!Array.isArray(one)) continue;
    if (one[0] === "get" && one[2]?.[0] === "call" && !known.has(one[1])) todo.push(...one[2].slice(2));
    else if (one[0] === "get") parts.set(one[1], evaluate(one, known));
    else todo.push(...one.slice(1));
  }
  return [...parts]
    .filter(([, value]) => !(value instanceof Missing))
    .map(([source, value]) => `${source} = ${repr(value)}`)
    .join(", ");
}

/** The type has to be the same, too. @param {Expression} constant @param {Value} actual @param {Known} known @returns {Outcome} */
function valueMatch(constant, actual, known) {
  const wanted = evaluate(constant, known);
  if (wanted instanceof Missing) return unknown(wanted);
  const isText = typeof actual === "string" && typeof wanted !== "string" && actual === repr(wanted);
  return { holds: isText || isSameValue(actual, wanted), expected: repr(wanted), actual: repr(actual) };
}

/** @param {Value} actual @param {Value} wanted */
function isSameValue(actual, wanted) {
  if (wanted instanceof Named && typeof actual === "string") return actual === wanted.name;
  if (Number.isNaN(actual) && Number.isNaN(wanted)) return true;
  const kind = (/** @type {Value} */ value) =>
    value instanceof Sequence ? value.kind : value instanceof Dict ? `dict ${value.isJson}` : typeName(value);
  return kind(actual) === kind(wanted) && areEqual(actual, wanted);
}

/** Whether a value stands for one of a type that a call cannot state: an object, a function. @param {Value} value @param {string} wanted */
function mayBe(value, wanted) {
  if ((value instanceof Sequence && value.kind === "json") || (value instanceof Dict && value.isJson)) {
    return !SCALARS.has(wanted);
  }
  return (typeof value === "string" || value instanceof Dict) && !JSON_TYPES.has(wanted);
}

/** @param {string} type @param {Value} value @param {string} source @returns {Outcome} */
function typeMatch(type, value, source) {
  const wanted = type.slice(type.lastIndexOf(".") + 1);
  const outcome = (/** @type {string} */ actual) => ({
    holds: actual === wanted,
    expected: `type ${wanted}`,
    actual: `type ${actual}`,
  });
  if (typeof value === "string" && type.startsWith(MODULES) && value.endsWith(")")) {
    return outcome(value.split("(", 1)[0]); // torch writes a module with the name of its class
  }
  return mayBe(value, wanted) ? { holds: null, missing: `type of ${source}` } : outcome(typeName(value));
}

/** @param {any} wanted @param {Value} tensor @param {string} source @param {Known} known @returns {Outcome} */
function tensorMatch(wanted, tensor, source, known) {
  const fails = (/** @type {string} */ expected, /** @type {string} */ actual) => ({
    holds: false,
    expected,
    actual,
  });
  const flag = (/** @type {boolean} */ value) => (value ? "True" : "False");
  if (!(tensor instanceof Tensor)) return fails("a tensor", repr(tensor));
  const { name, dtype, device, requiresGrad: grad } = tensor;
  // In the order of torch/csrc/dynamo/guards.cpp, TensorCheck::check.
  if (name !== null && name !== wanted.class) return fails(`class ${wanted.class}`, `class ${name}`);
  if (dtype !== null && dtype !== wanted.dtype) return fails(wanted.dtype, dtype);
  if (device !== null && wanted.device !== null && otherDevice(device, wanted.device)) {
    return fails(wanted.device, device);
  }
  if (grad !== null && wanted.requires_grad !== null && grad !== wanted.requires_grad) {
    return fails(`requires_grad=${flag(wanted.requires_grad)}`, `requires_grad=${flag(grad)}`);
  }
  const kind = (device ?? wanted.device ?? "cpu").split(":", 1)[0];
  const autocast = known.get(`torch.is_autocast_enabled('${kind}')`);
  if (typeof autocast === "boolean" && autocast !== wanted.autocast) {
    return fails(`autocast=${flag(wanted.autocast)}`, `autocast=${flag(autocast)}`);
  }
  return sizesMatch(wanted, tensor, source);
}

/** @param {readonly unknown[]} size */
const dimensions = (size) => (size.length === 1 ? "1 dimension" : `${size.length} dimensions`);

/** @param {any} wanted @param {Tensor} tensor @param {string} source @returns {Outcome} */
function sizesMatch(wanted, tensor, source) {
  if (tensor.size.length !== wanted.size.length) {
    return { holds: false, expected: dimensions(wanted.size), actual: dimensions(tensor.size) };
  }
  for (const what of /** @type {const} */ (["size", "stride"])) {
    const actual = tensor[what];
    for (const [dimension, number] of wanted[what].entries()) {
      if (number === null) continue; // dynamic: other guards decide
      if (actual === null) return { holds: null, missing: `${source}.${what}()` };
      if (actual[dimension] !== BigInt(number)) {
        return {
          holds: false,
          expected: `${what} ${number} of dimension ${dimension}`,
          actual: `${what} ${actual[dimension]}`,
        };
      }
    }
  }
  const missing =
    tensor.dtype === null ? "dtype" : tensor.requiresGrad === null ? "requires_grad" : undefined;
  return missing ? { holds: null, missing: `${source}.${missing}` } : { holds: true };
}

/** Whether two devices differ: 'cuda' is any of its kind. @param {string} actual @param {string} wanted */
function otherDevice(actual, wanted) {
  const [kind, index] = actual.split(":"),
    [wantedKind, wantedIndex] = wanted.split(":");
  return kind !== wantedKind || Boolean(index && wantedIndex && index !== wantedIndex);
}

/**
 * Return source and value when a guard states the value that its compile saw; else null.
 * @param {Expression | null} condition @returns {[string, Value] | null}
 */
export function stated(condition) {
  if (condition?.[0] !== "same" || condition[1]?.[0] !== "get") return null;
  const value = evaluate(condition[2], new Map());
  return value instanceof Missing ? null : [condition[1][1], value];
}
