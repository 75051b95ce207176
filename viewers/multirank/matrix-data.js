// Rows of the matrix: ranks whose cells are all the same stand together. No page needed.
import { each, toRuns } from "../lib/bundle/ranks.js";
import { groupLetter } from "./data.js";

/** @typedef {{members: number[], runs: import("../lib/bundle/ranks.js").Runs}} Group members: places in the list of members */
/** @typedef {{group: number, member: number}} Row of the table: member is -1 for a group of several, and -2 for a group of one */

/** Signs in a cell, for what a finding says of it. @type {Record<string, [string, string]>} */
export const MARKS = {
  "failure": ["✖", "failed"],
  "failed-everywhere": ["✖", "failed on all ranks"],
  "unfinished-compile": ["◌", "inside of it when the log ends"],
  "never-began": ["∅", "never began"],
  "collective-mismatch": ["⇎", "another call of a collective"],
  "collective-waits": ["⇏", "lacks a call that others make"],
  "group-differs": ["⇉", "another process group"],
  "missing-wait": ["⇄", "a missing wait"],
  "collective-parity": ["⇄", "collectives that the schedule has not"],
  "collectives": ["⇄", "other collectives"],
  "graph-break": ["✂", "graph break"],
  "restart": ["↺", "restarted"],
  "recompile": ["↻", "recompiled"],
  "execution-order": ["⇅", "ran in another order"],
  "compile-order": ["⇅", "compiled in another order"],
  "straggler": ["◷", "held the others up"],
  "extra-compile": ["+", "compiled here only"],
  "missing-compile": ["−", "others compiled it"],
  "tensors": ["≠", "other tensors"],
  "guard": ["≠", "other guards"],
  "graph": ["≠", "another graph"],
};

/**
 * The first finding of each cell: marks.get(column).get(member).
 * @param {import("./data.js").Model} model @returns {Map<number, Map<number, any>>}
 */
export function marksOf(model) {
  const marks = new Map();
  for (const finding of model.found?.findings ?? []) {
    if (finding.rank_compile === null || !Object.hasOwn(MARKS, finding.kind)) continue;
    const column = marks.get(finding.rank_compile) ?? new Map();
    marks.set(finding.rank_compile, column);
    for (const rank of each(finding.ranks)) {
      const at = model.place.get(rank);
      if (at !== undefined && !column.has(at)) column.set(at, finding);
    }
  }
  return marks;
}

/**
 * Members with equal cells, the largest group first.
 * @param {import("./data.js").Model} model @param {Map<number, Map<number, any>>} marks @returns {Group[]}
 */
export function groupRows(model, marks) {
  if (!model) return [];
  /** @type {Map<string, number[]>} */
  const groups = new Map();
  const parts = model.members.map(() => /** @type {string[]} */ ([]));
  model.groupOf.forEach((numbers, column) => {
    const marked = marks.get(column);
    for (let i = 0; i < numbers.length; i++)
      parts[i].push(String.fromCharCode(numbers[i] + 2), marked?.get(i)?.kind ?? "");
  });
  parts.forEach((/** @type {string[]} */ cells, /** @type {number} */ member) => {
    const key = cells.join("\u0000");
    const known = groups.get(key);
    if (known) known.push(member);
    else groups.set(key, [member]);
  });
  return [...groups.values()]
    .sort((a, b) => b.length - a.length || a[0] - b[0])
    .map((members) => ({ members, runs: toRuns(members.map((i) => model.members[i].rank)) }));
}

/** @param {Group[]} groups @param {Set<number>} open lowest ranks of the groups that are taken apart @returns {Row[]} */
export function tableRows(groups, open) {
  return groups.flatMap((group, i) => {
    if (group.members.length === 1) return [{ group: i, member: -2 }];
    const own = [{ group: i, member: -1 }];
    return open.has(group.runs[0][0])
      ? own.concat(group.members.map((member) => ({ group: i, member })))
      : own;
  });
}

/** A cell in words. @param {import("./data.js").Model} model @param {number} column @param {number} member @param {any} marked */
export function cellText(model, column, member, marked) {
  const number = model.groupOf[column][member] ?? -1;
  const groups = model.graphs?.[column] ?? [];
  const same =
    number < 0
      ? "not compiled"
      : groups.length < 2
        ? "same on all that compiled it"
        : number === 0
          ? `group A, that of most`
          : `group ${groupLetter(number)}: ${groups[number].first_stage === null ? "same" : "another graph or code"}`;
  return marked ? `${same}; ${MARKS[marked.kind][1]}` : same;
}
