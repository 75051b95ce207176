// The table of the runs of a series, newest first.
import { h } from "../lib/page/dom.js";
import { plural } from "../lib/page/format.js";
import { shown } from "./chart.js";
import { began, runAddress } from "./data.js";

/** @typedef {import("./data.js").Trend} Trend @typedef {import("./data.js").Metric} Metric */

const MOST = 1000; // rows

/** Build the table when it is opened. @param {Trend} trend @param {number[]} runs @param {Metric[]} metrics */
export function runTable(trend, runs, metrics) {
  const place = h("div", { "class": "scroll", "tabindex": "0", "role": "region", "aria-label": "Runs" });
  const draw = () =>
    place.childElementCount === 0 && place.append(table(trend, runs.toReversed().slice(0, MOST), metrics));
  return h(
    "details",
    { class: "runs", ontoggle: draw },
    h("summary", null, `${plural(runs.length, "run")} as a table`),
    place,
    runs.length > MOST && h("p", { class: "dim" }, `Newest ${MOST} runs. trend.json has all of them.`),
  );
}

/** @param {Trend} trend @param {number[]} runs @param {Metric[]} metrics */
const table = (trend, runs, metrics) =>
  h(
    "table",
    null,
    h(
      "thead",
      null,
      h(
        "tr",
        null,
        ["Started (UTC)", "Run", "Commit", "torch"].map((title) => h("th", { scope: "col" }, title)),
        metrics.map(({ title, help }) => h("th", { scope: "col", class: "number", title: help }, title)),
      ),
    ),
    h(
      "tbody",
      null,
      runs.map((index) => {
        const run = trend.runs[index],
          address = runAddress(run);
        return h(
          "tr",
          null,
          h("td", null, began(run)),
          h(
            "th",
            { scope: "row" },
            address ? h("a", { href: address }, run.name) : run.name,
            run.ends_early && h("span", { class: "dim" }, " ends inside a compile"),
          ),
          h("td", null, run.commit ?? "–"),
          h("td", null, run.torch_versions.join(", ") || "–"),
          metrics.map((metric) =>
            h("td", { class: "number" }, shown(metric, trend.values[metric.key][index])),
          ),
        );
      }),
    ),
  );
