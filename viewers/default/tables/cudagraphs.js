// The CUDA graphs view: graphs that torch recorded, and graphs for which it could not use CUDA graphs.
import { emptyPage, listDetail } from "../../lib/list/list-detail.js";
import { cutMiddle } from "../../lib/page/cut-middle.js";
import { h } from "../../lib/page/dom.js";
import { count, firstLine, plural, time } from "../../lib/page/format.js";
import { cards } from "../shared/finding-leads.js";
import { findingsOf, functionName, idText, modelOf, numberOf } from "../shared/model.js";
import { compileLink, pairs, recordLink, sourceLine } from "../shared/parts.js";

const MOST_RECORDS = 50;

/** @param {any} row */
const stateOf = (row) =>
  row.skip_reason !== null
    ? "skipped"
    : row.record_count === 0
      ? "not recorded"
      : row.record_count > 1
        ? "recorded several times"
        : "recorded";

/** The reason without torch's prefixes and the stack that it adds. @param {any} row */
const shortReason = (row) =>
  firstLine(
    (row.skip_reason ?? "")
      .replace(/\.?\s*Found from[^]*/, "")
      .replace(/^(?:(?:skipping|disabling) cudagraphs due to )+/, ""),
  );

/** @param {import("../frame/viewer.js").Context} context @returns {Promise<import("../frame/viewer.js").View>} */
export async function openCudaGraphs({ log, state }) {
  const [model, found, table] = await Promise.all([modelOf(log), findingsOf(log), log.table("cuda_graphs")]);
  const rows = table ?? [];
  if (rows.length === 0)
    return emptyPage(
      "No CUDA graphs",
      "The log has no CUDA graph, and no graph that could not use one. mode='reduce-overhead' enables them.",
    );
  const compile = (/** @type {number} */ i) => model.compiles[numberOf(model, rows[i])];
  const states = [...new Set(rows.map(stateOf))];
  return listDetail({
    state,
    name: "cudagraphs",
    label: "CUDA graphs",
    noun: ["graph", "graphs"],
    length: rows.length,
    share: 0.44,
    id: (i) => `${rows[i].compile}:${rows[i].direction}`,
    title: (i) =>
      `${idText(compile(i))} ${functionName(compile(i))} ${rows[i].direction} ${stateOf(rows[i])}`,
    text: (i) =>
      [
        idText(compile(i)),
        functionName(compile(i)),
        rows[i].direction,
        stateOf(rows[i]),
        rows[i].skip_reason,
        rows[i].file,
      ].join("\n"),
    choices:
      states.length > 1
        ? [
            {
              key: "status",
              label: "State",
              all: "all states",
              options: states.map((name) => [name, name]),
              fits: (i, value) => stateOf(rows[i]) === value,
            },
          ]
        : [],
    columns: [
      {
        id: "compile",
        title: "Compile",
        class: "mono",
        sort: (i) => numberOf(model, rows[i]),
        cell: (i) => (compile(i).id === null ? "–" : idText(compile(i))),
      },
      {
        id: "function",
        title: "Function",
        least: "6rem",
        sort: (i) => functionName(compile(i)),
        cell: (i) => cutMiddle(functionName(compile(i))),
      },
      { id: "direction", title: "Graph", sort: (i) => rows[i].direction, cell: (i) => rows[i].direction },
      { id: "state", title: "State", sort: (i) => stateOf(rows[i]), cell: (i) => stateOf(rows[i]) },
      {
        id: "records",
        title: "Recordings",
        number: true,
        sort: (i) => rows[i].record_count,
        cell: (i) => count(rows[i].record_count),
      },
      {
        id: "time",
        title: "Time",
        number: true,
        sort: (i) => rows[i].record_us,
        cell: (i) => (rows[i].record_count ? time(rows[i].record_us) : "–"),
        help: "Time of all recordings",
      },
      {
        id: "reason",
        title: "Reason",
        least: "8rem",
        sort: (i) => rows[i].skip_reason,
        cell: (i) => cutMiddle(shortReason(rows[i])),
      },
    ],
    detail: (i) => graphDetail(model, found, rows[i], state),
  });
}

/** @param {any} model @param {any} found @param {any} row @param {any} state */
function graphDetail(model, found, row, state) {
  const number = numberOf(model, row);
  const events = [row.skip_event, ...row.record_events].filter((event) => event !== null);
  return [
    h("h2", null, functionName(model.compiles[number]), " ", h("span", { class: "dim" }, row.direction)),
    h("p", null, compileLink(model, number, state)),
    ...cards(
      model,
      state,
      found,
      (finding) =>
        finding.kind.startsWith("cudagraph-") &&
        (finding.events.some((event) => events.includes(event)) ||
          (stateOf(row) === "not recorded" && finding.compiles.includes(row.compile))),
    ),
    row.skip_reason !== null && [
      h("h3", null, "Reason"),
      sourceLine(row),
      h("pre", { class: "reason" }, row.skip_reason),
    ],
    h("h3", null, "Recordings"),
    pairs([
      ["Prepared", row.prepare_count === null ? null : count(row.prepare_count)],
      ["Recordings", count(row.record_count)],
      ["Time", row.record_count ? time(row.record_us) : null],
      ["Metrics", row.skip_event === null ? null : recordLink(row.skip_event, state)],
    ]),
    row.record_events.length > 0 &&
      h(
        "ul",
        null,
        row.record_events
          .slice(0, MOST_RECORDS)
          .map((/** @type {number} */ event) => h("li", null, recordLink(event, state))),
      ),
    row.record_events.length > MOST_RECORDS &&
      h("p", { class: "dim" }, `and ${plural(row.record_events.length - MOST_RECORDS, "more recording")}`),
  ];
}
