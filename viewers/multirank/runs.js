// The table of runs in the logs, with the command that compares a different run.
import { words } from "../lib/bundle/ranks.js";
import { tableBox } from "../lib/list/table.js";
import { h } from "../lib/page/dom.js";
import { count, plural, time } from "../lib/page/format.js";

/** @typedef {NonNullable<import("../../schema/bundle.d.ts").Manifest["job"]>} Job */

const MOST = 6; // runs shown at first, in addition to the compared one
const HOUR_US = 3_600_000_000,
  DAY_US = 24 * HOUR_US;

/** Build the table of runs; null when there is only one. @param {Job} job */
export function runsPart({ runs, run: own }) {
  if (runs.length < 2) return null;
  const start = runs[own - 1]?.start_epoch_us ?? null;
  const run = (/** @type {number} */ number) => runs[number - 1];
  /** @type {import("../lib/list/table.js").TableColumn<number>[]} */
  const columns = [
    { title: "Run", head: true, cell: String, sort: (number) => number },
    {
      title: "Start (UTC)",
      cell: (number) => moment(run(number).start_epoch_us),
      sort: (number) => run(number).start_epoch_us,
    },
    {
      title: "Relative to compared run",
      cell: (number) => {
        const began = run(number).start_epoch_us;
        return number === own || began === null || start === null ? "" : relative(began - start);
      },
    },
    {
      title: "Ranks",
      cell: (number) => {
        const { ranks, world_size: size } = run(number);
        return [words(ranks), size !== null && h("span", { class: "dim" }, ` of ${count(size)}`)];
      },
      sort: (number) => words(run(number).ranks),
    },
    { title: "torch", cell: (number) => run(number).torch_versions.join(", ") || "–" },
    {
      title: "Relation",
      cell: (number) =>
        number === own
          ? h("b", null, "compared here")
          : run(number).attempt
            ? "restart of the same job"
            : "different job",
    },
  ];
  const runTable = (/** @type {number[]} */ numbers) =>
    tableBox("Table of runs", columns, numbers, {
      row: (number) => (number === own ? { "class": "here", "aria-current": "true" } : {}),
    });
  const all = runs.map((_, i) => i + 1);
  const shown = all.filter((number) => number <= MOST || number === own);
  const box = runTable(shown);
  const more = () => {
    box.replaceWith(runTable(all));
    button.remove();
  };
  const button = h("button", { class: "tool", onclick: more }, `${count(all.length - shown.length)} more`);
  const others = all.filter((number) => number !== own);
  return h(
    "section",
    { "class": "runs", "aria-label": "Runs" },
    h(
      "h2",
      null,
      plural(runs.length, "run"),
      " ",
      h(
        "span",
        { class: "dim" },
        "in these logs. To compare a different run: ",
        h("code", null, `tlparse-bundle LOGS OUT --run ${others.length === 1 ? others[0] : "N"} --overwrite`),
      ),
    ),
    box,
    shown.length < all.length && button,
  );
}

/** Format a time such as "2026-11-23 07:21:53". @param {number | null} us */
function moment(us) {
  if (us === null) return "–";
  const date = new Date(us / 1_000);
  return Number.isNaN(date.getTime()) ? "–" : date.toISOString().slice(0, 19).replace("T", " ");
}

/** Format an offset such as "51 s earlier". @param {number} us */
function relative(us) {
  const size = Math.abs(us);
  if (size < 1_000_000) return "at the same time";
  const length =
    size < 2 * HOUR_US
      ? time(size)
      : size < 2 * DAY_US
        ? `${(size / HOUR_US).toFixed(1)} h`
        : plural(Math.round(size / DAY_US), "day");
  return `${length} ${us < 0 ? "earlier" : "later"}`;
}
