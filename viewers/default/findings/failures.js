// Failures and restarts: what was raised, on which line of the program, with the traceback.
import { frameText } from "../../lib/bundle/stacks.js";
import { emptyPage, listDetail } from "../../lib/list/list-detail.js";
import { fill, h } from "../../lib/page/dom.js";
import { firstLine } from "../../lib/page/format.js";
import { modelOf, placeOf } from "../shared/model.js";
import { advice, compileLink, pairs, recordLink, sourceLine, webLink } from "../shared/parts.js";
import { rich, takeApart } from "../shared/words.js";
import { failureKind, failurePlace, failureText, findingsOf, who } from "./findings.js";

/** @typedef {import("./findings.js").Failure} Failure */

/** @param {import("../main.js").Context} context @returns {Promise<import("../main.js").View>} */
export async function openFailures({ log, state }) {
  const [model, found] = await Promise.all([modelOf(log), findingsOf(log)]);
  const all = [...found.failures, ...found.restarts];
  if (all.length === 0) {
    return emptyPage("No failures",
      "Compiles that failed, exceptions and restarts would be here, with the line of the program and the traceback. Nothing of the kind is in this log.");
  }
  const kinds = [...new Set(all.map(failureKind))];
  return listDetail({
    state, name: "failures", label: "Failures", noun: ["failure or restart", "failures and restarts"], length: all.length, minWidth: "32rem",
    id: (i) => all[i].id, title: (i) => `${failureKind(all[i])} ${who(model, all[i])} ${failureText(all[i])}`,
    text: (i) => [failureKind(all[i]), who(model, all[i]), all[i].type, all[i].reason, all[i].file, all[i].line, all[i].source_line].join("\n"),
    choices: kinds.length > 1 ? [{ key: "type", label: "Kind", all: "all kinds", options: kinds.map((kind) => [kind, kind]), fits: (i, value) => failureKind(all[i]) === value }] : [],
    columns: [
      { id: "kind", title: "Kind", width: "8.5rem", sort: (i) => failureKind(all[i]), cell: (i) => kindBadge(all[i]) },
      { id: "function", title: "Function", width: "minmax(6rem, .8fr)", sort: (i) => who(model, all[i]), cell: (i) => h("span", { title: who(model, all[i]) }, who(model, all[i])) },
      { id: "place", title: "Line", width: "minmax(6rem, .8fr)", class: "mono", sort: (i) => failurePlace(model, all[i]) || null, cell: (i) => h("span", { title: all[i].file ?? "" }, failurePlace(model, all[i]) || "–") },
      { id: "what", title: "What", width: "minmax(10rem, 2fr)", sort: (i) => failureText(all[i]), cell: (i) => h("span", { title: failureText(all[i]) }, failureText(all[i])) },
    ],
    detail: (i) => failureDetail({ log, state }, model, all[i]),
  });
}

/** @param {Failure} failure */
function kindBadge(failure) {
  const [tone, sign] = failure.restart ? ["break", "↺"] : ["error", "✖"];
  return h("span", { class: `status status-${tone}` }, h("span", { class: "sign", "aria-hidden": "true" }, sign), " ", failureKind(failure));
}

/** What the message says itself, as sections. @param {Failure} failure */
export function failureBody(failure) {
  const { head, explanation, hints, link } = takeApart(failure.reason);
  return [
    h("pre", { class: "wrapped message" }, head || "torch wrote no message"),
    sourceLine(failure),
    explanation && h("p", { class: "prose" }, rich(explanation)),
    advice(hints.map(rich)),
    link && h("p", null, "More about it: ", webLink(link)),
  ];
}

/** @param {{log: any, state: any}} context @param {any} model @param {Failure} failure */
function failureDetail({ log, state }, model, failure) {
  const compile = model.compiles[failure.compile];
  const inCompile = compile.id !== null;
  return [
    h("h2", null, kindBadge(failure), " ", failure.type ?? ""),
    h("p", null, compileLink(model, failure.compile, state), " ", h("strong", null, who(model, failure)), " ", h("span", { class: "place" }, inCompile ? placeOf(model, compile) : "")),
    failureBody(failure),
    failure.file === null && inCompile && !failure.restart && h("p", { class: "dim" }, "The log does not say on which line of the program. ",
      h("a", { href: state.link({ view: "compile", compile: compile.key, artifact: "~stack" }) }, "Who called it")),
    failure.limit && h("p", null, h("a", { href: state.link({ view: "recompiles", by: "function" }) }, "Why it was compiled so often")),
    failure.user_traceback && [h("h3", null, "Traceback of the program"), h("pre", { class: "wrapped traceback" }, failure.user_traceback)],
    failure.stack_index !== null && callers(log, failure.stack_index),
    h("h3", null, "In the log"),
    pairs(failure.rows.map((row) => [`${row.kind === "compile" || row.kind === "restart" ? "metrics" : row.kind.replace("_", " ")}`, [recordLink(row.event_index, state), row.type && ` ${row.type}`]])),
    takeApart(failure.reason).head !== failure.reason?.trim() && h("details", null, h("summary", null, "The whole message"), h("pre", { class: "wrapped" }, failure.reason)),
  ];
}

/** @param {any} log @param {number} stack */
function callers(log, stack) {
  const list = h("ol", { class: "frames" });
  log.stacks().then((/** @type {any} */ stacks) => fill(list, stacks.stack(stack).map((/** @type {any} */ frame) => h("li", { title: frameText(frame) },
    h("b", null, frame.name), " ", h("span", { class: "place" }, `${frame.file ?? "(unknown file)"}:${frame.line}`), frame.loc && h("div", null, h("code", null, frame.loc))))),
  (/** @type {Error} */ error) => fill(list, h("li", { class: "dim" }, firstLine(error.message))));
  return [h("h3", null, "Called from"), list];
}
