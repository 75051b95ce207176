// Searches a text for an expression line by line in a worker; a new search cancels the previous one.
//
// In: {text}, and then {job, wanted, how, limit}. Out: {job, found: [start, end, …], line, done} at intervals.
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
  let found = /** @type {import("./find-text.js").Found} */ ({ starts: [], ends: [] });
  let start = 0,
    left = expression ? limit : 0;
  let told = performance.now();
  const tell = (/** @type {number} */ line, /** @type {boolean} */ done) => {
    const pairs = new Int32Array(found.starts.length * 2);
    found.starts.forEach((begin, i) => {
      pairs[2 * i] = begin;
      pairs[2 * i + 1] = found.ends[i];
    });
    scope.postMessage({ job, found: pairs, line, done }, { transfer: [pairs.buffer] });
    left -= found.starts.length;
    found = { starts: [], ends: [] };
    told = performance.now();
  };
  tell(0, false);
  for (let i = 0; i < lines.length && expression && found.starts.length < left; i++) {
    findInLine(expression, lines[i], start, left, found);
    start += lines[i].length + 1;
    if (performance.now() - told < TELL_MS) continue;
    tell(i + 1, false);
    await new Promise((resolve) => {
      setTimeout(resolve);
    });
    if (job !== current) return;
  }
  tell(lines.length, true);
}
