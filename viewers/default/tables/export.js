// The export report: calls of torch.export, and what stands in their way, in words.
import { emptyPage, listDetail } from "../../lib/list/list-detail.js";
import { h } from "../../lib/page/dom.js";
import { count, plural } from "../../lib/page/format.js";
import { hasExport, modelOf } from "../shared/model.js";
import { advice, pairs, recordLink } from "../shared/parts.js";
import { artifactLink, badge, frameLine, framePlace, frameTitle, programFrame, stackFold } from "../shared/program-line.js";
import { rich } from "../shared/words.js";
import { expressionFold } from "./expression-tree.js";
import { contextPairs } from "./symbols.js";

/** @typedef {{kind: string, event: number, compile: number, call: number, failure: any, frame: any}} Item */

/** Tone, sign, word. @type {Record<string, [string, string, string]>} */
const KINDS = {
  exported: ["ok", "✔", "exported"], unfinished: ["error", "✖", "no program"],
  missing_fake_kernel: ["error", "✖", "no fake kernel"], mismatched_fake_kernel: ["error", "✖", "wrong fake kernel"],
  data_dependent_error: ["error", "✖", "depends on data"], assumed: ["break", "!", "assumed"], guard_evaluated: ["break", "◆", "shape condition"],
};

/** @param {import("../main.js").Context} context @returns {Promise<import("../main.js").View>} */
export async function openExport({ log, state }) {
  const [model, table, stacks] = await Promise.all([modelOf(log), log.table("export"), log.stacks()]);
  const { exports, failures } = table ?? { exports: [], failures: [] };
  if (exports.length === 0 && (failures.length === 0 || !hasExport(model))) {
    return emptyPage("No exports", "Calls of torch.export and torch.export.draft_export would be here, with what stands in their way: operators without a fake kernel, conditions on data, conditions on sizes. " +
      "torch writes them with TORCH_DTRACE=/tmp/trace in place of TORCH_TRACE.");
  }
  const items = itemsOf(exports, failures, stacks);
  const place = (/** @type {number} */ i) => framePlace(model, items[i].frame);
  const kinds = Object.keys(KINDS).filter((kind) => items.some((item) => item.kind === kind));
  const bad = items.filter((item) => item.failure && KINDS[item.kind][0] === "error").length;
  const done = exports.filter((/** @type {any} */ row) => row.program_event_index !== null).length;
  const about = { log, state, model, stacks, exports };
  const view = listDetail({
    state, name: "export", label: "Export report", noun: ["row", "rows"], length: items.length, minWidth: "30rem", id: (i) => String(items[i].event),
    title: (i) => `${KINDS[items[i].kind][2]} ${what(items[i])}`,
    text: (i) => [KINDS[items[i].kind][2], what(items[i]), place(i), items[i].frame?.loc, items[i].failure?.reason].join("\n"),
    choices: [{ key: "type", label: "Kind", all: "all kinds", options: kinds.map((kind) => [kind, KINDS[kind][2]]), fits: (i, value) => items[i].kind === value }],
    above: h("div", { class: "intro" }, h("p", null, `${plural(exports.length, "export")}, ${count(done)} of them with a program. `,
      bad > 0 ? `${plural(bad, "problem")} on the way.` : "No problem on the way.")),
    columns: [
      { id: "kind", title: "What", width: "9rem", sort: (i) => items[i].kind, cell: (i) => badge(...KINDS[items[i].kind]) },
      { id: "about", title: "About", width: "minmax(8rem, 1.6fr)", class: "mono", sort: (i) => what(items[i]), cell: (i) => h("span", { title: what(items[i]) }, what(items[i])) },
      { id: "call", title: "Export", width: "3.8rem", number: true, sort: (i) => items[i].call, cell: (i) => (items[i].call < 0 ? "–" : count(items[i].call + 1)) },
      { id: "place", title: "Line", width: "minmax(7rem, 1fr)", class: "mono", sort: (i) => place(i) || null, cell: (i) => h("span", { title: frameTitle(items[i].frame) }, place(i) || "–") },
    ],
    detail: (i) => (items[i].failure ? failureDetail(about, items[i]) : exportDetail(about, items[i], items)),
  });
  return { ...view, title: "Export" };
}

/** Calls and what was met, in the order of the log. @param {any[]} exports @param {any[]} failures @param {any} stacks @returns {Item[]} */
function itemsOf(exports, failures, stacks) {
  const calls = exports.map((row, call) => ({
    kind: row.program_event_index === null ? "unfinished" : "exported", event: row.start_event_index ?? row.program_event_index, compile: row.compile_index, call, failure: null, frame: null,
  }));
  /** A call that began before and had no program yet; without a start, the next program. */
  const callOf = (/** @type {number} */ event) => {
    let at = -1;
    exports.forEach((row, i) => { if (row.start_event_index !== null && row.start_event_index <= event && (row.program_event_index === null || event <= row.program_event_index)) at = i; });
    return at >= 0 ? at : exports.findIndex((row) => row.start_event_index === null && event <= row.program_event_index);
  };
  const met = failures.map((failure) => ({
    kind: failure.kind === "data_dependent_error" && failure.result !== null ? "assumed" : failure.kind,
    event: failure.event_index, compile: failure.compile_index, call: callOf(failure.event_index), failure, frame: programFrame(stacks, failure.user_stack_index, failure.stack_index),
  }));
  return [...calls, ...met].sort((a, b) => a.event - b.event);
}

/** @param {Item} item */
function what({ failure, call }) {
  if (!failure) return `export ${count(call + 1)}`;
  const text = failure.op ?? failure.expr ?? "?";
  return failure.result === null ? text : `${text} is ${failure.result}`;
}

/** @param {any} about @param {Item} item @param {Item[]} items */
function exportDetail({ log, state, model, exports }, item, items) {
  const row = exports[item.call];
  const met = items.filter((other) => other.failure && other.call === item.call);
  return [
    h("h2", null, badge(...KINDS[item.kind]), ` Export ${count(item.call + 1)}`),
    row.program_event_index === null && h("p", { class: "prose" }, met.length ? "It left no program. What it met last is most likely why." : "It left no program: it failed for a reason that is not in the log, or the log ends."),
    pairs([
      ["Began", row.start_event_index === null ? "not in the log: draft_export writes no start" : recordLink(row.start_event_index, state)],
      ["Program", row.program_event_index === null ? "none" : artifactLink(log, model, state, row.compile_index, row.program_event_index, "the exported program")],
    ]),
    h("h3", null, "What it met"),
    met.length === 0 ? h("p", { class: "good" }, "✔ Nothing that torch reported") : h("ul", { class: "history" }, met.map((other) => h("li", null, badge(...KINDS[other.kind]), " ",
      h("a", { href: state.link({ view: "export", item: String(other.event) }) }, h("code", null, what(other))), other.frame && h("span", { class: "place" }, ` ${framePlace(model, other.frame)}`)))),
  ];
}

/** What is wrong in words, and what usually helps. @param {any} failure @param {string} kind @returns {{words: any, help: string[]}} */
function explain(failure, kind) {
  const op = failure.op ?? "the operator";
  const name = op.replace(/\.default$/, "").replace(".", "::");
  if (kind === "missing_fake_kernel") {
    return { words: ["torch cannot trace ", h("code", null, op), ": it has no fake kernel, a function that says shape and dtype of the result without computing it."],
      help: [`Register one: \`@torch.library.register_fake("${name}")\` on a function that returns an empty tensor of the right shape, dtype and device.`] };
  }
  if (kind === "mismatched_fake_kernel") {
    return { words: ["The fake kernel of ", h("code", null, op), " does not tell what the real one does", failure.reason ? [": ", h("strong", null, failure.reason)] : "."],
      help: [`Correct the fake kernel of \`${name}\`: the result has to have the same dtype, shape, strides and device as the real one's.`] };
  }
  if (kind === "assumed") {
    return { words: ["torch could not know whether ", h("code", null, failure.expr ?? "?"), " holds, since it depends on data. The example inputs made it ", h("strong", null, failure.result), ", and the program has that one way only."],
      help: ["If it always holds, say so in the program, so that it is checked when the program runs: `torch._check(condition)`.", "If both ways are needed, use `torch.cond` or `torch.where` in place of the branch."] };
  }
  if (kind === "data_dependent_error") {
    return { words: ["The export ended here: ", h("code", null, failure.expr ?? "?"), " depends on data, which torch does not have while it traces."],
      help: ["Use `torch.cond` or `torch.where` in place of the branch.", "If one way is always taken, say so before: `torch._check(condition)`.", "`torch.export.draft_export` goes on with the example's data and lists all such places."] };
  }
  return { words: ["A condition on sizes, ", h("code", null, failure.expr ?? "?"), ", was decided for the example inputs", failure.result === null ? "" : ` (${failure.result})`, ". It may narrow the dynamic shapes that were asked for: the program is for sizes that decide it alike."],
    help: ["That is fine when all sizes that you need decide it alike. If not, write the line so that it holds for all sizes, or bound the dimension: `Dim(\"batch\", min=…, max=…)`."] };
}

/** @param {any} about @param {Item} item */
function failureDetail({ log, state, model, stacks, exports }, item) {
  const { failure } = item;
  const { words, help } = explain(failure, item.kind);
  const call = exports[item.call];
  return [
    h("h2", null, badge(...KINDS[item.kind]), " ", h("code", null, failure.op ?? failure.expr ?? "")),
    h("p", { class: "prose" }, words),
    item.frame ? frameLine(item.frame, failure.loc) : h("p", { class: "dim" }, "The log does not say on which line of the program."),
    advice(help.map(rich)),
    contextPairs(failure),
    call && h("p", null, "During ", h("a", { href: state.link({ view: "export", item: String(call.start_event_index ?? call.program_event_index) }) }, `export ${count(item.call + 1)}`),
      call.program_event_index === null ? ", which left no program." : ", which left a program."),
    expressionFold({ log, state }, model, stacks, failure.expression_event_index),
    stackFold(stacks, failure.user_stack_index, "The program's stack"),
    failure.stack_index !== failure.user_stack_index && stackFold(stacks, failure.stack_index, "The whole stack"),
    h("h3", null, "In the log"), pairs([["What torch wrote", recordLink(item.event, state)]]),
  ];
}
