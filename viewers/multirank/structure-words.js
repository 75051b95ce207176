// The structure of the job in words: the sentence below the picture, and texts about single ranks. No page needed.
import { holds, numbers, size, toRuns, Words, words } from "../lib/bundle/ranks.js";
import { count, plural } from "../lib/page/format.js";
import { functionName } from "./names.js";

/** @typedef {import("./data.js").Model} Model */
/** @typedef {import("./structure-data.js").Part} Part */
/** @typedef {import("../lib/bundle/ranks.js").Runs} Runs */
/** @typedef {import("../../schema/bundle.d.ts").ProcessGroups} Group */

const WORLD = "0"; // name of the group of all ranks
const MOST_SIZES = 3,
  MOST_AXES = 6,
  MOST_GROUPS = 4;

/** Return the sentences about roles, process groups, and ranks without a role. @param {Model} model @param {Part[]} parts */
export function structureText({ members, roles, groups }, parts) {
  const rest = parts
    .filter(({ kind }) => kind !== "role")
    .map(({ name, ranks }) => `${Words(ranks)}: ${name}.`);
  return [rolesText(roles ?? [], members.length), groups && groupsText(groups), ...rest]
    .filter(Boolean)
    .join(" ");
}

/** @param {{ranks: Runs}[]} roles @param {number} all */
function rolesText(roles, all) {
  if (!roles.length) return "";
  const sizes = [...new Set(roles.map(({ ranks }) => size(ranks)))].sort((a, b) => a - b);
  if (roles.length === 1)
    return `1 role: ${sizes[0] === all ? "all " : ""}${plural(sizes[0], "rank")} should compile the same code.`;
  const many =
    sizes.length === 1
      ? `of ${plural(sizes[0], "rank")}`
      : sizes.length <= MOST_SIZES
        ? `of ${sizes.slice(0, -1).map(count).join(", ")} or ${plural(sizes[sizes.length - 1], "rank")}`
        : `of ${count(sizes[0])} to ${plural(sizes[sizes.length - 1], "rank")}`;
  return `${plural(roles.length, "role")} ${many}. Ranks of one role should compile the same code.`;
}

/** Return "Process groups: 4 groups of 2 ranks along axis 0; …". @param {Group[]} groups */
function groupsText(groups) {
  if (!groups.length) return "Compiled code calls no collectives.";
  const axes = axesText(groups);
  const left = axes.length - MOST_AXES;
  return `Process groups: ${axes.slice(0, MOST_AXES).join("; ")}${left > 0 ? `; ${count(left)} more axes` : ""}.`;
}

/** @param {Group[]} groups */
function axesText(groups) {
  /** @type {Map<number, number[]>} */
  const sizes = new Map();
  const world = groups.find((group) => group.group === WORLD)?.axis;
  for (const group of groups)
    sizes.set(group.axis, [...(sizes.get(group.axis) ?? []), group.size ?? size(group.ranks)]);
  return [...sizes]
    .sort(([a], [b]) => a - b)
    .map(([axis, list]) => {
      const [least, most] = [Math.min(...list), Math.max(...list)];
      if (axis === world && list.length === 1) return `1 group of all ranks along axis ${axis}`;
      const many = least === most ? plural(most, "rank") : `${count(least)} to ${plural(most, "rank")}`;
      return `${plural(list.length, "group")} of ${many} along axis ${axis}`;
    });
}

/** Return the process groups of some ranks: by name if they are few, else by axis. @param {Group[]} groups @param {Runs} ranks */
export function groupsOf(groups, ranks) {
  const own = groups.filter((group) =>
    ranks.some(([first, last]) => group.ranks.some(([a, b]) => a <= last && first <= b)),
  );
  if (!own.length) return "none";
  if (own.length > MOST_GROUPS) return axesText(own).join("; ");
  return own
    .map((group) => `${group.group ?? "unknown"} (axis ${group.axis}: ${words(group.ranks)})`)
    .join("; ");
}

/** Return the tooltip of a rank. @param {Model} model @param {Part[]} parts @param {number} rank @param {string | undefined} mark */
export function rankText({ groups }, parts, rank, mark) {
  const part = parts.find(({ ranks }) => holds(ranks, rank));
  const lines = [`rank ${rank}, ${part?.name ?? "unknown role"}${mark ? `, ${mark}` : ""}`];
  if (groups?.length && part?.kind === "role")
    lines.push(`Process groups: ${groupsOf(groups, [[rank, rank]])}`);
  return lines.join("\n");
}

/** Return a function that only this role compiled, or its first one; null without compiles. @param {Model} model @param {number} role */
export function functionOf({ columns }, role) {
  const own = columns.filter((column) => column.role === role);
  const others = new Set(columns.flatMap((column) => (column.role === role ? [] : [column.function])));
  const one = own.find((column) => !others.has(column.function)) ?? own[0];
  return one ? functionName(one.function) : null;
}

/** Return "0–63" or "0 … 126". @param {number[]} ranks of a line */
export function lineText(ranks) {
  const runs = toRuns([...ranks].sort((a, b) => a - b));
  return runs.length < 2 ? numbers(runs) : `${runs[0][0]} … ${runs[runs.length - 1][1]}`;
}

/** Ranks by severity, worst first. @param {Map<number, "error" | "warning">} marks @returns {["error" | "warning", Runs][]} */
export const bySeverity = (marks) =>
  /** @type {const} */ (["error", "warning"])
    .map(
      (severity) =>
        /** @type {["error" | "warning", Runs]} */ ([
          severity,
          toRuns([...marks.keys()].filter((rank) => marks.get(rank) === severity).sort((a, b) => a - b)),
        ]),
    )
    .filter(([, ranks]) => ranks.length > 0);

/** Return the sign and the axes of each direction of the picture. @param {Part[]} parts @returns {[string, string][]} */
export function directions(parts) {
  const axes = parts.map((part) => part.axes);
  /** @type {[string, (number | null)[]][]} */
  const all = [
    ["→", axes.map(({ across }) => across)],
    ["↓", axes.map(({ down }) => down)],
    ["▦", axes.flatMap(({ blocks }) => blocks)],
  ];
  return all.flatMap(([sign, list]) => {
    const own = [...new Set(list)].filter((axis) => axis !== null).sort((a, b) => a - b);
    return own.length
      ? [/** @type {[string, string]} */ ([sign, `${own.length === 1 ? "axis" : "axes"} ${own.join(", ")}`])]
      : [];
  });
}
