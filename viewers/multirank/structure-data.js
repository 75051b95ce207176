// Where each rank is in the structure of the job: its role, and its place along the axes. Runs without a page.
import { each, holds, size, toRuns } from "../lib/bundle/ranks.js";

/** @typedef {import("../lib/bundle/ranks.js").Runs} Runs */
/** @typedef {import("../../schema/bundle.d.ts").RankRoles} RankRole */
/** @typedef {import("../../schema/bundle.d.ts").ProcessGroups} Group */
/** @typedef {import("../../schema/bundle.d.ts").RankFindings} Finding */
/** @typedef {{axis: number | null, size: number, stride: number, places: Map<number, number>}} Dimension axis: null for ranks that no process group orders */
/** @typedef {{across: number | null, down: number | null, blocks: number[]}} Axes which axis goes in which direction */
/** @typedef {{name: string, role: number | null, ranks: Runs, kind: "role" | "silent" | "missing", bands: number[][][], beside: boolean, axes: Axes}} Part a role, or the ranks without one; a band has lines of ranks; beside: bands are short enough to be side by side */

export const MOST_CELLS = 4_096; // ranks in the picture
const NUMBERED = 64; // more ranks get small cells, without numbers
const NUMBERED_LINE = 16,
  SMALL_LINE = 64; // cells of a line

/**
 * Return the parts of the picture; none where it would have too many cells.
 * @param {{members: {rank: number}[], roles: RankRole[] | null, groups: Group[] | null, missing: Runs}} job
 */
export function partsOf({ members, roles, groups, missing }) {
  const all = members.length + size(missing);
  const numbered = all <= NUMBERED;
  if (all > MOST_CELLS) return { parts: [], numbered };
  const longest = numbered ? NUMBERED_LINE : SMALL_LINE;
  const present = toRuns(members.map(({ rank }) => rank).sort((a, b) => a - b));
  const known = roles?.length ? roles : [{ id: 0, ranks: present }];
  const silent = toRuns([...each(present)].filter((rank) => !known.some(({ ranks }) => holds(ranks, rank))));
  const others = /** @type {const} */ ([
    ["silent", "compiled nothing", silent],
    ["missing", "no log", missing],
  ]);
  /** @type {Part[]} */
  const parts = known.map(({ id, ranks }) => ({
    name: `role ${id}`,
    role: id,
    ranks,
    kind: "role",
    ...bandsOf([...each(ranks)], groups ?? [], longest),
  }));
  for (const [kind, name, ranks] of others)
    if (ranks.length)
      parts.push({ name, role: null, ranks, kind, ...bandsOf([...each(ranks)], [], longest) });
  return { parts, numbered };
}

/** Arrange the ranks of a role: the longest axis across, the next one down, the others as blocks. @param {number[]} ranks ascending @param {Group[]} groups @param {number} longest */
function bandsOf(ranks, groups, longest) {
  const [across, down, ...blocks] = dimensionsOf(ranks, groups).sort(
    (a, b) => b.size - a.size || a.stride - b.stride,
  );
  const axes = {
    across: across?.axis ?? null,
    down: down?.axis ?? null,
    blocks: blocks.flatMap(({ axis }) => (axis === null ? [] : [axis])),
  };
  if (!down) return { axes, beside: false, bands: [chunks(ranks, longest)] };
  /** @type {Map<string, number[][]>} */
  const byBlock = new Map();
  for (const rank of ranks) {
    const key = blocks.map(({ places }) => places.get(rank)).join();
    const lines = byBlock.get(key) ?? Array.from({ length: down.size }, () => /** @type {number[]} */ ([]));
    byBlock.set(key, lines);
    lines[down.places.get(rank) ?? 0][across.places.get(rank) ?? 0] = rank;
  }
  const bands = [...byBlock.values()].flatMap((lines) => {
    const cut = lines.map((line) => chunks(line, longest));
    return cut[0].map((_, i) => cut.map((line) => line[i]));
  });
  return { axes, beside: 2 * across.size <= longest, bands };
}

/**
 * Return the axes that order the ranks of a role. Each place on all of them has one rank; where the process groups
 * leave several, an unnamed axis has these.
 * @param {number[]} ranks @param {Group[]} groups
 */
function dimensionsOf(ranks, groups) {
  /** @type {Map<number, number[][]>} */
  const byAxis = new Map();
  const own = new Set(ranks);
  for (const group of groups) {
    const members = [...each(group.ranks)];
    if (members.length > 1 && members.length < ranks.length && members.every((rank) => own.has(rank)))
      byAxis.set(group.axis, [...(byAxis.get(group.axis) ?? []), members]);
  }
  /** @type {Dimension[]} */
  const dimensions = [];
  let cells = new Map(ranks.map((rank) => [rank, ""]));
  for (const [axis, lists] of [...byAxis].sort(([, [a]], [, [b]]) => a[1] - a[0] - (b[1] - b[0]))) {
    const places = new Map(lists.flatMap((list) => list.map((rank, i) => [rank, i])));
    const next = new Map(ranks.map((rank) => [rank, `${cells.get(rank)} ${places.get(rank)}`]));
    const length = lists[0].length;
    if (!places.size || places.size < ranks.length || !even(next, cellCount(dimensions) * length)) continue;
    dimensions.push({ axis, size: length, stride: lists[0][1] - lists[0][0], places });
    cells = next;
  }
  const left = ranks.length / cellCount(dimensions);
  if (dimensions.length && left > 1) {
    /** @type {Map<string, number>} */
    const counts = new Map();
    const places = new Map();
    for (const [rank, cell] of cells) {
      places.set(rank, counts.get(cell) ?? 0);
      counts.set(cell, (counts.get(cell) ?? 0) + 1);
    }
    const first = ranks.find((rank) => places.get(rank) === 1) ?? ranks[0];
    dimensions.push({ axis: null, size: left, stride: first - ranks[0], places });
  }
  return dimensions;
}

const cellCount = (/** @type {Dimension[]} */ dimensions) =>
  dimensions.reduce((product, one) => product * one.size, 1);

/** Return whether there are so many different cells, each with equally many ranks. @param {Map<number, string>} cells @param {number} count */
function even(cells, count) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const cell of cells.values()) counts.set(cell, (counts.get(cell) ?? 0) + 1);
  return counts.size === count && [...counts.values()].every((number) => number === cells.size / count);
}

/** @param {number[]} list @param {number} length */
const chunks = (list, length) =>
  Array.from({ length: Math.ceil(list.length / length) }, (_, i) => list.slice(i * length, (i + 1) * length));

/** Return the findings that mark ranks: problems that no other finding causes. @param {Finding[]} findings */
export const marking = (findings) =>
  findings.filter(({ because_of: cause, severity }) => cause === null && severity !== "info");

/** Return the worst severity of each rank that differs. @param {Finding[]} findings that mark ranks @returns {Map<number, "error" | "warning">} */
export function severities(findings) {
  const worst = new Map();
  for (const { ranks, severity } of findings)
    for (const rank of each(ranks)) if (worst.get(rank) !== "error") worst.set(rank, severity);
  return worst;
}
