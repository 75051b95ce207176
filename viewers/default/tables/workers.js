// The workers view: slow jobs of compile workers, and kernels that native operators compiled.
import { emptyPage, listDetail } from "../../lib/list/list-detail.js";
import { table } from "../../lib/list/table.js";
import { cutMiddle } from "../../lib/page/cut-middle.js";
import { h } from "../../lib/page/dom.js";
import { count, plural, time } from "../../lib/page/format.js";
import { shareBar } from "../../lib/page/figures.js";
import { cards, shownBy } from "../shared/finding-leads.js";
import { findingsOf, functionName, idText, modelOf, numberOf } from "../shared/model.js";
import { compileLink, pairs, recordLink } from "../shared/parts.js";

/** @typedef {{id: string, kind: string, name: string, state: string, us: number | null, rows: any[]}} Item */

const JOB = "worker job";
const NATIVE = "native operator";
const MOST_REPORTS = 100;
/** @type {Record<string, string>} */
const PHASES = { querying_cache: "querying the cache" };
/** @type {Record<string, string>} */
const OUTCOMES = { cache_hit: "cache hit", error: "failed" };
/** @type {Record<string, string>} */
const LANGUAGES = { cutedsl: "CuTeDSL", triton: "Triton", flydsl: "FlyDSL" };

/** @param {string | null} phase */
const phaseWord = (phase) => (phase === null ? "unknown" : (PHASES[phase] ?? phase));

/** Return the jobs, each with its reports. A new pool of workers starts again with job 0. @param {any[]} reports @returns {Item[]} */
function jobsOf(reports) {
  const jobs = /** @type {Item[]} */ ([]);
  const newest = new Map(/** @type {[string, Item][]} */ ([]));
  for (const row of reports) {
    const key = JSON.stringify([row.compile, row.job]);
    let job = newest.get(key);
    if (!job || (row.elapsed_us ?? 0) < (job.us ?? 0)) {
      job = { id: `j${row.event}`, kind: JOB, name: `job ${row.job ?? "?"}`, state: "", us: null, rows: [] };
      newest.set(key, job);
      jobs.push(job);
    }
    job.rows.push(row);
    job.us = row.elapsed_us;
    job.state = phaseWord(row.phase);
  }
  return jobs;
}

/** @param {any[]} rows @returns {Item[]} */
const nativeOf = (rows) =>
  rows.map((row) => ({
    id: `n${row.event}`,
    kind: NATIVE,
    name: row.op ?? "unknown operator",
    state: OUTCOMES[row.outcome] ?? row.outcome ?? "unknown",
    us: row.duration_us,
    rows: [row],
  }));

/** @param {import("../frame/viewer.js").Context} context @returns {Promise<import("../frame/viewer.js").View>} */
export async function openWorkers({ log, state }) {
  const [model, found, reports, native] = await Promise.all([
    modelOf(log),
    findingsOf(log),
    log.table("worker_reports"),
    log.table("native_compiles"),
  ]);
  const items = [...jobsOf(reports ?? []), ...nativeOf(native ?? [])];
  if (items.length === 0)
    return emptyPage(
      "No slow compile workers",
      "torch 2.15 and newer report jobs of compile workers that take long, and compiles of native operators. This log has neither.",
    );
  const compile = (/** @type {number} */ i) => model.compiles[numberOf(model, items[i].rows[0])];
  const longest = Math.max(...items.map(({ us }) => us ?? 0));
  const kinds = [...new Set(items.map(({ kind }) => kind))];
  return listDetail({
    state,
    name: "workers",
    label: "Compile workers",
    noun: ["job or compile", "jobs and compiles"],
    length: items.length,
    id: (i) => items[i].id,
    title: (i) => `${items[i].kind} ${items[i].name} ${items[i].state}`,
    text: (i) =>
      [idText(compile(i)), functionName(compile(i)), items[i].kind, items[i].name, items[i].state].join("\n"),
    choices:
      kinds.length > 1
        ? [
            {
              key: "type",
              label: "Kind",
              all: "all kinds",
              options: kinds.map((kind) => [kind, kind]),
              fits: (i, value) => items[i].kind === value,
            },
          ]
        : [],
    columns: [
      {
        id: "compile",
        title: "Compile",
        class: "mono",
        sort: (i) => numberOf(model, items[i].rows[0]),
        cell: (i) => (compile(i).id === null ? "–" : idText(compile(i))),
      },
      { id: "kind", title: "Kind", sort: (i) => items[i].kind, cell: (i) => items[i].kind },
      {
        id: "name",
        title: "Name",
        least: "6rem",
        class: "mono",
        sort: (i) => items[i].name,
        cell: (i) => cutMiddle(items[i].name),
      },
      {
        id: "state",
        title: "State",
        least: "5rem",
        sort: (i) => items[i].state,
        cell: (i) => items[i].state,
        help: "Last reported phase of a worker job; outcome of a native operator's compile",
      },
      {
        id: "time",
        title: "Time",
        number: true,
        sort: (i) => items[i].us,
        cell: (i) => (items[i].us === null ? "–" : time(items[i].us)),
        help: "A worker job took at least this long: torch does not record its end",
      },
      { id: "bar", title: "Of the longest", width: "8rem", cell: (i) => shareBar(items[i].us, longest) },
    ],
    detail: (i) => [
      h("h2", null, h("code", null, items[i].name)),
      ...cards(model, state, found, shownBy(...items[i].rows.map((row) => row.event))),
      h(
        "p",
        null,
        compile(i).id === null
          ? "outside any compile"
          : [compileLink(model, numberOf(model, items[i].rows[0]), state), " ", functionName(compile(i))],
      ),
      items[i].kind === JOB ? jobDetail(items[i].rows, state) : nativeDetail(items[i].rows[0], state),
    ],
  });
}

/** @type {import("../../lib/list/table.js").TableColumn<{row: any, state: any}>[]} */
const REPORTS = [
  {
    title: "After",
    number: true,
    cell: ({ row }) => (row.elapsed_us === null ? "–" : time(row.elapsed_us)),
    sort: ({ row }) => row.elapsed_us,
  },
  { title: "Phase", cell: ({ row }) => phaseWord(row.phase), sort: ({ row }) => phaseWord(row.phase) },
  {
    title: "In the phase for",
    number: true,
    cell: ({ row }) => (row.phase_elapsed_us === null ? "–" : time(row.phase_elapsed_us)),
    sort: ({ row }) => row.phase_elapsed_us,
  },
  {
    title: "Process",
    number: true,
    cell: ({ row }) => row.worker_pid ?? "–",
    sort: ({ row }) => row.worker_pid,
  },
  { title: "Record", cell: ({ row, state }) => recordLink(row.event, state) },
];

/** @param {any[]} rows @param {any} state */
const jobDetail = (rows, state) => [
  h("h3", null, plural(rows.length, "report")),
  table(
    REPORTS,
    rows.slice(0, MOST_REPORTS).map((row) => ({ row, state })),
    { class: "compact" },
  ),
  rows.length > MOST_REPORTS && h("p", { class: "dim" }, `and ${count(rows.length - MOST_REPORTS)} more`),
];

/** @param {any} row @param {any} state */
const nativeDetail = (row, state) =>
  pairs([
    ["Language", LANGUAGES[row.dsl] ?? row.dsl],
    ["Outcome", OUTCOMES[row.outcome] ?? row.outcome],
    ["Time", row.duration_us === null ? null : time(row.duration_us)],
    ["Key", row.key && h("code", null, row.key)],
    ["Cache hits so far", row.hit_count],
    ["Cache misses so far", row.miss_count],
    ["Record", recordLink(row.event, state)],
  ]);
