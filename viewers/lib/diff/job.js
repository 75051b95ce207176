// Compares two texts: small ones at once, large ones in a worker.
import { jobsOf } from "../bundle/worker-jobs.js";
import { equalRuns } from "./diff.js";

const AT_ONCE = 200_000;
const run = jobsOf(() => new Worker(new URL("./worker.js", import.meta.url), { type: "module" }), "comparing");

/** @param {string} left @param {string} right @returns {Promise<Int32Array>} see equalRuns() */
export async function compareTexts(left, right) {
  const large = left.length + right.length >= AT_ONCE && typeof Worker === "function";
  return large ? run({ left, right }) : equalRuns(left.split("\n"), right.split("\n"));
}
