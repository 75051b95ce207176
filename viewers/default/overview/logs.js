// Table of the logs in a bundle, from their summaries in the manifest, with their totals.
import { table } from "../../lib/list/table.js";
import { h, rich } from "../../lib/page/dom.js";
import { bytes, count, plural, time } from "../../lib/page/format.js";
import { oneStop } from "../../lib/page/one-stop.js";
import { processName, summaryOf, utc } from "../shared/model.js";
import { lookups } from "./tiles.js";

/** @typedef {import("../../lib/bundle/log.js").Log} Log */

/** @param {any} bundle @param {Log} log @param {any} state @param {typeof import("../../lib/live/running.js") | null} live null unless the bundle is growing */
export function logTable(bundle, log, state, live) {
  const link = (/** @type {Log} */ one) =>
    h(
      "a",
      {
        "href": state.patched({ log: one.id, item: "" }),
        "aria-current": one.id === log.id ? "true" : null,
        "title": one.summary.source.name,
      },
      processName(one),
    );
  const text = (/** @type {Log} */ one) => (live ? live.soFar(summaryOf(one)) : summaryOf(one).text);
  const { totals } = bundle.manifest;
  const logs = /** @type {Log[]} */ (bundle.logs);
  /** @type {import("../../lib/list/table.js").TableColumn<Log>} */
  const start = { title: "Start (UTC)", cell: (one) => utc(startOf(one)) || "–", sort: startOf };
  const columns = [
    { title: "Log", cell: link, sort: processName, foot: totals && "All logs" },
    ...(logs.some((one) => one.rank === null) ? [start] : []), // ranks start together
    {
      title: "Summary",
      class: "log-text",
      cell: (/** @type {Log} */ one) => rich(text(one)),
      foot: totals && problems(totals),
    },
    number("Compiles", (one) => summaryOf(one).compile_count, count, totals?.compile_count),
    number("Compile time", (one) => summaryOf(one).compile_us, time, totals?.compile_us),
    {
      title: "Cache hits",
      number: true,
      cell: (/** @type {Log} */ one) => cacheHits(summaryOf(one)),
      sort: (/** @type {Log} */ one) => lookups(summaryOf(one).cache_counts).hits,
      foot: totals && cacheHits(totals),
    },
    ...(new Set(logs.map(versionOf)).size > 1 ? [{ title: "torch", cell: versionOf, sort: versionOf }] : []),
    number("Records", (one) => one.summary.event_count, count, totals?.event_count),
    number("Size", (one) => one.summary.source.size_bytes, bytes, totals?.size_bytes),
  ];
  const element = table(columns, logs, { row: (one) => ({ class: one.id === log.id ? "here" : null }) });
  oneStop(/** @type {HTMLElement} */ (element.querySelector("tbody")));
  return h(
    "section",
    null,
    h("h2", null, `${plural(bundle.logs.length, "log")} in this bundle`),
    h("div", { "class": "table-box", "role": "region", "aria-label": "Logs" }, element),
  );
}

/** @param {Log} one */
const versionOf = (one) => one.summary.torch_version ?? "–";

/**
 * Return a column of numbers.
 * @param {string} title @param {(log: Log) => number | null} value @param {(value: any) => string} shown @param {number | null | undefined} total
 */
const number = (title, value, shown, total) => ({
  title,
  number: true,
  cell: (/** @type {Log} */ one) => shown(value(one)),
  sort: value,
  foot: total === undefined ? "" : shown(total),
});

/** @param {Log} one */
const startOf = (one) => summaryOf(one).start_epoch_us;

/** @param {any} numbers of a log, or totals */
function cacheHits({ cache_counts }) {
  const { hits, misses, share } = lookups(cache_counts);
  return share === null ? "–" : `${share}, ${count(hits)} of ${count(hits + misses)}`;
}

/** @param {any} totals */
function problems({ failure_count: failures, graph_break_count: breaks, recompile_count: recompiles }) {
  const parts = [
    failures && plural(failures, "failure"),
    breaks && plural(breaks, "graph break"),
    recompiles && plural(recompiles, "recompile"),
  ];
  return parts.filter(Boolean).join(", ");
}
