// The ways to the other viewers: provenance, for compiles that have something to show there, and ranks, for bundles with their analyses.
import { h } from "../../lib/page/dom.js";
import { inViewer } from "../../lib/page/page-bundle.js";

const NAMES = new Set([
  "inductor_provenance_tracking_node_mappings", "inductor_provenance_tracking_kernel_stack_traces",
  "inductor_triton_kernel_to_post_grad_nodes", "inductor_post_to_pre_grad_nodes",
]);

/** @param {import("../../lib/bundle/log.js").Log} log @param {string} [compile] key @param {string} [logId] when the address names it */
const address = (log, compile, logId) => inViewer(log.bundle, "provenance", { ...(logId || log !== log.bundle.logs[0] ? { log: log.id } : {}), ...(compile ? { compile } : {}) });

/** The viewer for this log; null when torch recorded none. @param {any} model @param {import("../../lib/page/hash-state.js").HashState} state */
export const provenanceAddress = ({ log, directory }, state) =>
  directory.kinds.some((/** @type {any} */ kind) => NAMES.has(kind.name)) ? address(log, undefined, state.current.log) : null;

/** Null when torch recorded no provenance, or the bundle has no address that could be handed on. @param {any} log @param {any} compile @param {any[]} artifacts of the compile @param {import("../../lib/page/hash-state.js").HashState} state */
export function provenanceLink(log, compile, artifacts, state) {
  const href = address(log, compile.key, state.current.log);
  if (href === null || !artifacts.some((artifact) => artifact.hash !== null && artifact.size_bytes > 2 && NAMES.has(artifact.name))) return null;
  return h("a", { href, class: "provenance-link", title: "From source lines through the graphs to kernels, line by line" }, "Provenance ›");
}

/** @typedef {import("../../lib/bundle/bundle.js").Bundle} Bundle */

/** Null when there is nothing to compare, or the bundle has no address that could be handed on. @param {Bundle} bundle @param {string} text */
export function ranksLink(bundle, text) {
  const href = ranksAddress(bundle);
  return href === null ? null : h("a", { href, class: "ranks-link", title: "What differs between the ranks, and who waits for whom" }, text);
}

/** @param {Bundle} bundle @param {Record<string, string>} [state] of the other viewer */
export const ranksAddress = (bundle, state) => (bundle.manifest.ranks ? inViewer(bundle, "multirank", state) : null);
