// Compares two similar lines word by word. No page needed.
import { equalRuns } from "./diff.js";

const WORD = /[A-Za-z_]\w*|\d+(?:\.\d+)?|\s+|[^\w\s]/g;
const MOST = 20_000; // characters; longer lines are not compared by word

/** @typedef {[number, number]} Range from and to, columns */

/** @param {string} text @param {Range[]} ignored */
function wordsOf(text, ignored) {
  /** @type {{word: string, from: number, to: number}[]} */
  const words = [];
  let next = 0;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    while (next < ignored.length && ignored[next][1] <= index) next++;
    const inside = next < ignored.length && ignored[next][0] <= index;
    words.push({ word: inside ? "\0" : word, from: index, to: index + word.length });
  }
  return words;
}

/**
 * Return the parts on one side only. Ignored parts never differ.
 * @param {string} left @param {string} right
 * @param {{ignored?: [Range[], Range[]], rename?: (word: string) => string}} [options] rename: maps a name on
 *   the left to its name on the right
 * @returns {[Range[], Range[]]}
 */
export function differences(left, right, { ignored = [[], []], rename = (word) => word } = {}) {
  if (left.length + right.length > MOST) return [[[0, left.length]], [[0, right.length]]];
  const [a, b] = [wordsOf(left, ignored[0]), wordsOf(right, ignored[1])];
  const runs = equalRuns(
    a.map(({ word }, i) => (a[i - 1]?.word === "." ? word : rename(word))),
    b.map(({ word }) => word),
  );
  /** @type {[Range[], Range[]]} */
  const ranges = [[], []];
  let i = 0,
    j = 0;
  const note = (/** @type {number} */ toI, /** @type {number} */ toJ) => {
    if (toI > i) ranges[0].push([a[i].from, a[toI - 1].to]);
    if (toJ > j) ranges[1].push([b[j].from, b[toJ - 1].to]);
  };
  for (let r = 0; r < runs.length; r += 3) {
    note(runs[r], runs[r + 1]);
    [i, j] = [runs[r] + runs[r + 2], runs[r + 1] + runs[r + 2]];
  }
  note(a.length, b.length);
  return ranges;
}
