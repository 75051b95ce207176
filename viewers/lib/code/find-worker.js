// Searches a text for an expression line by line in a worker; a new search cancels the previous one.
//
// In: {text}, and then {job, wanted, how, limit}. Out: {job, found: [start, end, …], line, done} at
// intervals.
import { expressionOf, findInLine } from "./find-text.js";

const TELL_MS = 40;
const scope = /** @type {any} */ (self);
let lines = /** @type {string[]} */ ([]);
let current = 0;

scope.onmessage = (/** @type {MessageEvent} */ { data }) => {
  if (typeof data.text === "string") lines = data.text.split("\n");
  else look(data);
};

/** @param {{job: number, wanted: string, how: import("./find-text.js").How, limit: number}} question */
async function look({ job, wanted, how, limit }) {
  current = job;
  const { expression } = expressionOf(wanted, how);
  let matches = /** @type {import("./find-text.js").Found} */ ({ starts: [], ends: [] });
  let start = 0,
    left = expression ? limit : 0;
  let sentAt = performance.now();
  const tell = (/** @type {number} */ line, /** @type {boolean} */ done) => {
    const pairs = new Int32Array(matches.starts.length * 2);
    matches.starts.forEach((begin, i) => {
      pairs[2 * i] = begin;
      pairs[2 * i + 1] = matches.ends[i];
    });
    scope.postMessage({ job, found: pairs, line, done }, { transfer: [pairs.buffer] });
    left -= matches.starts.length;
    matches = { starts: [], ends: [] };
    sentAt = performance.now();
  };
  tell(0, false);
  for (let i = 0; i < lines.length && expression && matches.starts.length < left; i++) {
    findInLine(expression, lines[i], start, left, matches);
    start += lines[i].length + 1;
    if (performance.now() - sentAt < TELL_MS) continue;
    tell(i + 1, false);
    await new Promise((resolve) => {
      setTimeout(resolve);
    });
    if (job !== current) return;
  }
  tell(lines.length, true);
}
