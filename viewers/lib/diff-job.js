// Compares two texts: small ones at once, large ones in a worker.
import { equalRuns } from "./diff.js";

const AT_ONCE = 200_000;

/** @type {Worker | null} */
let worker = null;
let lastJob = 0;
/** @type {Map<number, {resolve: (runs: Int32Array) => void, reject: (error: Error) => void}>} */
const jobs = new Map();

/** @param {string} left @param {string} right @returns {Promise<Int32Array>} see equalRuns() */
export function compareTexts(left, right) {
  if (left.length + right.length < AT_ONCE || typeof Worker !== "function") return Promise.resolve(equalRuns(left.split("\n"), right.split("\n")));
  worker ??= start();
  const job = ++lastJob;
  return new Promise((resolve, reject) => {
    jobs.set(job, { resolve, reject });
    worker?.postMessage({ job, left, right });
  });
}

function start() {
  const started = new Worker(new URL("./diff-worker.js", import.meta.url), { type: "module" });
  started.onmessage = ({ data }) => {
    const job = jobs.get(data.job);
    jobs.delete(data.job);
    if (data.error === undefined) job?.resolve(data.runs);
    else job?.reject(new Error(data.error));
  };
  started.onerror = (event) => {
    for (const job of jobs.values()) job.reject(new Error(`The comparing worker stopped: ${event.message ?? "no reason given"}`));
    jobs.clear();
    worker = null;
  };
  return started;
}
