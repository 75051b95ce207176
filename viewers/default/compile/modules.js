// The tree of torch.nn modules that a compile uses, with equal neighbours as one entry.
import { fill, h } from "../../lib/page/dom.js";
import { count, plural } from "../../lib/page/format.js";
import { shapeText } from "../tables/tensor-data.js";
import { sourceName } from "../shared/source-name.js";

/** @typedef {import("../../../schema/bundle.d.ts").Modules} Module */
/** @typedef {{first: Module, last: Module, times: number}} Run neighbours with the same structure */

const MOST_RUNS = 200; // entries in one module
const OPEN_LEVELS = 2;

/**
 * Join neighbours with consecutive numbers and the same structure: the layers of a model.
 * @param {Module[]} modules @returns {Run[]}
 */
export function runsOf(modules) {
  const runs = /** @type {Run[]} */ ([]);
  for (const module of modules) {
    const run = runs.at(-1);
    const follows = run && /^\d+$/.test(module.name) && Number(module.name) === Number(run.last.name) + 1;
    if (run && follows && run.first.structure === module.structure) {
      run.last = module;
      run.times++;
    } else runs.push({ first: module, last: module, times: 1 });
  }
  return runs;
}

/** Build the section of a compile, or null without modules. @param {Module[] | null} rows of the table @param {string | null} compile */
export function moduleSection(rows, compile) {
  const own = (rows ?? []).filter((row) => row.compile === compile);
  if (own.length === 0) return null;
  const below = new Map(/** @type {[number | null, Module[]][]} */ ([[null, []]]));
  for (const module of own) {
    below.get(module.parent)?.push(module);
    below.set(module.id, []);
  }
  return h(
    "section",
    { "class": "modules", "aria-label": "Modules" },
    h("h2", null, `Modules ${count(own.length)}`),
    list(below, null, 0),
    !own.some((module) => module.class_name !== null) &&
      h("p", { class: "dim" }, "The log does not record classes: torch 2.9 and later do."),
  );
}

/** @param {Map<number | null, Module[]>} below @param {number | null} parent @param {number} level */
function list(below, parent, level) {
  const runs = runsOf(below.get(parent) ?? []);
  return h(
    "ul",
    { class: "module-list" },
    runs.slice(0, MOST_RUNS).map((run) => h("li", null, entry(below, run, level))),
    runs.length > MOST_RUNS && h("li", { class: "dim" }, `and ${count(runs.length - MOST_RUNS)} more`),
  );
}

/** @param {Map<number | null, Module[]>} below @param {Run} run @param {number} level */
function entry(below, run, level) {
  const { id } = run.first;
  if (below.get(id)?.length === 0) return h("div", { class: "module-leaf" }, words(run));
  const place = h("div");
  const show = () => place.childElementCount === 0 && fill(place, list(below, id, level + 1));
  const open = level < OPEN_LEVELS;
  if (open) show();
  return h("details", { open, ontoggle: show }, h("summary", null, words(run)), place);
}

/** @param {Run} run */
function words({ first, last, times }) {
  const {
    name,
    class_name: type,
    tensors,
    tensor_count: all,
    input_count: used,
    parameter_count: size,
  } = first;
  const title = first.parent === null ? sourceName(name) : times > 1 ? `${name}–${last.name}` : name;
  const parts = [
    times > 1 ? `${count(times)} equal` : null,
    size ? `${plural(size, "parameter")}${times > 1 ? " each" : ""}` : null,
    used !== null && all > 0 && used < all
      ? used === 0
        ? "not in the graph"
        : `${count(used)} of ${plural(all, "tensor")} in the graph`
      : null,
  ].filter(Boolean);
  return [
    h("b", { class: "mono", title: first.source }, title),
    type !== null && [" ", h("span", { title: type }, type.split(".").at(-1))],
    tensors.map((tensor) => [
      " ",
      h(
        "code",
        { class: "module-tensor", title: tensorTitle(tensor) },
        `${tensor.name} ${tensor.shape === null ? "" : shapeText(tensor.shape)}`,
      ),
    ]),
    parts.length > 0 && h("span", { class: "dim" }, ` · ${parts.join(" · ")}`),
  ];
}

/** @param {Module["tensors"][number]} tensor */
const tensorTitle = (tensor) =>
  [
    tensor.is_buffer ? "buffer" : "parameter",
    tensor.dtype,
    tensor.is_input === false ? "not an input of the graph" : null,
  ]
    .filter(Boolean)
    .join(", ");
