// The compiles of one function, one per row, with the changes between them.
import { h } from "../../lib/page/dom.js";
import { count, firstLine, plural, time } from "../../lib/page/format.js";
import { statusBadge } from "../../lib/page/figures.js";
import { IN_METRICS, IN_METRICS_HELP } from "../shared/guard-counts.js";
import { functionName } from "../shared/model.js";
import { compileLink } from "../shared/parts.js";
import { dynamoGraph, formatSide, frameHistory, inputsOf } from "./sides.js";

const MOST = 200;

/** @param {import("../shared/model.js").Model} model @param {number} index one of them @param {any} state */
export async function frameTable(model, index, state) {
  const history = frameHistory(model, index);
  const shown = history.slice(0, MOST);
  const rows = await Promise.all(
    shown.map(async (i) => {
      const graph = await dynamoGraph({ model, index: i });
      const text = graph && graph.sha256 !== null ? await model.log.text(graph) : null;
      return {
        index: i,
        compile: model.compiles[i],
        hash: graph?.sha256 ?? null,
        inputs: text === null ? null : inputsOf(text),
      };
    }),
  );
  const name = functionName(model.compiles[index]);
  const changed = (/** @type {any} */ now, /** @type {any} */ before) =>
    before !== undefined && now !== before
      ? h(
          "span",
          { class: "changed", title: `before: ${before ?? "none"}` },
          h("span", { "aria-hidden": "true" }, "≠ "),
          now,
        )
      : now;
  const body = rows.map((row, n) => {
    const before = rows[n - 1];
    const old = new Set(before?.inputs ?? []);
    const graph =
      row.hash === null
        ? h("span", { class: "dim" }, "none")
        : !before || before.hash === null
          ? "first"
          : before.hash === row.hash
            ? "unchanged"
            : h("span", { class: "changed" }, "≠ different");
    return h(
      "tr",
      { class: row.index === index ? "here" : null },
      h("td", null, compileLink(model, row.index, state)),
      h("td", null, statusBadge(row.compile.status)),
      h(
        "td",
        { class: "inputs" },
        row.inputs === null
          ? h("span", { class: "dim" }, "no graph")
          : row.inputs.length === 0
            ? h("span", { class: "dim" }, "no inputs")
            : row.inputs.map((input) =>
                h(
                  "div",
                  { class: before?.inputs && !old.has(input) ? "changed" : null },
                  before?.inputs && !old.has(input) ? "≠ " : "",
                  input,
                ),
              ),
      ),
      h(
        "td",
        { class: "reason", title: row.compile.recompile_reason },
        row.compile.recompile_reason === null
          ? h("span", { class: "dim" }, n === 0 ? "first compile" : "not recorded")
          : firstLine(row.compile.recompile_reason),
      ),
      h(
        "td",
        { class: "number" },
        changed(count(row.compile.guard_count), before && count(before.compile.guard_count)),
      ),
      h(
        "td",
        { class: "number" },
        changed(count(row.compile.graph_op_count), before && count(before.compile.graph_op_count)),
      ),
      h("td", null, graph),
      h("td", { class: "number" }, time(row.compile.total_us)),
      h(
        "td",
        null,
        before &&
          h(
            "a",
            {
              href: state.link({
                view: "compare",
                left: formatSide({ model, index: before.index }),
                right: formatSide({ model, index: row.index }),
              }),
            },
            "compare with the previous compile",
          ),
      ),
    );
  });
  const head = [
    "Compile",
    "Status",
    "Inputs",
    "Recompile reason",
    IN_METRICS,
    "Ops",
    "Dynamo graph",
    "Compile time",
    "",
  ].map((title) =>
    h(
      "th",
      { scope: "col", title: title === IN_METRICS ? IN_METRICS_HELP : null },
      title || h("span", { class: "visually-hidden" }, "Compare"),
    ),
  );
  return h(
    "div",
    { "class": "scroll padded", "tabindex": "0", "role": "region", "aria-label": `All compiles of ${name}` },
    h("h2", null, `${plural(history.length, "compile")} of ${name}`),
    h("p", { class: "dim" }, "≠ marks what differs from the row above."),
    h("table", { class: "plain frame-table" }, h("thead", null, h("tr", null, head)), h("tbody", null, body)),
    history.length > MOST && h("p", { class: "dim" }, `The first ${count(MOST)} of ${count(history.length)}`),
  );
}
