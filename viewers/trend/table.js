// The table of the runs of a series, newest first.
import { table } from "../lib/list/table.js";
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
    place.childElementCount === 0 &&
    place.append(table(columns(trend, metrics), runs.toReversed().slice(0, MOST)));
  return h(
    "details",
    { class: "runs", ontoggle: draw },
    h("summary", null, `${plural(runs.length, "run")} as a table`),
    place,
    runs.length > MOST && h("p", { class: "dim" }, `Newest ${MOST} runs. trend.json has all of them.`),
  );
}

/** @param {Trend} trend @param {Metric[]} metrics @returns {import("../lib/list/table.js").TableColumn<number>[]} */
function columns({ runs, values }, metrics) {
  const name = (/** @type {number} */ i) => {
    const address = runAddress(runs[i]);
    return [
      address ? h("a", { href: address }, runs[i].name) : runs[i].name,
      runs[i].ends_early && h("span", { class: "dim" }, " ends inside a compile"),
    ];
  };
  const torch = (/** @type {number} */ i) => runs[i].torch_versions.join(", ");
  return [
    { title: "Started (UTC)", cell: (i) => began(runs[i]), sort: (i) => began(runs[i]) },
    { title: "Run", cell: name, sort: (i) => runs[i].name, head: true },
    { title: "Commit", cell: (i) => runs[i].commit ?? "–", sort: (i) => runs[i].commit },
    { title: "torch", cell: (i) => torch(i) || "–", sort: (i) => torch(i) || null },
    ...metrics.map((metric) => ({
      title: metric.title,
      help: metric.help,
      number: true,
      cell: (/** @type {number} */ i) => shown(metric, values[metric.key][i]),
      sort: (/** @type {number} */ i) => values[metric.key][i],
    })),
  ];
}
