// A guard failure in a few characters: what the guard checks, and the values that it asked for and got.
import { checkGuard } from "../../lib/guards/predict.js";
import { repr } from "../../lib/guards/values.js";
import { localName } from "./history.js";

/** @typedef {import("./data.js").Reason} Reason */
/** @typedef {import("./history.js").Guard} Guard */
/** @typedef {import("../../lib/guards/values.js").Value} Value */
/** @typedef {{what: string, values: string, group: string}} Short */

/** Groups of changes: id, title. The id names a color. */
export const GROUPS = /** @type {const} */ ([
  ["size", "size or stride"],
  ["tensor", "dtype, device, requires_grad"],
  ["value", "value"],
  ["object", "type, object, structure"],
  ["state", "global state and other"],
]);
/** @type {Record<string, string>} */
const GROUP_OF = {
  size: "size",
  stride: "size",
  rank: "size",
  shape: "size",
  dtype: "tensor",
  device: "tensor",
  requires_grad: "tensor",
  dispatch_keys: "tensor",
  value: "value",
  flag: "value",
  type: "object",
  identity: "object",
  length: "object",
  keys: "object",
  attribute: "object",
  aliasing: "object",
};
/** @type {Record<string, (name: string, dimension: number | null) => string>} */
const FORMS = {
  size: (name, at) => `${name}.size(${at ?? ""})`,
  stride: (name, at) => `${name}.stride(${at ?? ""})`,
  rank: (name) => `${name}.dim()`,
  dtype: (name) => `${name}.dtype`,
  device: (name) => `${name}.device`,
  requires_grad: (name) => `${name}.requires_grad`,
  dispatch_keys: (name) => `${name} dispatch keys`,
  type: (name) => `type(${name})`,
  length: (name) => `len(${name})`,
};

/**
 * Return torch's reason in a few characters.
 * @param {Reason} reason @param {Guard | null} guard of the reason, if it is known
 * @param {Map<string, Value> | undefined} input of the call
 * @returns {Short}
 */
export function shortReason(reason, guard, input) {
  const { change, dimension, expected } = reason;
  const group = GROUP_OF[change] ?? "state";
  const isCondition = change === "shape" || reason.source === null;
  const name = localName(reason.source ?? "");
  const what = isCondition ? localName(reason.guard) : (FORMS[change]?.(name, dimension) ?? name);
  if (isCondition || expected === null) {
    const outcome = guard && input ? checkGuard(guard, input) : null;
    return { what, values: outcome?.holds === false ? localName(outcome.actual ?? "") : "", group };
  }
  const actual = reason.actual ?? given(what, input) ?? given(name, input);
  return { what, values: actual === null ? `not ${expected}` : `${expected} → ${actual}`, group };
}

/** @param {string} name @param {Map<string, Value> | undefined} input */
function given(name, input) {
  for (const [source, value] of input ?? []) if (localName(source) === name) return repr(value);
  return null;
}

/**
 * Return a failing guard as a sentence part: its text, and expected and actual value.
 * @param {Guard} guard @param {Map<string, Value> | undefined} input
 */
export function guardParts(guard, input) {
  const outcome = input ? checkGuard(guard, input) : null;
  const text = localName(
    guard.kind === "TENSOR_MATCH" ? (guard.source ?? guard.text) : guard.text || guard.kind,
  );
  if (outcome?.holds !== false)
    return {
      text,
      values: guard.expected && guard.kind === "TENSOR_MATCH" ? `expected ${guard.expected}` : "",
    };
  if (outcome.expected === guard.text)
    return { text, values: outcome.actual ? `but ${localName(outcome.actual)}` : "" };
  return {
    text: localName(guard.source ?? guard.text),
    values: `expected ${localName(outcome.expected ?? "")}, got ${localName(outcome.actual ?? "")}`,
  };
}
