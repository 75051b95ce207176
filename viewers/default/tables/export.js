// The export view: torch.export calls and the problems that torch recorded in them.
import { emptyPage, listDetail } from "../../lib/list/list-detail.js";
import { h } from "../../lib/page/dom.js";
import { count } from "../../lib/page/format.js";
import { cards, shownBy } from "../shared/finding-leads.js";
import { findingsOf, hasExport, modelOf, numberOf } from "../shared/model.js";
import { pairs, placeCell, recordLink } from "../shared/parts.js";
import {
  artifactLink,
  badge,
  frameLine,
  frameLink,
  framePlace,
  frameTitle,
  programFrame,
  stackFold,
} from "../shared/program-line.js";
import { expressionFold } from "./expression-tree.js";
import { contextPairs } from "./symbols.js";

/** @typedef {{kind: string, event: number, compile: number, call: number, failure: any, frame: any}} Item */

/** Tone, sign, word. @type {Record<string, [string, string, string]>} */
const KINDS = {
  exported: ["ok", "✔", "exported"],
  failed: ["error", "✖", "failed"],
  unknown: ["break", "!", "outcome not recorded"],
  missing_fake_kernel: ["error", "✖", "no fake kernel"],
  mismatched_fake_kernel: ["error", "✖", "wrong fake kernel"],
  data_dependent_error: ["error", "✖", "data-dependent"],
  assumed: ["break", "!", "assumed"],
  guard_evaluated: ["break", "◆", "shape condition"],
};

/** @param {import("../frame/viewer.js").Context} context @returns {Promise<import("../frame/viewer.js").View>} */
export async function openExport({ log, state }) {
  const [model, calls, met, stacks, found] = await Promise.all([
    modelOf(log),
    log.table("exports"),
    log.table("export_failures"),
    log.stacks(),
    findingsOf(log),
  ]);
  const exports = calls ?? [],
    failures = met ?? [];
  if (exports.length === 0 && (failures.length === 0 || !hasExport(model))) {
    return emptyPage(
      "No exports",
      "To record torch.export and draft_export calls, set TORCH_DTRACE=/tmp/trace instead of TORCH_TRACE.",
    );
  }
  const items = itemsOf(model, exports, failures, stacks);
  const place = (/** @type {number} */ i) => framePlace(model, items[i].frame);
  const kinds = Object.keys(KINDS).filter((kind) => items.some((item) => item.kind === kind));
  const about = { log, state, model, stacks, exports };
  const view = listDetail({
    state,
    name: "export",
    label: "Export report",
    noun: ["row", "rows"],
    length: items.length,
    id: (i) => String(items[i].event),
    title: (i) => `${KINDS[items[i].kind][2]} ${what(items[i])}`,
    text: (i) =>
      [
        KINDS[items[i].kind][2],
        what(items[i]),
        place(i),
        items[i].frame?.code,
        items[i].failure?.reason,
      ].join("\n"),
    choices: [
      {
        key: "type",
        label: "Kind",
        all: "all kinds",
        options: kinds.map((kind) => [kind, KINDS[kind][2]]),
        fits: (i, value) => items[i].kind === value,
      },
    ],
    columns: [
      { id: "kind", title: "Kind", sort: (i) => items[i].kind, cell: (i) => badge(...KINDS[items[i].kind]) },
      {
        id: "about",
        title: "Cause",
        help: "The operator, or the condition on data",
        least: "8rem",
        class: "mono",
        sort: (i) => what(items[i]),
        cell: (i) => h("span", { title: what(items[i]) }, what(items[i])),
      },
      {
        id: "call",
        title: "Export",
        number: true,
        sort: (i) => items[i].call,
        cell: (i) => (items[i].call < 0 ? "–" : count(items[i].call + 1)),
      },
      {
        id: "place",
        title: "Location",
        least: "7rem",
        class: "mono",
        sort: (i) => place(i) || null,
        cell: (i) =>
          placeCell(items[i].frame?.file, items[i].frame?.line ?? null, place(i), frameTitle(items[i].frame)),
      },
    ],
    detail: (i) => [
      cards(model, state, found, shownBy(items[i].event)),
      items[i].failure ? failureDetail(about, items[i]) : exportDetail(about, items[i], items),
    ],
  });
  return { ...view, title: "Export" };
}

/** Return calls and problems in log order. @param {any} model @param {any[]} exports @param {any[]} failures @param {any} stacks @returns {Item[]} */
function itemsOf(model, exports, failures, stacks) {
  const calls = exports.map((row, call) => ({
    kind: row.outcome === "succeeded" ? "exported" : row.outcome,
    event: row.event,
    compile: numberOf(model, row),
    call,
    failure: null,
    frame: null,
  }));
  /** Return the open call before an event; without a recorded start, the next program. */
  const callOf = (/** @type {number} */ event) => {
    let at = -1;
    exports.forEach((row, i) => {
      if (
        row.start_event !== null &&
        row.start_event <= event &&
        (row.program_event === null || event <= row.program_event)
      )
        at = i;
    });
    return at >= 0 ? at : exports.findIndex((row) => row.start_event === null && event <= row.program_event);
  };
  const met = failures.map((failure) => ({
    kind: failure.kind === "data_dependent_error" && failure.result !== null ? "assumed" : failure.kind,
    event: failure.event,
    compile: numberOf(model, failure),
    call: callOf(failure.event),
    failure,
    frame: programFrame(stacks, failure.user_stack, failure.stack),
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
    pairs([
      [
        "Start",
        row.start_event !== null
          ? recordLink(row.start_event, state)
          : row.program_event !== null
            ? "not recorded (draft_export doesn't log its start)"
            : "not recorded (set TORCH_DTRACE)",
      ],
      ["Reason", row.outcome === "failed" ? (row.reason ?? "not recorded") : null],
      ["Failure", row.failure_event === null ? null : recordLink(row.failure_event, state)],
      [
        "Further attempts",
        row.conversions
          .map((/** @type {any} */ attempt) => attempt.reason ?? "reason not recorded")
          .join("; "),
      ],
      [
        "Program",
        row.program_event === null
          ? row.outcome === "succeeded"
            ? "not recorded (set TORCH_DTRACE)"
            : "none"
          : artifactLink(log, model, state, numberOf(model, row), row.program_event, "exported program"),
      ],
    ]),
    h("h3", null, "Problems"),
    met.length === 0
      ? h("p", { class: "dim" }, "None recorded.")
      : h(
          "ul",
          { class: "history" },
          met.map((other) =>
            h(
              "li",
              null,
              badge(...KINDS[other.kind]),
              " ",
              h(
                "a",
                { href: state.link({ view: "export", item: String(other.event) }) },
                h("code", null, what(other)),
              ),
              other.frame && [" ", frameLink(model, other.frame)],
            ),
          ),
        ),
  ];
}

/** @param {any} about @param {Item} item */
function failureDetail({ log, state, model, stacks, exports }, item) {
  const { failure } = item;
  const call = exports[item.call];
  return [
    h("h2", null, badge(...KINDS[item.kind]), " ", h("code", null, failure.op ?? failure.expr ?? "")),
    failure.reason && h("pre", { class: "wrapped" }, failure.reason),
    frameLine(item.frame, failure.loc),
    contextPairs(failure),
    call &&
      h(
        "p",
        null,
        "During ",
        h(
          "a",
          { href: state.link({ view: "export", item: String(call.event) }) },
          `export ${count(item.call + 1)}`,
        ),
        call.outcome === "failed" && " (failed)",
      ),
    expressionFold({ log, state }, model, stacks, failure.expression_event),
    stackFold(stacks, failure.user_stack, "User stack"),
    failure.stack !== failure.user_stack && stackFold(stacks, failure.stack, "Full stack"),
    pairs([["Record", recordLink(item.event, state)]]),
  ];
}
