// Which changes stand on the first screen: causes with what they led to, those of several ranks once. No page needed.
import { toRuns, words } from "../lib/bundle/ranks.js";

/** @typedef {import("./document.js").Comparison} Comparison */
/** @typedef {import("./document.js").Change} Change */
/** @typedef {{pair: number, index: number, pairs: number[]}} Root a cause: where it stands, and positions of all pairs that have it */

/** Causes, in the order of the document; of several logs the most costly first. @param {Comparison} document @returns {Root[]} */
export function roots({ logs }) {
  /** @type {Map<string, Root & {cost: number}>} */
  const found = new Map();
  logs.forEach(({ changes }, pair) => changes.forEach((change, index) => {
    if (change.because_of !== null) return;
    const key = signature(change), cost = Math.abs(change.cost_us ?? 0), known = found.get(key);
    if (!known) found.set(key, { pair, index, pairs: [pair], cost });
    else if (known.pairs.at(-1) !== pair) {
      known.pairs.push(pair);
      if (cost > known.cost) Object.assign(known, { pair, index, cost }); // the log in which it weighs most stands for the others
    }
  }));
  const all = [...found.values()];
  if (logs.length < 2) return all;
  const better = (/** @type {Root} */ { pair, index }) => Number(isBetter(logs[pair].changes[index]));
  return all.sort((a, b) => better(a) - better(b) || b.cost - a.cost);
}

/** @param {Change} change */
const isBetter = ({ change, cost_us: cost }) => change === "gone" || change === "better" || (cost ?? 0) < 0;

/** What is the same change on another rank, although ids and seconds differ. @param {Change} change */
function signature({ kind, change, function: name, file, line, title, details }) {
  const { fingerprint, cache, base, new: other } = /** @type {any} */ (details);
  const what = kind === "finding" ? fingerprint : kind === "cache" ? [cache, base, other] : kind === "vllm" || kind === "graph" ? [base, other] : kind === "torch" || kind === "setting" ? title : "";
  return JSON.stringify([kind, change, name, file, line, what]);
}

/** Positions of what a change led to. @param {Change[]} changes @param {number} index */
export const ledTo = (changes, index) => changes.flatMap(({ because_of: cause }, at) => (cause === index ? [at] : []));

/** The pair that a page opens on: the one with the most costly change. @param {Comparison} document */
export function openingPair(document) {
  const [first] = roots(document);
  return first ? first.pair : Math.max(0, document.logs.findIndex(({ base, new: other }) => base && other));
}

/** Positions of the pairs of two logs, those with changes first. @param {Comparison} document */
export function pairOrder({ logs }) {
  const both = logs.flatMap(({ base, new: other }, at) => (base && other ? [at] : []));
  return both.sort((a, b) => Number(logs[a].changes.length === 0) - Number(logs[b].changes.length === 0) || a - b);
}

/** "on ranks 0–3 and 7", or in how many logs. @param {Comparison} document @param {number[]} pairs */
export function ranksText({ logs }, pairs) {
  const ranks = pairs.map((at) => logs[at].rank);
  if (ranks.some((rank) => rank === null)) return pairs.length === 1 ? `in log ${(logs[pairs[0]].new ?? logs[pairs[0]].base)?.id}` : `in ${pairs.length} logs`;
  return `on ${words(toRuns(/** @type {number[]} */ (ranks).sort((a, b) => a - b)))}`;
}
