// The structure of the job as a table: the same data as the picture, for ranks with equal rows together.
import { each, holds, toRuns, words } from "../lib/bundle/ranks.js";
import { severitySign } from "../lib/finding/card.js";
import { tableBox } from "../lib/list/table.js";
import { h, rich } from "../lib/page/dom.js";
import { count } from "../lib/page/format.js";
import { groupsOf } from "./structure-words.js";

/** @typedef {import("./structure-data.js").Part} Part */
/** @typedef {import("./structure-data.js").Finding} Finding */

const MOST = 500; // rows
const MOST_TITLES = 6;

/** Build the table. @param {import("./data.js").Model} model @param {Part[]} parts @param {Finding[]} found the findings that mark ranks @param {boolean} byGroups whether ranks of different process groups have rows of their own */
export function structureTable({ groups, members }, parts, found, byGroups) {
  const all = parts.length
    ? parts
    : [{ name: "all", kind: "role", ranks: toRuns(members.map((one) => one.rank)) }];
  const rows = all.flatMap(({ name, kind, ranks }) =>
    alike(ranks, found, byGroups ? (groups ?? []) : []).map((row) => ({ name, kind, ...row })),
  );
  return [
    tableBox(
      "Roles and ranks",
      [
        { title: "Role", cell: ({ name }) => name, sort: ({ name }) => name },
        { title: "Ranks", head: true, cell: ({ runs }) => words(runs), sort: ({ runs }) => runs[0][0] },
        {
          title: "Process groups",
          cell: ({ kind, runs }) => (kind === "role" ? groupsOf(groups ?? [], runs) : ""),
        },
        {
          title: "Findings",
          cell: ({ findings }) => titles(findings),
          sort: ({ findings }) => findings.length,
        },
      ],
      rows.slice(0, MOST),
    ),
    rows.length > MOST && h("p", { class: "dim" }, `First ${MOST} of ${count(rows.length)} rows.`),
  ];
}

/** @param {Finding[]} findings */
const titles = (findings) =>
  findings.length === 0
    ? "none"
    : h(
        "ul",
        null,
        findings
          .slice(0, MOST_TITLES)
          .map(({ severity, title }) => h("li", null, severitySign(severity), rich(title))),
        findings.length > MOST_TITLES &&
          h("li", { class: "dim" }, `${count(findings.length - MOST_TITLES)} more`),
      );

/** Group ranks with the same findings and process groups. @param {number[][]} ranks @param {Finding[]} found @param {{ranks: number[][]}[]} groups */
function alike(ranks, found, groups) {
  /** @type {Map<string, {ranks: number[], findings: Finding[]}>} */
  const rows = new Map();
  for (const rank of each(ranks)) {
    const findings = found.filter((finding) => holds(finding.ranks, rank));
    const places = groups.flatMap((group, i) => (holds(group.ranks, rank) ? [i] : []));
    const key = `${findings.map((finding) => finding.id).join()} ${places.join()}`;
    const row = rows.get(key);
    if (row) row.ranks.push(rank);
    else rows.set(key, { ranks: [rank], findings });
  }
  return [...rows.values()].map((row) => ({ runs: toRuns(row.ranks), findings: row.findings }));
}
