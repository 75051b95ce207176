// Sequences of several groups of ranks, level with each other: what is the same stands in one row. No page needed.
import { equalRuns } from "../lib/diff/diff.js";

/** @typedef {{position: number, name: string} | null} Cell null: nothing stands here */

/**
 * Rows of sequences, aligned with the first; a row has a cell for each.
 * @param {string[][]} sequences @returns {Cell[][]}
 */
export function align(sequences) {
  const [first, ...others] = sequences;
  /** For each place in the first, what stands before it in the others and what stands beside it. */
  const aligned = others.map((sequence) => {
    const beside = new Array(first.length).fill(-1);
    const runs = equalRuns(first, sequence);
    for (let i = 0; i < runs.length; i += 3)
      for (let n = 0; n < runs[i + 2]; n++) beside[runs[i] + n] = runs[i + 1] + n;
    return beside;
  });
  const next = others.map(() => 0);
  /** @type {Cell[][]} */
  const rows = [];
  const cell = (/** @type {number} */ k, /** @type {number} */ at) => ({ position: at, name: others[k][at] });
  /** Those of the others that have no partner, beside those of the first that have none. */
  const flush = (/** @type {number[]} */ alone, /** @type {number[]} */ stops) => {
    const extra = others.map((_, k) =>
      Array.from({ length: Math.max(0, stops[k] - next[k]) }, (_, i) => next[k] + i),
    );
    const height = Math.max(alone.length, ...extra.map((list) => list.length), 0);
    for (let i = 0; i < height; i++) {
      rows.push([
        alone[i] === undefined ? null : { position: alone[i], name: first[alone[i]] },
        ...extra.map((list, k) => (list[i] === undefined ? null : cell(k, list[i]))),
      ]);
    }
    stops.forEach((stop, k) => {
      next[k] = Math.max(next[k], stop);
    });
  };
  let alone = /** @type {number[]} */ ([]);
  for (let i = 0; i < first.length; i++) {
    const partners = aligned.map((beside) => beside[i]);
    if (partners.every((at) => at < 0) && partners.length) {
      alone.push(i);
      continue;
    }
    flush(
      alone,
      partners.map((at, k) => (at < 0 ? next[k] : at)),
    );
    alone = [];
    rows.push([{ position: i, name: first[i] }, ...partners.map((at, k) => (at < 0 ? null : cell(k, at)))]);
    partners.forEach((at, k) => {
      if (at >= 0) next[k] = at + 1;
    });
  }
  flush(
    alone,
    others.map((sequence) => sequence.length),
  );
  return rows;
}

/** Whether the cells of a row are the same. @param {Cell[]} row */
export const level = (row) => row.every((cell) => cell !== null && cell.name === row[0]?.name);
