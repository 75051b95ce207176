// All compiles on one clock, a line per log: start, duration and status. The longest are listed below.
// The URL names the selected compile: '#log=…&compile=…'.
import { fill, h } from "../lib/page/dom.js";
import { plural, time } from "../lib/page/format.js";
import { statusInfo } from "../lib/page/figures.js";
import { errorBox, watchErrors } from "../lib/page/load.js";
import { openPageBundle } from "../lib/page/open-bundle.js";

/** @typedef {import("../lib/bundle/log.js").Log} Log */
/** @typedef {import("../../schema/bundle.d.ts").Compiles} Compile */
/** @typedef {{log: Log, compiles: Compile[]}} Line */

const MOST_LINES = 128,
  MOST_BLOCKS = 2000,
  MOST_LISTED = 30;

/** @param {Compile} compile */
const timed = (compile) => compile.start_epoch_us !== null && compile.total_us !== null;

watchErrors();
try {
  const bundle = await openPageBundle();
  const lines = await Promise.all(
    bundle.logs
      .slice(0, MOST_LINES)
      .map(async (log) => ({ log, compiles: (await log.compiles()).filter(timed) })),
  );
  const draw = () => show(lines, bundle.logs);
  addEventListener("hashchange", draw);
  draw();
} catch (error) {
  fill(
    document.body,
    h("main", { class: "stopped" }, h("h1", null, "Can't open the bundle"), errorBox(error)),
  );
}

/** @param {Line[]} lines @param {Log[]} logs */
function show(lines, logs) {
  const asked = new URLSearchParams(location.hash.slice(1));
  const all = lines.flatMap(({ compiles }) => compiles);
  const count = lines.reduce((sum, { log }) => sum + log.summary.summary.compile_count, 0);
  const first = Math.min(...all.map((one) => Number(one.start_epoch_us))),
    last = Math.max(...all.map((one) => Number(one.start_epoch_us) + Number(one.total_us)));
  fill(
    document.body,
    h(
      "main",
      null,
      h(
        "h1",
        null,
        `${plural(count, "compile")}${all.length ? `, ${time(last - first)} from the first to the last` : ""}`,
      ),
      all.length < count &&
        h("p", { class: "dim" }, `${plural(count - all.length, "compile")} without a recorded time`),
      logs.length > lines.length && h("p", { class: "dim" }, `First ${lines.length} of ${logs.length} logs.`),
      h(
        "ol",
        { "aria-label": "Logs", "class": "lines" },
        lines.map((line) => lineOf(line, first, last - first, asked)),
      ),
      longest(lines, asked),
    ),
  );
}

/** @param {Line} line @param {number} first @param {number} whole @param {URLSearchParams} asked */
function lineOf({ log, compiles }, first, whole, asked) {
  const name = log.rank === null ? log.id : `rank ${log.rank}`;
  return h(
    "li",
    null,
    h("span", { class: "name", title: log.id }, name),
    h(
      "span",
      { class: "line" },
      compiles.slice(0, MOST_BLOCKS).map((compile) => {
        const here = log.id === asked.get("log") && compile.compile === asked.get("compile");
        const block = h("span", {
          class: `block ${compile.recompile_reason && compile.status === "ok" ? "recompile" : compile.status}${here ? " here" : ""}`,
          title: said(compile),
        });
        block.style.left = `${((Number(compile.start_epoch_us) - first) / whole) * 100}%`;
        block.style.width = `${(Number(compile.total_us) / whole) * 100}%`;
        return block;
      }),
    ),
  );
}

/** @param {Compile} compile */
function said(compile) {
  return `${compile.compile} ${compile.function ?? "?"}, ${statusInfo(compile.status).word}, ${time(Number(compile.total_us))}`;
}

/** List the longest compiles, because blocks may be too narrow to click. @param {Line[]} lines @param {URLSearchParams} asked */
function longest(lines, asked) {
  const rows = lines.flatMap(({ log, compiles }) => compiles.map((compile) => ({ log, compile })));
  rows.sort((one, other) => Number(other.compile.total_us) - Number(one.compile.total_us));
  return h(
    "ol",
    { "aria-label": "Longest compiles", "class": "longest" },
    rows.slice(0, MOST_LISTED).map(({ log, compile }) => {
      const here = log.id === asked.get("log") && compile.compile === asked.get("compile");
      return h(
        "li",
        null,
        h(
          "a",
          {
            "href": `#${new URLSearchParams({ log: log.id, compile: compile.compile })}`,
            "aria-current": here ? "true" : null,
          },
          said(compile),
        ),
        lines.length > 1 &&
          h("span", { class: "dim" }, log.rank === null ? ` ${log.id}` : ` rank ${log.rank}`),
        here && about(compile),
      );
    }),
  );
}

/** @param {Compile} compile */
function about(compile) {
  const rows = [
    ["Status", statusInfo(compile.status).word],
    ["Took", time(Number(compile.total_us))],
    ["Recompile reason", compile.recompile_reason],
    ["Failed", compile.failure_reason],
    ["Restart reason", compile.restart_reasons.join("; ")],
  ];
  return h(
    "section",
    { "aria-label": "Compile" },
    h("p", { class: "dim" }, compile.file && `${compile.file}:${compile.line ?? "?"}`),
    h(
      "dl",
      { class: "pairs" },
      rows.filter(([, text]) => text).map(([term, text]) => [h("dt", null, term), h("dd", null, text)]),
    ),
  );
}
