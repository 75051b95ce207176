// The page of one compile: what it is, its times, its findings, its tables, and its artifacts.
import { isTorch } from "../../lib/bundle/stacks.js";
import { fill, h } from "../../lib/page/dom.js";
import { count, time } from "../../lib/page/format.js";
import { shares } from "../../lib/page/figures.js";
import { recompilesOf } from "../recompiles/data.js";
import { compareLink, reasonParts } from "../recompiles/reasons.js";
import { numberOf, rowOf } from "../shared/model.js";
import { compileLink } from "../shared/parts.js";
import { phasesOf } from "../shared/phases.js";
import { frameLink } from "../shared/program-line.js";
import { attemptsOf, compileCachesAndGuards, compileProblems } from "./findings.js";
import { relatives } from "./relatives.js";
import { listArtifacts, reasons, sizes, timelineLink } from "./summary.js";

/** @typedef {import("../frame/viewer.js").Context} Context */

const NEAREST = 2; // callers shown; the others are one click away
const RESUMED = /^torch_dynamo_resume_in_(.+)_at_(\d+)$/;

/** @param {Context} context @param {any} model @param {number} index */
export function compilePage(context, model, index) {
  const { state } = context;
  const compile = model.compiles[index];
  const artifacts = h("div", { class: "summary-artifacts" });
  void listArtifacts(context, compile, artifacts, true);
  return h(
    "div",
    { class: "summary compile-page" },
    opened(context, model, index),
    compile.total_us !== null && times(compile, state),
    h(
      "dl",
      { class: "fact-strip" },
      sizes(compile)
        .filter(([, value]) => value !== null)
        .map(([title, value]) => h("div", null, h("dt", null, title), h("dd", null, value))),
    ),
    compileProblems(context, model, index, () => reasons(compile)),
    compileCachesAndGuards(context, model, index),
    tables(context, model, index),
    h("section", null, h("h2", null, "Artifacts"), artifacts),
  );
}

/** Say what was compiled, from where it was called, and why. @param {Context} context @param {any} model @param {number} index */
function opened(context, model, index) {
  const compile = model.compiles[index];
  if (compile.id === null) return null;
  const callers = h("dd", null, "…"),
    why = h("dd", null, firstWhy(compile));
  const root = h(
    "dl",
    { class: "pairs opened" },
    compile.stack !== null && [h("dt", null, "Called from"), callers],
    h("dt", null, "Why compiled"),
    why,
  );
  const failed = (/** @type {Element} */ place) => (/** @type {Error} */ error) =>
    void fill(place, h("span", { class: "dim" }, error.message));
  if (compile.stack !== null)
    context.log
      .stacks()
      .then((stacks) => fill(callers, callerLines(context, model, compile, stacks)), failed(callers));
  if (compile.recompile_reason !== null || compile.refused || compile.frame_compile_id)
    recompilesOf(context.log).then((found) => {
      const row = found?.recompiles.find((one) => one.compile === compile.compile);
      if (row && found) fill(why, recompileWhy(context, model, index, row, found.codeObjects));
    }, failed(why));
  return [root, relatives(model, index, context.state)];
}

/** @param {Context} context @param {any} model @param {any} compile @param {import("../../lib/bundle/stacks.js").Stacks} stacks */
function callerLines({ state }, model, compile, stacks) {
  const frames = stacks.stack(compile.stack).slice(0, -1); // the last frame is the compiled function
  const own = frames.filter((frame) => !isTorch(frame.file)).slice(-NEAREST);
  if (frames.length === 0) return h("span", { class: "dim" }, "not recorded");
  const all = h(
    "a",
    { href: state.link({ view: "compile", compile: compile.key, artifact: "~stack" }) },
    `all ${count(frames.length + 1)} frames`,
  );
  const lines = own
    .reverse()
    .map((frame) => [
      frameLink(model, frame),
      " ",
      frame.function,
      " ",
      frame.code && h("code", { class: "dim" }, frame.code),
      " ",
    ]);
  return (lines.length ? lines : [[]]).map((line, i, { length }) =>
    h("div", { class: "caller" }, line, i === length - 1 && all),
  );
}

/** Say why a compile started, as far as its own row shows. @param {any} compile @returns {any} */
function firstWhy(compile) {
  const resumed = RESUMED.exec(compile.function ?? "");
  if (compile.recompile_reason !== null)
    return ["Recompile: ", h("code", null, compile.recompile_reason.trim())];
  if (resumed && !compile.frame_compile_id)
    return [
      "The rest of ",
      h("code", null, resumed[1]),
      ` after the graph break at line ${resumed[2]}, where Dynamo starts a new graph.`,
    ];
  if (compile.kind === "compiled_autograd") return "A backward pass under compiled autograd.";
  if (compile.kind === "ahead_of_time") return "Compiled ahead of time, without a compile id.";
  if (compile.frame_compile_id) return "Recompile. The log does not record the guard failure.";
  if (compile.occurrence > 1) return "First compile of this function after torch._dynamo.reset().";
  return "First compile of this function.";
}

/** @param {Context} context @param {any} model @param {number} index @param {import("../recompiles/data.js").Recompile} row @param {import("../recompiles/data.js").CodeObject[]} codeObjects */
function recompileWhy({ log, state }, model, index, row, codeObjects) {
  const compiles = codeObjects[row.code_object ?? -1]?.compiles ?? [];
  const [previous, leader] = [compiles[compiles.indexOf(row.compile ?? "") - 1] ?? null, row.follows].map(
    (compile) => rowOf(model, compile),
  );
  const [first, ...others] = row.reasons;
  const list = (/** @type {import("../recompiles/data.js").Reason[]} */ reasons) =>
    h(
      "ul",
      { class: "history" },
      reasons.map((reason) => h("li", null, reasonParts(model, reason, state))),
    );
  return [
    row.limit ? "Refused at the recompile limit: " : row.refused ? "Refused: " : "Recompile: ",
    first ? reasonParts(model, first, state) : row.text !== null && h("code", null, row.text.trim()),
    others.length > 0 &&
      h(
        "details",
        null,
        h("summary", null, `guard failures of ${count(others.length)} older cache entries`),
        list(others.slice(0, 100)),
      ),
    h(
      "div",
      { class: "why-links" },
      leader >= 0 && h("span", null, "Follows ", compileLink(model, leader, state)),
      row.code_object !== null &&
        h(
          "a",
          { href: state.link({ view: "recompiles", by: "function", item: String(row.code_object) }) },
          "All compiles of this function",
        ),
      previous >= 0 &&
        compareLink(
          log,
          model,
          previous,
          attemptsOf(model, index).has(numberOf(model, row)) ? numberOf(model, row) : index,
          state,
          "Compare with the previous compile",
        ),
    ),
  ];
}

/** Show the time of the compile and of its phases. @param {any} compile @param {any} state */
function times(compile, state) {
  return h(
    "section",
    { class: "compile-times" },
    h("h2", null, h("b", { class: "number" }, time(compile.total_us)), " compile time"),
    shares(phasesOf(compile), "in the metrics", true),
    timelineLink(compile, state),
  );
}

/** Build symbols, inputs and kernels, which load with the compile. @param {Context} context @param {any} model @param {number} index */
function tables(context, model, index) {
  const place = h("div");
  import("./tables.js").then(
    (module) => fill(place, module.compileTables(context, model, index)),
    (error) => fill(place, h("p", { class: "dim" }, error.message)),
  );
  return place;
}
