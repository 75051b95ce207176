// Aligns the sequences of several groups of ranks, so that equal entries share a row. Runs without a page.
import { equalRuns } from "../lib/diff/diff.js";

/** @typedef {{position: number, name: string} | null} Cell null: this sequence has no entry in the row */

/**
 * Align sequences with the first one. Each row has one cell per sequence.
 * @param {string[][]} sequences @returns {Cell[][]}
 */
export function align(sequences) {
  const [first, ...others] = sequences;
  /** Per sequence: the position that matches each position of the first; -1 without a match. */
  const aligned = others.map((sequence) => {
    const partners = new Array(first.length).fill(-1);
    const runs = equalRuns(first, sequence);
    for (let i = 0; i < runs.length; i += 3)
      for (let n = 0; n < runs[i + 2]; n++) partners[runs[i] + n] = runs[i + 1] + n;
    return partners;
  });
  const next = others.map(() => 0);
  /** @type {Cell[][]} */
  const rows = [];
  const cell = (/** @type {number} */ k, /** @type {number} */ at) => ({ position: at, name: others[k][at] });
  /** Add rows for unmatched entries: those of the first sequence next to those of the others. */
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
    const partners = aligned.map((matches) => matches[i]);
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

/** Whether all cells of a row are equal. @param {Cell[]} row */
export const allEqual = (row) => row.every((cell) => cell !== null && cell.name === row[0]?.name);
