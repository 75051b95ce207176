// The settings of vLLM's backends as chips. Unusual values and differences from the compared log are marked.
import { h } from "../lib/page/dom.js";
import { plural } from "../lib/page/format.js";

/** @typedef {import("./data.js").Start} Start */

/** Usual values of vLLM on a GPU. @type {Record<string, unknown[]>} */
const USUAL = {
  mode: ["3"],
  backend: ["inductor"],
  compile_sizes: [""],
  use_inductor_graph_partition: [false],
  inductor_passes: [""],
  dynamic_shapes_type: ["DynamicShapesType.BACKED"],
  dynamic_shapes_evaluate_guards: [false],
  cudagraph_mode: ["FULL_AND_PIECEWISE", "PIECEWISE", "FULL"],
};
const LONG = 4; // list values shown in a chip

/** @param {Start} start @param {Start | null} other */
export function settings(start, other) {
  const backends = start.tables.backends;
  return h(
    "section",
    { "aria-labelledby": "settings" },
    h("h2", { id: "settings" }, "Settings"),
    backends.map((backend, number) => {
      const entries = Object.entries(backend.config);
      const theirs =
        other?.tables.backends.find(({ prefix, event }) => event !== null && prefix === backend.prefix)
          ?.config ?? null;
      return h(
        "div",
        { class: "backend" },
        backends.length > 1 && h("h3", null, backend.prefix ?? `backend ${number}`),
        entries.length === 0
          ? h(
              "p",
              { class: "dim" },
              backend.is_loaded
                ? "vLLM does not log settings when it loads precompiled code."
                : "Settings not recorded.",
            )
          : h(
              "ul",
              { "class": "chips", "aria-label": "Settings" },
              entries.map(([key, value]) =>
                chip(key, value, theirs && key in theirs ? theirs[key] : undefined),
              ),
            ),
      );
    }),
  );
}

/** @param {string} key @param {any} value @param {any} theirs undefined without another log */
function chip(key, value, theirs) {
  const differs = theirs !== undefined && theirs !== value;
  const unusual =
    Object.hasOwn(USUAL, key) &&
    !USUAL[key].some(
      (usual) => usual === (key === "cudagraph_mode" ? String(value).split(".").pop() : value),
    );
  const note = differs ? `compared log: ${show(theirs)}` : unusual ? "unusual" : "";
  return h(
    "li",
    { class: `chip${differs || unusual ? " chip-marked" : ""}`, title: note || null },
    h("span", { class: "dim" }, key),
    " ",
    values(value),
    note && h("span", { class: "chip-note" }, ` ▲ ${note}`),
  );
}

/** @param {any} value */
const show = (value) => (value === "" ? "none" : value === null ? "null" : String(value));

/** @param {any} value */
function values(value) {
  const parts = typeof value === "string" ? value.split(", ") : [];
  if (parts.length <= LONG) return h("b", null, show(value));
  return h(
    "details",
    { class: "chip-list" },
    h("summary", null, plural(parts.length, "value")),
    h(
      "ul",
      null,
      parts.map((part) => h("li", null, h("code", null, part))),
    ),
  );
}
