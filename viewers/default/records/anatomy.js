// The log anatomy view: size of the log by kind of record, by call site in torch, by compile.
import { describe } from "../../lib/bundle/artifacts.js";
import { emptyPage, listDetail } from "../../lib/list/list-detail.js";
import { tableBox } from "../../lib/list/table.js";
import { cutMiddle } from "../../lib/page/cut-middle.js";
import { h } from "../../lib/page/dom.js";
import { percent } from "../../lib/page/figures.js";
import { bytes, count, plural } from "../../lib/page/format.js";
import { functionName, idText, modelOf, numberOf } from "../shared/model.js";
import { compileLink, pairs } from "../shared/parts.js";
import { anatomyRows, cellsOf, kindId, sumOf } from "./anatomy-data.js";

/** @typedef {import("./anatomy-data.js").Row} Row */

const WAYS = /** @type {[string, string, string, [string, string]][]} */ ([
  ["", "By kind", "Log by kind of record", ["kind", "kinds"]],
  ["origin", "By call site", "Log by call site in torch", ["call site", "call sites"]],
  ["compile", "By compile", "Log by compile", ["compile", "compiles"]],
]);
const MOST_CELLS = 100;

/** @param {import("../frame/viewer.js").Context} context @returns {Promise<import("../frame/viewer.js").View>} */
export async function openAnatomy({ bundle, log, state }) {
  const [model, kinds, origins, cells] = await Promise.all([
    modelOf(log),
    ...["kinds", "origins", "kind_compiles"].map((name) => log.table(name)),
  ]);
  if (model.directory.event_count === 0) {
    return emptyPage("Log anatomy", "This log has no records.");
  }
  /** The current view; switching to a different grouping rebuilds it. @type {{by: string, view: any} | null} */
  let shown = null;
  const element = h("div", { class: "fill" });
  const open = (/** @type {string} */ by) => {
    const way = WAYS.find(([id]) => id === by) ?? WAYS[0];
    const tools = h(
      "span",
      { "class": "tool-group", "role": "group", "aria-label": "Group by" },
      WAYS.map(([id, words]) =>
        h(
          "button",
          {
            "class": "tool",
            "aria-pressed": String(id === way[0]),
            "onclick": () => state.go(state.patched({ by: id, item: "", sort: "", q: "" })),
          },
          words,
        ),
      ),
    );
    shown = {
      by,
      view: anatomyList({ bundle, log, state, model, anatomy: { kinds, origins, cells } }, way, tools),
    };
    element.replaceChildren(shown.view.element);
    return shown;
  };
  return {
    element,
    title: "Log anatomy",
    search: () => shown?.view.search(),
    update: (current) => (shown && shown.by === current.by ? shown : open(current.by)).view.update(current),
  };
}

/** @param {{bundle: any, log: any, state: any, model: any, anatomy: import("./anatomy-data.js").Anatomy}} about @param {[string, string, string, [string, string]]} way @param {any} tools */
function anatomyList(about, [by, , label, noun], tools) {
  const { bundle, log, state, model, anatomy } = about;
  const rows = anatomyRows(model, anatomy, by);
  const total = log.summary.source.size_bytes;
  const name = (/** @type {number} */ i) => rowName(model, rows[i], by);
  const share = (/** @type {number} */ n) => (total ? percent(n, total) : "–");
  const number = (
    /** @type {string} */ id,
    /** @type {string} */ title,
    /** @type {(row: Row) => number | null} */ get,
    /** @type {(n: number | null) => string} */ show,
    /** @type {string} */ help,
  ) => ({
    id,
    title,
    number: true,
    help,
    sort: (/** @type {number} */ i) => get(rows[i]),
    cell: (/** @type {number} */ i) => show(get(rows[i])),
  });
  return listDetail({
    state,
    name: "anatomy",
    label,
    noun,
    length: rows.length,
    share: 0.66,
    tools,
    id: (i) => rows[i].id,
    title: (i) => `${name(i)} ${bytes(rows[i].size)}`,
    text: (i) => [name(i), rows[i].help].join("\n"),
    above: wholeLog(rows, by, total),
    columns: [
      {
        id: "name",
        title: { "": "Kind", "origin": "Call site", "compile": "Compile" }[by] ?? "",
        least: "11rem",
        class: by === "origin" ? "mono" : "",
        sort: name,
        cell: (i) => cutMiddle(name(i), describeRow(bundle, rows[i])),
      },
      number("size", "Size", (row) => row.size, bytes, "Size of the records in the log"),
      {
        id: "share",
        title: "Share",
        number: true,
        sort: (i) => rows[i].size,
        cell: (i) => share(rows[i].size),
      },
      { id: "bar", title: "", least: "6rem", width: "1fr", cell: (i) => partsBar(rows[i], total) },
      number("records", "Records", (row) => row.count, count, "Number of records"),
      number("payload", "Payloads", (row) => row.payload, bytes, "Size of the payloads: graphs, code, JSON"),
      ...(by === ""
        ? [
            number(
              "distinct",
              "Distinct",
              (row) => row.distinct,
              bytes,
              "Size of the payloads without repeated ones",
            ),
          ]
        : []),
      number("each", "Average", (row) => Math.round(row.size / row.count), bytes, "Average size of a record"),
    ],
    detail: (i) => rowDetail(about, rows[i], by, share),
  });
}

/** Build a bar of the whole log. @param {Row[]} rows @param {string} by @param {number} total */
function wholeLog(rows, by, total) {
  const all = sumOf(rows);
  const parts = /** @type {[string, string, number | null][]} */ ([
    ["inductor", by === "" ? "distinct payloads" : "payloads", by === "" ? all.distinct : all.payload],
    ["backward", "repeated payloads", by === "" ? all.payload - (all.distinct ?? 0) : null],
    ["aot", "envelopes: prefix, metadata, line ends", all.size - all.payload],
    ["dynamo", "between records", Math.max(0, total - all.size)],
  ]).filter(([, , n]) => n);
  return h(
    "div",
    { class: "intro anatomy-whole" },
    h(
      "p",
      null,
      h("b", null, bytes(total)),
      ` in ${plural(all.count, "record")}; `,
      h("span", { class: "dim" }, "the bundle stores equal payloads once, compressed"),
    ),
    h(
      "div",
      {
        "class": "stacked",
        "role": "img",
        "aria-label": parts.map(([, words, n]) => `${words} ${bytes(n)}`).join(", "),
      },
      parts.map(([id, , n]) => h("span", { class: `phase-${id}`, style: { "flex-grow": n } })),
    ),
    h(
      "ul",
      { class: "legend" },
      parts.map(([id, words, n]) =>
        h(
          "li",
          null,
          h("span", { "class": `swatch phase-${id}`, "aria-hidden": "true" }),
          ` ${words} `,
          h("b", null, bytes(n)),
        ),
      ),
    ),
  );
}

/** Build a bar of a row's payload and other bytes, scaled to the log. @param {Row} row @param {number} total */
function partsBar(row, total) {
  const repeated = row.distinct === null ? 0 : row.payload - row.distinct;
  const part = (/** @type {string} */ id, /** @type {number} */ n) =>
    n > 0 && h("span", { class: `phase-${id}`, style: { width: `${(100 * n) / (total || 1)}%` } });
  return h(
    "span",
    { "class": "anatomy-bar", "aria-hidden": "true" },
    part("inductor", row.payload - repeated),
    part("backward", repeated),
    part("aot", row.size - row.payload),
  );
}

/** @param {any} model @param {Row} row @param {string} by */
function rowName(model, row, by) {
  const compile = model.compiles[row.index];
  if (by === "compile")
    return compile.id === null ? functionName(compile) : `${idText(compile)} ${functionName(compile)}`;
  return row.name;
}

/** @param {any} bundle @param {Row} row */
const describeRow = (bundle, row) =>
  row.kind
    ? [row.kind.type, row.kind.name, describe(bundle.manifest, row.kind).help].filter(Boolean).join("\n")
    : row.name;

/** @param {{bundle: any, state: any, model: any, anatomy: import("./anatomy-data.js").Anatomy}} about @param {Row} row @param {string} by @param {(n: number) => string} share */
function rowDetail({ bundle, state, model, anatomy }, row, by, share) {
  const cells = by === "origin" ? [] : cellsOf(model, anatomy, row);
  const known = row.kind && describe(bundle.manifest, row.kind);
  const type = row.kind ? kindId(row.kind) : "";
  return [
    h(
      "h2",
      null,
      by === "compile"
        ? [compileLink(model, row.index, state), " ", functionName(model.compiles[row.index])]
        : row.name,
    ),
    known?.help && h("p", { class: "prose" }, known.help),
    by === "origin" &&
      h(
        "p",
        { class: "prose" },
        "The line of torch that called trace_structured. One call site can log several kinds of records.",
      ),
    pairs([
      ["Size", `${bytes(row.size)}, ${share(row.size)} of the log`],
      [
        "Records",
        [
          count(row.count),
          " ",
          by !== "origin" &&
            h(
              "a",
              {
                href: state.link(
                  by === ""
                    ? { view: "events", type }
                    : { view: "events", compile: model.compiles[row.index].key },
                ),
              },
              "show",
            ),
        ],
      ],
      ["Average record", bytes(Math.round(row.size / row.count))],
      [
        "Payloads",
        `${bytes(row.payload)}, ${row.size ? Math.round((100 * row.payload) / row.size) : 0} % of the size`,
      ],
      [
        "Distinct payloads",
        row.distinct === null
          ? null
          : [
              bytes(row.distinct),
              row.payload > row.distinct && `, ${bytes(row.payload - row.distinct)} repeated`,
            ],
      ],
      ["Envelopes", `${bytes(row.size - row.payload)}: prefix, metadata, line ends`],
    ]),
    cells.length > 0 && [
      h("h3", null, by === "" ? "By compile" : "By kind"),
      tableBox(
        by === "" ? "By compile" : "By kind",
        [
          by === ""
            ? {
                title: "Compile",
                cell: (cell) => [
                  compileLink(model, numberOf(model, cell), state),
                  " ",
                  functionName(model.compiles[numberOf(model, cell)]),
                ],
                sort: (cell) => numberOf(model, cell),
              }
            : {
                title: "Kind",
                cell: (cell) => cell.name ?? cell.type,
                sort: (cell) => cell.name ?? cell.type,
              },
          {
            title: "Size",
            number: true,
            cell: (cell) => bytes(cell.size_bytes),
            sort: (cell) => cell.size_bytes,
          },
          {
            title: "Records",
            number: true,
            cell: (cell) => count(cell.event_count),
            sort: (cell) => cell.event_count,
          },
          {
            title: "Payloads",
            number: true,
            cell: (cell) => bytes(cell.payload_size_bytes),
            sort: (cell) => cell.payload_size_bytes,
          },
        ],
        cells.slice(0, MOST_CELLS),
      ),
      cells.length > MOST_CELLS &&
        h("p", { class: "dim" }, `The ${MOST_CELLS} largest of ${count(cells.length)}.`),
    ],
  ];
}
