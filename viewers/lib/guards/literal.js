// Reads the values of a call as people write them: tensors as in torch's graphs, other values as Python literals.
import { DTYPES, Dict, Named, Sequence, Tensor, contiguous } from "./values.js";

/** @typedef {import("./values.js").Value} Value */

const TENSOR = /^([a-z]+\d+)\[([\d, ]*)\](?:\[([\d, ]*)\])?([a-z]+(?::\d+)?)?( requires_grad)?$/;
const TOKEN =
  /\s*(?:(?<float>[+-]?(?:\d[\d_]*\.\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+))|(?<int>[+-]?\d[\d_]*)|(?<name>[A-Za-z_][\w.]*)|(?<text>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")|(?<sign>[()[\]{},:]))/y;
const ESCAPES = /** @type {Record<string, string>} */ ({ n: "\n", r: "\r", t: "\t", 0: "\0" });
const NAMES = new Map(
  /** @type {[string, Value][]} */ ([
    ["None", null],
    ["True", true],
    ["False", false],
  ]),
);
const MAX_DEPTH = 50;

/** The text is not a value; the message says why. */
export class BadValue extends Error {}

/** Read a value. Throws BadValue. @param {string} text @returns {Value} */
export function parseValue(text) {
  const trimmed = text.trim();
  const tensor = TENSOR.exec(trimmed);
  return tensor ? parseTensor(trimmed, tensor) : new Reader(trimmed).whole();
}

/** @param {string} text @param {RegExpExecArray} match */
function parseTensor(text, [, short, sizes, strides, device, grad]) {
  const dtype = DTYPES.get(short);
  if (dtype === undefined) {
    throw new BadValue(`Unknown dtype '${short}'. Use one of: ${[...DTYPES.keys()].join(", ")}.`);
  }
  const size = integers(sizes);
  const stride = strides === undefined ? contiguous(size) : integers(strides);
  if (stride.length !== size.length) {
    throw new BadValue(
      `'${text}' has ${size.length} sizes and ${stride.length} strides. Give one stride for each size, or none.`,
    );
  }
  return new Tensor(size, stride, dtype, device ?? null, grad !== undefined);
}

/** @param {string} text */
const integers = (text) =>
  text
    .split(",")
    .filter((part) => part.trim())
    .map((part) => {
      if (!/^\d+$/.test(part.trim())) throw new BadValue(`'${part.trim()}' is not a number.`);
      return BigInt(part.trim());
    });

/** Reads a Python literal. */
class Reader {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    this.place = 0;
    this.depth = 0;
  }

  /** @returns {Value} */
  whole() {
    const value = this.value();
    if (this.place < this.text.length) throw this.bad();
    return value;
  }

  bad() {
    const shown = this.text.length > 60 ? `${this.text.slice(0, 60)}…` : this.text;
    return new BadValue(
      `'${shown}' is not a value. Write a tensor such as f32[8, 4], or a Python literal such as 5, 0.5, True, None, 'mean', (1, 2).`,
    );
  }

  /** @returns {Record<string, string | undefined>} */
  token() {
    TOKEN.lastIndex = this.place;
    const match = TOKEN.exec(this.text);
    if (match === null) throw this.bad();
    this.place = TOKEN.lastIndex;
    return match.groups ?? {};
  }

  /** Take a sign if it comes next. @param {string} sign */
  takes(sign) {
    const before = this.place;
    if (this.place < this.text.length && this.token().sign === sign) return true;
    this.place = before;
    return false;
  }

  /** @returns {Value} */
  value() {
    if (++this.depth > MAX_DEPTH) throw this.bad();
    const { float, int, name, text, sign } = this.token();
    const value = this.plain(float, int, name, text) ?? this.container(sign, name);
    this.depth--;
    return value;
  }

  /** @param {string | undefined} float @param {string | undefined} int @param {string | undefined} name @param {string | undefined} text @returns {Value | undefined} */
  plain(float, int, name, text) {
    if (float !== undefined) return Number(float.replaceAll("_", ""));
    if (int !== undefined) return BigInt(int.replaceAll("_", "").replace("+", ""));
    if (text !== undefined) return unescaped(text.slice(1, -1));
    if (name !== undefined && /^torch\.\w+$/.test(name)) return new Named(name);
    if (name === "inf" || name === "nan") return name === "inf" ? Infinity : NaN;
    return name === undefined ? undefined : (NAMES.get(name) ?? undefined);
  }

  /** @param {string | undefined} sign @param {string | undefined} name @returns {Value} */
  container(sign, name) {
    if (name === "None") return null;
    if (sign === "(") return this.tuple();
    if (sign === "[") return new Sequence("list", this.items("]"));
    if (sign === "{") return this.dict();
    throw this.bad();
  }

  tuple() {
    const start = this.place;
    const items = this.items(")");
    const isGroup = items.length === 1 && !/,\s*\)$/.test(this.text.slice(start, this.place));
    return isGroup ? items[0] : new Sequence("tuple", items);
  }

  /** @param {string} end */
  items(end) {
    const items = [];
    while (!this.takes(end)) {
      items.push(this.value());
      if (!this.takes(",")) {
        if (!this.takes(end)) throw this.bad();
        break;
      }
    }
    return items;
  }

  dict() {
    /** @type {[Value, Value][]} */
    const pairs = [];
    while (!this.takes("}")) {
      const key = this.value();
      if (!this.takes(":")) throw this.bad();
      pairs.push([key, this.value()]);
      if (!this.takes(",")) {
        if (!this.takes("}")) throw this.bad();
        break;
      }
    }
    return new Dict(false, pairs);
  }
}

/** @param {string} body */
const unescaped = (body) =>
  body.replace(/\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|([^]))/g, (_, hex, wide, one) =>
    hex || wide ? String.fromCharCode(parseInt(hex ?? wide, 16)) : (ESCAPES[one] ?? one),
  );
