// Measured run times: the source lines and kernels that became slower or faster.
import { tableBox } from "../lib/list/table.js";
import { h } from "../lib/page/dom.js";
import { count, plural, time } from "../lib/page/format.js";
import { placeLink } from "../lib/page/place-link.js";
import { differenceText, idsText, minus } from "./words.js";

/** @typedef {NonNullable<NonNullable<import("./document.js").Pair["run_time"]>>} RunTime */

const MOST = 10; // rows shown at first
/** Sign, word and class. @type {Record<string, [string, string, string]>} */
const CHANGES = {
  slower: ["▲", "slower", "tone-bad"],
  faster: ["▼", "faster", "tone-good"],
  new: ["+", "new", ""],
  gone: ["−", "gone", ""],
  same: ["=", "same", "dim"],
};
/** @type {Record<string, string>} */
const MATCHED = {
  code: "Both have the same code.",
  lines: "Both compute the same source lines.",
  name: "Both have the same name without its number.",
};

/** Build the section; null when the logs have no times to compare. @param {import("./viewer.js").Context} context */
export function runTimes({ run: { document }, pair }) {
  const log = document.logs[pair];
  const times = log.run_time;
  if (!times || times.missing !== null) return null;
  return h(
    "section",
    { "aria-labelledby": "run-times" },
    h("h2", { id: "run-times" }, "Measured run time"),
    h(
      "p",
      null,
      `Kernels took ${time(times.new_us)}, and ${time(times.base_us)} in the base run for the same number of calls `,
      differenceText(minus(times.base_us, times.new_us)),
      ".",
    ),
    times.lines.length > 0 &&
      table("Source lines", times.lines, (/** @type {any} */ row) => [
        row.code && h("code", null, row.code),
        " ",
        placeLink(row.file, row.line, `${row.file.split(/[\\/]/).at(-1)}:${row.line}`),
      ]),
    table("Kernels", times.kernels, (/** @type {any} */ row) => {
      const names = [...new Set([row.base_name, row.new_name])].filter((name) => name !== null);
      const compile = row.pair_index === null ? null : log.compiles[row.pair_index];
      return [
        h(
          "span",
          { title: MATCHED[row.matched_by] },
          names.map((name, i) => [i > 0 && " → ", h("code", null, name)]),
        ),
        compile && h("span", { class: "dim" }, ` ${idsText(compile)}`),
      ];
    }),
  );
}

/** @param {string} title @param {any[]} rows the largest difference first @param {(row: any) => any} name */
function table(title, rows, name) {
  const changed = rows.filter((row) => row.change !== "same");
  const others = rows.filter((row) => row.change === "same");
  const left = [...changed.slice(MOST), ...others];
  return [
    h("h3", null, title, h("span", { class: "dim" }, ` ${summary(changed, others)}`)),
    changed.length > 0 && rowsTable(title, changed.slice(0, MOST), name),
    left.length > 0 &&
      h(
        "details",
        null,
        h("summary", null, changed.length ? `${count(left.length)} more` : `${count(left.length)} unchanged`),
        rowsTable(`${title}, more`, left, name),
      ),
  ];
}

/** @param {any[]} changed @param {any[]} others */
const summary = (changed, others) =>
  changed.length
    ? `${plural(changed.length, "change")}, ${count(others.length)} unchanged`
    : "no change beyond noise";

/** @param {any} row @returns {[string, string, string]} sign, word, class */
const changeOf = (row) => CHANGES[row.change] ?? ["≠", row.change, ""];

/** @param {any} row */
const difference = (row) => (row.new_us ?? 0) - (row.base_us ?? 0);

/** @param {string} title @param {any[]} rows @param {(row: any) => any} name */
const rowsTable = (title, rows, name) =>
  tableBox(
    title,
    [
      {
        title: "Change",
        cell: (row) => {
          const [sign, word, tone] = changeOf(row);
          return h("span", { class: tone }, h("span", { "aria-hidden": "true" }, `${sign} `), word);
        },
        sort: (row) => changeOf(row)[1],
      },
      { title, cell: name },
      { title: "Base", number: true, cell: (row) => time(row.base_us), sort: (row) => row.base_us },
      { title: "New", number: true, cell: (row) => time(row.new_us), sort: (row) => row.new_us },
      {
        title: "Difference",
        number: true,
        cell: (row) => differenceText(difference(row), toneOf(row.change)),
        sort: difference,
      },
    ],
    rows,
    { class: "run-times" },
  );

/** @param {string} change @returns {import("./words.js").Tone} */
const toneOf = (change) => (change === "slower" ? "bad" : change === "faster" ? "good" : "plain");
