// Table of the logs in a bundle, from their summaries in the manifest.
import { h, rich } from "../../lib/page/dom.js";
import { bytes, count, plural, time } from "../../lib/page/format.js";
import { oneStop } from "../../lib/page/one-stop.js";
import { logName, summaryOf } from "../shared/model.js";

const TITLES = ["Log", "Summary", "Compiles", "Compile time", "torch", "Records", "Size"];
const NUMBERS = [2, 3, 5, 6];

/** @param {any} bundle @param {import("../../lib/bundle/log.js").Log} log @param {any} state @param {typeof import("../../lib/live/running.js") | null} live null unless the bundle is growing */
export function logTable(bundle, log, state, live) {
  const body = h(
    "tbody",
    null,
    bundle.logs.map((/** @type {import("../../lib/bundle/log.js").Log} */ one) => {
      const row = one.summary;
      const summary = summaryOf(one),
        text = live ? live.soFar(summary) : summary.text;
      return h(
        "tr",
        { class: one.id === log.id ? "here" : null },
        h(
          "td",
          null,
          h(
            "a",
            {
              "href": state.patched({ log: one.id, item: "" }),
              "aria-current": one.id === log.id ? "true" : null,
            },
            logName(one),
          ),
        ),
        h("td", { class: "log-text" }, rich(text)),
        h("td", { class: "number" }, count(summary.compile_count)),
        h("td", { class: "number" }, time(summary.compile_us)),
        h("td", null, row.torch_version ?? "–"),
        h("td", { class: "number" }, count(row.event_count)),
        h("td", { class: "number" }, bytes(row.source.size_bytes)),
      );
    }),
  );
  return h(
    "section",
    null,
    h("h2", null, `${plural(bundle.logs.length, "log")} in this bundle`),
    h(
      "div",
      { "class": "table-box", "role": "region", "aria-label": "Logs" },
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
        oneStop(body),
      ),
    ),
  );
}
