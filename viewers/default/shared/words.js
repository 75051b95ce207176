// The causes of recompiles in words: what changed, and what usually helps.
import { h } from "../../lib/page/dom.js";
import { count } from "../../lib/page/format.js";

const MOST_VALUES = 5;

/** @typedef {{kind: string, source: string | null, index: number | null, guard: string | null, values: (number | string)[], remedy: string | null}} Cause */

/** Text in which `code` stands between backticks, as torch writes its hints. @param {string} text */
export const rich = (text) => text.split("`").map((part, i) => (i % 2 ? h("code", null, part) : part));

/** "L['x']" as the name that the user wrote. @param {string | null} source */
export const sourceName = (source) => source?.replace(/\bL\['(\w+)'\]/g, "$1") ?? null;

/** What differed, as short as it can be said: "x.size(0)". @param {{kind: string, source: string | null, index: number | null}} change */
export function subject({ kind, source, index }) {
  const name = sourceName(source) ?? "an input";
  /** @type {Record<string, string>} */
  const known = {
    size: `${name}.size(${index ?? "?"})`, stride: `${name}.stride(${index ?? "?"})`, rank: `${name}.dim()`, dtype: `${name}.dtype`, device: `${name}.device`,
    requires_grad: `${name}.requires_grad`, dispatch_keys: `dispatch keys of ${name}`, shape: `a condition on sizes${source ? ` of ${name}` : ""}`,
    type: `type(${name})`, identity: name, length: `len(${name})`, keys: `keys of ${name}`, attribute: `attributes of ${name}`,
    aliasing: "which inputs share memory", global_state: source ?? "a global state of torch", backend: "the backend",
  };
  return known[kind] ?? (source === null ? "a guard" : name);
}

/** "4 → 5 → 9" @param {(number | string)[]} values */
export function valuesText(values) {
  if (values.length === 0) return "";
  if (values.length === 1) return `no longer ${values[0]}`;
  if (values.length <= MOST_VALUES) return values.join(" → ");
  return `${values.slice(0, MOST_VALUES - 2).join(" → ")} → … → ${values[values.length - 1]} (${count(values.length)} values)`;
}

/** "x.size(0) changed (4 → 5)"; the guard in torch's words when that says more. @param {Cause} cause */
export function causeText(cause) {
  const values = valuesText(cause.values);
  const vague = ["other", "shape"].includes(cause.kind) && cause.guard;
  if (cause.kind === "identity") return `${subject(cause)} is another object`;
  return vague ? `${cause.guard} failed` : `${subject(cause)} changed${values && ` (${values})`}`;
}

/** What changed, as parts of a line. @param {Cause} cause */
export function causeParts(cause) {
  const values = valuesText(cause.values);
  if (["other", "shape"].includes(cause.kind) && cause.guard) return [h("code", { title: cause.guard }, cause.guard), " failed"];
  if (cause.kind === "identity") return [h("code", { title: cause.guard ?? "" }, subject(cause)), " is another object"];
  return [h("code", { title: cause.guard ?? "" }, subject(cause)), values && [": ", h("span", { class: "values" }, values)]];
}

/** @type {Record<string, (name: string, index: number | null) => string>} */
const REMEDIES = {
  mark_dynamic: (name, index) => `${index === null ? "`torch._dynamo.mark_dynamic`" : `\`torch._dynamo.mark_dynamic(${name}, ${index})\``} before the call, or \`torch.compile(dynamic=True)\`.`,
  same_layout: () => "Pass inputs of one memory layout, for instance by `.contiguous()`.",
  same_rank: () => "Pass inputs with the same number of dimensions, or compile a function for each.",
  same_dtype: () => "Pass inputs of one dtype: convert them before the call, or compile a function for each.",
  same_device: () => "Pass inputs on one device.",
  same_grad_mode: () => "Call it under one grad mode; inputs that need a gradient now and then make a compile each.",
  dynamic_int: () => "Let the integer be dynamic: `torch.compile(dynamic=True)`, or leave `torch._dynamo.config.specialize_int` off.",
  tensor_argument: () => "Pass the number as a tensor, so that its value is no constant of the code.",
  few_values: (name) => `Each value of \`${name}\` makes a compile of its own. That is fine for a few values; otherwise take the branch outside of the compiled function.`,
  same_type: () => "Pass arguments of one type.",
  same_object: () => "Pass the same object again instead of a new one, for instance a function that is made once.",
  same_structure: () => "Pass containers of one length and with the same keys.",
  no_aliasing: () => "Pass inputs that do not share memory, for instance a `.clone()`.",
  same_global_state: () => "Call it under one global state: grad mode, autocast, default dtype, number of threads.",
  same_backend: () => "Make the backend object once and pass it to every `torch.compile`.",
  force_parameter_static_shapes: () => "Set `torch._dynamo.config.force_parameter_static_shapes = False`.",
  use_duck_shape: () => "Equal sizes were taken for one symbol. Set `torch.fx.experimental._config.use_duck_shape = False`.",
  mark_unbacked: (name, index) => `Sizes 0 and 1 are special. \`torch._dynamo.decorators.mark_unbacked(${name}, ${index ?? "dim"})\` makes them like any other.`,
};

/** What usually helps; null for nothing in general. @param {Cause} cause @returns {string | null} with code between backticks */
export function remedyText(cause) {
  const name = (sourceName(cause.source) ?? "x").replaceAll("`", "'");
  return cause.remedy !== null && Object.hasOwn(REMEDIES, cause.remedy) ? REMEDIES[cause.remedy](name, cause.index) : null;
}

/** torch's hints without those that stand under every break. @param {string[]} hints */
export const usefulHints = (hints) => hints.filter((hint) => !/^(Please report an issue|It may be possible to write Dynamo tracing rules)/.test(hint));

/** Explanation and hints that torch put into a message, and the message without them. @param {string | null} reason */
export function takeApart(reason) {
  const text = reason ?? "";
  const [head] = text.split(/\n\s*(?:Explanation|Hint|Developer debug context): /);
  const explanation = /^\s*Explanation: (.+(?:\n(?!\s*(?:Hint|Developer debug context): |\s*$).*)*)/m.exec(text)?.[1] ?? null;
  return {
    head: head.trim(), explanation,
    hints: usefulHints([...text.matchAll(/^\s*Hint: (.+)$/gm)].map((match) => match[1].trim())),
    link: /https?:\/\/\S+$/m.exec(text)?.[0] ?? null,
  };
}
