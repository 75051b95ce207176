// Compilation metrics: every field, put into a few groups by what its name says.
import { fill, h } from "../lib/dom.js";
import { count, plural, time } from "../lib/format.js";
import { prettyJson } from "../lib/text.js";

/** @type {[string, RegExp][]} the first that fits */
const GROUPS = [
  ["What", /^(compile_id|frame_key|co_|stack_trace|is_|cuda_version|triton_version|python_version|feature_usage|.*job)/],
  ["Failure and restarts", /(fail|restart|exception|non_compliant|compliant_custom)/],
  ["Configuration", /config/],
  ["Times", /(_us|_ms|_s|_time|_ns)$/],
  ["Graph, guards and recompiles", /(graph|guard|cache_size|recompile|specializ|shape|node|symbol)/],
  ["Caches", /cache/],
];

/** @param {any} metadata the metadata of the record */
export function metricsTable(metadata) {
  const type = Object.keys(metadata).find((key) => key.includes("compilation_metrics")) ?? Object.keys(metadata)[0];
  const fields = Object.entries(metadata[type] ?? {});
  const known = fields.filter(([, value]) => value !== null && value !== "");
  /** @type {Map<string, [string, any][]>} */
  const groups = new Map([...GROUPS.map(([title]) => title), "Other"].map((title) => [title, []]));
  for (const field of known) groups.get(GROUPS.find(([, pattern]) => pattern.test(field[0]))?.[0] ?? "Other")?.push(field);
  const element = h("div", { class: "scroll padded", tabindex: "0", role: "region", "aria-label": "Metrics" });
  const empty = fields.length - known.length;
  const names = h("p", { class: "dim" });
  const more = h("button", { class: "tool", onclick: () => fill(names, fields.filter(([, v]) => v === null || v === "").map(([name]) => name).join(", ")) }, "Show their names");
  return fill(element, [...groups].filter(([, list]) => list.length).map(([title, list]) => h("section", null,
    h("h3", null, title), h("dl", { class: "pairs metrics" }, list.map(([name, value]) => [h("dt", { class: "mono" }, name), h("dd", null, show(name, value))]).flat()))),
  empty > 0 && h("section", null, h("h3", null, `${plural(empty, "field")} without a value`), names, more));
}

/** @param {string} name @param {any} value */
function show(name, value) {
  if (typeof value === "number") return h("span", { title: String(value) }, number(name, value));
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) {
    return value.length ? h("ul", null, value.map((item) => h("li", null, h("pre", { class: "wrapped" }, item)))) : "none";
  }
  const text = typeof value === "string" ? prettyJson(value) ?? value : JSON.stringify(value, null, 2);
  if (text.length < 200 && !text.includes("\n")) return h("span", { class: "mono" }, text);
  return h("details", null, h("summary", null, `${count(text.length)} characters`), h("pre", { class: "wrapped" }, text));
}

/** @param {string} name @param {number} value */
function number(name, value) {
  if (/(^|_)(start|end)_time/.test(name)) {
    const ms = name.endsWith("_us") ? value / 1000 : value * 1000;
    return Number.isFinite(ms) && Math.abs(ms) < 8e15 ? new Date(ms).toISOString().replace("T", " ").replace("Z", " UTC") : String(value);
  }
  const unit = /_(us|ms|s|ns)$/.exec(name)?.[1];
  if (!unit) return Number.isInteger(value) && !/line|version/.test(name) ? count(value) : String(value);
  return time(Math.round(value * { ns: 1e-3, us: 1, ms: 1e3, s: 1e6 }[/** @type {"us"} */ (unit)]));
}
