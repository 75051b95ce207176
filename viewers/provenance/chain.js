// The status line: "kernel triton_poi_fused_add_relu_0 ← relu, add_1 ← model.py:14".
import { lastParts } from "../lib/page/paths.js";
import { byLineAlone, follow, nodeName } from "./model.js";

const MOST_NAMES = 4;

/**
 * @param {import("./model.js").Model} model @param {import("./model.js").Place} place
 * @param {string[]} postLines text of the post-grad graph @param {(file: string) => string} short
 * @returns {{head: string, lines: string, about: string, full: string, first: {file: string, line: number} | null} | null} what the place leads to, and the source lines with the first of them; null when it has no counterpart
 */
export function chain(model, place, postLines, short) {
  const found = follow(model, place);
  if (!found.kernels.size && !found.post.size && !found.pre.size && !found.source.size) return null;
  const kernels = [...found.kernels].map((k) => model.kernels[k].label);
  const nodes = [...found.post].sort((a, b) => a - b).map((line) => nodeName(postLines[line - 1] ?? ""));
  const places = placesOf(model, found.source, short);
  const about =
    byLineAlone(model, place) || (model.byLine.pre && place.pane === "pre") ? " (by source line)" : "";
  const head = (/** @type {number} */ most) =>
    [
      kernels.length ? `${kernels.length > 1 ? "kernels" : "kernel"} ${list(kernels, most)}` : "no kernel",
      nodes.length ? list(nodes, most) : "no post-grad node",
    ].join(" ← ");
  return {
    head: `${head(MOST_NAMES)} ← `,
    lines: places?.short ?? "no source line",
    first: places?.first ?? null,
    about,
    full: `${head(Infinity)} ← ${places?.full ?? "no source line"}${about}`,
  };
}

/**
 * Return text such as "model.py:14, 16" for the first file, user files before libraries; null without sources.
 * @param {import("./model.js").Model} model @param {Iterable<number>} sources @param {(file: string) => string} short
 */
export function placesOf(model, sources, short) {
  const rows = [...new Set(sources)].map((s) => model.source(s)).sort((a, b) => a.line - b.line);
  const own = rows.filter((row) => !row.library);
  const files = /** @type {Map<string, Set<number>>} */ (new Map());
  for (const { file, line } of own.length ? own : rows) {
    const name = lastParts(short(file));
    files.set(name, (files.get(name) ?? new Set()).add(line));
  }
  const [first] = files;
  if (!first) return null;
  const left =
    [...files.values()].reduce((sum, lines) => sum + lines.size, 0) - Math.min(MOST_NAMES, first[1].size);
  return {
    first: (own.length ? own : rows)[0],
    short: `${first[0]}:${[...first[1]].slice(0, MOST_NAMES).join(", ")}${left ? ` and ${left} more` : ""}`,
    full: [...files].map(([name, lines]) => `${name}:${[...lines].join(", ")}`).join("; "),
  };
}

/** @param {string[]} names @param {number} most */
export const list = (names, most) =>
  names.length <= most
    ? names.join(", ")
    : `${names.slice(0, most).join(", ")} and ${names.length - most} more`;
