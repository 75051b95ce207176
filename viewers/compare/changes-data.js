// Selects the changes for the first screen: causes with consequences, merged across ranks. Runs without a page.
import { toRuns, words } from "../lib/bundle/ranks.js";

/** @typedef {import("./document.js").Comparison} Comparison */
/** @typedef {import("./document.js").Change} Change */
/** @typedef {{pair: number, index: number, pairs: number[]}} Root a cause: where it stands, and positions of all pairs that have it */

/** List causes in document order; with several logs, new errors first, then by cost. @param {Comparison} document @returns {Root[]} */
export function roots({ logs }) {
  /** @type {Map<string, Root & {cost: number}>} */
  const found = new Map();
  logs.forEach(({ changes }, pair) => {
    /** @type {Map<string, number>} how many of the same signature this log has so far */
    const seen = new Map();
    changes.forEach((change, index) => {
      if (change.because_of !== null) return;
      const alike = signature(change),
        nth = seen.get(alike) ?? 0;
      seen.set(alike, nth + 1);
      const key = `${alike} ${nth}`,
        cost = Math.abs(change.cost_us ?? 0),
        known = found.get(key);
      if (!known) return void found.set(key, { pair, index, pairs: [pair], cost });
      known.pairs.push(pair);
      if (cost > known.cost) Object.assign(known, { pair, index, cost }); // show the log with the highest cost
    });
  });
  const all = [...found.values()];
  if (logs.length < 2) return all;
  const isError = (/** @type {Root} */ { pair, index }) => Number(isNewError(logs[pair].changes[index]));
  return all.sort((a, b) => isError(b) - isError(a) || b.cost - a.cost);
}

/** @param {Change} change */
const isNewError = ({ change, severity }) => severity === "error" && (change === "new" || change === "worse");

/** Return a key that is equal for the same change on different ranks. @param {Change} change */
function signature({ kind, change, function: name, file, line, title, details }) {
  const { fingerprint, cache, base, new: other } = /** @type {any} */ (details);
  const what =
    kind === "finding"
      ? fingerprint
      : kind === "cache"
        ? [cache, base, other]
        : kind === "vllm" || kind === "graph" || kind === "backend"
          ? [base, other]
          : kind === "torch" || kind === "setting"
            ? title
            : "";
  return JSON.stringify([kind, change, name, file, line, what]);
}

/** Return the positions of the consequences of a change. @param {Change[]} changes @param {number} index */
export const ledTo = (changes, index) =>
  changes.flatMap(({ because_of: cause }, at) => (cause === index ? [at] : []));

/** Return the pair to open first: the one with the most costly change. @param {Comparison} document */
export function openingPair(document) {
  const [first] = roots(document);
  return first
    ? first.pair
    : Math.max(
        0,
        document.logs.findIndex(({ base, new: other }) => base && other),
      );
}

/** Return the positions of complete pairs, those with changes first. @param {Comparison} document */
export function pairOrder({ logs }) {
  const both = logs.flatMap(({ base, new: other }, at) => (base && other ? [at] : []));
  return both.sort(
    (a, b) => Number(logs[a].changes.length === 0) - Number(logs[b].changes.length === 0) || a - b,
  );
}

/** Return text such as "on ranks 0–3 and 7", or the number of logs. @param {Comparison} document @param {number[]} pairs */
export function ranksText({ logs }, pairs) {
  const ranks = pairs.map((at) => logs[at].rank);
  if (ranks.some((rank) => rank === null))
    return pairs.length === 1
      ? `in log ${(logs[pairs[0]].new ?? logs[pairs[0]].base)?.id}`
      : `in ${pairs.length} logs`;
  return `on ${words(toRuns(/** @type {number[]} */ (ranks).sort((a, b) => a - b)))}`;
}
