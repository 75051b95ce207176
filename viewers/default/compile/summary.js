// The short summary of one compile, shown beside the stacks: status, times, cause, attempts, artifacts.
import { labelled } from "../../lib/bundle/artifact-names.js";
import { byPhase, compileArtifacts, describe } from "../../lib/bundle/artifacts.js";
import { fill, h } from "../../lib/page/dom.js";
import { bytes, count, plural, time } from "../../lib/page/format.js";
import { statusBadge } from "../../lib/page/figures.js";
import { placeLink } from "../../lib/page/place-link.js";
import { IN_METRICS } from "../shared/guard-counts.js";
import { functionName, idText, placeOf } from "../shared/model.js";
import { relatives } from "./relatives.js";

/** @typedef {import("../frame/viewer.js").Context} Context */

/** @param {Context} context @param {any} model @param {number} index */
export function compileSummary(context, model, index) {
  const { state } = context;
  const compile = model.compiles[index];
  const artifacts = h("div", { class: "summary-artifacts" });
  void listArtifacts(context, compile, artifacts, false);
  return h(
    "div",
    { class: "summary" },
    h(
      "h2",
      null,
      h("span", { class: "mono" }, idText(compile)),
      " ",
      functionName(compile),
      " ",
      statusBadge(compile.status),
    ),
    h(
      "p",
      null,
      placeLink(compile.file, compile.line, placeOf(model, compile)),
      " ",
      h("a", { href: state.link({ view: "compile", compile: compile.key }) }, "Open this compile"),
    ),
    reasons(compile),
    h(
      "dl",
      { class: "pairs numbers" },
      numbers(compile)
        .filter(([, value]) => value !== null)
        .map(([title, value]) => [h("dt", null, title), h("dd", null, value)])
        .flat(),
    ),
    compile.total_us !== null && timelineLink(compile, state),
    relatives(model, index, state),
    artifacts,
  );
}

/** @param {any} compile @param {any} state */
export const timelineLink = (compile, state) =>
  h("p", null, h("a", { href: state.link({ view: "timeline", compile: compile.key }) }, "Show in timeline"));

/** Build torch's texts from the metrics. @param {any} compile */
export function reasons(compile) {
  const box = (/** @type {string} */ tone, /** @type {string} */ title, /** @type {any[]} */ ...parts) =>
    h("section", { class: `verdict tone-${tone}` }, h("h3", null, title), parts);
  return [
    compile.failure_type !== null &&
      box(
        "error",
        "Failure",
        h("pre", { class: "wrapped" }, `${compile.failure_type}: ${compile.failure_reason ?? "no message"}`),
        compile.failure_file && h("p", null, placeLink(compile.failure_file, compile.failure_line)),
      ),
    compile.recompile_reason !== null &&
      box("recompile", "Recompile reason", h("pre", { class: "wrapped" }, compile.recompile_reason)),
    compile.restart_reasons.length > 0 &&
      box(
        "break",
        "Restart reasons",
        h(
          "ul",
          null,
          compile.restart_reasons.map((/** @type {string} */ reason) =>
            h("li", null, h("pre", { class: "wrapped" }, reason)),
          ),
        ),
      ),
  ];
}

/** @param {any} compile @returns {[string, any][]} */
function numbers(compile) {
  const known = (/** @type {any} */ value, /** @type {(v: any) => string} */ show) =>
    value === null ? null : show(value);
  return [
    ["Compile time", known(compile.total_us, time)],
    ["Dynamo", known(compile.dynamo_us, time)],
    ["Restarts", known(compile.restart_us, time)],
    [compile.inductor_us ? "AOTAutograd" : "Backend", known(compile.aot_us, time)],
    ["Inductor", known(compile.inductor_us, time)],
    ["Lazy backward", known(compile.backward_us, time)],
    ...sizes(compile),
  ];
}

/** Return the sizes of a compile: its graph, guards, graph breaks and records. @param {any} compile @returns {[string, any][]} */
export const sizes = (compile) => [
  [
    "Graph",
    compile.graph_op_count === null
      ? null
      : `${plural(compile.graph_op_count, "op")}, ${plural(compile.graph_node_count, "node")}, ${plural(compile.graph_input_count, "input")}`,
  ],
  [IN_METRICS, compile.guard_count === null ? null : count(compile.guard_count)],
  ["Graph breaks", compile.graph_break_count ? count(compile.graph_break_count) : null],
  ["Records", `${count(compile.event_count)} records, ${bytes(compile.size_bytes)}`],
];

/**
 * List the artifacts of a compile by phase.
 * @param {Context} context @param {any} compile @param {Element} root @param {boolean} explained with what each artifact is
 */
export async function listArtifacts({ bundle, log, state }, compile, root, explained) {
  try {
    const artifacts = await labelled(log, await compileArtifacts(log, compile));
    const item = (/** @type {any} */ artifact) => {
      const { help } = describe(bundle.manifest, artifact);
      const href = state.link({ view: "compile", compile: compile.key, artifact: artifact.address });
      const size = artifact.sha256 === null ? "" : bytes(artifact.size_bytes);
      return h(
        "li",
        null,
        h("a", { href, title: help }, artifact.label),
        " ",
        h("span", { class: "dim size" }, size),
        explained && [" ", h("span", { class: "dim artifact-help" }, help)],
      );
    };
    fill(
      root,
      artifacts.length === 0
        ? h("p", { class: "dim" }, "No artifacts.")
        : byPhase(bundle.manifest, artifacts).map((phase) => [
            h("h3", { title: phase.help }, phase.title),
            h(
              "ul",
              { class: explained ? "artifact-list explained" : "artifact-list" },
              phase.artifacts.map(item),
            ),
          ]),
    );
  } catch (error) {
    fill(root, h("p", { class: "dim" }, `Can't read the artifacts. ${/** @type {Error} */ (error).message}`));
  }
}
