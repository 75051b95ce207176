// Python's operators, and the functions that guards call. They throw for values of other types, as Python does.
import { Dict, Sequence, areEqual, isTrue } from "./values.js";

/** @typedef {import("./values.js").Value} Value */
/** @typedef {(...values: any[]) => Value} Operation */

const MAX_BITS = 256n;
const INTERVAL = /^(range|slice)\(((?:(?:-?\d{1,18}|None)(?:, )?)+)\)$/;
const OBJECT = /^(?:[\w.]+\(.*\)|\{.*\}|b'.*'|b".*")$/s;

class NotDefined extends Error {}

/** Return a number; a bool is one. @param {Value} value @returns {bigint | number} */
function number(value) {
  if (typeof value === "boolean") return BigInt(value);
  if (typeof value === "bigint" || typeof value === "number") return value;
  throw new NotDefined();
}

/** @param {Value} value @returns {number} */
const float = (value) => Number(number(value));

/**
 * Return an operation of two numbers: of ints, else of floats.
 * @param {(a: bigint, b: bigint) => Value} ofInts @param {(a: number, b: number) => Value} ofFloats
 * @returns {Operation}
 */
const arithmetic = (ofInts, ofFloats) => (left, right) => {
  const [a, b] = [number(left), number(right)];
  return typeof a === "bigint" && typeof b === "bigint" ? ofInts(a, b) : ofFloats(Number(a), Number(b));
};

/** @template T @param {T} divisor @returns {T} */
function notZero(divisor) {
  if (divisor == 0) throw new NotDefined();
  return divisor;
}

const floorDiv = arithmetic(
  (a, b) => {
    const quotient = a / notZero(b);
    return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
  },
  (a, b) => Math.floor(a / notZero(b)),
);
const mod = arithmetic(
  (a, b) => {
    const rest = a % notZero(b);
    return rest !== 0n && rest < 0n !== b < 0n ? rest + b : rest;
  },
  (a, b) => {
    const rest = a % notZero(b);
    return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest;
  },
);
/** The remainder with the sign of the dividend, as in C. */
const cMod = arithmetic(
  (a, b) => a % notZero(b),
  (a, b) => a % notZero(b),
);
const trueDiv = (/** @type {Value} */ left, /** @type {Value} */ right) =>
  float(left) / notZero(float(right));

/** @param {Value} left @param {Value} right */
function add(left, right) {
  if (typeof left === "string" && typeof right === "string") return left + right;
  if (left instanceof Sequence && right instanceof Sequence && left.kind === right.kind) {
    return new Sequence(left.kind, [...left.items, ...right.items]);
  }
  return arithmetic(
    (a, b) => a + b,
    (a, b) => a + b,
  )(left, right);
}

/** @param {(a: bigint, b: bigint) => bigint} ofInts @returns {Operation} */
const bitwise = (ofInts) => (left, right) => {
  const [a, b] = [number(left), number(right)];
  if (typeof a !== "bigint" || typeof b !== "bigint") throw new NotDefined();
  const result = ofInts(a, b);
  return typeof left === "boolean" && typeof right === "boolean" ? result === 1n : result;
};

/** Python raises an error where floats overflow. @param {number} result @param {...(bigint | number)} operands */
function finite(result, ...operands) {
  if (!Number.isFinite(result) && operands.every((one) => Number.isFinite(Number(one))))
    throw new NotDefined();
  return result;
}

/** @param {Value} base @param {Value} exponent */
function power(base, exponent) {
  const [a, b] = [number(base), number(exponent)];
  if (typeof a !== "bigint" || typeof b !== "bigint" || b < 0n) return finite(Number(a) ** Number(b), a, b);
  const isLarge = a > 1n || a < -1n;
  if (isLarge && b > MAX_BITS) throw new NotDefined();
  return isLarge ? a ** b : a === -1n ? (b % 2n === 0n ? 1n : -1n) : b === 0n ? 1n : a;
}

/** Return -1, 0 or 1; NaN when neither comes first. @param {Value} left @param {Value} right @returns {number} */
function order(left, right) {
  if (typeof left === "string" && typeof right === "string") {
    const [a, b] = [[...left], [...right]].map((text) => text.map((one) => one.codePointAt(0) ?? 0));
    const place = a.findIndex((code, i) => code !== b[i]);
    if (place < 0) return Math.sign(a.length - b.length);
    return place >= b.length ? 1 : Math.sign(a[place] - b[place]);
  }
  if (left instanceof Sequence && right instanceof Sequence && left.kind === right.kind) {
    const place = left.items.findIndex(
      (item, i) => i < right.items.length && !areEqual(item, right.items[i]),
    );
    return place < 0
      ? Math.sign(left.items.length - right.items.length)
      : order(left.items[place], right.items[place]);
  }
  const [a, b] = [number(left), number(right)];
  return a < b ? -1 : a > b ? 1 : a == b ? 0 : NaN;
}

/** Only constants of the language are known to be the same object. @param {Value} left @param {Value} right */
function isSame(left, right) {
  if (left === null || right === null || (typeof left === "boolean" && typeof right === "boolean")) {
    return left === right;
  }
  throw new NotDefined();
}

/** @param {Value} item @param {Value} container */
function isIn(item, container) {
  if (container instanceof Sequence) return container.items.some((one) => areEqual(one, item));
  if (container instanceof Dict) return container.has(item);
  if (typeof container === "string" && typeof item === "string") return container.includes(item);
  throw new NotDefined();
}

/** Return start, stop and step of a range or slice that a call states as text. @param {Value} value */
export function interval(value) {
  const match = typeof value === "string" ? INTERVAL.exec(value) : null;
  if (match === null) return null;
  const numbers = match[2].split(",").map((part) => (part.trim() === "None" ? null : BigInt(part.trim())));
  if (numbers.length > 3) return null;
  const isRange = match[1] === "range";
  const [start, stop, step] =
    numbers.length === 1 ? [isRange ? 0n : null, numbers[0], null] : [...numbers, null];
  if (isRange && (start === null || stop === null || step === 0n)) return null;
  return { isRange, start, stop, step: step ?? (isRange ? 1n : null) };
}

/** @param {Value} value */
function length(value) {
  const found = interval(value);
  if (found?.isRange) {
    const [start, stop, step] = /** @type {bigint[]} */ ([found.start, found.stop, found.step]);
    const span = step > 0n ? stop - start : start - stop;
    const size = step > 0n ? step : -step;
    return span <= 0n ? 0n : (span + size - 1n) / size;
  }
  if (typeof value === "string") {
    if (OBJECT.test(value)) throw new NotDefined();
    return BigInt([...value].length);
  }
  if (value instanceof Sequence) return BigInt(value.items.length);
  if (value instanceof Dict) return BigInt(value.pairs.size);
  throw new NotDefined();
}

/** @param {Value} value @returns {Value[]} */
function items(value) {
  if (value instanceof Sequence) return value.items;
  if (value instanceof Dict) return [...value.pairs.values()].map(([key]) => key);
  if (typeof value === "string") return [...value];
  throw new NotDefined();
}

/** @param {number} value */
function whole(value) {
  if (!Number.isFinite(value)) throw new NotDefined();
  return BigInt(Math.trunc(value));
}

/** Return the first value that comes before or after all others. @param {number} sign @returns {Operation} */
const extreme =
  (sign) =>
  (...values) =>
    (values.length === 1 ? items(values[0]) : values).reduce((best, value) =>
      order(value, best) === sign ? value : best,
    );

/** @param {Value} value */
function integer(value) {
  if (typeof value === "string") {
    if (!/^\s*[+-]?\d+\s*$/.test(value)) throw new NotDefined();
    return BigInt(value.trim());
  }
  const found = number(value);
  return typeof found === "bigint" ? found : whole(found);
}

const floor = (/** @type {Value} */ value) => {
  const found = number(value);
  return typeof found === "bigint" ? found : whole(Math.floor(found));
};
const ceil = (/** @type {Value} */ value) => {
  const found = number(value);
  return typeof found === "bigint" ? found : whole(Math.ceil(found));
};
/** @param {Value} value */
function absolute(value) {
  const found = number(value);
  return typeof found === "bigint" ? (found < 0n ? -found : found) : Math.abs(found);
}

/** @type {Record<string, Operation>} */
const COMPARISONS = {
  "==": areEqual,
  "!=": (left, right) => !areEqual(left, right),
  "<": (left, right) => order(left, right) < 0,
  "<=": (left, right) => order(left, right) <= 0,
  ">": (left, right) => order(left, right) > 0,
  ">=": (left, right) => order(left, right) >= 0,
};

/** Operators by the names that conditions give them. @type {Map<string, Operation>} */
export const OPERATORS = new Map(
  Object.entries(
    /** @type {Record<string, Operation>} */ ({
      ...COMPARISONS,
      "+": add,
      "-": arithmetic(
        (a, b) => a - b,
        (a, b) => a - b,
      ),
      "*": arithmetic(
        (a, b) => a * b,
        (a, b) => a * b,
      ),
      "/": trueDiv,
      "//": floorDiv,
      "%": mod,
      "&": bitwise((a, b) => a & b),
      "|": bitwise((a, b) => a | b),
      "is": isSame,
      "is not": (left, right) => !isSame(left, right),
      "in": isIn,
      "not in": (left, right) => !isIn(left, right),
      "not": (value) => !isTrue(value),
      "neg": (value) => -number(value),
      "pos": number,
      "invert": (value) => ~integer(value), // torch 2.6 writes 'not' so
      "tuple": (...values) => new Sequence("tuple", values),
      "list": (...values) => new Sequence("list", values),
    }),
  ),
);

/** Functions by the names that guards use. @type {Map<string, Operation>} */
export const FUNCTIONS = new Map(
  Object.entries(
    /** @type {Record<string, Operation>} */ ({
      "Mod": cMod,
      "PythonMod": mod,
      "FloorDiv": floorDiv,
      "CleanDiv": floorDiv,
      "IntTrueDiv": trueDiv,
      "FloatTrueDiv": trueDiv,
      "TrueDiv": trueDiv,
      "Max": extreme(1),
      "Min": extreme(-1),
      "Eq": COMPARISONS["=="],
      "Ne": COMPARISONS["!="],
      "Lt": COMPARISONS["<"],
      "Le": COMPARISONS["<="],
      "Gt": COMPARISONS[">"],
      "Ge": COMPARISONS[">="],
      "PowByNatural": power,
      "abs": absolute,
      "int": integer,
      "float": float,
      "bool": isTrue,
      "len": length,
      "max": extreme(1),
      "min": extreme(-1),
      "dict.keys": (value) => {
        if (!(value instanceof Dict)) throw new NotDefined();
        return new Sequence("list", value.keys());
      },
      "list": (value) => new Sequence("list", items(value)),
      "___as_tensor": float,
      "__math_isnan": (value) => Number.isNaN(float(value)),
      "math.floor": floor,
      "math.isnan": (value) => Number.isNaN(float(value)),
      "math.isinf": (value) => Math.abs(float(value)) === Infinity,
      "math.ceil": ceil,
      "torch.sym_max": extreme(1),
      "torch.sym_min": extreme(-1),
      "torch.sym_not": (value) => !isTrue(value),
      "___tuple_iterator_len": (value) => BigInt(items(value).length),
      "___dict_contains": (key, container) =>
        container instanceof Dict ? container.get(key) !== undefined : isIn(key, container),
    }),
  ),
);
