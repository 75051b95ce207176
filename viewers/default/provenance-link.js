// The way to the provenance viewer, for compiles that have something to show there.
import { h } from "../lib/dom.js";

const NAMES = new Set([
  "inductor_provenance_tracking_node_mappings", "inductor_provenance_tracking_kernel_stack_traces",
  "inductor_triton_kernel_to_post_grad_nodes", "inductor_post_to_pre_grad_nodes",
]);

/** Null when torch recorded no provenance, or the bundle has no address that could be handed on. @param {any} log @param {any} compile @param {any[]} artifacts of the compile @param {import("../lib/hash-state.js").HashState} state */
export function provenanceLink(log, compile, artifacts, state) {
  if (!log.bundle.source.url || !artifacts.some((artifact) => artifact.hash !== null && artifact.size_bytes > 2 && NAMES.has(artifact.name))) return null;
  const url = new URL("../provenance/", location.href);
  url.search = location.search;
  url.hash = new URLSearchParams({ v: "1", ...(state.current.log ? { log: log.id } : {}), compile: compile.key }).toString();
  return h("a", { href: url.href, class: "provenance-link", title: "From source lines through the graphs to kernels, line by line" }, "Provenance ›");
}
