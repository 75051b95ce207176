// Table of the logs in a bundle, from their summaries in the manifest, with their totals.
import { h, rich } from "../../lib/page/dom.js";
import { bytes, count, plural, time } from "../../lib/page/format.js";
import { processName, summaryOf, utc } from "../shared/model.js";
import { lookups } from "./tiles.js";

const TITLES = [
  "Log",
  "Start (UTC)",
  "Summary",
  "Compiles",
  "Compile time",
  "Cache hits",
  "torch",
  "Records",
  "Size",
];
const NUMBERS = [3, 4, 5, 7, 8];

/** @param {any} bundle @param {import("../../lib/bundle/log.js").Log} log @param {any} state @param {typeof import("../../lib/live/running.js") | null} live null unless the bundle is growing */
export function logTable(bundle, log, state, live) {
  const body = h(
    "tbody",
    null,
    bundle.logs.map((/** @type {import("../../lib/bundle/log.js").Log} */ one) => {
      const row = one.summary;
      const summary = summaryOf(one),
        text = live ? live.soFar(summary) : summary.text;
      const name = h(
        "a",
        {
          "href": state.patched({ log: one.id, item: "" }),
          "aria-current": one.id === log.id ? "true" : null,
          "title": row.source.name,
        },
        processName(one),
      );
      return h(
        "tr",
        { class: one.id === log.id ? "here" : null },
        cells(name, utc(summary.start_epoch_us) || "–", rich(text), row.torch_version ?? "–", {
          ...summary,
          event_count: row.event_count,
          size_bytes: row.source.size_bytes,
        }),
      );
    }),
  );
  const { totals } = bundle.manifest;
  return h(
    "section",
    null,
    h("h2", null, `${plural(bundle.logs.length, "log")} in this bundle`),
    h(
      "div",
      { "class": "table-box", "tabindex": "0", "role": "region", "aria-label": "Logs" },
      h(
        "table",
        { class: "plain" },
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            TITLES.map((title, i) =>
              h("th", { scope: "col", class: NUMBERS.includes(i) ? "number" : null }, title),
            ),
          ),
        ),
        body,
        totals &&
          h("tfoot", null, h("tr", { class: "totals" }, cells("All logs", "", problems(totals), "", totals))),
      ),
    ),
  );
}

/** @param {any} name @param {string} start @param {any} text @param {string} version of torch @param {any} numbers */
function cells(name, start, text, version, numbers) {
  const { hits, misses, share } = lookups(numbers.cache_counts);
  const number = (/** @type {string} */ value) => h("td", { class: "number" }, value);
  return [
    h("td", null, name),
    h("td", null, start),
    h("td", { class: "log-text" }, text),
    number(count(numbers.compile_count)),
    number(time(numbers.compile_us)),
    number(share === null ? "–" : `${share}, ${count(hits)} of ${count(hits + misses)}`),
    h("td", null, version),
    number(count(numbers.event_count)),
    number(bytes(numbers.size_bytes)),
  ];
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
