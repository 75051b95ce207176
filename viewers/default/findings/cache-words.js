// The compile caches and what came of asking them, in words.
import { h } from "../../lib/page/dom.js";
import { count, firstLine } from "../../lib/page/format.js";

export const CACHES = /** @type {Record<string, string>} */ ({ fx_graph: "FX graph", aot_autograd: "AOTAutograd", pgo: "profile (PGO)", precompile: "precompile" });
const OUTCOMES = /** @type {Record<string, [string, string, string]>} */ ({ // sign, tone, plural
  hit: ["✔", "ok", "hits"], miss: ["○", "break", "misses"], bypass: ["✂", "break", "bypasses"], disabled: ["–", "none", "disabled"],
  get: ["↓", "none", "read"], put: ["↑", "none", "written"], error: ["✖", "error", "errors"], key: ["·", "none", "keys"],
});

/** "12 hits" @param {string} outcome @param {number} n */
export const outcomeCount = (outcome, n) => `${count(n)} ${n === 1 && ["hit", "miss", "bypass", "error", "key"].includes(outcome) ? outcome : OUTCOMES[outcome]?.[2] ?? outcome}`;

/** @param {string} outcome */
export function outcomeBadge(outcome) {
  const [sign, tone] = OUTCOMES[outcome] ?? ["·", "none"];
  return h("span", { class: `status status-${tone}` }, h("span", { class: "sign", "aria-hidden": "true" }, sign), " ", outcome);
}

/** Why it came out so, in one line. @param {any} row */
export function cacheWhy(row) {
  if (row.reason !== null) return firstLine(row.reason);
  if (row.guard !== null) return `a guard failed: ${row.guard}`;
  if (row.different.length) return `differs from an earlier key in ${row.different.slice(0, 3).join(", ")}${row.different_count > 3 ? ` and ${count(row.different_count - 3)} more` : ""}`;
  if (row.closest_event_index !== null) return "the same key as before";
  if (row.outcome === "miss") return row.detail === "guard_miss" ? "entries under the key, but their guards failed" : "no entry under the key";
  return "";
}
