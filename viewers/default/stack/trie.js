// The stack trie as rows to show. Loops instead of recursion, because stacks can be deep. Needs no page.
import { isTorch } from "../../lib/bundle/stacks.js";
import { compileLabel, isProblem } from "../shared/model.js";

/**
 * A row is a frame or a compile. A frame with a single child has that child at the same depth, so that a chain reads
 * like a traceback until it forks. Its first frame expands and collapses everything below.
 * @typedef {import("../../lib/list/tree.js").TreeRow & {depth: number, stack: number, compile: number, time: number, compiles: number}} Row
 */

/**
 * @param {any} model @param {import("./groups.js").Trie} stacks
 * @param {{problems: boolean, hideTorch: boolean, query: string, closed: Set<number>, label: (stack: number) => string}} options
 */
export function trieRows(model, stacks, options) {
  const trie = prune(model, stacks, options);
  /** @type {Row[]} */
  const rows = [];
  /** @type {{head: number, parent: string | null, level: number, depth: number, position: number, siblings: number}[]} */
  const work = [];
  const push = (
    /** @type {number[]} */ heads,
    /** @type {string | null} */ parent,
    /** @type {number} */ level,
    /** @type {number} */ depth,
    /** @type {number} */ before,
    /** @type {number} */ siblings,
  ) => {
    for (let i = heads.length - 1; i >= 0; i--)
      work.push({ head: heads[i], parent, level, depth, position: before + i + 1, siblings });
  };
  push(trie.roots, null, 1, 0, 0, trie.roots.length);
  for (let item = work.pop(); item; item = work.pop()) {
    const chain = chainFrom(item.head, trie);
    const tail = chain[chain.length - 1];
    const heads = trie.children[tail] ?? [];
    const compiles = trie.compiles[tail] ?? [];
    const open = !options.closed.has(item.head);
    const id = `s${item.head}`;
    const total = { time: trie.time[item.head], compiles: trie.count[item.head] };
    rows.push({
      ...item,
      id,
      stack: item.head,
      compile: -1,
      expanded: open,
      label: options.label(item.head),
      ...total,
    });
    if (!open) continue;
    const siblings = chain.length - 1 + compiles.length + heads.length;
    const child = { parent: id, level: item.level + 1, siblings, expanded: null };
    let position = 0;
    for (const stack of chain.slice(1)) {
      rows.push({
        ...child,
        id: `s${stack}`,
        depth: item.depth,
        stack,
        compile: -1,
        position: ++position,
        label: options.label(stack),
        time: 0,
        compiles: 0,
      });
    }
    for (const compile of compiles)
      rows.push({ ...child, ...compileRow(model, compile, item.depth + 1), position: ++position });
    push(heads, id, item.level + 1, item.depth + 1, position, siblings);
  }
  return { rows, shown: trie.shown, total: model.compiles.length };
}

/** @param {any} model @param {number} compile @param {number} depth */
export function compileRow(model, compile, depth) {
  const row = model.compiles[compile];
  return {
    id: `c${row.key}`,
    depth,
    stack: -1,
    compile,
    label: compileLabel(row),
    time: row.total_us ?? 0,
    compiles: 1,
  };
}

/** Return a frame and its descendants, while there is one child and no compile. @param {number} head @param {ReturnType<typeof prune>} trie */
function chainFrom(head, trie) {
  const chain = [head];
  for (let at = head; !trie.compiles[at] && trie.children[at]?.length === 1;)
    chain.push((at = trie.children[at][0]));
  return chain;
}

/**
 * Return the compiles that match, and the part of the trie that leads to them. 'weights' has what each compile adds to its frame.
 * @param {any} model @param {import("./groups.js").Trie} stacks @param {any} options
 */
export function prune(model, stacks, options) {
  const size = stacks.parent.length;
  const weigh = options.weigh ?? ((/** @type {any} */ compile) => compile.total_us ?? 0);
  const wanted = options.query.toLowerCase();
  const own = (/** @type {number} */ stack) =>
    wanted !== "" && options.label(stack).toLowerCase().includes(wanted);
  // Whether a frame or one of its callers matches: 0 not computed, 1 no, 2 yes. Computed only on the way to compiles.
  const fits = new Uint8Array(size);
  const pathFits = (/** @type {number} */ stack) => {
    const path = [];
    let at = stack;
    while (at >= 0 && !fits[at]) {
      path.push(at);
      at = stacks.parent[at];
    }
    let above = at >= 0 && fits[at] === 2;
    for (const i of path.reverse()) fits[i] = (above ||= own(i)) ? 2 : 1;
    return fits[stack] === 2;
  };
  /** @type {Record<number, number[]>} */
  const compiles = {};
  const needed = new Uint8Array(size);
  const time = new Float64Array(size);
  const count = new Int32Array(size);
  /** @type {Map<string, number>} */
  const weights = new Map();
  const counted = new Set();
  let shown = 0;
  model.compiles.forEach((/** @type {any} */ compile, /** @type {number} */ index) => {
    if (compile.stack === null || compile.stack >= size || (options.problems && !isProblem(compile))) return;
    const stack = stacks.place(compile.stack);
    if (wanted && !compileLabel(compile).toLowerCase().includes(wanted) && !pathFits(stack)) return;
    (compiles[stack] ??= []).push(index);
    shown++;
    count[stack]++;
    const key = compile.compile;
    if (!counted.has(key)) {
      time[stack] += weigh(compile);
      weights.set(`${stack} ${key}`, weigh(compile));
    }
    counted.add(key);
    for (let at = stack; at >= 0 && !needed[at]; at = stacks.parent[at]) needed[at] = 1;
  });
  return {
    ...link(stacks, needed, compiles, time, count, options.hideTorch),
    compiles,
    time,
    count,
    weights,
    shown,
  };
}

/**
 * Return the roots and the children of each frame, and add times and counts from the leaves up. With hideTorch, torch's frames are skipped and their children move up.
 * @param {any} stacks @param {Uint8Array} needed @param {Record<number, number[]>} compiles
 * @param {Float64Array} time @param {Int32Array} count @param {boolean} hideTorch
 */
function link(stacks, needed, compiles, time, count, hideTorch) {
  const size = needed.length;
  /** @type {Record<number, number[]>} */
  const children = {};
  /** @type {number[]} */
  const roots = [];
  const above = new Int32Array(size).fill(-1); // nearest visible caller
  const hidden = (/** @type {number} */ i) => hideTorch && !compiles[i] && isTorch(stacks.frame(i).file);
  for (let i = 0; i < size; i++) {
    if (!needed[i]) continue;
    const parent = stacks.parent[i];
    above[i] = parent >= 0 && hidden(parent) ? above[parent] : parent;
    if (hidden(i)) continue;
    if (above[i] < 0) roots.push(i);
    else (children[above[i]] ??= []).push(i);
  }
  for (let i = size - 1; i >= 0; i--) {
    const parent = stacks.parent[i];
    if (!needed[i] || parent < 0) continue;
    time[parent] += time[i];
    count[parent] += count[i];
  }
  return { roots, children };
}
