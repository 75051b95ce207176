// Names of the compile caches and of lookup outcomes.
import { h } from "../../lib/page/dom.js";
import { count, firstLine } from "../../lib/page/format.js";

export const CACHES = /** @type {Record<string, string>} */ ({
  fx_graph: "FX graph",
  aot_autograd: "AOTAutograd",
  pgo: "PGO profile",
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

/** Return the reason that torch recorded, or the failed guard, or the new components of the key. @param {any} row */
export const cacheReason = (row) =>
  row.reason !== null ? firstLine(row.reason) : (row.guard ?? row.different.join(", "));
