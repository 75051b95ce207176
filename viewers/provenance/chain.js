// The status line: "kernel triton_poi_fused_add_relu_0 ← relu, add_1 ← model.py:14".
import { byLineAlone, follow, nodeName } from "./model.js";

const MOST_NAMES = 4;

/**
 * @param {import("./model.js").Model} model @param {import("./model.js").Place} place
 * @param {string[]} postLines text of the post-grad graph @param {(file: string) => string} short
 * @returns {{text: string, full: string} | null} null when the place has no counterpart
 */
export function chain(model, place, postLines, short) {
  const found = follow(model, place);
  if (!found.kernels.size && !found.post.size && !found.pre.size && !found.source.size) return null;
  const kernels = [...found.kernels].map((k) => model.kernels[k].label);
  const nodes = [...found.post].sort((a, b) => a - b).map((line) => nodeName(postLines[line - 1] ?? ""));
  const rows = [...found.source].map((s) => model.source(s)).sort((a, b) => a.line - b.line);
  const own = rows.filter((row) => !row.library);
  const lines = [...new Set((own.length ? own : rows).map((row) => `${short(row.file).split("/").pop()}:${row.line}`))];
  const about = byLineAlone(model, place) || (model.byLine.pre && place.pane === "pre") ? " (by source line)" : "";
  const text = (/** @type {number} */ most) => [
    kernels.length ? `${kernels.length > 1 ? "kernels" : "kernel"} ${list(kernels, most)}` : "no kernel",
    nodes.length ? list(nodes, most) : "no post-grad node",
    lines.length ? list(lines, most) : "no source line",
  ].join(" ← ") + about;
  return { text: text(MOST_NAMES), full: text(Infinity) };
}

/** @param {string[]} names @param {number} most */
export const list = (names, most) => (names.length <= most ? names.join(", ") : `${names.slice(0, most).join(", ")} and ${names.length - most} more`);
