// The views of this viewer, by the question that they answer, and how much there is to see in each.
import { hasExport, kindCount, summaryOf } from "../shared/model.js";
import { provenanceAddress, ranksAddress, vllmAddress } from "../shared/finding-leads.js";

/** @typedef {import("../../lib/frame/frame.js").Group} Group */

/** Views that belong to another one. @type {Record<string, string>} */
const PART_OF = { compile: "compiles", compare: "compiles" };

/** Title, and per view: id, title, icon. @type {[string, [string, string][]][]} */
const GROUPS = [
  ["", [["overview", "Overview"]]],
  [
    "Problems",
    [
      ["failures", "Failures"],
      ["breaks", "Breaks"],
      ["recompiles", "Recompiles"],
      ["guards", "Guards"],
      ["export", "Export"],
    ],
  ],
  [
    "Time",
    [
      ["timeline", "Timeline"],
      ["caches", "Caches"],
    ],
  ],
  [
    "Code",
    [
      ["stack", "Stack"],
      ["compiles", "Compiles"],
      ["kernels", "Kernels"],
      ["provenance", "Provenance"],
      ["vllm", "vLLM"],
      ["symbols", "Symbols"],
      ["tensors", "Tensors"],
    ],
  ],
  ["Ranks", [["ranks", "Ranks"]]],
  [
    "Raw",
    [
      ["events", "Records"],
      ["anatomy", "Log anatomy"],
      ["diagnostics", "Diagnostics"],
    ],
  ],
];

/** Where the rail shows that one is. @param {string} view */
export const railView = (view) => PART_OF[view] ?? view;

/** Every view of the rail: id and title, for the palette. */
export const VIEW_TITLES = GROUPS.flatMap(([, views]) => views);

/**
 * @param {import("../../lib/bundle/bundle.js").Bundle} bundle @param {import("../../lib/page/hash-state.js").HashState} state
 * @param {import("../../lib/bundle/log.js").Log | null} log
 * @param {import("../shared/model.js").Model | null} model what is known when the tables are there
 * @param {number} ranksFound findings over the ranks that are errors or warnings
 * @returns {Group[]}
 */
export function viewGroups(bundle, state, log, model, ranksFound) {
  if (bundle.logs.length === 0) return [];
  const kept = /** @type {Record<string, string>} */ (
    log && state.current.log ? { log: state.current.log } : {}
  ); // not a log that is not there

  const elsewhere = /** @type {Record<string, string | null>} */ ({
    ranks: ranksAddress(bundle),
    provenance: model ? provenanceAddress(model, state) : null,
    vllm: model ? vllmAddress(model, state) : null,
    export: model && hasExport(model) ? state.link({ ...kept, view: "export" }) : null,
  });
  const counts = log ? countsOf(bundle, log, model) : {};
  return GROUPS.map(([title, views]) => ({
    title,
    items: views
      .map(([id, name]) => {
        const href = id in elsewhere ? elsewhere[id] : state.link({ ...kept, view: id });
        const bad = { failures: "error", breaks: "warning", ranks: "warning", diagnostics: "warning" }[id];
        return href === null
          ? null
          : {
              id,
              title: name,
              icon: id === "events" ? "records" : id,
              href,
              count: id === "ranks" ? ranksFound : counts[id],
              tone: /** @type {any} */ (bad),
            };
      })
      .filter((item) => item !== null),
  })).filter(({ items }) => items.length > 0);
}

/** @param {import("../../lib/bundle/bundle.js").Bundle} bundle @param {import("../../lib/bundle/log.js").Log} log @param {import("../shared/model.js").Model | null} model @returns {Record<string, number>} */
function countsOf(bundle, log, model) {
  const summary = summaryOf(log);
  const repaired = Object.entries(log.summary.diagnostics).filter(
    ([code]) =>
      !(bundle.manifest.growing && code === "record-cut") /* its rest will come */ &&
      bundle.manifest.diagnostic_codes[code]?.severity !== "info",
  );
  return {
    diagnostics: repaired.reduce(
      (sum, [, n]) => sum + /** @type {number} */ (n),
      Object.values(bundle.manifest.diagnostics ?? {}).flat().length,
    ),
    compiles: summary.compile_count,
    failures: summary.failure_count ?? 0,
    breaks: summary.graph_break_count ?? 0,
    recompiles: summary.recompile_count ?? 0,
    ...(model
      ? {
          symbols: kindCount(model, "create_symbol") + kindCount(model, "create_unbacked_symbol"),
          tensors: kindCount(model, "describe_tensor"),
        }
      : {}),
  };
}
