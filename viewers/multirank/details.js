// What else the analyses found, as tables: occurrences on some ranks, caches, tensors, run times, health.
import { lowest, size, words } from "../lib/bundle/ranks.js";
import { h } from "../lib/page/dom.js";
import { count, time } from "../lib/page/format.js";
import { awayLink } from "./data.js";
import { compileName, tensorText } from "./names.js";

const MOST = 200;

/** @param {import("./main.js").Context} context @returns {Promise<import("./main.js").View>} */
export async function openDetails({ model }) {
  const [occurrences, caches, tensors, runtime, health] = await Promise.all(["occurrences", "caches", "tensors", "runtime", "health"].map((name) => model.bundle.ranks(name)));
  const name = (/** @type {number | null} */ column, /** @type {string | null} */ key = null) => compileName(model.columns, column, key).map((part) => (typeof part === "string" ? part : h("code", null, part.code)));
  const link = (/** @type {any} */ ranks, /** @type {string | null} */ key) => awayLink(model, lowest(ranks), key, `rank ${lowest(ranks)} ›`);
  const element = h("div", { class: "page" }, h("h1", null, "Details"),
    section("Logs", "Ranks whose log is missing, cut or silent, or that are inside of a compile.", model.found?.summary.world_size == null ? "No log is cut or silent. How many ranks there should be is not in the logs." : "No rank is missing, and no log is cut or silent.", ["What", "Ranks", "Compile", "Last written", "When", "Go to"],
      (health?.problems ?? []).map((/** @type {any} */ row) => [row.kind.replaceAll("_", " "), words(row.ranks), row.column_index === null ? "" : name(row.column_index, row.compile_key), row.phase ?? "",
        row.last_epoch_us !== null && row.others_last_epoch_us !== null && row.others_last_epoch_us > row.last_epoch_us ? `ends ${time(row.others_last_epoch_us - row.last_epoch_us)} before the others` : "", link(row.ranks, row.compile_key)])),
    section("On some ranks only", "Failures, graph breaks, restarts, recompiles and guards that not all ranks had.", "None.", ["What", "Ranks", "not on", "Compile", "Text", "Go to"],
      (occurrences?.occurrences ?? []).map((/** @type {any} */ row) => [row.kind.replaceAll("_", " "), words(row.ranks), words(row.others), name(row.column_index, row.compile_key), h("code", null, [row.type, row.text].filter(Boolean).join(" ")), link(row.ranks, row.compile_key)])),
    section("Caches", "Ranks that share a cache directory differ in who missed first; that is no fault, but says who had to wait.", cachesAlike(caches), ["Compile", "Ranks", "Outcomes", "Reasons"],
      [...cacheTotals(caches), ...(caches?.columns ?? []).flatMap((/** @type {any} */ column) => column.groups.map((/** @type {any} */ group, /** @type {number} */ i) => [i ? "" : name(column.column_index), words(group.ranks), group.outcomes.join(", ") || "none", group.reasons.join(", ")]))]),
    section("Tensors within the graphs", "Shapes, strides and data types of what operations return.", tensors?.compared.length ? (size(tensors.compared) === 1 ? `Recorded by ${words(tensors.compared)} only.` : `The same on ${words(tensors.compared)}.`) : "Not recorded: LOG_TLPARSE=1 writes them.", ["Compile", "Ranks", "Operations", "First that differs", "here", "others"],
      (tensors?.columns ?? []).flatMap((/** @type {any} */ column) => column.groups.map((/** @type {any} */ group, /** @type {number} */ i) => {
        const at = group.first_difference;
        return [i ? "" : name(column.column_index), words(group.ranks), count(group.op_count), at ? h("code", null, at.name ?? `operation ${at.position}`) : "", at ? tensorList(at.here) : "", at ? tensorList(at.others) : ""];
      }))),
    section("Estimated run times", "Sums over the operations of a graph, as torch estimates them, where ranks differ.",
      runtime?.graphs.length ? "The same on all ranks, in each graph." : "Not recorded: LOG_TLPARSE=1 writes them.", ["Compile", "Ranks", "Fastest", "Its time", "Slowest", "Its time", "Median"],
      (runtime?.graphs ?? []).filter((/** @type {any} */ row) => row.slowest_ns > row.fastest_ns).sort((/** @type {any} */ a, /** @type {any} */ b) => b.slowest_ns - b.fastest_ns - (a.slowest_ns - a.fastest_ns))
        .map((/** @type {any} */ row) => [name(row.column_index), words(row.ranks), `rank ${row.fastest_rank}`, ns(row.fastest_ns), `rank ${row.slowest_rank}`, ns(row.slowest_ns), ns(row.median_ns)])));
  return { element, title: "Details" };
}

/** @param {string} title @param {string} what @param {string} none @param {string[]} columns @param {any[][]} rows */
function section(title, what, none, columns, rows) {
  if (!rows.length) return h("section", null, h("h2", null, title), h("p", { class: "dim" }, none));
  return h("section", null, h("h2", null, title), h("p", { class: "dim" }, what, rows.length > MOST && ` The first ${MOST} of ${count(rows.length)}.`),
    h("div", { class: "table-box", tabindex: "0", role: "region", "aria-label": title }, h("table", { class: "plain" },
      h("thead", null, h("tr", null, columns.map((column) => h("th", { scope: "col" }, column)))),
      h("tbody", null, rows.slice(0, MOST).map((row) => h("tr", null, row.map((cell) => h("td", null, cell))))))));
}

/** Numbers over the whole log, where they are not the same: caches are asked outside of compiles as well. @param {any} caches */
function cacheTotals(caches) {
  if ((caches?.totals ?? []).length < 2) return [];
  return caches.totals.map((/** @type {any} */ group, /** @type {number} */ i) => [i ? "" : "all together", words(group.ranks), Object.entries(group.counts).map(([what, n]) => `${count(n)} × ${what}`).join(", ") || "none", ""]);
}

/** @param {any} caches whose ranks do not differ */
function cachesAlike(caches) {
  const [total] = caches?.totals ?? [];
  if (!total || !Object.keys(total.counts).length) return "No log tells of a cache.";
  return `The same on ${words(total.ranks)}: ${Object.entries(total.counts).map(([what, n]) => `${count(Number(n))} × ${what}`).join(", ")}.`;
}

/** @param {any[] | null} list */
const tensorList = (list) => (list ? list.map(tensorText).join("; ") || "nothing" : "no such operation");

/** @param {number} value */
const ns = (value) => (value < 1_000 ? `${count(Math.round(value))} ns` : time(value / 1_000));
