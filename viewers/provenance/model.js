// Counterparts within one graph: functions over the rows of the provenance tables. Runs without a page.

/** @typedef {"source" | "pre" | "post" | "code" | "bodies"} PaneName bodies: of the kernels of AOTInductor */
/** @typedef {{pane: PaneName | "kernel", key: number}} Place a line of a pane (of 'source': an id of provenance_sources), or a kernel */
/** @typedef {{source: Set<number>, pre: Set<number>, post: Set<number>, code: Set<number>, bodies: Set<number>, kernels: Set<number>}} Found */
/** @typedef {{name: string, handle: number | null, label: string, post: number[], calls: number[], definition: [number, number] | null, body: [number, number] | null, fromCode: boolean, stacks: number[][]}} Kernel */
/** @typedef {{file: string, line: number, function: string | null, code: string | null, library: boolean}} Source */
/** @typedef {ReturnType<typeof buildModel>} Model */

const LIBRARY = /(^|\/)(site|dist)-packages\/|#link-tree\/torch\/|\/lib\/python3[^/]*\//;

/** @param {import("./data.js").Tables} table @param {any} group a row of provenance_groups */
export function buildModel(table, group) {
  const pre = lineSources(table.lines.get(group.pre_graph_event));
  const post = lineSources(table.lines.get(group.post_graph_event));
  const kernels = (table.kernels.get(group.id) ?? []).map(kernelOf);
  const nodes = table.nodes.get(group.id) ?? [];
  const maps = {
    preToPost: index(nodes, "pre_line", "post_line"),
    postToPre: index(nodes, "post_line", "pre_line"),
    sourceToPre: invert(pre),
    sourceToPost: invert(post),
    postToKernels: collect(kernels, (kernel) => kernel.post),
    sourceToKernels: collect(kernels, (kernel) => kernel.stacks.flat()),
    innerToKernels: collect(kernels, (kernel) => kernel.stacks.map(innermost)),
    callToKernels: collect(kernels, (kernel) => kernel.calls),
    commentToKernels: /** @type {Map<number, number[]>} */ (new Map()),
  };
  // Without torch's map (a backward that is compiled later), the code names the nodes of most kernels. The others
  // are matched by source line.
  const byLine = {
    pre: pre.size > 0 && post.size > 0 && nodes.length === 0,
    kernels:
      post.size > 0 &&
      kernels.length > 0 &&
      kernels.every((kernel) => kernel.post.length === 0 || kernel.fromCode),
  };
  /** @param {number} s @returns {Source} */
  const source = (s) => {
    const { file, line, function: name, code } = table.sources[s];
    return { file, line, function: name, code, library: LIBRARY.test(file) };
  };
  const used = new Set(
    [...pre.values(), ...post.values(), ...kernels.flatMap((kernel) => kernel.stacks.flat())].filter(
      (s) => s >= 0,
    ),
  );
  return { group, kernels, pre, post, maps, byLine, source, sources: [...used] };
}

/** @param {any} row of provenance_kernels @returns {Kernel} */
function kernelOf({
  name,
  handle,
  post_lines: post,
  call_lines: calls,
  definition,
  body,
  from_code: fromCode,
  sources: stacks,
}) {
  return {
    name,
    handle,
    label: handle === null ? name : `${name}:${handle}`,
    post,
    calls,
    definition,
    body,
    fromCode,
    stacks,
  };
}

/** Map lines to source ids; -1 for none. @param {any[]} rows of provenance_lines @returns {Map<number, number>} */
const lineSources = (rows = []) => new Map(rows.map(({ line, source }) => [line, source ?? -1]));

/** @param {number[]} stack */
const innermost = (stack) => stack[stack.length - 1];

/** @param {any[]} rows @param {string} from @param {string} to @returns {Map<number, number[]>} */
function index(rows, from, to) {
  const map = new Map();
  for (const row of rows) add(map, row[from], row[to]);
  return map;
}

/** @param {Map<number, number>} map @returns {Map<number, number[]>} */
function invert(map) {
  const out = new Map();
  for (const [key, value] of map) if (value >= 0) add(out, value, key);
  return out;
}

/** @param {Kernel[]} kernels @param {(kernel: Kernel) => number[]} keys @returns {Map<number, number[]>} */
function collect(kernels, keys) {
  const map = new Map();
  kernels.forEach((kernel, k) => {
    for (const key of new Set(keys(kernel))) add(map, key, k);
  });
  return map;
}

/** @param {Map<number, number[]>} map @param {number} key @param {number} value */
function add(map, key, value) {
  const values = map.get(key);
  if (values) values.push(value);
  else map.set(key, [value]);
}

/** @param {Map<number, number[]>} map @param {Iterable<number>} keys @returns {number[]} */
const all = (map, keys) => [...keys].flatMap((key) => map.get(key) ?? []);

/** Return all counterparts of a place. @param {Model} model @param {Place} place @returns {Found} */
export function follow(model, { pane, key }) {
  /** @type {Found} */
  const found = {
    source: new Set(),
    pre: new Set(),
    post: new Set(),
    code: new Set(),
    bodies: new Set(),
    kernels: new Set(),
  };
  const put = (/** @type {Set<number>} */ set, /** @type {Iterable<number>} */ values) => {
    for (const value of values) set.add(value);
  };
  if (pane === "source") {
    for (const s of [key, ...calledFrom(model, key)]) {
      found.source.add(s);
      put(found.post, postOfSource(model, s));
      put(found.pre, model.maps.sourceToPre.get(s) ?? []);
      put(found.kernels, model.maps.sourceToKernels.get(s) ?? []);
    }
    if (!model.byLine.pre) put(found.pre, all(model.maps.postToPre, found.post));
    put(found.kernels, kernelsOfPost(model, found.post));
    for (const k of found.kernels)
      put(found.source, model.kernels[k].stacks.filter((stack) => stack.includes(key)).flat()); // callers and called
  } else if (pane === "pre") {
    if (!model.pre.has(key)) return found;
    found.pre.add(key);
    put(found.post, postOfPre(model, key));
    put(found.kernels, kernelsOfPost(model, found.post));
    put(found.source, withCallers(model, model.pre.get(key) ?? -1, found.kernels));
  } else if (pane === "post") {
    if (!model.post.has(key)) return found;
    found.post.add(key);
    put(found.pre, preOfPost(model, key));
    put(found.kernels, kernelsOfPost(model, found.post));
    put(found.source, withCallers(model, model.post.get(key) ?? -1, found.kernels));
    if (!model.byLine.pre)
      for (const line of found.pre)
        put(found.source, withCallers(model, model.pre.get(line) ?? -1, found.kernels));
  } else {
    put(
      found.kernels,
      pane === "kernel" ? (model.kernels[key] ? [key] : []) : kernelsOfCode(model, key, pane),
    );
    for (const k of found.kernels) put(found.post, postOfKernel(model, k));
    for (const line of found.post) put(found.pre, preOfPost(model, line));
    for (const k of found.kernels) put(found.source, model.kernels[k].stacks.flat());
    if (!found.source.size)
      put(
        found.source,
        [...found.post].map((line) => model.post.get(line) ?? -1),
      );
  }
  found.source.delete(-1);
  for (const k of found.kernels) {
    const { calls, definition, body } = model.kernels[k];
    put(found.code, calls);
    put(found.code, linesFrom(definition));
    put(found.bodies, linesFrom(body));
  }
  return found;
}

/** @param {Model} model @param {number} line */
function postOfPre({ byLine, maps, pre }, line) {
  return byLine.pre ? (maps.sourceToPost.get(pre.get(line) ?? -1) ?? []) : (maps.preToPost.get(line) ?? []);
}

/** @param {Model} model @param {number} line */
function preOfPost({ byLine, maps, post }, line) {
  return byLine.pre ? (maps.sourceToPre.get(post.get(line) ?? -1) ?? []) : (maps.postToPre.get(line) ?? []);
}

/** @param {Model} model @param {Iterable<number>} lines */
function kernelsOfPost({ byLine, maps, post, kernels }, lines) {
  const known = all(maps.postToKernels, lines);
  if (!byLine.kernels) return known;
  const rest = [...lines].filter((line) => !maps.postToKernels.has(line));
  return [
    ...known,
    ...rest
      .flatMap((line) => maps.innerToKernels.get(post.get(line) ?? -1) ?? [])
      .filter((k) => kernels[k].post.length === 0),
  ];
}

/** @param {Model} model @param {number} k */
function postOfKernel({ byLine, maps, kernels }, k) {
  if (!byLine.kernels || kernels[k].post.length) return kernels[k].post;
  return all(maps.sourceToPost, kernels[k].stacks.map(innermost)).filter(
    (line) => !maps.postToKernels.has(line),
  );
}

/** Return the nodes of a source line, including those of functions it calls. @param {Model} model @param {number} s */
function postOfSource(model, s) {
  const found = new Set(model.maps.sourceToPost.get(s) ?? []);
  for (const k of model.maps.sourceToKernels.get(s) ?? []) {
    const inner = new Set(model.kernels[k].stacks.filter((stack) => stack.includes(s)).map(innermost));
    for (const line of postOfKernel(model, k)) if (inner.has(model.post.get(line) ?? -1)) found.add(line);
  }
  return found;
}

/** Return the lines that are only reached through this line. @param {Model} model @param {number} s @returns {Set<number>} */
function calledFrom({ kernels }, s) {
  const stacks = kernels.flatMap((kernel) => kernel.stacks);
  const called = new Set(
    stacks.flatMap((stack) => (stack.includes(s) ? stack.slice(stack.indexOf(s) + 1) : [])),
  );
  for (const stack of stacks) {
    const at = stack.indexOf(s);
    for (const other of at < 0 ? stack : stack.slice(0, at + 1)) called.delete(other);
  }
  return called;
}

/** Whether a place is matched by source line only. @param {Model} model @param {Place} place */
export const byLineAlone = (model, place) =>
  model.byLine.kernels && [...follow(model, place).kernels].some((k) => model.kernels[k].post.length === 0);

/** @param {[number, number] | null} range @returns {number[]} */
const linesFrom = (range) =>
  range ? Array.from({ length: range[1] - range[0] + 1 }, (_, i) => range[0] + i) : [];

/** Return a source line and its callers in the stacks of these kernels. @param {Model} model @param {number} s @param {Iterable<number>} kernels */
function withCallers(model, s, kernels) {
  return [
    s,
    ...[...kernels].flatMap((k) => model.kernels[k].stacks.filter((stack) => innermost(stack) === s).flat()),
  ];
}

/** Return the kernels that a line of code calls or defines. @param {Model} model @param {number} line @param {Place["pane"]} pane the code, or the bodies @returns {number[]} */
export function kernelsOfCode({ maps, kernels }, line, pane = "code") {
  const called =
    pane === "code" ? (maps.callToKernels.get(line) ?? maps.commentToKernels.get(line)) : undefined;
  if (called) return called;
  return kernels.flatMap(({ definition, body }, k) => {
    const range = pane === "bodies" ? body : definition;
    return range && range[0] <= line && line <= range[1] ? [k] : [];
  });
}

/** Return a function that tests whether a line has a counterpart. @param {Model} model @param {PaneName} pane @returns {(key: number) => boolean} */
export function mappedIn(model, pane) {
  if (pane === "source") return () => true;
  if (pane === "code" || pane === "bodies") return (line) => kernelsOfCode(model, line, pane).length > 0;
  const { maps, pre, post } = model;
  if (pane === "pre") return (line) => (pre.get(line) ?? -1) >= 0 || maps.preToPost.has(line);
  return (line) => (post.get(line) ?? -1) >= 0 || maps.postToPre.has(line) || maps.postToKernels.has(line);
}

/** Return the name of the node that a graph line defines. @param {string} line */
export const nodeName = (line) => line.trim().match(/^[A-Za-z_]\w*/)?.[0] ?? "";

const STATES_PROVENANCE = /^\s*(?:#|\/\/) (?:\[Provenance debug handles\]|Topologically Sorted)/;

/** Let comments that state the provenance of the call below them lead where the call leads. @param {Model} model @param {string} code */
export function addComments({ maps }, code) {
  /** @type {number[]} */
  let open = [];
  code.split("\n").forEach((text, i) => {
    const kernels = maps.callToKernels.get(i + 1);
    if (STATES_PROVENANCE.test(text)) open.push(i + 1);
    else if (kernels) {
      for (const line of open) maps.commentToKernels.set(line, kernels);
      open = [];
    }
  });
}
