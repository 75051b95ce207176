// Table of the logs in a bundle, from their summaries in the manifest.
import { table } from "../../lib/list/table.js";
import { h, rich } from "../../lib/page/dom.js";
import { bytes, count, plural, time } from "../../lib/page/format.js";
import { oneStop } from "../../lib/page/one-stop.js";
import { logName, summaryOf } from "../shared/model.js";

/** @typedef {import("../../lib/bundle/log.js").Log} Log */

/** @param {any} bundle @param {Log} log @param {any} state @param {typeof import("../../lib/live/running.js") | null} live null unless the bundle is growing */
export function logTable(bundle, log, state, live) {
  const link = (/** @type {Log} */ one) =>
    h(
      "a",
      { "href": state.patched({ log: one.id, item: "" }), "aria-current": one.id === log.id ? "true" : null },
      logName(one),
    );
  const text = (/** @type {Log} */ one) => (live ? live.soFar(summaryOf(one)) : summaryOf(one).text);
  const logs = table(
    [
      { title: "Log", cell: link, sort: logName },
      { title: "Summary", class: "log-text", cell: (one) => rich(text(one)) },
      { title: "Compiles", number: true, ...numbers((one) => summaryOf(one).compile_count, count) },
      { title: "Compile time", number: true, ...numbers((one) => summaryOf(one).compile_us, time) },
      { title: "torch", cell: versionOf, sort: versionOf },
      { title: "Records", number: true, ...numbers((one) => one.summary.event_count, count) },
      { title: "Size", number: true, ...numbers((one) => one.summary.source.size_bytes, bytes) },
    ],
    /** @type {Log[]} */ (bundle.logs),
    { row: (one) => ({ class: one.id === log.id ? "here" : null }) },
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
