// Searches for a regular expression in one worker for all panes. An expression may not finish on a single
// line: then the worker is stopped and the matches so far are the result.

const STUCK_MS = 2_000; // without a message from the worker
const LONGEST_MS = 15_000;
const ALIVE_MS = 100; // the worker reports more often unless it is stuck
const IDLE_MS = 30_000; // then the worker is stopped to free its copy of the text

/** @type {Worker | null} */
let worker = null;
/** @type {string | null} */
let text = null;
let last = 0;
let watch = 0,
  idle = 0;

function end() {
  worker?.terminate();
  worker = text = null;
}

/**
 * @param {string} wantedText @param {string} wanted @param {import("./find-text.js").How} how
 * @param {number} limit
 * @param {(news: {found: ArrayLike<number>, line: number, done: boolean, stopped: boolean}) => void} tell
 *   found: starts and ends in turn; line: number of lines done
 * @returns {() => void} cancels the search
 */
export function findExpression(wantedText, wanted, how, limit, tell) {
  const job = ++last;
  const began = performance.now();
  let line = 0,
    news = 0;
  const stop = () => {
    if (job !== last) return;
    end();
    tell({ found: [], line, done: true, stopped: true });
  };
  const wait = () => {
    clearTimeout(watch);
    watch = setTimeout(stop, STUCK_MS);
  };
  clearTimeout(idle);
  worker ??= new Worker(new URL("./find-worker.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }) => {
    if (data.job !== last || job !== last) return;
    line = data.line;
    news = performance.now();
    clearTimeout(watch);
    if (data.done) idle = setTimeout(end, IDLE_MS);
    tell({ ...data, stopped: false });
    if (data.done) return;
    if (performance.now() - began > LONGEST_MS) stop();
    else wait();
  };
  worker.onerror = stop;
  if (text !== wantedText) worker.postMessage({ text: wantedText });
  text = wantedText;
  worker.postMessage({ job, wanted, how, limit });
  wait();
  return () => {
    if (job !== last) return;
    last++;
    clearTimeout(watch);
    if (performance.now() - news > ALIVE_MS) end();
    else idle = setTimeout(end, IDLE_MS);
  };
}
