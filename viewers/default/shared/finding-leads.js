// Links from a finding to the views of this viewer, finding cards for a row of a table, and links to the other viewers.
import { findingCard } from "../../lib/finding/card.js";
import { h, plain, rich } from "../../lib/page/dom.js";
import { count } from "../../lib/page/format.js";
import { inViewer } from "../../lib/page/page.js";
import { compilesOf } from "./model.js";
import { compileLinks, recordLink } from "./parts.js";

/** @typedef {import("../../lib/finding/card.js").Finding} Finding */
/** @typedef {import("../../lib/live/running-data.js").Found | null} Findings */

const MOST_CARDS = 20;

/** @param {Finding} finding */
const ofCudaGraph = ({ compiles: [compile], details }) => ({
  view: "cudagraphs",
  item: `${compile}:${details.direction}`,
});

/** Address of the list that shows a finding, by its kind. Kinds without an entry have no list. @type {Record<string, (finding: Finding) => Record<string, any>>} */
const PLACES = {
  "failure": ({ fingerprint }) => ({ view: "failures", item: fingerprint }),
  "unfinished-compile": ({ fingerprint }) => ({ view: "failures", item: fingerprint }),
  "restart": ({ fingerprint }) => ({ view: "failures", item: fingerprint }),
  "recompile": ({ fingerprint }) => ({ view: "recompiles", item: fingerprint }),
  "recompile-limit": ({ fingerprint }) => ({ view: "recompiles", item: fingerprint }),
  "runs-eager": ({ details }) => ({ view: details.reason === "suppressed" ? "failures" : "breaks" }),
  "graph-break": ({ details }) => ({ view: "breaks", q: details.reason }),
  "specialization": ({ function: name }) => ({ view: "symbols", type: "constant", q: name ?? "" }),
  "cache-miss": ({ details }) => ({ view: "caches", type: details.cache, status: "miss" }),
  "cache-bypass": ({ details }) => ({ view: "caches", type: details.cache, status: "bypass" }),
  "cache-error": ({ details }) => ({ view: "caches", type: details.cache, status: "error" }),
  "export-failure": ({ events: [event] }) => ({ view: "export", item: event ?? "" }),
  "export-assumption": ({ events: [event] }) => ({ view: "export", item: event ?? "" }),
  "guard-cost": ({ events: [event] }) => ({ view: "guards", item: event ?? "" }),
  "slow-span": ({ details }) => ({ view: "timeline", q: `"${details.span}"` }),
  "autotune": ({ details }) =>
    details.when === "compile" ? { view: "autotuning" } : { view: "timeline", q: "CachingAutotuner" },
  "cudagraph-skip": ofCudaGraph,
  "cudagraph-rerecord": ofCudaGraph,
  "fallback": ({ details }) => ({
    view: "kernels",
    type: "fallback",
    q: String(details.operator).replace("aten.", ""),
  }),
  "memory-peak": ({ compiles: [compile] }) => ({ view: "memory", item: compile ?? "" }),
  "saved-recomputable": ({ compiles: [compile] }) => ({ view: "memory", item: compile ?? "" }),
  "hot-line": () => ({ view: "runtime" }),
  "device-idle": () => ({ view: "runtime" }),
  "lookup-time": () => ({ view: "runtime" }),
  "break-time": () => ({ view: "runtime" }),
  "copy-time": () => ({ view: "runtime" }),
  "slow-worker": ({ events: [event] }) => ({ view: "workers", item: `j${event}` }),
  "native-compile": ({ events: [event] }) => ({ view: "workers", item: `n${event}` }),
  "data-problem": ({ details }) => ({ view: "diagnostics", q: details.code }),
};

/** Return the file of a compile that a finding has shortened; null when it is none or several. @param {any} model @param {string | null} short */
function wholePath(model, short) {
  model.files ??= [...new Set(model.compiles.map((/** @type {any} */ compile) => compile.file ?? ""))];
  const files = model.files.filter((/** @type {string} */ file) => `/${file}`.endsWith(`/${short}`));
  return files.length === 1 ? files[0] : null;
}

/** @param {any} model @param {any} state @param {Findings} found @returns {import("../../lib/finding/card.js").Leads} */
export const leadsOf = (model, state, found) => ({
  title: (finding) =>
    Object.hasOwn(PLACES, finding.kind) ? state.link(PLACES[finding.kind](finding)) : null,
  file: ({ file }) => wholePath(model, file),
  compiles: (keys) => compileLinks(model, compilesOf(model, { compiles: keys }), state),
  record: (index) => recordLink(index, state),
  span: (index) =>
    h("a", { href: state.link({ view: "timeline", span: `s${index}` }) }, `span ${count(index)}`),
  links: (finding) =>
    finding.kind === "recompile" ? [guardsLink(model, state, compilesOf(model, finding)[0])] : [],
  cause: (id) => {
    const other = found?.findings.find((one) => one.id === id);
    return other
      ? h(
          "a",
          { href: state.link({ view: "overview", item: other.fingerprint }), title: plain(other.title) },
          rich(other.title),
        )
      : null;
  },
});

/** Return a link that compares a recompile's guards with those of the compile before it, or null. @param {any} model @param {any} state @param {number | undefined} index */
function guardsLink({ log, compiles }, state, index) {
  const compile = compiles[index ?? -1];
  const before =
    compile &&
    compiles.findLast(
      (/** @type {any} */ other) =>
        other.frame_id === compile.frame_id &&
        other.frame_compile_id === compile.frame_compile_id - 1 &&
        other.occurrence === compile.occurrence &&
        other.compiled_autograd_id === compile.compiled_autograd_id,
    );
  if (!before || !(before.guard_count && compile.guard_count)) return null;
  return h(
    "a",
    {
      href: state.link({
        view: "compare",
        left: `${log.id}/${before.key}`,
        right: `${log.id}/${compile.key}`,
        artifact: "dynamo_cpp_guards_str",
      }),
    },
    "compare guards",
  );
}

/** Return cards of the findings that match a condition, for the details of a row. @param {any} model @param {any} state @param {Findings} found @param {(finding: Finding) => boolean} fits */
export function cards(model, state, found, fits, options = { level: 2, whole: true }) {
  const leads = leadsOf(model, state, found);
  return (found?.findings ?? [])
    .filter(fits)
    .slice(0, MOST_CARDS)
    .map((finding) => findingCard(finding, leads, options));
}

/** Return a condition for cards(): the finding names one of these records. @param {...number} events */
export const shownBy =
  (...events) =>
  (/** @type {Finding} */ finding) =>
    events.some((event) => finding.events.includes(event));

// Links to the other viewers, where they have something to show.

const NAMES = new Set([
  "inductor_provenance_tracking_node_mappings",
  "inductor_provenance_tracking_kernel_stack_traces",
  "inductor_triton_kernel_to_post_grad_nodes",
  "inductor_post_to_pre_grad_nodes",
]);

/** @param {import("../../lib/bundle/log.js").Log} log @param {string} [compile] key @param {string} [logId] the log id in the current address, if any */
const address = (log, compile, logId) =>
  inViewer(log.bundle, "provenance", {
    ...(logId || log !== log.bundle.logs[0] ? { log: log.id } : {}),
    ...(compile ? { compile } : {}),
  });

/** Whether torch recorded the provenance of any kernel. @param {{directory: any}} model */
export const hasProvenance = ({ directory }) =>
  directory.kinds.some((/** @type {any} */ kind) => NAMES.has(kind.name));

/** Return the address of the provenance viewer for a log, or null when torch recorded no provenance. @param {any} model @param {import("../../lib/page/hash-state.js").HashState} state */
export const provenanceAddress = ({ log, directory }, state) =>
  hasProvenance({ directory }) ? address(log, undefined, state.current.log) : null;

const VLLM = new Set(["vllm_compilation_config", "vllm_piecewise_compile_start", "vllm_execution_code"]);

/** Return the address of the vLLM viewer for a log, or null for a log without vLLM records. @param {any} model @param {import("../../lib/page/hash-state.js").HashState} state */
export const vllmAddress = ({ log, directory }, state) =>
  directory.kinds.some((/** @type {any} */ kind) => VLLM.has(kind.name))
    ? inViewer(log.bundle, "vllm", state.current.log || log !== log.bundle.logs[0] ? { log: log.id } : {})
    : null;

/** Return a link to a compile's provenance, or null when there is none or the bundle has no address. @param {any} log @param {any} compile @param {any[]} artifacts of the compile @param {import("../../lib/page/hash-state.js").HashState} state */
export function provenanceLink(log, compile, artifacts, state) {
  const href = address(log, compile.key, state.current.log);
  if (
    href === null ||
    !artifacts.some(
      (artifact) => artifact.sha256 !== null && artifact.size_bytes > 2 && NAMES.has(artifact.name),
    )
  )
    return null;
  return h(
    "a",
    { href, class: "provenance-link", title: "Source lines, graph nodes and kernels, linked line by line" },
    "Provenance ›",
  );
}

/** @typedef {import("../../lib/bundle/bundle.js").Bundle} Bundle */

/** Return a link to the multirank viewer, or null when there is nothing to compare or the bundle has no address. @param {Bundle} bundle @param {string} text */
export function ranksLink(bundle, text) {
  const href = ranksAddress(bundle);
  return href === null
    ? null
    : h(
        "a",
        { href, class: "ranks-link", title: "Differences between the ranks, and ranks that wait for others" },
        text,
      );
}

/** @param {Bundle} bundle @param {Record<string, string>} [state] state of the multirank viewer */
export const ranksAddress = (bundle, state) =>
  bundle.manifest.rank_tables ? inViewer(bundle, "multirank", state) : null;
