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
  const logs = table(
    [
      { title: "Log", cell: link, sort: processName },
      { title: "Start (UTC)", cell: (one) => utc(summaryOf(one).start_epoch_us) || "–", sort: startOf },
      { title: "Summary", class: "log-text", cell: (one) => rich(text(one)) },
      { title: "Compiles", number: true, ...numbers((one) => summaryOf(one).compile_count, count) },
      { title: "Compile time", number: true, ...numbers((one) => summaryOf(one).compile_us, time) },
      {
        title: "Cache hits",
        number: true,
        cell: (one) => cacheHits(summaryOf(one)),
        sort: (one) => lookups(summaryOf(one).cache_counts).hits,
      },
      { title: "torch", cell: versionOf, sort: versionOf },
      { title: "Records", number: true, ...numbers((one) => one.summary.event_count, count) },
      { title: "Size", number: true, ...numbers((one) => one.summary.source.size_bytes, bytes) },
    ],
    /** @type {Log[]} */ (bundle.logs),
    { row: (one) => ({ class: one.id === log.id ? "here" : null }), foot: totals && footOf(totals) },
  );
  oneStop(/** @type {HTMLElement} */ (logs.querySelector("tbody")));
  return h(
    "section",
    null,
    h("h2", null, `${plural(bundle.logs.length, "log")} in this bundle`),
    h("div", { "class": "table-box", "role": "region", "aria-label": "Logs" }, logs),
  );
}

/** @param {Log} one */
const versionOf = (one) => one.summary.torch_version ?? "–";

/** @param {(log: Log) => number | null} value @param {(value: any) => string} shown */
const numbers = (value, shown) => ({ cell: (/** @type {Log} */ one) => shown(value(one)), sort: value });

/** @param {Log} one */
const startOf = (one) => summaryOf(one).start_epoch_us;

/** @param {any} numbers of a log, or totals */
function cacheHits({ cache_counts }) {
  const { hits, misses, share } = lookups(cache_counts);
  return share === null ? "–" : `${share}, ${count(hits)} of ${count(hits + misses)}`;
}

/** Return the cells below the columns. @param {any} totals */
const footOf = (totals) => [
  "All logs",
  "",
  problems(totals),
  count(totals.compile_count),
  time(totals.compile_us),
  cacheHits(totals),
  "",
  count(totals.event_count),
  bytes(totals.size_bytes),
];

/** @param {any} totals */
function problems({ failure_count: failures, graph_break_count: breaks, recompile_count: recompiles }) {
  const parts = [
    failures && plural(failures, "failure"),
    breaks && plural(breaks, "graph break"),
    recompiles && plural(recompiles, "recompile"),
  ];
  return parts.filter(Boolean).join(", ");
}
