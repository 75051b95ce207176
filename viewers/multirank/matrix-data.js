// Rows of the matrix: ranks whose cells are all equal form a group. Runs without a page.
import { each, toRuns } from "../lib/bundle/ranks.js";
import { groupLetter } from "./data.js";

/** @typedef {{members: number[], runs: import("../lib/bundle/ranks.js").Runs}} Group members: places in the list of members */
/** @typedef {{group: number, member: number}} Row of the table: member is -1 for a group of several, and -2 for a group of one */

/** The sign in a cell and its meaning, by kind of finding. @type {Record<string, [string, string]>} */
export const MARKS = {
  "failure": ["✖", "failed"],
  "failed-everywhere": ["✖", "failed on all ranks"],
  "unfinished-compile": ["◌", "unfinished"],
  "never-began": ["∅", "never began"],
  "recorded-order": ["⇅", "different order of recorded calls"],
  "recorded-mismatch": ["⇎", "mismatched recorded call"],
  "collective-hang": ["⧗", "waits in a recorded call"],
  "collective-running": ["⧗", "recorded call still running"],
  "collective-mismatch": ["⇎", "mismatched collective"],
  "collective-order": ["⇅", "different group order"],
  "unmatched-transfer": ["⇢", "send or receive without a counterpart"],
  "collective-waits": ["⇏", "missing collective"],
  "group-differs": ["⇉", "different process group"],
  "missing-wait": ["⇄", "missing wait"],
  "collective-parity": ["⇄", "code doesn't match the schedule"],
  "collectives": ["⇄", "different collectives"],
  "graph-break": ["✂", "graph break"],
  "restart": ["↺", "restarted"],
  "recompile": ["↻", "recompiled"],
  "execution-order": ["⇅", "different execution order"],
  "compile-order": ["⇅", "different compile order"],
  "straggler": ["◷", "slowest rank"],
  "extra-compile": ["+", "compiled here only"],
  "missing-compile": ["−", "compiled on other ranks only"],
  "tensors": ["≠", "different tensors"],
  "guard": ["≠", "different guards"],
  "graph": ["≠", "different graph"],
};

/**
 * Return the first finding of each cell as marks.get(column).get(member).
 * @param {import("./data.js").Model} model @returns {Map<number, Map<number, any>>}
 */
export function marksOf(model) {
  const marks = new Map();
  for (const finding of model.result?.findings ?? []) {
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
 * Group members with equal cells, the largest group first.
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
    const group = groups.get(key);
    if (group) group.push(member);
    else groups.set(key, [member]);
  });
  return [...groups.values()]
    .sort((a, b) => b.length - a.length || a[0] - b[0])
    .map((members) => ({ members, runs: toRuns(members.map((i) => model.members[i].rank)) }));
}

/** List the rows, with the members of expanded groups. @param {Group[]} groups @param {Set<number>} open lowest ranks of the expanded groups @returns {Row[]} */
export function tableRows(groups, open) {
  return groups.flatMap((group, i) => {
    if (group.members.length === 1) return [{ group: i, member: -2 }];
    const own = [{ group: i, member: -1 }];
    return open.has(group.runs[0][0])
      ? own.concat(group.members.map((member) => ({ group: i, member })))
      : own;
  });
}

/** Return the tooltip of a cell. @param {import("./data.js").Model} model @param {number} column @param {number} member @param {any} marked */
export function cellText(model, column, member, marked) {
  const number = model.groupOf[column][member] ?? -1;
  const groups = model.graphs?.[column] ?? [];
  const same =
    number < 0
      ? "not compiled"
      : groups.length < 2
        ? "same on all ranks that compiled it"
        : number === 0
          ? "group A: same as most ranks"
          : `group ${groupLetter(number)}: ${groups[number].first_stage === null ? "same graph and code" : "different graph or code"}`;
  return marked ? `${same}, ${MARKS[marked.kind][1]}` : same;
}
