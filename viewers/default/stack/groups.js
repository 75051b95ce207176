// Stacks with frames grouped by file or package. Needs no page.
import { shortFile } from "../../lib/page/paths.js";

/**
 * The trie that the tree and the flame graph walk. Its nodes are stack ids; a group has the id of its first stack.
 * @typedef {object} Trie
 * @property {ArrayLike<number>} parent parent of each node, or -1; parents come before their children
 * @property {(stack: number) => import("../../lib/bundle/stacks.js").Frame} frame
 * @property {(stack: number) => number} place the node of a stack
 * @property {((stack: number) => string) | null} title of a group; null without grouping
 */

export const GROUPS = [
  ["", "no grouping"],
  ["file", "by file"],
  ["package", "by package"],
];

/** @param {import("../../lib/bundle/stacks.js").Stacks} stacks @param {string} kind @param {(file: string | null) => string} short @returns {Trie} */
export function groupedStacks(stacks, kind, short) {
  const { parent } = stacks;
  const frame = (/** @type {number} */ i) => stacks.frame(i);
  if (kind !== "file" && kind !== "package") return { parent, frame, place: (stack) => stack, title: null };
  const title = (/** @type {number} */ stack) => {
    const { file } = frame(stack);
    return kind === "file" ? short(file) : packageOf(file, short);
  };
  const node = new Int32Array(parent.length);
  const above = new Int32Array(parent.length).fill(-1);
  const titles = new Array(parent.length);
  /** @type {Map<string, number>} */
  const nodes = new Map();
  for (let i = 0; i < parent.length; i++) {
    const up = parent[i] < 0 ? -1 : node[parent[i]];
    titles[i] = title(i);
    if (up >= 0 && titles[up] === titles[i]) {
      node[i] = up;
      continue;
    }
    const key = `${up} ${titles[i]}`;
    node[i] = nodes.get(key) ?? i;
    nodes.set(key, node[i]);
    above[i] = up;
  }
  return { parent: above, frame, place: (stack) => node[stack], title: (stack) => titles[stack] };
}

/** Return the name of an installed package, or the folder of any other file. @param {string | null} file @param {(file: string | null) => string} short */
function packageOf(file, short) {
  if (!file) return "(unknown file)";
  if (file.startsWith("<")) return "generated code";
  const installed = shortFile(file);
  if (installed !== file && !installed.startsWith("/")) return installed.split("/")[0].replace(/\.py$/, "");
  const folder = short(file).split("/").slice(0, -1).join("/");
  return folder || "the program";
}

/** Return the indexes of the compiles at or below a node. @param {any} model @param {Trie} trie @param {number} node */
export function compilesBelow(model, trie, node) {
  return model.compiles.flatMap((/** @type {any} */ compile, /** @type {number} */ i) => {
    if (compile.stack === null) return [];
    for (let at = trie.place(compile.stack); at >= node; at = trie.parent[at]) if (at === node) return [i];
    return [];
  });
}
