// The stacks with frames of one file, or of one package, put together. No page needed.
import { shortFile } from "../../lib/page/paths.js";

/**
 * What the tree and the flame go through: a trie whose nodes are numbers of stacks. A group is known by its first one.
 * @typedef {object} Trie
 * @property {ArrayLike<number>} parent a parent stands before its children
 * @property {(stack: number) => import("../../lib/bundle/stacks.js").Frame} frame
 * @property {(stack: number) => number} place the node that a stack belongs to
 * @property {((stack: number) => string) | null} title of a group; null when nothing is put together
 */

export const GROUPS = [
  ["", "each frame"],
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
  const known = new Map();
  for (let i = 0; i < parent.length; i++) {
    const up = parent[i] < 0 ? -1 : node[parent[i]];
    titles[i] = title(i);
    if (up >= 0 && titles[up] === titles[i]) {
      node[i] = up;
      continue;
    }
    const key = `${up} ${titles[i]}`;
    node[i] = known.get(key) ?? i;
    known.set(key, node[i]);
    above[i] = up;
  }
  return { parent: above, frame, place: (stack) => node[stack], title: (stack) => titles[stack] };
}

/** "torch" for what is installed, the folder for what is not. @param {string | null} file @param {(file: string | null) => string} short */
function packageOf(file, short) {
  if (!file) return "(unknown file)";
  if (file.startsWith("<")) return "generated code";
  const installed = shortFile(file);
  if (installed !== file && !installed.startsWith("/")) return installed.split("/")[0].replace(/\.py$/, "");
  const folder = short(file).split("/").slice(0, -1).join("/");
  return folder || "the program";
}

/** Compiles at or below a node. @param {any} model @param {Trie} trie @param {number} node */
export function compilesBelow(model, trie, node) {
  return model.compiles.flatMap((/** @type {any} */ compile, /** @type {number} */ i) => {
    if (compile.stack === null) return [];
    for (let at = trie.place(compile.stack); at >= node; at = trie.parent[at]) if (at === node) return [i];
    return [];
  });
}
