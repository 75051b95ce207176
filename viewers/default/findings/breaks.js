// The graph breaks view: distinct breaks with reason, location, torch's explanation, and the compiles that had them.
import { tracebackView } from "../../lib/code/traceback.js";
import { emptyPage, listDetail } from "../../lib/list/list-detail.js";
import { h } from "../../lib/page/dom.js";
import { count, firstLine, plural, resumeFunction } from "../../lib/page/format.js";
import { placeLink } from "../../lib/page/place-link.js";
import { cards, shownBy } from "../shared/finding-leads.js";
import { findingsOf, modelOf, numberOf, summaryOf } from "../shared/model.js";
import { compileLink, pairs, placeCell, recordLink, sourceLine, webLink } from "../shared/parts.js";
import { isNotRecorded, notRecordedPage } from "../shared/not-recorded.js";

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
    if (isNotRecorded(log, "graph_breaks"))
      return notRecordedPage("Graph breaks", "graph_breaks", ...otherSigns(log, model, state));
    return emptyPage(
      "No graph breaks",
      summaryOf(log).restart_count
        ? h(
            "a",
            { href: state.link({ view: "failures", type: "restart" }) },
            "Restarts without a recorded graph break",
          )
        : "Nothing to fix.",
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
        title: "Location",
        least: "8rem",
        class: "mono",
        sort: (i) => `${breaks[i].file}:${String(breaks[i].line).padStart(8)}`,
        cell: (i) => placeCell(breaks[i].file, breaks[i].line, breakPlace(model, breaks[i])),
      },
      {
        id: "code",
        title: "Source line",
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
        title: "Count",
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

/** Return other signs of graph breaks: restarts, and resume functions. @param {any} log @param {any} model @param {any} state */
function otherSigns(log, model, state) {
  const parts = new Map(); // by file and name, which contains the line
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
      ? h("a", { href: state.link({ view: "failures", type: "restart" }) }, "Restarts and their reasons")
      : null,
    parts.size > 0 && [
      "Functions with a resume function, which Dynamo compiles after a graph break:",
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
              placeLink(file, Number(line), file === null ? `line ${line}` : `${model.short(file)}:${line}`),
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
  row.file === null ? "not recorded" : `${model.short(row.file)}:${row.line}`;

/** Return the details of a break. @param {any} model @param {any} row @param {any[]} records @param {any} state @param {boolean} hasCard true below the card of a finding, which has the explanation and hints */
function breakDetail(model, row, records, state, hasCard) {
  const { user_traceback: traceback, explanation } = row;
  return [
    h(
      hasCard ? "h3" : "h2",
      null,
      h("span", { "class": "sign status-break", "aria-hidden": "true" }, "✂"),
      " ",
      row.reason,
    ),
    sourceLine(row),
    !hasCard && [
      explanation && h("p", { class: "prose" }, explanation),
      h(
        "ul",
        null,
        row.hints.map((/** @type {string} */ hint) => h("li", null, hint)),
      ),
    ],
    h("h3", null, plural(row.count, "occurrence")),
    h(
      "ul",
      { class: "occurrences" },
      records.slice(0, MOST_SHOWN).map((record) => recordItem(model, record, state)),
      row.count > MOST_SHOWN &&
        h("li", { class: "dim" }, `${count(MOST_SHOWN)} of ${count(row.count)} shown`),
    ),
    traceback && [h("h3", null, "Called from"), tracebackView(traceback)],
    pairs([
      ["Situation", row.situation && firstLine(row.situation).replace(/:$/, "")],
      ["Higher-order operator", row.higher_order_operator],
      ["Debug context", row.debug_context && h("code", null, row.debug_context)],
      ["Documentation", row.link && [row.gb_id && `${row.gb_id} `, webLink(row.link)]],
    ]),
    row.followed_by.length > 0 && [
      h("h3", null, "Raised while handling it"),
      h(
        "ul",
        null,
        row.followed_by.map((/** @type {any} */ next) =>
          h("li", null, next.reason, next.explanation && h("div", { class: "dim" }, next.explanation)),
        ),
      ),
    ],
    row.text !== null && [h("h3", null, "Full text"), h("pre", { class: "wrapped" }, row.text)],
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
      "graph break reason",
    ),
    ", ",
    recordLink(record.event, state),
    record.skips_frame === true && h("span", { class: "note-inline" }, " frame skipped"),
  );
}
