// The distinct graph breaks: why and where, torch's own words about each, and the compiles in which it occurred.
import { tracebackView } from "../../lib/code/traceback.js";
import { emptyPage, listDetail } from "../../lib/list/list-detail.js";
import { cutMiddle } from "../../lib/page/cut-middle.js";
import { h } from "../../lib/page/dom.js";
import { count, firstLine, plural, resumeFunction } from "../../lib/page/format.js";
import { cards, shownBy } from "../shared/finding-leads.js";
import { findingsOf, modelOf, numberOf, summaryOf } from "../shared/model.js";
import { compileLink, pairs, recordLink, sourceLine, webLink } from "../shared/parts.js";
import { isUntold, untoldPage } from "../shared/untold.js";

const ARTIFACT = "dynamo_graph_break_reason";
const MOST_SHOWN = 200;

/** @param {import("../frame/viewer.js").Context} context @returns {Promise<import("../frame/viewer.js").View>} */
export async function openBreaks({ log, state }) {
  const [model, found, table, records] = await Promise.all([
    modelOf(log),
    findingsOf(log),
    log.table("graph_breaks"),
    log.table("graph_break_records"),
  ]);
  const breaks = table ?? [];
  if (breaks.length === 0) {
    if (isUntold(log, "graph_breaks"))
      return untoldPage("Graph breaks", "graph_breaks", ...otherTraces(log, model, state));
    return emptyPage(
      "No graph breaks",
      "Every place where Dynamo had to end a graph would be here, with torch's reason, its hints and the line of the program.",
      summaryOf(log).restart_count
        ? h(
            "a",
            { href: state.link({ view: "failures", type: "restart" }) },
            "Restarts without a recorded graph break",
          )
        : [
            "torch.compile with ",
            h("code", null, "TORCH_TRACE=/tmp/trace"),
            " records them (dynamo_graph_break_reason).",
          ],
    );
  }
  return listDetail({
    state,
    name: "breaks",
    label: "Graph breaks",
    noun: ["graph break", "graph breaks"],
    length: breaks.length,
    id: String,
    title: (i) => `${breakPlace(model, breaks[i])} ${breaks[i].reason}`,
    text: (i) =>
      [
        breaks[i].reason,
        breaks[i].file,
        breaks[i].line,
        breaks[i].function,
        breaks[i].source_line,
        breaks[i].explanation,
        breaks[i].gb_id,
      ].join("\n"),
    columns: [
      {
        id: "place",
        title: "Line",
        least: "8rem",
        class: "mono",
        sort: (i) => `${breaks[i].file}:${String(breaks[i].line).padStart(8)}`,
        cell: (i) => cutMiddle(breakPlace(model, breaks[i]), breaks[i].file ?? undefined),
      },
      {
        id: "code",
        title: "Code",
        least: "7rem",
        class: "mono",
        cell: (i) => h("span", { title: breaks[i].source_line ?? "" }, breaks[i].source_line ?? "–"),
      },
      {
        id: "reason",
        title: "Reason",
        least: "10rem",
        sort: (i) => breaks[i].reason,
        cell: (i) => h("span", { title: breaks[i].reason }, breaks[i].reason),
      },
      {
        id: "times",
        title: "Times",
        number: true,
        sort: (i) => breaks[i].count,
        cell: (i) => count(breaks[i].count),
      },
    ],
    detail: (i) => {
      const shown = cards(model, state, found, shownBy(...breaks[i].events));
      return [
        shown,
        breakDetail(
          model,
          breaks[i],
          (records ?? []).filter((/** @type {any} */ record) => record.graph_break === breaks[i].id),
          state,
          shown.length > 0,
        ),
      ];
    },
  });
}

/** What tells of graph breaks where no record does: traces that began anew, and what goes on behind a break. @param {any} log @param {any} model @param {any} state */
function otherTraces(log, model, state) {
  const parts = new Map(); // by name: the line is in it
  for (const {
    rows: [first],
    last,
  } of model.frames) {
    const part = resumeFunction(last.function);
    if (part?.line && !parts.has(`${last.file} ${last.function}`))
      parts.set(`${last.file} ${last.function}`, {
        first,
        file: last.file,
        name: part.function,
        line: part.line,
      });
  }
  return [
    summaryOf(log).restart_count
      ? h("a", { href: state.link({ view: "failures", type: "restart" }) }, "Restarts, with their reasons")
      : null,
    parts.size > 0 && [
      "Functions that go on in a part of their own, as they do behind a graph break:",
      h(
        "ul",
        null,
        [...parts.values()]
          .slice(0, MOST_SHOWN)
          .map(({ first, file, name, line }) =>
            h(
              "li",
              null,
              h("code", null, name),
              " at ",
              h("span", { class: "mono" }, file === null ? `line ${line}` : `${model.short(file)}:${line}`),
              " ",
              compileLink(model, first, state),
            ),
          ),
      ),
      parts.size > MOST_SHOWN && `${count(MOST_SHOWN)} of ${count(parts.size)} shown`,
    ],
  ];
}

/** @param {any} model @param {any} row */
const breakPlace = (model, row) =>
  row.file === null ? "place unknown" : `${model.short(row.file)}:${row.line}`;

/** What torch wrote of one break. @param {any} model @param {any} row @param {any[]} records @param {any} state @param {boolean} told whether a finding stands above it */
function breakDetail(model, row, records, state, told) {
  const { user_traceback: traceback, explanation } = row;
  return [
    h(
      told ? "h3" : "h2",
      null,
      h("span", { "class": "sign status-break", "aria-hidden": "true" }, "✂"),
      " ",
      row.reason,
    ),
    sourceLine(row),
    !told && [
      explanation && h("p", { class: "prose" }, explanation),
      h(
        "ul",
        null,
        row.hints.map((/** @type {string} */ hint) => h("li", null, hint)),
      ),
    ],
    h("h3", null, plural(row.count, "time")),
    h(
      "ul",
      { class: "occurrences" },
      records.slice(0, MOST_SHOWN).map((record) => recordItem(model, record, state)),
      row.count > MOST_SHOWN &&
        h("li", { class: "dim" }, `${count(MOST_SHOWN)} of ${count(row.count)} shown`),
    ),
    traceback && [h("h3", null, "Called from"), tracebackView(traceback)],
    pairs([
      ["While", row.situation && firstLine(row.situation).replace(/:$/, "")],
      ["In the body of", row.higher_order_operator],
      ["Debug context", row.debug_context && h("code", null, row.debug_context)],
      ["More about it", row.link && [row.gb_id && `${row.gb_id} `, webLink(row.link)]],
    ]),
    row.followed_by.length > 0 && [
      h("h3", null, "While that was handled"),
      h(
        "ul",
        null,
        row.followed_by.map((/** @type {any} */ next) =>
          h("li", null, next.reason, next.explanation && h("div", { class: "dim" }, next.explanation)),
        ),
      ),
    ],
    row.text !== null && [h("h3", null, "The whole text"), h("pre", { class: "wrapped" }, row.text)],
  ];
}

/** One record of a break. @param {any} model @param {any} record @param {any} state */
function recordItem(model, record, state) {
  const number = numberOf(model, record),
    compile = model.compiles[number];
  return h(
    "li",
    null,
    compileLink(model, number, state),
    " ",
    compile.function ?? "",
    " ",
    h(
      "a",
      { href: state.link({ view: "compile", compile: compile.key, artifact: ARTIFACT }) },
      "what torch wrote",
    ),
    ", ",
    recordLink(record.event, state),
    record.skips_frame === true && h("span", { class: "note-inline" }, " skips the frame"),
  );
}
