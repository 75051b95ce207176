// Sets of ranks, as [first, last] of each run of numbers. No page needed.

/** @typedef {number[][]} Runs [[0, 1], [3, 511]] are the ranks 0, 1 and 3 to 511 */

const MOST_RUNS = 6;

/** @param {Runs} runs */
export const size = (runs) => runs.reduce((total, [first, last]) => total + last - first + 1, 0);

/** @param {Runs} runs @returns {number} -1 without any */
export const lowest = (runs) => runs[0]?.[0] ?? -1;

/** @param {Runs} runs @param {number} rank */
export const holds = (runs, rank) => runs.some(([first, last]) => first <= rank && rank <= last);

/** @param {Runs} runs */
export function* each(runs) {
  for (const [first, last] of runs) for (let rank = first; rank <= last; rank++) yield rank;
}

/** @param {Iterable<number>} ranks ascending @returns {Runs} */
export function toRuns(ranks) {
  /** @type {Runs} */
  const runs = [];
  for (const rank of ranks) {
    const last = runs[runs.length - 1];
    if (last && last[1] === rank - 1) last[1] = rank;
    else runs.push([rank, rank]);
  }
  return runs;
}

/** "0, 1 and 3–511" @param {Runs} runs */
export function numbers(runs) {
  const texts = runs.flatMap(([first, last]) =>
    last === first ? [`${first}`] : last === first + 1 ? [`${first}`, `${last}`] : [`${first}–${last}`],
  );
  const shown = texts.slice(0, MOST_RUNS);
  if (texts.length > shown.length) return `${shown.join(", ")} and more`;
  return shown.length < 2
    ? shown.join("")
    : `${shown.slice(0, -1).join(", ")} and ${shown[shown.length - 1]}`;
}

/** "rank 2", "ranks 0, 1 and 3–511" @param {Runs} runs */
export const words = (runs) => `${size(runs) === 1 ? "rank" : "ranks"} ${numbers(runs)}`;

/** "Rank 2" @param {Runs} runs */
export const Words = (runs) => words(runs).replace("r", "R");
