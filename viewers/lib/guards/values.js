// Values of a call, as guards check them. An int is a BigInt, a float a number, None is null, a bool and a text are themselves.

/** A tensor; null for what is not known of it. */
export class Tensor {
  /**
   * @param {bigint[]} size @param {bigint[] | null} stride @param {string | null} dtype "torch.float32"
   * @param {string | null} device @param {boolean | null} requiresGrad @param {string | null} [name] its class
   */
  constructor(size, stride, dtype, device, requiresGrad, name = null) {
    this.size = size;
    this.stride = stride;
    this.dtype = dtype;
    this.device = device;
    this.requiresGrad = requiresGrad;
    this.name = name;
  }
}

/** A constant with a name, such as torch.float32. */
export class Named {
  /** @param {string} name */
  constructor(name) {
    this.name = name;
  }
}

/** A tuple or a list; 'json' for one of JSON, which is either. */
export class Sequence {
  /** @param {"tuple" | "list" | "json"} kind @param {Value[]} items */
  constructor(kind, items) {
    this.kind = kind;
    this.items = items;
  }
}

/** A dict. In JSON the keys are texts, and it may also be an object with attributes. */
export class Dict {
  /** @param {boolean} isJson @param {[Value, Value][]} pairs */
  constructor(isJson, pairs) {
    this.isJson = isJson;
    /** @type {Map<string, [Value, Value]>} */
    this.pairs = new Map(pairs.map((pair) => [keyOf(pair[0]), pair]));
  }

  /** @param {Value} key @returns {Value | undefined} */
  get(key) {
    return this.pairs.get(keyOf(this.isJson && typeof key !== "string" ? repr(key) : key))?.[1];
  }

  /** Whether a key is in it, as it is. @param {Value} key */
  has(key) {
    return this.pairs.has(keyOf(key));
  }

  /** @returns {Value[]} keys in order; those of JSON that may be integers as integers */
  keys() {
    const keys = [...this.pairs.values()].map(([key]) => key);
    return this.isJson ? keys.map((key) => (/^-?\d+$/.test(String(key)) ? BigInt(String(key)) : key)) : keys;
  }
}

/** @typedef {null | boolean | bigint | number | string | Tensor | Named | Sequence | Dict} Value */

const SHORT_DTYPES = new Map([
  ["torch.bool", "b8"],
  ["torch.uint8", "u8"],
  ["torch.int8", "i8"],
  ["torch.int16", "i16"],
  ["torch.int32", "i32"],
  ["torch.int64", "i64"],
  ["torch.float16", "f16"],
  ["torch.bfloat16", "bf16"],
  ["torch.float32", "f32"],
  ["torch.float64", "f64"],
  ["torch.complex64", "c64"],
  ["torch.complex128", "c128"],
]);

/** "f32" -> "torch.float32" */
export const DTYPES = new Map([...SHORT_DTYPES].map(([name, short]) => [short, name]));

/** Equal keys of a dict have the same text: 1 and True are equal. @param {Value} key */
function keyOf(key) {
  const value = typeof key === "boolean" ? BigInt(key) : key;
  return value instanceof Sequence ? repr(value) : `${typeof value} ${String(value)}`;
}

/** Return a text as Python writes it. @param {string} text */
function quoted(text) {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escapes = /** @type {Record<string, string>} */ ({
    "\\": "\\\\",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    [quote]: `\\${quote}`,
  });
  const body = text.replace(/[\\'"\p{Cc}]/gu, (character) =>
    character in escapes
      ? escapes[character]
      : /\p{Cc}/u.test(character)
        ? `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`
        : character,
  );
  return quote + body + quote;
}

/** Return a float as Python writes it. @param {number} value */
function floating(value) {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value < 0 ? "-inf" : "inf";
  if (Object.is(value, -0)) return "-0.0";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) {
    return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
  }
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

/** Return a value as Python writes it. @param {Value} value @returns {string} */
export function repr(value) {
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number") return floating(value);
  if (typeof value === "string") return quoted(value);
  if (value instanceof Named) return value.name;
  if (value instanceof Tensor) return tensorText(value);
  if (value instanceof Dict) {
    return `{${[...value.pairs.values()].map(([key, item]) => `${repr(key)}: ${repr(item)}`).join(", ")}}`;
  }
  const items = value.items.map(repr).join(", ");
  if (value.kind !== "tuple") return `[${items}]`;
  return value.items.length === 1 ? `(${items},)` : `(${items})`;
}

/** Return a tensor as torch's graphs show it: "f32[4, 8][8, 1]cpu requires_grad". @param {Tensor} tensor */
function tensorText({ size, stride, dtype, device, requiresGrad }) {
  const dimensions = (/** @type {bigint[]} */ numbers) => `[${numbers.join(", ")}]`;
  const type = SHORT_DTYPES.get(dtype ?? "") ?? dtype ?? "?";
  return `${type}${dimensions(size)}${stride ? dimensions(stride) : ""}${device ?? ""}${requiresGrad ? " requires_grad" : ""}`;
}

/** Return the strides of a contiguous tensor. @param {bigint[]} size */
export function contiguous(size) {
  /** @type {bigint[]} */
  const strides = [];
  let step = 1n;
  for (const length of [...size].reverse()) {
    strides.unshift(step);
    step *= length > 1n ? length : 1n;
  }
  return strides;
}

/** Return the name of the type of a value that is not a tensor. @param {Value} value */
export function typeName(value) {
  if (value === null) return "NoneType";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "bigint") return "int";
  if (typeof value === "number") return "float";
  if (typeof value === "string") return "str";
  if (value instanceof Sequence) return value.kind === "tuple" ? "tuple" : "list";
  if (value instanceof Dict) return "dict";
  return value instanceof Named ? "constant" : (value.name ?? "Tensor");
}

/** Whether Python counts a value as true. @param {Value} value */
export function isTrue(value) {
  if (value instanceof Sequence) return value.items.length > 0;
  if (value instanceof Dict) return value.pairs.size > 0;
  return typeof value === "number" ? value !== 0 : Boolean(value); // nan is true
}

const isNumber = (/** @type {Value} */ value) =>
  typeof value === "bigint" || typeof value === "number" || typeof value === "boolean";

/** Whether Python's == holds. @param {Value} left @param {Value} right @returns {boolean} */
export function areEqual(left, right) {
  if (isNumber(left) && isNumber(right)) {
    const [a, b] = [left, right].map((value) => (typeof value === "boolean" ? BigInt(value) : value));
    return a == b; // an int and a float can be equal
  }
  if (left instanceof Sequence && right instanceof Sequence) {
    const isSame = (left.kind === "tuple") === (right.kind === "tuple");
    return (
      isSame &&
      left.items.length === right.items.length &&
      left.items.every((item, i) => areEqual(item, right.items[i]))
    );
  }
  if (left instanceof Dict && right instanceof Dict) {
    return (
      left.pairs.size === right.pairs.size &&
      [...left.pairs].every(([key, [, item]]) => {
        const other = right.pairs.get(key);
        return other !== undefined && areEqual(item, other[1]);
      })
    );
  }
  if (left instanceof Named && right instanceof Named) return left.name === right.name;
  if (left instanceof Tensor && right instanceof Tensor) return repr(left) === repr(right);
  return left === right;
}
