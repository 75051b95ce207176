// Compares two artifacts by meaning, depending on their language. Also runs in a worker. No page needed.
import { compareGraphs } from "./graphs.js";
import { compareGuards } from "./guards.js";
import { compareKernels } from "./kernels.js";
import { pack } from "./meaning.js";

/** @typedef {{language: string, left: string, right: string, sameProcess: boolean}} Both */

/**
 * @type {Record<string, (both: Both) => import("./meaning.js").Meaning | null |
 *   Promise<import("./meaning.js").Meaning | null>>}
 */
const COMPARE = {
  guards: ({ left, right, sameProcess }) => compareGuards(left, right, { sameProcess }),
  fx: ({ left, right }) => compareGraphs(left, right),
  python: ({ left, right }) => compareKernels(left, right),
};

/**
 * @param {Both} both
 * @returns {Promise<import("./meaning.js").Packed | null>} null: the form of the texts is unknown
 */
export const meaningOf = async (both) => pack(await COMPARE[both.language](both));
