// A line chart of one metric over the runs of a series. Arrow keys move between runs.
import { fill, h } from "../lib/page/dom.js";
import { count, time } from "../lib/page/format.js";
import { began, compareAddress, runAddress } from "./data.js";

/** @typedef {"hover" | "key" | "click"} How @typedef {import("./data.js").Trend} Trend @typedef {import("./data.js").Metric} Metric @typedef {import("./data.js").Jump} Jump */

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 1000,
  HEIGHT = 100; // SVG units; the drawing is stretched
const DOTS = 400; // no dots above this number of runs

/** @param {Metric} metric @param {number | null} value */
export const shown = (metric, value) =>
  value === null ? "unknown" : metric.unit === "us" ? time(value) : count(value);

/**
 * Build the figure, and a function that points at a run.
 * @param {Trend} trend @param {Metric} metric @param {number[]} runs indexes, in the order of time @param {Jump[]} jumps of this metric
 * @param {(position: number, how: How) => void} onpoint called when the user points at a run
 */
export function chart(trend, metric, runs, jumps, onpoint) {
  const values = runs.map((index) => trend.values[metric.key][index]);
  const known = values.filter((value) => value !== null);
  const top = Math.max(...known) || 1;
  const x = (/** @type {number} */ position) => (runs.length === 1 ? 0.5 : position / (runs.length - 1));
  const y = (/** @type {number} */ value) => HEIGHT * (1 - value / top);
  const words = (/** @type {number} */ position) => {
    const run = trend.runs[runs[position]];
    return `${shown(metric, values[position])}, ${began(run)} UTC, ${run.name}${run.commit ? `, commit ${run.commit}` : ""}${run.ends_early ? ", ends inside a compile" : ""}`;
  };
  const details = h("p", { class: "point-details" }),
    links = h("p", { class: "leads" });
  const cursor = h("span", { class: "cursor", hidden: true });
  const marks = jumps.map((jump) => {
    const own = jump.changes.find((change) => change.metric === metric.key),
      at = runs.indexOf(jump.run_index);
    return h(
      "span",
      {
        "class": `mark ${tone(own?.is_worse)}`,
        "style": { left: `${100 * x(at)}%` },
        "title": own?.text,
        "aria-hidden": "true",
      },
      sign(own),
    );
  });
  const plot = h(
    "div",
    {
      "class": "plot",
      "tabindex": "0",
      "role": "slider",
      "aria-label": `${metric.title}, run by run`,
      "aria-valuemin": 1,
      "aria-valuemax": runs.length,
      "aria-valuenow": runs.length,
      "aria-valuetext": words(runs.length - 1),
      "onpointermove": (/** @type {PointerEvent} */ event) => go(positionOf(event), "hover"),
      "onclick": (/** @type {MouseEvent} */ event) => go(positionOf(event), "click"),
      "onkeydown": key,
      "onfocus": () => go(at, "hover"),
    },
    drawing(
      values,
      runs.map((index) => trend.runs[index].ends_early && !metric.of_the_end),
      x,
      y,
    ),
    marks,
    cursor,
  );
  let at = runs.length - 1;

  /** @param {MouseEvent} event */
  function positionOf(event) {
    const place = plot.getBoundingClientRect();
    return Math.round(((event.clientX - place.left) / place.width) * (runs.length - 1));
  }

  /** @param {number} position @param {How} how */
  function go(position, how) {
    onpoint(Math.max(0, Math.min(position, runs.length - 1)), how);
  }

  /** @param {KeyboardEvent} event */
  function key(event) {
    const next = {
      ArrowLeft: at - 1,
      ArrowDown: at - 1,
      ArrowRight: at + 1,
      ArrowUp: at + 1,
      PageDown: at - 10,
      PageUp: at + 10,
      Home: 0,
      End: runs.length - 1,
    }[event.key];
    const address = runAddress(trend.runs[runs[at]]);
    if (next !== undefined) go(next, "key");
    else if (event.key === "Enter" && address) location.assign(address);
    else return;
    event.preventDefault();
  }

  /** @param {number} position @param {boolean} [moved] false: nobody has pointed yet */
  function point(position, moved = true) {
    at = position;
    plot.setAttribute("aria-valuenow", String(at + 1));
    plot.setAttribute("aria-valuetext", words(at));
    details.textContent = words(at);
    fill(links, leads(trend, runs, at));
    cursor.hidden = !moved;
    cursor.style.setProperty("left", `${100 * x(at)}%`);
  }
  point(at, false);
  const first = trend.runs[runs[0]],
    last = trend.runs[runs[runs.length - 1]];
  return {
    point,
    figure: h(
      "figure",
      { class: "chart", dataset: { metric: metric.key } },
      h(
        "figcaption",
        null,
        h("h3", { title: metric.help }, metric.title),
        h("span", { class: "dim unit" }, metric.unit === "us" ? "time per run" : "number per run"),
      ),
      h(
        "div",
        { class: "with-axis" },
        h(
          "div",
          { "class": "ticks dim", "aria-hidden": "true" },
          h("span", null, shown(metric, top)),
          h("span", null, "0"),
        ),
        plot,
      ),
      h(
        "p",
        { class: "axis dim" },
        h("span", null, began(first).slice(0, 10)),
        h("span", null, `${began(last).slice(0, 10)} UTC`),
      ),
      details,
      links,
    ),
  };
}

/** Link a run, and its comparison with the run before it. @param {Trend} trend @param {number[]} runs @param {number} at */
function leads(trend, runs, at) {
  const run = trend.runs[runs[at]],
    address = runAddress(run),
    compare = at > 0 ? compareAddress(trend, { base_run_index: runs[at - 1], run_index: runs[at] }) : null;
  return [
    address && h("a", { href: address }, "Open this run"),
    compare && h("a", { href: compare }, `Compare with ${trend.runs[runs[at - 1]].name}`),
  ];
}

/** Draw a line with gaps for missing values and a dot per run. Runs that end early are not part of the line. @param {(number | null)[]} values @param {boolean[]} apart @param {(position: number) => number} x @param {(value: number) => number} y */
function drawing(values, apart, x, y) {
  let line = "",
    dots = "",
    early = "",
    before = null;
  for (const [position, value] of values.entries()) {
    if (value !== null && apart[position]) {
      early += `M${(WIDTH * x(position)).toFixed(1)} ${y(value).toFixed(2)}h0`;
      continue;
    }
    if (value !== null) {
      const place = `${(WIDTH * x(position)).toFixed(1)} ${y(value).toFixed(2)}`;
      line += `${before === null ? "M" : "L"}${place}`;
      dots += `M${place}h0`; // zero length: the round caps draw the dot at any stretch
    }
    before = value;
  }
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  for (const [name, data] of Object.entries({ line, dots: values.length > DOTS ? "" : dots, early })) {
    if (data === "") continue;
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("class", name);
    path.setAttribute("d", data);
    svg.append(path);
  }
  return svg;
}

/** @param {boolean | null | undefined} isWorse */
export const tone = (isWorse) => (isWorse === true ? "worse" : isWorse === false ? "better" : "neutral");

/** Return the sign for up or down. @param {import("./data.js").Change | undefined} change */
export const sign = (change) => (change && change.after < change.before ? "▼" : "▲");
