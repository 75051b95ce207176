// Compares two texts: small ones directly, large ones in a worker.
import { jobsOf } from "../bundle/worker-jobs.js";
import { meaningOf } from "./by-meaning.js";
import { equalRuns } from "./diff.js";

const AT_ONCE = 200_000;
const MEANING_AT_ONCE = 20_000;
const run = jobsOf(
  () => new Worker(new URL("./worker.js", import.meta.url), { type: "module" }),
  "comparing",
);

/** @param {string} left @param {string} right @param {number} most */
const large = (left, right, most) => left.length + right.length >= most && typeof Worker === "function";

/** @param {string} left @param {string} right @returns {Promise<Int32Array>} see equalRuns() */
export async function compareTexts(left, right) {
  return large(left, right, AT_ONCE) ? run({ left, right }) : equalRuns(left.split("\n"), right.split("\n"));
}

/**
 * @param {import("./by-meaning.js").Both} both
 * @returns {Promise<import("./meaning.js").Packed | null>} see meaningOf()
 */
export async function compareMeanings(both) {
  return large(both.left, both.right, MEANING_AT_ONCE) ? run(both) : meaningOf(both);
}
