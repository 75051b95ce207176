// The views of this viewer in their groups, and the count beside each.
import { openOverview } from "../overview/overview.js";
import { hasExport, hasRows, kindCount, summaryOf } from "../shared/model.js";
import { provenanceAddress, ranksAddress, vllmAddress } from "../shared/finding-leads.js";

/** @typedef {import("../../lib/frame/frame.js").Group} Group */

/** @typedef {() => Promise<(context: import("./viewer.js").Context) => Promise<import("./viewer.js").View>>} Load */

/** Views that the rail shows as part of another view. @type {Record<string, string>} */
const PART_OF = { compile: "compiles", compare: "compiles" };

/** Views without an entry in the rail. @type {Record<string, Load>} */
const UNLISTED = {
  compile: async () => (await import("../compile/compile.js")).openCompile,
  compare: async () => (await import("../compare/compare.js")).openCompare,
  search: async () => (await import("../search/search.js")).openSearch,
};

/**
 * Title of the group, and per view: id (also the name of its icon), title, and loader. A view without a loader is a
 * separate viewer.
 * @type {[string, [id: string, title: string, load?: Load][]][]}
 */
const GROUPS = [
  ["", [["overview", "Overview", async () => openOverview]]],
  [
    "Problems",
    [
      ["failures", "Failures", async () => (await import("../findings/failures.js")).openFailures],
      ["breaks", "Graph breaks", async () => (await import("../findings/breaks.js")).openBreaks],
      ["recompiles", "Recompiles", async () => (await import("../recompiles/recompiles.js")).openRecompiles],
      ["guards", "Guards", async () => (await import("../findings/guards.js")).openGuards],
      ["export", "Export", async () => (await import("../tables/export.js")).openExport],
    ],
  ],
  [
    "Time",
    [
      ["timeline", "Timeline", async () => (await import("../timeline/timeline.js")).openTimeline],
      ["runtime", "Run time", async () => (await import("../runtime/runtime.js")).openRuntime],
      ["caches", "Caches", async () => (await import("../findings/caches.js")).openCaches],
      ["autotuning", "Autotuning", async () => (await import("../tables/autotuning.js")).openAutotuning],
      ["workers", "Workers", async () => (await import("../tables/workers.js")).openWorkers],
    ],
  ],
  [
    "Code",
    [
      ["stack", "Stack", async () => (await import("../stack/stack.js")).openStack],
      ["compiles", "Compiles", async () => (await import("../compile/compiles.js")).openCompiles],
      ["artifacts", "Artifacts", async () => (await import("../artifact/artifacts.js")).openArtifacts],
      ["kernels", "Kernels", async () => (await import("../tables/kernels.js")).openKernels],
      ["memory", "Memory", async () => (await import("../memory/memory.js")).openMemory],
      ["cudagraphs", "CUDA graphs", async () => (await import("../tables/cudagraphs.js")).openCudaGraphs],
      ["provenance", "Provenance"],
      ["vllm", "vLLM"],
      ["symbols", "Symbols", async () => (await import("../tables/symbols.js")).openSymbols],
      ["tensors", "Tensors", async () => (await import("../tables/tensors.js")).openTensors],
    ],
  ],
  ["Ranks", [["ranks", "Ranks"]]],
  [
    "Raw",
    [
      ["events", "Records", async () => (await import("../records/events.js")).openEvents],
      ["anatomy", "Log anatomy", async () => (await import("../records/anatomy.js")).openAnatomy],
      ["diagnostics", "Diagnostics", async () => (await import("../records/diagnostics.js")).openDiagnostics],
    ],
  ],
];

/** Tables of the views that are listed only when the log has rows for them. @type {Record<string, string[]>} */
const TABLES = {
  autotuning: ["autotunings"],
  cudagraphs: ["cuda_graphs"],
  memory: ["memory"],
  runtime: ["profiles"],
  workers: ["worker_reports", "native_compiles"],
};

/** Return the id of the rail entry that is current in a view. @param {string} view */
export const railView = (view) => PART_OF[view] ?? view;

const LOADS = new Map([
  ...GROUPS.flatMap(([, views]) => views.map(([id, , load]) => /** @type {const} */ ([id, load]))),
  ...Object.entries(UNLISTED),
]);

/** Ids of all views of this viewer. */
export const VIEWS = [...LOADS.keys()].filter((id) => LOADS.get(id));

/** Return the loader of a view, or null for an unknown id. @param {string} view */
export const loaderOf = (view) => LOADS.get(view) ?? null;

/**
 * @param {import("../../lib/bundle/bundle.js").Bundle} bundle @param {import("../../lib/page/hash-state.js").HashState} state
 * @param {import("../../lib/bundle/log.js").Log | null} log
 * @param {import("../shared/model.js").Model | null} model null until the tables are loaded
 * @param {number} ranksFound number of errors and warnings among the findings across ranks
 * @returns {Group[]}
 */
export function viewGroups(bundle, state, log, model, ranksFound) {
  if (bundle.logs.length === 0) return [];
  const kept = /** @type {Record<string, string>} */ (
    log && state.current.log ? { log: state.current.log } : {}
  ); // drops an unknown log id

  const elsewhere = /** @type {Record<string, string | null>} */ ({
    ranks: ranksAddress(bundle),
    provenance: model ? provenanceAddress(model, state) : null,
    vllm: model ? vllmAddress(model, state) : null,
    export: model && hasExport(model) ? state.link({ ...kept, view: "export" }) : null,
    ...Object.fromEntries(
      Object.entries(TABLES).map(([view, names]) => [
        view,
        model && hasRows(model, ...names) ? state.link({ ...kept, view }) : null,
      ]),
    ),
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
      !(bundle.manifest.growing && code === "record-cut") /* the rest is still to be written */ &&
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
