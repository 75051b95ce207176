// What the views share: the analyses of the first screen, and who is who in the columns.
import { each, lowest } from "../lib/bundle/ranks.js";
import { h } from "../lib/page/dom.js";
import { inViewer } from "../lib/page/page.js";

/** @typedef {import("../lib/bundle/bundle.js").Bundle} Bundle */
/** @typedef {import("../lib/bundle/ranks.js").Runs} Runs */
/** @typedef {import("../../schema/bundle.d.ts").RanksMatching} Matching */
/** @typedef {import("../../schema/bundle.d.ts").RanksGraphs} Graphs */
/** @typedef {import("../../schema/bundle.d.ts").RanksFindings} Found */
/** @typedef {NonNullable<Awaited<ReturnType<typeof loadModel>>>} Model */

/** @param {Bundle} bundle @param {{signal?: AbortSignal}} [options] */
export async function loadModel(bundle, options) {
  const [matching, graphs, said] = /** @type {[Matching | null, Graphs | null, Found | null]} */ (
    await Promise.all(["matching", "graphs", "findings"].map((name) => bundle.ranks(name, options))));
  if (!matching) return null;
  const found = said && bundle.manifest.growing ? (await import("../lib/live/running-data.js")).ranksNow(bundle, said) : said;
  const members = matching.members;
  const place = new Map(members.map((member, i) => [member.rank, i]));
  return {
    bundle, matching, graphs, found, members, place,
    columns: matching.columns,
    groupOf: groupNumbers(matching, graphs, place),
    keysOf: keyRows(matching, place),
  };
}

/**
 * For each column the group of each member: 0 for the largest; -1 where it was not compiled.
 * @param {Matching} matching @param {Graphs | null} graphs @param {Map<number, number>} place @returns {Int16Array[]}
 */
function groupNumbers(matching, graphs, place) {
  return matching.columns.map((column, c) => {
    const numbers = new Int16Array(place.size).fill(-1);
    const groups = graphs?.columns[c]?.groups ?? [{ ranks: column.ranks }];
    groups.forEach((group, number) => {
      for (const rank of each(group.ranks)) {
        const at = place.get(rank);
        if (at !== undefined) numbers[at] = number;
      }
    });
    return numbers;
  });
}

/** For each member its row of matching.rows. @param {Matching} matching @param {Map<number, number>} place @returns {(string | null)[][]} */
function keyRows(matching, place) {
  /** @type {(string | null)[][]} */
  const rows = new Array(place.size);
  for (const row of matching.rows) {
    for (const rank of each(row.ranks)) {
      const at = place.get(rank);
      if (at !== undefined) rows[at] = row.compile_keys;
    }
  }
  return rows;
}

/** The key of a compile on a rank; null when it did not compile it. @param {Model} model @param {number} rank @param {number} column @returns {string | null} */
export const compileKey = (model, rank, column) => model.keysOf[model.place.get(rank) ?? -1]?.[column] ?? null;

/** The rank that stands for most in a column. @param {Model} model @param {number} column */
export function majorityRank(model, column) {
  const groups = model.graphs?.columns[column]?.groups;
  return lowest(groups?.[0]?.ranks ?? model.columns[column]?.ranks ?? []);
}

/** 0 -> "A", 26 -> "27" @param {number} group */
export const groupLetter = (group) => (group < 26 ? String.fromCharCode(65 + group) : String(group + 1));

/** The log of a rank. @param {Model} model @param {number} rank */
export function logOf(model, rank) {
  const id = model.members[model.place.get(rank) ?? -1]?.log_id;
  return id === undefined ? undefined : model.bundle.log(id);
}

/**
 * A link to the default viewer at a compile of a rank; without a key, at its first screen. Nothing when there is no log, or no address.
 * @param {Model} model @param {number} rank @param {string | null} key @param {string} text @param {Record<string, string>} [more]
 */
export function awayLink(model, rank, key, text, more) {
  const log = logOf(model, rank);
  const href = log && inViewer(model.bundle, "default", { ...(key === null ? {} : { view: "compile", compile: key }), log: log.id, ...more });
  return href ? h("a", { href, class: "away", title: "In the default viewer" }, text) : null;
}
