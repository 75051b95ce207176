// The view of measured times: the most expensive source lines, kernels, compiled regions, and the traces.
import { emptyPage } from "../../lib/list/list-detail.js";
import { tableBox } from "../../lib/list/table.js";
import { h } from "../../lib/page/dom.js";
import { percent, shareBar } from "../../lib/page/figures.js";
import { count, plural, time } from "../../lib/page/format.js";
import { copyable } from "../../lib/page/hand-over.js";
import { placeLink } from "../../lib/page/place-link.js";
import { cards } from "../shared/finding-leads.js";
import { compilesOf, findingsOf, functionName, modelOf } from "../shared/model.js";
import { compileLink } from "../shared/parts.js";
import { artifactLink } from "../shared/program-line.js";
import { peakText, rateCell } from "./roofline.js";
import { stepFlame } from "./step-flame.js";
import { grouped, KEYS, LINE_UNKNOWN, REASONS, sum, timesOf, whereOf } from "./data.js";

const MOST_LINES = 5;
const MOST_ROWS = 50;
const MOST_KERNELS = 3;
const MOST_STEPS = 4;
const KINDS = ["hot-line", "device-idle", "lookup-time", "break-time", "copy-time"];

/** @typedef {{log: any, state: any, model: any}} About */

/** @param {import("../frame/viewer.js").Context} context @returns {Promise<import("../frame/viewer.js").View>} */
export async function openRuntime({ log, state }) {
  const [model, found, times] = await Promise.all([modelOf(log), findingsOf(log), timesOf(log)]);
  if (times.profiles.length === 0)
    return emptyPage(
      "No measured times",
      "Build the bundle with --profile, or run tlparse-bundle add-profile.",
    );
  const about = { log, state, model };
  const total = sum(times.profiles, "kernel_us");
  const findings = cards(model, state, found, (finding) => KINDS.includes(finding.kind));
  const flames = times.profiles
    .map((/** @type {any} */ { profile }) => times.steps.filter((row) => row.profile === profile))
    .filter((tree) => tree.length > 1)
    .slice(0, MOST_STEPS)
    .map(stepFlame);
  return {
    title: "Run time",
    close: () => flames.forEach((flame) => flame.close()),
    element: h(
      "div",
      { class: "page" },
      h("h1", null, "Run time"),
      h("p", { class: "intro" }, introduction(times, total)),
      lineSection(about, times, total),
      findings.length > 0 && section("findings", "Findings", findings),
      kernelSection(about, times, total),
      regionSection(about, times),
      flames.length > 0 &&
        section(
          "step",
          "One step",
          flames.map(({ element }) => element),
        ),
      traceSection(times),
    ),
  };
}

/** @param {any} times @param {number} total */
function introduction({ profiles }, total) {
  const calls = sum(profiles, "kernel_count");
  const where = profiles.some((/** @type {any} */ row) => row.on_device) ? "on devices" : "on the host";
  return `${plural(calls, "kernel call")} took ${time(total)} ${where} in ${plural(profiles.length, "profiler trace")}. ${joined(sum(profiles, "joined_us"), total)} of that time is joined with kernels of this log.`;
}

/** @param {number} part @param {number} total */
const joined = (part, total) => (total ? percent(part, total) : "–");

/** @param {string} id @param {string} title @param {...any} children */
const section = (id, title, ...children) =>
  h("section", { "aria-labelledby": `runtime-${id}` }, h("h2", { id: `runtime-${id}` }, title), children);

/** @param {import("../../lib/list/table.js").TableColumn<any>[]} columns @param {any[]} rows @param {string} label */
const wideTable = (columns, rows, label) => tableBox(`${label}: table`, columns, rows, { class: "compact" });

/** Build a column of a number. @param {string} title @param {string} key @param {(value: any) => string} shown @param {string} [help] @returns {import("../../lib/list/table.js").TableColumn<any>} */
const numbers = (title, key, shown, help) => ({
  title,
  number: true,
  help,
  cell: (row) => shown(row[key]),
  sort: (row) => row[key],
});

/** @param {About} about @param {any} times @param {number} total */
function lineSection(about, { lines, kernels }, total) {
  const known = lines.filter((/** @type {any} */ row) => row.file !== null);
  const unknown = lines.find((/** @type {any} */ row) => row.file === null);
  return section(
    "lines",
    known.length > 1
      ? `${Math.min(known.length, MOST_LINES)} most expensive source lines`
      : "Most expensive source line",
    known.length === 0
      ? h(
          "p",
          { class: "dim" },
          "The log does not record which source lines its kernels compute. To record them: ",
          copyable("tlparse-bundle run --provenance --profile -- python train.py"),
        )
      : h(
          "ol",
          { class: "runtime-lines" },
          known.slice(0, MOST_LINES).map((/** @type {any} */ row) => lineItem(about, row, kernels, total)),
        ),
    known.length > MOST_LINES &&
      h(
        "details",
        null,
        h("summary", null, `${count(known.length - MOST_LINES)} more lines`),
        h(
          "ol",
          { class: "runtime-lines", start: MOST_LINES + 1 },
          known
            .slice(MOST_LINES, MOST_LINES + MOST_ROWS)
            .map((/** @type {any} */ row) => lineItem(about, row, kernels, total)),
        ),
      ),
    known.length > 0 &&
      unknown &&
      h("p", { class: "dim" }, `${time(unknown.total_us)} is time of kernels without a known source line.`),
  );
}

/** @param {About} about @param {any} line @param {any[]} calls @param {number} total */
function lineItem(about, line, calls, total) {
  const { model, state } = about;
  const callOf = (/** @type {string} */ kernel) =>
    calls.find((row) => row.kernel === kernel && line.compiles.includes(row.compile)) ?? {
      kernel,
      compile: null,
      code_event: null,
    };
  return h(
    "li",
    null,
    h("code", { class: "runtime-code" }, line.code ?? "(text not recorded)"),
    h(
      "div",
      { class: "runtime-time" },
      shareBar(line.total_us, total),
      ` of the kernel time: ${time(line.total_us)} in ${plural(line.count, "call")}`,
      line.shared_us > 0 && h("span", { class: "dim" }, ` · ${time(line.shared_us)} shared with other lines`),
    ),
    h(
      "div",
      { class: "dim" },
      placeLink(line.file, line.line, `${model.short(line.file)}:${line.line}`),
      line.function && ` in ${line.function}`,
      " ",
      compilesOf(model, { compiles: line.compiles })
        .slice(0, MOST_KERNELS)
        .map((index) => [" ", compileLink(model, index, state)]),
    ),
    h(
      "ul",
      { "class": "runtime-kernels", "aria-label": `Kernels of line ${line.line}` },
      line.kernels
        .slice(0, MOST_KERNELS)
        .map((/** @type {string} */ kernel, /** @type {number} */ place) =>
          h("li", null, kernelName(about, callOf(kernel)), ` ${time(line.kernels_us[place])}`),
        ),
      line.kernels.length > MOST_KERNELS &&
        h("li", { class: "dim" }, `${count(line.kernels.length - MOST_KERNELS)} more kernels`),
    ),
  );
}

/** Return a link from a kernel to its code, or its name in the trace. @param {About} about @param {any} row */
function kernelName({ log, model, state }, row) {
  const [number] = row.compile === null ? [] : compilesOf(model, { compiles: [row.compile] });
  const name = h("code", null, row.kernel ?? row.name);
  return row.code_event === null || number === undefined
    ? name
    : artifactLink(log, model, state, number, row.code_event, name);
}

/** @param {About} about @param {any} row */
function compileCell({ model, state }, row) {
  const [number] = row.compile === null ? [] : compilesOf(model, { compiles: [row.compile] });
  return number === undefined ? (row.compile ?? "–") : compileLink(model, number, state);
}

/** @param {any} row */
function joinCell(row) {
  if (row.joined_by !== null) {
    const [words, help] = KEYS[row.joined_by] ?? [row.joined_by, ""];
    return h("span", { title: help }, words, row.is_replay && " (replay)");
  }
  const words = row.reason === "ambiguous" ? `${count(row.candidate_count)} kernels fit` : row.kind;
  return h("span", { class: "dim", title: REASONS[row.reason] }, words);
}

/** @param {About} about @param {any} times @param {number} total */
function kernelSection(about, { kernels, profiles }, total) {
  const peaks = peakText({ kernels, profiles });
  const shown = kernels.toSorted((/** @type {any} */ a, /** @type {any} */ b) => b.total_us - a.total_us);
  return section(
    "kernels",
    "Kernels by measured time",
    wideTable(
      [
        { title: "Kernel", cell: (row) => kernelName(about, row), sort: (row) => row.kernel ?? row.name },
        { title: "Compile", cell: (row) => compileCell(about, row), sort: (row) => row.compile },
        {
          title: "Line",
          number: true,
          cell: (row) =>
            row.call_line ?? h("span", { class: "dim", title: LINE_UNKNOWN[row.line_unknown] }, "–"),
          sort: (row) => row.call_line,
        },
        numbers("Calls", "count", count),
        numbers("Total", "total_us", time),
        { title: `Share of ${time(total)}`, cell: (row) => shareBar(row.total_us, total) },
        numbers("Median", "median_us", time),
        numbers("p90", "p90_us", time, "90 % of the calls took at most this long"),
        ...(peaks ? [{ title: "Rate", number: true, cell: rateCell }] : []),
        { title: "Where", cell: whereOf },
        { title: "Joined by", cell: joinCell },
        ...(profiles.length > 1 ? [{ title: "Trace", cell: (/** @type {any} */ row) => row.profile }] : []),
      ],
      shown.slice(0, MOST_ROWS),
      "Kernels",
    ),
    peaks,
    shown.length > MOST_ROWS &&
      h("p", { class: "dim" }, `and ${count(shown.length - MOST_ROWS)} more in table kernel_calls`),
  );
}

/** @param {About} about @param {any} times */
function regionSection(about, { regions, profiles }) {
  const { model } = about;
  const own = regions.filter((/** @type {any} */ row) => row.kind === "region");
  if (own.length === 0) return null;
  const devices = profiles.some((/** @type {any} */ row) => row.on_device);
  const shown = own.toSorted((/** @type {any} */ a, /** @type {any} */ b) => b.total_us - a.total_us);
  const value = (/** @type {number | null} */ us) => (us === null ? "–" : time(us));
  const nameOf = (/** @type {any} */ row) => {
    const [number] = row.compile === null ? [] : compilesOf(model, { compiles: [row.compile] });
    return number === undefined ? "–" : functionName(model.compiles[number]);
  };
  return section(
    "regions",
    "Compiled regions",
    wideTable(
      [
        {
          title: "Compile",
          sort: (row) => row.compile,
          cell: (row) =>
            row.compile === null
              ? `${row.key}: ${plural(row.candidate_count, "compile")} fit`
              : compileCell(about, row),
        },
        { title: "Function", cell: nameOf, sort: nameOf },
        numbers("Calls", "count", count),
        numbers("Total", "total_us", time, "Time of the calls on the host, with nested regions"),
        numbers("Median", "median_us", time),
        numbers(
          "Guard lookup",
          "lookup_us",
          value,
          "Checking the guards of the cache entries before the calls",
        ),
        numbers(
          "Eager at breaks",
          "eager_us",
          value,
          "Between the end of a graph and the next part after a graph break",
        ),
        ...(devices
          ? [
              numbers("Launches", "launch_us", time, "Time in calls of the runtime of the device"),
              numbers("Device busy", "device_busy_us", value, "Between the first and last kernel of a call"),
              numbers("Device idle", "device_idle_us", value, "Between the first and last kernel of a call"),
            ]
          : []),
      ],
      shown.slice(0, MOST_ROWS),
      "Compiled regions",
    ),
  );
}

/** @param {any} times */
const traceSection = ({ profiles, remainder }) =>
  section(
    "traces",
    "Profiler traces",
    h(
      "ul",
      null,
      profiles.map((/** @type {any} */ row) =>
        h(
          "li",
          null,
          h("b", null, row.profile),
          ` ${plural(row.event_count, "event")}, ${time(row.duration_us)}. ${plural(row.joined_count, "kernel call")} of ${count(row.kernel_count)} joined.`,
          !row.complete && h("b", null, " The file was read in part."),
          h(
            "ul",
            null,
            remainder
              .filter((/** @type {any} */ rest) => rest.profile === row.profile)
              .map((/** @type {any} */ rest) =>
                h(
                  "li",
                  null,
                  `${time(rest.total_us)} in ${plural(rest.count, "call")}: ${REASONS[rest.reason]}`,
                ),
              ),
          ),
        ),
      ),
    ),
  );

/**
 * Build the run-time cost of one compile, for its page; null when no trace has it.
 * @param {About} about @param {any} times @param {string} key of the compile
 */
export function compileTimes(about, times, key) {
  const { state } = about;
  const regions = times.regions.filter((/** @type {any} */ row) => row.compile === key);
  const kernels = times.kernels.filter((/** @type {any} */ row) => row.compile === key);
  if (regions.length === 0 && kernels.length === 0) return null;
  const calls = regions.filter((/** @type {any} */ row) => row.kind === "region");
  const total = sum(kernels, "total_us");
  const all = sum(times.profiles, "kernel_us");
  return h(
    "section",
    null,
    h("h3", null, h("a", { href: state.link({ view: "runtime" }) }, "Run time")),
    calls.length > 0 &&
      h(
        "p",
        null,
        `${plural(sum(calls, "count"), "call")} took ${time(sum(calls, "total_us"))} on the host, guard lookup ${time(sum(calls, "lookup_us"))}.`,
        sum(calls, "eager_us") > 0 && ` ${time(sum(calls, "eager_us"))} ran eager at graph breaks.`,
      ),
    total > 0 && h("p", null, `Its kernels took ${time(total)}, ${joined(total, all)} of all kernel time:`),
    h(
      "ul",
      null,
      grouped(kernels, (/** @type {any} */ row) => `${row.code_event} ${row.kernel ?? row.name}`)
        .slice(0, 2 * MOST_KERNELS)
        .map((rows) =>
          h(
            "li",
            null,
            kernelName(about, rows[0]),
            ` ${time(sum(rows, "total_us"))} in ${plural(sum(rows, "count"), "call")}`,
          ),
        ),
    ),
  );
}
