// The table of bundles, with sortable columns.
import { h, rich } from "../lib/page/dom.js";
import { bytes, count, plural, time } from "../lib/page/format.js";

import { runBefore } from "./rows.js";

/** @typedef {import("./rows.js").BundleRow} BundleRow */
/** @typedef {import("./main.js").ViewerRow} ViewerRow */

/** Columns: sort key, title, class, and whether the first click sorts descending. @type {[string, string, string, boolean][]} */
const COLUMNS = [
  ["name", "Bundle", "", false],
  ["findings", "Findings", "", true],
  ["time", "Compile time", "number", true],
  ["compiles", "Compiles", "number spare", true],
  ["logs", "Logs", "number extra", true],
  ["size", "Size", "number extra", true],
  ["torch", "torch", "spare", true],
  ["built", "Built", "extra", true],
];
/** @type {[("error" | "warning" | "info"), string, string, string][]} */
const SEVERITIES = [
  ["error", "✖", "error", "errors"],
  ["warning", "!", "warning", "warnings"],
  ["info", "●", "note", "notes"],
];
const DAY = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "short" }); // 2026-11-23 12:05

/** @param {BundleRow[]} rows @param {ViewerRow[]} viewers @param {{sort: string, list: URL, choice: import("./choice.js").Choice | null, onsort: (sort: string) => void}} options choice: of two to compare, where that can be done */
export function table(rows, viewers, { sort, list, choice, onsort }) {
  const head = COLUMNS.map(([key, title, kind, falls]) => {
    const down = sort === `-${key}`,
      here = down || sort === key;
    const next = here ? (down ? key : `-${key}`) : falls ? `-${key}` : key;
    return h(
      "th",
      {
        "scope": "col",
        "class": kind || null,
        "aria-sort": here ? (down ? "descending" : "ascending") : null,
      },
      h(
        "button",
        { class: "sort", dataset: { sort: key }, onclick: () => onsort(next) },
        title,
        h("span", { "class": "arrow", "aria-hidden": "true" }, here ? (down ? " ↓" : " ↑") : ""),
      ),
    );
  });
  return h(
    "table",
    { class: "bundles" },
    h(
      "thead",
      null,
      h(
        "tr",
        null,
        choice &&
          h("th", { scope: "col", class: "choose" }, h("span", { class: "visually-hidden" }, "Compare")),
        head,
        h("th", { scope: "col" }, "Open in"),
      ),
    ),
    h(
      "tbody",
      null,
      rows.map((row) =>
        h(
          "tr",
          null,
          choice && h("td", { class: "choose" }, !row.problem && choice.box(row)),
          row.problem ? broken(row) : cells(row, viewers, list, choice),
        ),
      ),
    ),
  );
}

/** @param {BundleRow} row */
const broken = (row) => [
  h("th", { scope: "row" }, row.name),
  h("td", { colspan: COLUMNS.length, class: "problem" }, row.problem),
];

/** @param {BundleRow} row @param {ViewerRow[]} viewers @param {URL} list @param {import("./choice.js").Choice | null} choice */
function cells(row, viewers, list, choice) {
  const before = choice && runBefore(choice.bundles, row);
  const changes = before && choice.address(before, row);
  const fits = viewers.filter(
    ({ needs, example }) => !example && (!needs || !row.holds || row.holds.includes(needs)),
  );
  const built = row.built_us ? DAY.format(row.built_us / 1e3) : "–";
  return [
    h(
      "th",
      { scope: "row" },
      fits.length ? link(row, fits[0], list, breakable(row.name)) : breakable(row.name),
    ),
    h(
      "td",
      { class: "says" },
      row.growing
        ? h(
            "span",
            { class: "chips" },
            h("span", { class: "chip chip-ok", title: "Logs are still being written" }, "live"),
          )
        : chips(row),
      h("span", { class: "text" }, row.growing ? soFar(row) : rich(row.text ?? "")),
    ),
    h("td", { class: "number" }, time(row.compile_us)),
    h("td", { class: "number spare" }, count(row.compile_count)),
    h(
      "td",
      { class: "number extra" },
      count(row.log_count),
      row.ranks.length > 1 && h("span", { class: "dim under" }, plural(row.ranks.length, "rank")),
    ),
    h("td", { class: "number extra" }, bytes(row.size_bytes)),
    h("td", { class: "spare" }, row.torch_versions.join(", ") || "–"),
    h("td", { class: "extra when" }, built),
    h(
      "td",
      { class: "viewer-links" },
      fits.map((viewer) => link(row, viewer, list, viewer.name)),
      changes &&
        h(
          "a",
          { class: "changes", href: changes, title: `Compare with ${before.name}, the run before` },
          "changes",
        ),
    ),
  ];
}

/** Build the chips that count findings by severity. @param {BundleRow} row */
function chips({ findings, ranks }) {
  if (!findings) return null;
  const of = ranks.length > 1 ? " for all ranks together and for the log with the most findings" : "";
  const found = SEVERITIES.filter(([severity]) => findings[severity] > 0);
  return h(
    "span",
    { class: "chips" },
    found.length === 0 && h("span", { class: "chip chip-ok" }, "✔ no findings"),
    found.map(([severity, sign, one, many]) =>
      h(
        "span",
        { class: `chip chip-${severity}`, title: `${plural(findings[severity], one, many)}${of}` },
        h("span", { "aria-hidden": "true" }, sign),
        ` ${count(findings[severity])}`,
        h("span", { class: "visually-hidden" }, ` ${findings[severity] === 1 ? one : many}`),
      ),
    ),
  );
}

/** Return the text of a growing bundle, whose problems may be temporary. @param {BundleRow} row */
const soFar = ({ compile_count: compiles }) => `${plural(compiles, "compile")} so far`;

/** Allow line breaks between the parts of a name. @param {string} name */
const breakable = (name) => name.split(/(?<=[/_-])/).flatMap((part, i) => (i ? [h("wbr"), part] : [part]));

/** @param {BundleRow} row @param {ViewerRow} viewer @param {URL} list @param {any} text */
function link(row, viewer, list, text) {
  const url = new URL(viewer.url, list);
  url.searchParams.set("bundle", new URL(row.url, list).pathname);
  return h("a", { href: url.href }, text);
}
