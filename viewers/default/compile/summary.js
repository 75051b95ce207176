// The summary of one compile: status, times, cause, attempts, artifacts by phase.
import { labelled } from "../../lib/bundle/artifact-names.js";
import { byPhase, compileArtifacts, describe } from "../../lib/bundle/artifacts.js";
import { frameText } from "../../lib/bundle/stacks.js";
import { fill, h } from "../../lib/page/dom.js";
import { bytes, count, plural, time } from "../../lib/page/format.js";
import { shortFile } from "../../lib/page/paths.js";
import { shares, statusBadge } from "../../lib/page/figures.js";
import { IN_METRICS } from "../shared/guard-counts.js";
import { functionName, idText, placeOf } from "../shared/model.js";
import { compileLink } from "../shared/parts.js";

const INNERMOST = 8;

/**
 * @typedef {import("../frame/viewer.js").Context} Context
 * @typedef {object} Page parts that only the compile view has
 * @property {(context: Context, model: any, index: number, instead: () => any) => any} problems
 * @property {(context: Context, model: any, index: number) => any} cachesAndGuards
 */

/** @param {Context} context @param {any} model @param {number} index @param {Page | null} [page] */
export function compileSummary(context, model, index, page = null) {
  const { state } = context;
  const compile = model.compiles[index];
  const artifacts = h("div", { class: "summary-artifacts" });
  if (!page) listArtifacts(context, compile, artifacts);
  return h(
    "div",
    { class: "summary" },
    !page &&
      h(
        "h2",
        null,
        h("span", { class: "mono" }, idText(compile)),
        " ",
        functionName(compile),
        " ",
        statusBadge(compile.status),
      ),
    !page &&
      h(
        "p",
        null,
        h("span", { class: "place", title: compile.file }, placeOf(model, compile)),
        " ",
        h("a", { href: state.link({ view: "compile", compile: compile.key }) }, "Open this compile"),
      ),
    page ? page.problems(context, model, index, () => reasons(compile)) : reasons(compile),
    page && timeBar(compile),
    h(
      "dl",
      { class: "pairs numbers" },
      numbers(compile)
        .filter(([, value]) => value !== null)
        .map(([title, value]) => [h("dt", null, title), h("dd", null, value)])
        .flat(),
    ),
    compile.total_us !== null &&
      h(
        "p",
        null,
        h("a", { href: state.link({ view: "timeline", compile: compile.key }) }, "Show in timeline"),
      ),
    relatives(model, compile, index, state),
    page && page.cachesAndGuards(context, model, index),
    page && tables(context, model, index),
    page && compile.stack !== null && callers(context, compile),
    artifacts,
  );
}

/** Build symbols, inputs and kernels, which load with the compile. @param {import("../frame/viewer.js").Context} context @param {any} model @param {number} index */
function tables(context, model, index) {
  const place = h("div");
  import("./tables.js").then(
    (module) => fill(place, module.compileTables(context, model, index)),
    (error) => fill(place, h("p", { class: "dim" }, error.message)),
  );
  return place;
}

/** @param {any} compile */
function timeBar({
  total_us: total,
  dynamo_us: dynamo,
  aot_us: aot,
  inductor_us: inductor,
  backward_us: backward,
  restart_us: restart,
}) {
  if (!total) return null;
  const parts = /** @type {[string, string, number | null][]} */ ([
    ["dynamo", "Dynamo", dynamo],
    ["restart", "restarts", restart],
    ["aot", inductor ? "AOTAutograd" : "backend", aot],
    ["inductor", "Inductor", inductor],
    ["backward", "lazy backward", backward],
  ]);
  return shares(
    parts.map(([id, title, us]) => ({ id, title, us: us ?? 0 })),
    "in the metrics",
  );
}

/** Build the innermost callers. @param {import("../frame/viewer.js").Context} context @param {any} compile */
function callers({ log, state }, compile) {
  const list = h("ul", { class: "frames" });
  const show = (/** @type {any} */ stacks) => {
    const frames = stacks.stack(compile.stack);
    fill(
      list,
      frames
        .slice(-INNERMOST)
        .map((/** @type {any} */ frame) =>
          h(
            "li",
            { title: frameText(frame) },
            h("b", null, frame.function),
            " ",
            h("span", { class: "place" }, `${shortFile(frame.file)}:${frame.line}`),
            " ",
            frame.code && h("code", null, frame.code),
          ),
        ),
      frames.length > INNERMOST &&
        h(
          "li",
          null,
          h(
            "a",
            { href: state.link({ view: "compile", compile: compile.key, artifact: "~stack" }) },
            `all ${count(frames.length)} frames`,
          ),
        ),
    );
  };
  log.stacks().then(show, (error) => fill(list, h("li", { class: "dim" }, error.message)));
  return h("section", null, h("h3", null, "Called from"), list);
}

/** @param {any} compile */
function reasons(compile) {
  return [
    compile.failure_type !== null &&
      h(
        "section",
        { class: "verdict tone-error" },
        h("h3", null, "Failure"),
        h("pre", { class: "wrapped" }, `${compile.failure_type}: ${compile.failure_reason ?? "no message"}`),
        compile.failure_file &&
          h("p", { class: "place" }, `${compile.failure_file}:${compile.failure_line ?? "?"}`),
      ),
    compile.recompile_reason !== null &&
      h(
        "section",
        { class: "verdict tone-recompile" },
        h("h3", null, "Recompile reason"),
        h("pre", { class: "wrapped" }, compile.recompile_reason),
      ),
    compile.restart_reasons.length > 0 &&
      h(
        "section",
        { class: "verdict tone-break" },
        h("h3", null, "Restart reasons"),
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
    [
      "Graph",
      known(
        compile.graph_op_count,
        (n) =>
          `${plural(n, "op")}, ${plural(compile.graph_node_count, "node")}, ${plural(compile.graph_input_count, "input")}`,
      ),
    ],
    [IN_METRICS, known(compile.guard_count, count)],
    ["Graph breaks", compile.graph_break_count ? count(compile.graph_break_count) : null],
    ["Records", `${count(compile.event_count)} records, ${bytes(compile.size_bytes)}`],
  ];
}

/** Link other attempts, and other compiles of the same function. @param {any} model @param {any} compile @param {number} index @param {any} state */
function relatives(model, compile, index, state) {
  if (compile.id === null) return null;
  const key = compile.compile;
  const others = (/** @type {(c: any) => boolean} */ fits) =>
    model.compiles.flatMap((/** @type {any} */ c, /** @type {number} */ i) =>
      c.id !== null && fits(c) ? [i] : [],
    );
  const attempts = others((c) => c.compile === key);
  const same = others(
    (c) =>
      c.file !== null &&
      c.file === compile.file &&
      c.line === compile.line &&
      c.function === compile.function &&
      c.compile !== key,
  );
  const row = (/** @type {string} */ title, /** @type {number[]} */ list) => [
    h("dt", null, title),
    h(
      "dd",
      null,
      list
        .slice(0, 40)
        .map((i) =>
          i === index
            ? h("strong", { class: "mono" }, idText(compile), " ")
            : [compileLink(model, i, state), " "],
        )
        .flat(),
      list.length > 40 && ` and ${count(list.length - 40)} more`,
    ),
  ];
  if (attempts.length < 2 && same.length === 0) return null;
  return h(
    "dl",
    { class: "pairs" },
    attempts.length > 1 && row("Attempts", attempts),
    same.length > 0 && row("Same function", same),
  );
}

/** @param {any} context @param {any} compile @param {Element} root */
async function listArtifacts({ bundle, log, state }, compile, root) {
  try {
    const artifacts = await labelled(log, await compileArtifacts(log, compile));
    fill(
      root,
      artifacts.length === 0
        ? h("p", { class: "dim" }, "No artifacts.")
        : byPhase(bundle.manifest, artifacts)
            .map((phase) => [
              h("h3", { title: phase.help }, phase.title),
              h(
                "ul",
                { class: "artifact-list" },
                phase.artifacts.map((/** @type {any} */ artifact) =>
                  h(
                    "li",
                    null,
                    h(
                      "a",
                      {
                        href: state.link({
                          view: "compile",
                          compile: compile.key,
                          artifact: artifact.address,
                        }),
                        title: describe(bundle.manifest, artifact).help,
                      },
                      artifact.label,
                    ),
                    h(
                      "span",
                      { class: "dim" },
                      artifact.sha256 === null ? "" : ` ${bytes(artifact.size_bytes)}`,
                    ),
                  ),
                ),
              ),
            ])
            .flat(),
    );
  } catch (error) {
    fill(root, h("p", { class: "dim" }, `Can't read the artifacts. ${/** @type {Error} */ (error).message}`));
  }
}
