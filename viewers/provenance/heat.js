// Measured time beside the lines of the program and of generated code, from profiler traces.
import { h } from "../lib/page/dom.js";
import { percent } from "../lib/page/figures.js";
import { plural, time } from "../lib/page/format.js";

/** @typedef {{us: number, count: number}} Time of the kernels of a line, and their calls */
/** @typedef {{total: number, calls: Map<number, Time>, unsplit: Map<string, Time>, lines: Map<string, Time>}} Measured times of a graph: by line of its code that calls a kernel, by kernel where that line is unknown, and by place of a source line */
/** @typedef {Map<number, {share: number, text: string}>} Heat by line of a pane, from 1 */

/** Characters that the times take in a row. */
export const HEAT_COLUMNS = 11;

/** @param {string} file @param {number} line @param {string | null} name */
const placeKey = (file, line, name) => JSON.stringify([file, line, name]);

/**
 * Read the times; null when the log has no profiler trace.
 * @param {import("../lib/bundle/log.js").Log} log @param {number | null} code record with the code of the graph
 * @returns {Promise<Measured | null>}
 */
export async function measuredOf(log, code) {
  const [profiles, calls, lines] = await Promise.all(
    ["profiles", "kernel_calls", "line_times"].map((name) => log.table(name)),
  );
  const total = (profiles ?? []).reduce(
    (/** @type {number} */ us, /** @type {any} */ row) => us + row.kernel_us,
    0,
  );
  if (!total) return null;
  /** @type {Map<number, Time>} */
  const atLine = new Map();
  /** @type {Map<string, Time>} */
  const unsplit = new Map();
  for (const row of calls ?? [])
    if (row.code_event === code && row.kernel !== null) {
      if (row.call_line === null) add(unsplit, row.kernel, row);
      else add(atLine, row.call_line, row);
    }
  const places = (lines ?? [])
    .filter((/** @type {any} */ row) => row.file !== null)
    .map((/** @type {any} */ row) => [
      placeKey(row.file, row.line, row.function),
      { us: row.total_us, count: row.count },
    ]);
  return { total, calls: atLine, unsplit, lines: new Map(places) };
}

/** @template K @param {Map<K, Time>} times @param {K} key @param {any} row of kernel_calls */
function add(times, key, row) {
  const known = times.get(key) ?? { us: 0, count: 0 };
  times.set(key, { us: known.us + row.total_us, count: known.count + row.count });
}

/** @param {Measured} measured @param {Time} time_ @param {string} what */
const heatOf = ({ total }, { us, count }, what) => ({
  share: us / total,
  text: `${what}: ${time(us)} in ${plural(count, "kernel call")}, ${percent(us, total)} of measured kernel time`,
});

/** Return the heat of source lines. @param {import("./model.js").Model} model @param {Map<number, number>} lineOf @param {Measured | null} measured @returns {Heat | null} */
export function sourceHeat(model, lineOf, measured) {
  if (!measured) return null;
  /** @type {Heat} */
  const heat = new Map();
  for (const s of model.sources) {
    const { file, line, function: name } = model.source(s);
    const known = measured.lines.get(placeKey(file, line, name));
    const at = lineOf.get(s);
    if (known && at) heat.set(at, heatOf(measured, known, "This line"));
  }
  return heat;
}

/** Return the heat of the lines that call kernels. @param {import("./model.js").Model} model @param {Measured | null} measured @returns {Heat | null} */
export function codeHeat(model, measured) {
  if (!measured) return null;
  /** @type {Heat} */
  const heat = new Map();
  for (const { name, calls } of model.kernels) {
    const unsplit = measured.unsplit.get(name);
    for (const line of calls) {
      const own = measured.calls.get(line);
      if (own) heat.set(line, heatOf(measured, own, `This call of ${name}`));
      else if (unsplit) heat.set(line, heatOf(measured, unsplit, `All calls of ${name}`));
    }
  }
  return heat;
}

/** Build the cell of a line: a bar and the percentage. @param {Heat} heat @param {number} line @param {boolean} isFirst row of the line */
export function heatCell(heat, line, isFirst) {
  const known = isFirst ? heat.get(line) : undefined;
  return h(
    "span",
    { class: "heat", title: known?.text },
    known && [
      h(
        "span",
        { "class": "heat-bar", "aria-hidden": "true" },
        h("span", { style: { width: `${Math.max(4, 100 * Math.min(1, known.share))}%` } }),
      ),
      h("span", { class: "heat-share" }, percent(known.share, 1)),
    ],
  );
}

/** Build the legend. @param {Measured} measured */
export const heatLegend = ({ total }) =>
  h(
    "span",
    {
      title:
        "Bars beside source lines and calls: share of this time. A kernel of several lines counts for each of them.",
    },
    h("span", { "class": "heat-bar", "aria-hidden": "true" }, h("span", { style: { width: "60%" } })),
    h("span", { class: "dim" }, " share of measured kernel time "),
    h("b", null, time(total)),
  );
