// What else the analyses found, as tables: occurrences on some ranks, caches, tensors, run times, health.
import { lowest, size, toRuns, words } from "../lib/bundle/ranks.js";
import { h } from "../lib/page/dom.js";
import { count, time } from "../lib/page/format.js";
import { awayLink } from "./data.js";
import { compileName, tensorText } from "./names.js";

const MOST = 200;

/** @param {import("./main.js").Context} context @returns {Promise<import("./main.js").View>} */
export async function openDetails({ model }) {
  const [occurrences, cacheTotals, caches, tensors, estimates, estimated, problems] = await Promise.all(
    [
      "rank_occurrences",
      "rank_cache_totals",
      "rank_caches",
      "rank_tensors",
      "rank_estimates",
      "rank_estimate_totals",
      "rank_problems",
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
      "Ranks whose log is missing, cut or silent, or that are inside of a compile.",
      model.found?.job.world_size == null
        ? "No log is cut or silent. How many ranks there should be is not in the logs."
        : "No rank is missing, and no log is cut or silent.",
      ["What", "Ranks", "Compile", "Last written", "When", "Go to"],
      (problems ?? []).map((/** @type {any} */ row) => [
        row.kind.replaceAll("_", " "),
        words(row.ranks),
        row.rank_compile === null ? "" : name(row.rank_compile, row.compile),
        row.phase ?? "",
        row.last_epoch_us !== null &&
        row.others_last_epoch_us !== null &&
        row.others_last_epoch_us > row.last_epoch_us
          ? `ends ${time(row.others_last_epoch_us - row.last_epoch_us)} before the others`
          : "",
        link(row.ranks, row.compile),
      ]),
    ),
    section(
      "On some ranks only",
      "Failures, graph breaks, restarts, recompiles and guards that not all ranks had.",
      "None.",
      ["What", "Ranks", "not on", "Compile", "Text", "Go to"],
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
      "Caches",
      "Ranks that share a cache directory differ in who missed first; that is no fault, but says who had to wait.",
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
      "Tensors within the graphs",
      "Shapes, strides and data types of what operations return.",
      recorded.length
        ? size(recorded) === 1
          ? `Recorded by ${words(recorded)} only.`
          : `The same on ${words(recorded)}.`
        : "Not recorded: LOG_TLPARSE=1 writes them.",
      ["Compile", "Ranks", "Operations", "First that differs", "here", "others"],
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
      "Sums over the operations of a graph, as torch estimates them, where ranks differ.",
      estimates?.length
        ? "The same on all ranks, in each graph."
        : "Not recorded: LOG_TLPARSE=1 writes them.",
      ["Compile", "Ranks", "Fastest", "Its time", "Slowest", "Its time", "Median"],
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

/** @param {string} title @param {string} what @param {string} none @param {string[]} columns @param {any[][]} rows */
function section(title, what, none, columns, rows) {
  if (!rows.length) return h("section", null, h("h2", null, title), h("p", { class: "dim" }, none));
  return h(
    "section",
    null,
    h("h2", null, title),
    h("p", { class: "dim" }, what, rows.length > MOST && ` The first ${MOST} of ${count(rows.length)}.`),
    h(
      "div",
      { "class": "table-box", "tabindex": "0", "role": "region", "aria-label": title },
      h(
        "table",
        { class: "plain" },
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            columns.map((column) => h("th", { scope: "col" }, column)),
          ),
        ),
        h(
          "tbody",
          null,
          rows.slice(0, MOST).map((row) =>
            h(
              "tr",
              null,
              row.map((cell) => h("td", null, cell)),
            ),
          ),
        ),
      ),
    ),
  );
}

/** Numbers over the whole log, where they are not the same: caches are asked outside of compiles as well. @param {any[]} totals */
function totalRows(totals) {
  if (totals.length < 2) return [];
  return totals.map((group, i) => [
    i ? "" : "all together",
    words(group.ranks),
    Object.entries(group.counts)
      .map(([what, n]) => `${count(n)} × ${what}`)
      .join(", ") || "none",
    "",
  ]);
}

/** @param {any[]} totals of ranks that do not differ */
function cachesAlike([total]) {
  if (!total || !Object.keys(total.counts).length) return "No log tells of a cache.";
  return `The same on ${words(total.ranks)}: ${Object.entries(total.counts)
    .map(([what, n]) => `${count(Number(n))} × ${what}`)
    .join(", ")}.`;
}

/** @param {any[] | null} list */
const tensorList = (list) => (list ? list.map(tensorText).join("; ") || "nothing" : "no such operation");

/** @param {number} value */
const ns = (value) => (value < 1_000 ? `${count(Math.round(value))} ns` : time(value / 1_000));
