// The names of the compile caches and of what came of asking them.
import { h } from "../../lib/page/dom.js";
import { count, firstLine } from "../../lib/page/format.js";

export const CACHES = /** @type {Record<string, string>} */ ({
  fx_graph: "FX graph",
  aot_autograd: "AOTAutograd",
  pgo: "profile (PGO)",
  precompile: "precompile",
});
const OUTCOMES = /** @type {Record<string, [string, string, string]>} */ ({
  // sign, tone, plural
  hit: ["✔", "ok", "hits"],
  miss: ["○", "break", "misses"],
  bypass: ["✂", "break", "bypasses"],
  disabled: ["–", "none", "disabled"],
  get: ["↓", "none", "read"],
  put: ["↑", "none", "written"],
  error: ["✖", "error", "errors"],
  key: ["·", "none", "keys"],
});

/** "12 hits" @param {string} outcome @param {number} n */
export const outcomeCount = (outcome, n) =>
  `${count(n)} ${n === 1 && ["hit", "miss", "bypass", "error", "key"].includes(outcome) ? outcome : (OUTCOMES[outcome]?.[2] ?? outcome)}`;

/** @param {string} outcome */
export function outcomeBadge(outcome) {
  const [sign, tone] = OUTCOMES[outcome] ?? ["·", "none"];
  return h(
    "span",
    { class: `status status-${tone}` },
    h("span", { "class": "sign", "aria-hidden": "true" }, sign),
    " ",
    outcome,
  );
}

/** What the record says about why, as torch wrote it; else which parts of the key are new. @param {any} row */
export const cacheReason = (row) =>
  row.reason !== null ? firstLine(row.reason) : (row.guard ?? row.different.join(", "));
