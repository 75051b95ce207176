// The Details view: tables of log problems, events on some ranks, settings, caches, tensors and run times.
import { kindTitle } from "../lib/finding/kind-titles.js";
import { lowest, size, toRuns, words } from "../lib/bundle/ranks.js";
import { tableBox } from "../lib/list/table.js";
import { h } from "../lib/page/dom.js";
import { count, time } from "../lib/page/format.js";
import { awayLink } from "./data.js";
import { compileName, tensorText } from "./names.js";

const MOST = 200;
/** Kind of finding by kind of problem. @type {Record<string, string>} */
const PROBLEMS = {
  missing: "missing-rank",
  empty: "empty-log",
  cut: "cut-log",
  unfinished: "unfinished-compile",
  silent: "never-began",
  stopped: "never-began",
  other_logs: "other-run",
  equal_logs: "equal-logs",
};

/** @param {import("./main.js").Context} context @returns {Promise<import("./main.js").View>} */
export async function openDetails({ model }) {
  const [occurrences, cacheTotals, caches, tensors, estimates, estimated, problems, settings] =
    await Promise.all(
      [
        "rank_occurrences",
        "rank_cache_totals",
        "rank_caches",
        "rank_tensors",
        "rank_estimates",
        "rank_estimate_totals",
        "rank_problems",
        "rank_settings",
      ].map((name) => model.bundle.rankTable(name)),
    );
  const recorded = toRuns((estimated ?? []).map((/** @type {any} */ row) => row.rank));
  const first = (/** @type {any[]} */ rows, /** @type {number} */ i) =>
    i === 0 || rows[i - 1].rank_compile !== rows[i].rank_compile;
  const name = (/** @type {number | null} */ column, /** @type {string | null} */ key = null) =>
    compileName(model.columns, column, key).map((part) =>
      typeof part === "string" ? part : h("code", null, part.code),
    );
  const link = (/** @type {any} */ ranks, /** @type {string | null} */ key) =>
    awayLink(model, lowest(ranks), key, `rank ${lowest(ranks)} ›`);
  const element = h(
    "div",
    { class: "page" },
    h("h1", null, "Details"),
    section(
      "Logs",
      "Ranks whose log is missing, is truncated, has no compiles, or ends inside a compile.",
      model.result?.job.world_size == null
        ? "No log is truncated, and each has compiles. World size: not recorded."
        : "No rank is missing. No log is truncated, and each has compiles.",
      ["Problem", "Ranks", "Compile", "Last phase", "End of log", "Open"],
      (problems ?? []).map((/** @type {any} */ row) => [
        kindTitle(PROBLEMS[row.kind] ?? row.kind, true),
        words(row.ranks),
        row.rank_compile === null ? "" : name(row.rank_compile, row.compile),
        row.phase ?? "",
        row.last_epoch_us !== null &&
        row.others_last_epoch_us !== null &&
        row.others_last_epoch_us > row.last_epoch_us
          ? `${time(row.others_last_epoch_us - row.last_epoch_us)} before the other ranks`
          : "",
        link(row.ranks, row.compile),
      ]),
    ),
    section(
      "On some ranks only",
      "Failures, graph breaks, restarts, recompiles and guards that not all ranks have.",
      "All ranks have the same failures, graph breaks, restarts, recompiles and guards.",
      ["Event", "Ranks", "Not on", "Compile", "Text", "Open"],
      (occurrences ?? []).map((/** @type {any} */ row) => [
        row.kind.replaceAll("_", " "),
        words(row.ranks),
        words(row.others),
        name(row.rank_compile, row.compile),
        h("code", null, [row.type, row.text].filter(Boolean).join(" ")),
        link(row.ranks, row.compile),
      ]),
    ),
    section(
      "Settings that differ",
      "Settings of torch that are not the same on all ranks, as recorded in the first compile of each.",
      "No recorded setting differs. Settings without a value on all ranks are not compared.",
      ["Setting", "Ranks", "Value"],
      (settings ?? []).map(
        (/** @type {import("../../schema/bundle.d.ts").RankSettings} */ row, /** @type {number} */ i) => [
          i > 0 && settings[i - 1].config === row.config && settings[i - 1].name === row.name
            ? ""
            : h("code", null, `${row.config}.${row.name}`),
          words(row.ranks),
          h("code", null, row.value),
        ],
      ),
    ),
    section(
      "Caches",
      "Ranks that share a cache directory have different outcomes: the first one misses, the others hit. This is expected.",
      cachesAlike(cacheTotals ?? []),
      ["Compile", "Ranks", "Outcomes", "Reasons"],
      [
        ...totalRows(cacheTotals ?? []),
        ...(caches ?? []).map((/** @type {any} */ group, /** @type {number} */ i) => [
          first(caches, i) ? name(group.rank_compile) : "",
          words(group.ranks),
          group.outcomes.join(", ") || "none",
          group.reasons.join(", "),
        ]),
      ],
    ),
    section(
      "Tensors in the graphs",
      "Shapes, strides and dtypes of operation outputs.",
      recorded.length
        ? size(recorded) === 1
          ? `Recorded on ${words(recorded)} only.`
          : `Same on ${words(recorded)}.`
        : "Not recorded. Set LOG_TLPARSE=1 to record them.",
      ["Compile", "Ranks", "Operations", "First difference", "These ranks", "Other ranks"],
      (tensors ?? []).map((/** @type {any} */ row, /** @type {number} */ i) => {
        const differs = row.graph !== null;
        return [
          first(tensors, i) ? name(row.rank_compile) : "",
          words(row.ranks),
          count(row.op_count),
          differs ? h("code", null, row.name ?? `operation ${row.position}`) : "",
          differs ? tensorList(row.here) : "",
          differs ? tensorList(row.others) : "",
        ];
      }),
    ),
    section(
      "Estimated run times",
      "torch's estimates, summed over the operations of each graph where ranks differ.",
      estimates?.length
        ? "Each graph has the same estimate on all ranks."
        : "Not recorded. Set LOG_TLPARSE=1 to record them.",
      ["Compile", "Ranks", "Fastest rank", "Its time", "Slowest rank", "Its time", "Median"],
      (estimates ?? [])
        .filter((/** @type {any} */ row) => row.slowest_ns > row.fastest_ns)
        .sort(
          (/** @type {any} */ a, /** @type {any} */ b) =>
            b.slowest_ns - b.fastest_ns - (a.slowest_ns - a.fastest_ns),
        )
        .map((/** @type {any} */ row) => [
          name(row.rank_compile),
          words(row.ranks),
          `rank ${row.fastest_rank}`,
          ns(row.fastest_ns),
          `rank ${row.slowest_rank}`,
          ns(row.slowest_ns),
          ns(row.median_ns),
        ]),
    ),
  );
  return { element, title: "Details" };
}

/** Build a section with a table, or with the text for an empty one. @param {string} title @param {string} what @param {string} none @param {string[]} columns @param {any[][]} rows */
function section(title, what, none, columns, rows) {
  if (!rows.length) return h("section", null, h("h2", null, title), h("p", { class: "dim" }, none));
  return h(
    "section",
    null,
    h("h2", null, title),
    h("p", { class: "dim" }, what, rows.length > MOST && ` First ${MOST} of ${count(rows.length)} rows.`),
    tableBox(
      title,
      columns.map((column, i) => ({ title: column, cell: (row) => row[i] })),
      rows.slice(0, MOST),
    ),
  );
}

/** Rows for whole logs, including cache lookups outside compiles; empty when all ranks are equal. @param {any[]} totals */
function totalRows(totals) {
  if (totals.length < 2) return [];
  return totals.map((group, i) => [
    i ? "" : "whole log",
    words(group.ranks),
    Object.entries(group.counts)
      .map(([what, n]) => `${count(n)} × ${what}`)
      .join(", ") || "none",
    "",
  ]);
}

/** The text of a table without rows. @param {any[]} totals of ranks that do not differ */
function cachesAlike([total]) {
  if (!total || !Object.keys(total.counts).length) return "No cache lookups recorded.";
  return `Same on ${words(total.ranks)}: ${Object.entries(total.counts)
    .map(([what, n]) => `${count(Number(n))} × ${what}`)
    .join(", ")}.`;
}

/** @param {any[] | null} list */
const tensorList = (list) => (list ? list.map(tensorText).join(", ") || "no tensors" : "no such operation");

/** @param {number} value */
const ns = (value) => (value < 1_000 ? `${count(Math.round(value))} ns` : time(value / 1_000));
