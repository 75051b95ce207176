// Links from a compile in the overview to its generated code and to a program that runs its graph.
import { append, h } from "../../lib/page/dom.js";
import { hasRows } from "../shared/model.js";

/** Artifact, link text, and tooltip. @type {[string, string, string][]} */
const LINKS = [
  ["inductor_output_code", "code", "The code that Inductor generated"],
  ["fx_graph_runnable", "runnable", "A program to run and debug: this graph with inputs of the same shapes"],
];
const MOST = 20_000; // rows of a table that is read for a few links

/**
 * Return a place that gets the links when they are known.
 * @param {import("../shared/model.js").Model} model @param {number[]} rows attempts of the compile @param {any} state
 */
export function codeLinks(model, rows, state) {
  const place = h("span");
  void kindsOf(model).then((kinds) => {
    const compile = model.compiles[rows[rows.length - 1]];
    const has = (/** @type {string} */ name) =>
      kinds.has(JSON.stringify([name, compile.compile, compile.attempt]));
    append(
      place,
      LINKS.filter(([name]) => has(name)).map(([artifact, words, title], i) => [
        i > 0 && " ",
        h("a", { href: state.link({ view: "compile", compile: compile.key, artifact }), title }, words),
      ]),
    );
  });
  return place;
}

/** @type {WeakMap<object, Promise<Set<string>>>} */
const kinds = new WeakMap();

/** Return which attempts have which of these artifacts; none when the log is large or lacks the table. @param {import("../shared/model.js").Model} model */
function kindsOf(model) {
  let found = kinds.get(model);
  if (!found) kinds.set(model, (found = read(model).catch(() => new Set()))); // the list of artifacts shows the error
  return found;
}

/** @param {import("../shared/model.js").Model} model @returns {Promise<Set<string>>} */
async function read(model) {
  const names = LINKS.map(([name]) => name);
  const { kinds, tables } = model.directory;
  const some = kinds.some((/** @type {any} */ { type, name }) => names.includes(name ?? type));
  if (!some || !hasRows(model, "kind_compiles") || tables.kind_compiles.rows > MOST) return new Set();
  const rows = /** @type {any[]} */ ((await model.log.table("kind_compiles")) ?? []);
  return new Set(
    rows
      .filter(({ type, name }) => names.includes(name ?? type))
      .map(({ type, name, compile, attempt }) => JSON.stringify([name ?? type, compile, attempt])),
  );
}
