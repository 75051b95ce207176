// The model that all views share: the tables of the first screen, and lookups from ranks to compiles.
import { each, lowest } from "../lib/bundle/ranks.js";
import { h } from "../lib/page/dom.js";
import { inViewer } from "../lib/page/page.js";

/** @typedef {import("../lib/bundle/bundle.js").Bundle} Bundle */
/** @typedef {import("../lib/bundle/ranks.js").Runs} Runs */
/** @typedef {import("../../schema/bundle.d.ts").Ranks} Member */
/** @typedef {import("../../schema/bundle.d.ts").RankCompiles} Column */
/** @typedef {import("../../schema/bundle.d.ts").RankCompileKeys} Keys */
/** @typedef {import("../../schema/bundle.d.ts").RankGraphs} Graphs */
/** @typedef {import("../../schema/bundle.d.ts").RankFindings} Finding */
/** @typedef {import("../../schema/bundle.d.ts").RankRoles} Role */
/** @typedef {import("../../schema/bundle.d.ts").ProcessGroups} Group */
/** @typedef {NonNullable<Awaited<ReturnType<typeof loadModel>>>} Model */

/** Load the rank tables; null when the bundle has none. @param {Bundle} bundle @param {{signal?: AbortSignal}} [options] */
export async function loadModel(bundle, options) {
  if (!bundle.manifest.rank_tables) return null;
  const [members, columns, keys, graphRows, findings, roles, groups] =
    /** @type {[Member[], Column[], Keys[], Graphs[] | null, Finding[] | null, Role[] | null, Group[] | null]} */ (
      await Promise.all(
        [
          "ranks",
          "rank_compiles",
          "rank_compile_keys",
          "rank_graphs",
          "rank_findings",
          "rank_roles",
          "process_groups",
        ].map((name) => bundle.rankTable(name, options)),
      )
    );
  const { job } = bundle.manifest;
  const stored = job && findings ? { job, findings } : null; // null when the bundle was written without findings
  const result =
    stored && bundle.manifest.growing
      ? (await import("../lib/live/running-data.js")).ranksNow(bundle, stored)
      : stored;
  const graphs = graphRows && byCompile(graphRows, columns.length);
  const place = new Map(members.map((member, i) => [member.rank, i]));
  return {
    bundle,
    members,
    columns,
    keys,
    graphs,
    result,
    roles,
    groups,
    place,
    groupOf: groupNumbers(columns, graphs, place),
    keysOf: keyRows(keys, place),
  };
}

/** Group rows by compile, in order. @template {{rank_compile: number}} T @param {T[]} rows @param {number} count of columns @returns {T[][]} */
export function byCompile(rows, count) {
  const groups = Array.from({ length: count }, () => /** @type {T[]} */ ([]));
  for (const row of rows) groups[row.rank_compile].push(row);
  return groups;
}

/**
 * Return the group of each member per column: 0 for the largest, -1 where the member did not compile it.
 * @param {Column[]} columns @param {Graphs[][] | null} graphs @param {Map<number, number>} place @returns {Int16Array[]}
 */
function groupNumbers(columns, graphs, place) {
  return columns.map((column, c) => {
    const numbers = new Int16Array(place.size).fill(-1);
    const groups = graphs?.[c].length ? graphs[c] : [{ ranks: column.ranks }];
    groups.forEach((group, number) => {
      for (const rank of each(group.ranks)) {
        const at = place.get(rank);
        if (at !== undefined) numbers[at] = number;
      }
    });
    return numbers;
  });
}

/** Return the compile keys of each member. @param {Keys[]} keys @param {Map<number, number>} place @returns {(string | null)[][]} */
function keyRows(keys, place) {
  /** @type {(string | null)[][]} */
  const rows = new Array(place.size);
  for (const { ranks, compiles } of keys) {
    for (const rank of each(ranks)) {
      const at = place.get(rank);
      if (at !== undefined) rows[at] = compiles;
    }
  }
  return rows;
}

/** Return the key of a compile on a rank; null when the rank did not compile it. @param {Model} model @param {number} rank @param {number} column @returns {string | null} */
export const compileKey = (model, rank, column) =>
  model.keysOf[model.place.get(rank) ?? -1]?.[column] ?? null;

/** Return the lowest rank of the largest group in a column. @param {Model} model @param {number} column */
export function majorityRank(model, column) {
  return lowest(model.graphs?.[column]?.[0]?.ranks ?? model.columns[column]?.ranks ?? []);
}

/** 0 -> "A", 26 -> "27" @param {number} group */
export const groupLetter = (group) => (group < 26 ? String.fromCharCode(65 + group) : String(group + 1));

/** Return the log of a rank; undefined when there is none. @param {Model} model @param {number} rank */
export function logOf(model, rank) {
  const id = model.members[model.place.get(rank) ?? -1]?.log;
  return id === undefined ? undefined : model.bundle.log(id);
}

/**
 * Link to a compile of a rank in the default viewer; to its overview without a key. Null without a log or URL.
 * @param {Model} model @param {number} rank @param {string | null} key @param {string} text @param {Record<string, string>} [more]
 */
export function awayLink(model, rank, key, text, more) {
  const log = logOf(model, rank);
  const href =
    log &&
    inViewer(model.bundle, "default", {
      ...(key === null ? {} : { view: "compile", compile: key }),
      log: log.id,
      ...more,
    });
  return href ? h("a", { href, class: "away", title: "Open in the default viewer" }, text) : null;
}
