// Entry point of the trend page: jumps first, then a chart per metric for one series of runs.
import { icon } from "../lib/frame/frame.js";
import { fill, h } from "../lib/page/dom.js";
import { plural } from "../lib/page/format.js";
import { HashState } from "../lib/page/hash-state.js";
import { errorBox, watchErrors } from "../lib/page/load.js";
import { skipLink } from "../lib/page/page.js";
import { themeButton } from "../lib/page/remember.js";
import { chart, shown } from "./chart.js";
import { load, timed } from "./data.js";
import { jumpList } from "./jumps.js";
import { runTable } from "./table.js";

/** @typedef {import("./data.js").Trend} Trend @typedef {import("./data.js").Series} Series */

const state = new HashState({ series: "" }, []);
const main = h(
  "main",
  { id: "main", tabindex: "-1" },
  h("p", { class: "loading", role: "status" }, "Loading the runs …"),
);
const home = h("span");
fill(
  document.body,
  skipLink(main),
  h(
    "header",
    { class: "bar" },
    icon("bundle"),
    h("span", { class: "name" }, "tlparse-bundle"),
    home,
    h("span", { class: "spring" }),
    themeButton(),
  ),
  main,
);

/** @param {Trend} trend */
function show(trend) {
  if (trend.runs.some(({ url }) => url !== null)) fill(home, h("a", { href: "../home/" }, "All bundles"));
  if (trend.runs.length === 0)
    return void fill(
      main,
      h("div", { class: "part" }, h("h1", null, "No runs yet"), howTo(), skipped(trend)),
    );
  const draw = () => {
    const series = trend.series.find(({ name }) => name === state.current.series) ?? trend.series[0];
    const choice = /** @type {HTMLElement | null} */ (document.activeElement)?.id === "series";
    fill(main, page(trend, series));
    if (choice) document.getElementById("series")?.focus();
  };
  state.listen(draw);
  draw();
}

/** @param {Trend} trend @param {Series} series */
function page(trend, series) {
  const number = trend.series.indexOf(series),
    runs = timed(trend, series),
    without = series.run_indexes.length - runs.length;
  const jumps = trend.jumps.filter((jump) => jump.series_index === number),
    latest = trend.latest.filter((jump) => jump.series_index === number);
  const { drawn, flat } = sorted(trend, runs);
  return [
    h(
      "div",
      { class: "part head" },
      h("h1", null, `${plural(series.run_indexes.length, "run")} of ${series.name}`),
      trend.series.length > 1 && chooser(trend, series),
    ),
    without > 0 &&
      h(
        "p",
        { class: "part note" },
        `${plural(without, "run")} without a start time, not shown in the charts. Rebuild old bundles to add it. Logs without Chromium events do not record it.`,
      ),
    runs.length > 0 &&
      h(
        "section",
        { class: "part" },
        h("h2", null, jumps.length ? plural(jumps.length, "jump") : "No jumps"),
        jumps.length
          ? jumpList(trend, jumps)
          : h(
              "p",
              { class: "dim" },
              runs.length < 6
                ? "Too few runs to detect jumps: at least three on each side, or five if values vary."
                : "No lasting change beyond run-to-run noise.",
            ),
      ),
    latest.length > 0 &&
      h("section", { class: "part" }, h("h2", null, "Changes in the last runs"), jumpList(trend, latest)),
    runs.length > 0 &&
      h(
        "section",
        { class: "part" },
        h("h2", { class: "visually-hidden" }, "Charts"),
        charts(trend, runs, drawn, jumps),
        flat,
      ),
    h("div", { class: "part" }, runTable(trend, series.run_indexes, trend.metrics), skipped(trend)),
  ];
}

/** @param {Trend} trend @param {Series} chosen */
const chooser = (trend, chosen) =>
  h(
    "label",
    null,
    "Series ",
    h(
      "select",
      {
        id: "series",
        onchange: (/** @type {any} */ event) => state.go(state.patched({ series: event.target.value })),
      },
      trend.series.map((series, number) =>
        h(
          "option",
          { value: series.name, selected: series === chosen },
          `${series.name}: ${plural(series.run_indexes.length, "run")}, ${plural(trend.jumps.filter((jump) => jump.series_index === number).length, "jump")}`,
        ),
      ),
    ),
  );

/** Return the metrics that get a chart, and text for the others. @param {Trend} trend @param {number[]} runs */
function sorted(trend, runs) {
  const different = (/** @type {string} */ key) =>
    new Set(runs.map((index) => trend.values[key][index]).filter((value) => value !== null));
  const known = trend.metrics.map((metric) => ({ metric, values: [...different(metric.key)] }));
  const same = known.filter(({ values }) => values.length === 1),
    unknown = known.filter(({ values }) => values.length === 0);
  const line = (/** @type {string} */ text, /** @type {string[]} */ names) =>
    names.length > 0 && h("p", { class: "dim" }, `${text}: ${names.join(", ")}.`);
  return {
    drawn: known.filter(({ values }) => values.length > 1).map(({ metric }) => metric),
    flat: [
      line(
        "Unchanged in all runs that record it",
        same.map(({ metric, values }) => `${metric.title} ${shown(metric, values[0])}`),
      ),
      line(
        "Not recorded in any run",
        unknown.map(({ metric }) => metric.title),
      ),
    ],
  };
}

/** Build the charts, which all point at the same run. A click keeps it, so that the pointer can reach its links. @param {Trend} trend @param {number[]} runs @param {import("./data.js").Metric[]} metrics @param {import("./data.js").Jump[]} jumps */
function charts(trend, runs, metrics, jumps) {
  let kept = false;
  const point = (/** @type {number} */ position, /** @type {import("./chart.js").How} */ how) => {
    if (kept && how === "hover") return;
    kept ||= how === "click";
    for (const one of all) one.point(position);
  };
  const all = metrics.map((metric) =>
    chart(
      trend,
      metric,
      runs,
      jumps.filter(({ changes }) => changes.some((change) => change.metric === metric.key)),
      point,
    ),
  );
  return h(
    "div",
    { class: "charts" },
    all.map(({ figure }) => figure),
  );
}

/** @param {Trend} trend */
const skipped = ({ skipped: rows }) =>
  rows.length > 0 &&
  h(
    "details",
    { class: "runs" },
    h("summary", null, `${plural(rows.length, "bundle")} skipped`),
    h(
      "ul",
      null,
      rows.map(({ name, problem }) => h("li", null, h("b", null, name), ` ${problem}`)),
    ),
  );

const howTo = () => [
  h(
    "p",
    null,
    "Each run is one bundle. Build bundles into one folder, and give related runs the same label:",
  ),
  h("pre", null, "tlparse-bundle /tmp/trace FOLDER/run-1 --label NAME\ntlparse-bundle trend FOLDER --open"),
];

watchErrors();
try {
  show(await load());
} catch (error) {
  fill(
    main,
    h(
      "div",
      { class: "part" },
      h("h1", null, "Runs over time"),
      errorBox(error, () => location.reload()),
    ),
  );
}
