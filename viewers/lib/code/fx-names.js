// Names of the values in an FX graph's text. No page needed.
import { factsOf, scopeOf, usesOf, valuesIn } from "./fx-graph.js";

/** @param {string[]} lines @returns {import("./names.js").Names} */
export function fxNames(lines) {
  let scope = { first: 0, last: -1 };
  return {
    hint: "Point at a value to see its shape and source. Click it, or press → in a line, to see its definition and uses.",
    inLine: (line) => valuesIn(lines[line] ?? ""),
    look: (name, line) => {
      if (line < scope.first || line > scope.last) scope = scopeOf(lines, line);
      const uses = usesOf(lines, scope, name);
      const definition = uses.find((use) => use.definition);
      if (!definition)
        return { name, uses, facts: [], missing: "not defined in this function", unit: "use", source: null };
      const { dtype, shape, stride, device, target, ...source } = factsOf(lines, definition.line, name);
      const facts = /** @type {[string, string][]} */ ([
        ["dtype", dtype],
        ["shape", shape],
        ["stride", stride],
        ["device", device],
        ["from", target === name ? "" : target],
      ]);
      return {
        name,
        uses,
        facts: facts.filter(([, value]) => value),
        missing: "",
        unit: "use",
        source: source.file ? source : null,
      };
    },
  };
}
