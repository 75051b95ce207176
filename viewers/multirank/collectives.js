// The Collectives view: calls by process group, and the schedules of each compile aligned across ranks.
import { lowest, Words, words } from "../lib/bundle/ranks.js";
import { tableBox } from "../lib/list/table.js";
import { fill, h } from "../lib/page/dom.js";
import { plural } from "../lib/page/format.js";
import { picker } from "../lib/page/picker.js";
import { align, allEqual } from "./align.js";
import { awayLink, byCompile, compileKey } from "./data.js";
import { callsPart, readOrder } from "./groups.js";
import { functionName, shortOp } from "./names.js";

/** @typedef {import("./data.js").Model} Model */
/** @typedef {import("../../schema/bundle.d.ts").RankSchedules} Schedules */
/** @typedef {import("../../schema/bundle.d.ts").RankCollectives} Collectives */
/** @typedef {import("../../schema/bundle.d.ts").RankParity} Parity */
/** @typedef {{column: number, groups: {ranks: number[][], schedules: string[][]}[], without: number[][]}} Column without: ranks whose schedules are unknown */

const MOST_ROWS = 1_000,
  MOST_GROUPS = 8;

/** @param {import("./main.js").Context} context @returns {Promise<import("./main.js").View>} */
export async function openCollectives({ model, state }) {
  const [schedules, all, parity, order, recorded] =
    /** @type {[Schedules[], Collectives[], Parity[], import("./groups.js").Order, HTMLElement | null]} */ (
      await Promise.all([
        ...["rank_schedules", "rank_collectives", "rank_parity"].map((name) => model.bundle.rankTable(name)),
        readOrder(model.bundle),
        recordedPart(model),
      ])
    );
  const element = h("div", { class: "page" });
  const columns = columnsOf(model, schedules);
  const view = { element, title: "Collectives" };
  if (!columns.length) {
    const groups = callsPart(model, order);
    fill(
      element,
      h("h1", null, "Collectives"),
      recorded,
      groups,
      h(
        "p",
        null,
        groups
          ? "No collective schedules recorded."
          : "No collectives recorded. Torch records the functional collectives of graphs that Inductor schedules.",
      ),
    );
    return view;
  }
  /** @param {Record<string, string>} current */
  const update = (current) => {
    const column =
      columns.find((one) => String(one.column) === current.column) ??
      columns.find((one) => one.groups.length > 1) ??
      columns[0];
    const at = (/** @type {string} */ value) => state.go(state.patched({ column: value }));
    const items = columns.map((one) => {
      const { function: name, compile: id } = model.columns[one.column];
      return {
        value: String(one.column),
        text: `${functionName(name)} [${id}]${one.groups.length > 1 ? " ≠" : ""}`,
      };
    });
    fill(
      element,
      h("h1", null, "Collectives"),
      recorded,
      callsPart(model, order),
      h(
        "section",
        null,
        h(
          "h2",
          null,
          "Schedules: ",
          picker({ label: "Schedules", items, value: String(column.column), onpick: at }),
        ),
        totals(all),
        schedulesOf(model, column),
      ),
      parityPart(model, parity),
    );
  };
  return { ...view, update };
}

/** Build the section of Flight Recorder dumps; null without any. @param {Model} model */
const recordedPart = async (model) =>
  model.bundle.manifest.rank_tables?.flight_recorder_groups
    ? (await import("./flight-recorder.js")).flightRecorderPart(model)
    : null;

/** @param {Model} model @param {Schedules[]} rows @returns {Column[]} */
function columnsOf(model, rows) {
  return byCompile(rows, model.columns.length).flatMap((own, column) =>
    own.length === 0
      ? []
      : [
          {
            column,
            groups: own.flatMap(({ ranks, schedules }) => (schedules === null ? [] : [{ ranks, schedules }])),
            without: own.flatMap(({ ranks, schedules }) => (schedules === null ? ranks : [])),
          },
        ],
  );
}

/** @param {Collectives[]} groups */
const totals = (groups) =>
  h(
    "p",
    { class: "dim" },
    "All schedules, including waits: ",
    groups
      .slice(0, MOST_GROUPS)
      .map((group, i) => `${i ? "; " : ""}${words(group.ranks)}: ${plural(group.op_count, "operation")}`),
    groups.length > MOST_GROUPS && " …",
  );

/** @param {Model} model @param {Column} column */
function schedulesOf(model, column) {
  const groups = column.groups.slice(0, MOST_GROUPS);
  const most = Math.max(0, ...groups.map((group) => group.schedules.length));
  const tables = Array.from({ length: most }, (_, nth) => {
    const rows = align(groups.map((group) => group.schedules[nth] ?? []));
    const first = rows.findIndex((row) => !allEqual(row));
    const title = h(
      "tr",
      null,
      groups.map((group) => {
        const rank = lowest(group.ranks),
          key = compileKey(model, rank, column.column);
        return h(
          "th",
          { scope: "col", colspan: 2 },
          words(group.ranks),
          " ",
          key !== null &&
            awayLink(model, rank, key, `[${key}] ›`, {
              artifact: nth ? `inductor_collective_schedule@${nth + 1}` : "inductor_collective_schedule",
            }),
        );
      }),
    );
    const line = (/** @type {any[]} */ row, /** @type {number} */ i) =>
      h(
        "tr",
        { class: i === first ? "first" : null },
        row.map((cell, k) =>
          cell === null
            ? [h("td", { class: "number absent" }), h("td", { class: "absent" }, "–")]
            : [
                h("td", { class: "number" }, cell.position),
                h(
                  "td",
                  { class: k && row[0]?.name !== cell.name ? "other" : null, title: cell.name },
                  shortOp(cell.name),
                ),
              ],
        ),
      );
    return [
      most > 1 && h("h3", null, `Schedule ${nth + 1} of ${most}`),
      h(
        "p",
        { class: "dim" },
        first < 0
          ? groups.length > 1
            ? "Same on all groups of ranks."
            : "Same on all ranks that have this schedule."
          : `First difference: position ${(rows[first].find((cell) => cell !== null) ?? { position: 0 }).position}.`,
      ),
      h(
        "div",
        { "class": "table-box", "tabindex": "0", "role": "region", "aria-label": `Schedule ${nth + 1}` },
        h(
          "table",
          { class: "aligned" },
          h("thead", null, title),
          h("tbody", null, rows.slice(0, MOST_ROWS).map(line)),
        ),
      ),
      rows.length > MOST_ROWS && h("p", { class: "note" }, `First ${MOST_ROWS} of ${rows.length} rows.`),
    ];
  });
  return [
    tables,
    column.groups.length > MOST_GROUPS &&
      h("p", { class: "note" }, `First ${MOST_GROUPS} of ${column.groups.length} groups.`),
    column.without.length > 0 &&
      h(
        "p",
        { class: "dim" },
        `${Words(column.without)}: schedule not recorded (code from a cache, or an unfinished compile).`,
      ),
  ];
}

/** @param {Model} model @param {Parity[]} rows */
function parityPart(model, rows) {
  if (!rows.length) return null;
  return h(
    "section",
    null,
    h("h2", null, "Schedules that don't match the generated code"),
    tableBox(
      "Schedule and code mismatches",
      [
        { title: "Ranks", cell: ({ ranks }) => words(ranks), sort: ({ ranks }) => words(ranks) },
        {
          title: "Compile",
          cell: (row) => [
            h("code", null, functionName(model.columns[row.rank_compile].function)),
            " ",
            awayLink(model, lowest(row.ranks), row.compile, `[${row.compile}] ›`, {
              artifact: "inductor_output_code",
            }),
          ],
          sort: (row) => row.rank_compile,
        },
        { title: "Collective", cell: ({ op }) => h("code", null, op), sort: ({ op }) => op },
        { title: "In schedule", number: true, cell: (row) => row.scheduled, sort: (row) => row.scheduled },
        { title: "In code", number: true, cell: (row) => row.in_code, sort: (row) => row.in_code },
        {
          title: "Missing waits",
          number: true,
          cell: (row) => row.missing_waits,
          sort: (row) => row.missing_waits,
        },
      ],
      rows,
    ),
  );
}
