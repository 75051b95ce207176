// Reads and checks the document of a comparison.
import { BundleError, firstProblem, isTooDeep, shortly } from "../lib/bundle/shape.js";
import { MINOR, SHAPE } from "./shape.js";

/** @typedef {import("../../schema/bundle.d.ts").Comparison} Comparison */
/** @typedef {Comparison["logs"][number]} Pair two logs side by side, or one that stands alone */
/** @typedef {Comparison["logs"][number]["compiles"][number]} Compared a compile of both logs, or of one */
/** @typedef {Comparison["logs"][number]["changes"][number]} Change */

const NAME = "tlparse-comparison",
  MAJOR = 1;

/** @param {string} text @param {string} label of the file, for a person @returns {Comparison} */
export function comparisonOf(text, label) {
  const again = "Rebuild it with 'tlparse-bundle compare BASE NEW --out DIR'.";
  /** @type {any} */
  let document;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw new BundleError(`${label} is not JSON (${/** @type {Error} */ (error).message}). ${again}`);
  }
  const format = document?.format;
  if (format?.name !== NAME)
    throw new BundleError(
      `${label} is not a comparison: its format is ${shortly(format?.name ?? null)}, this viewer reads "${NAME}". ${again}`,
    );
  if (format.major !== MAJOR)
    throw new BundleError(
      `${label} has format version ${shortly(format.major)}; this viewer reads version ${MAJOR}. Use the viewer of the version that wrote it, or rebuild it.`,
    );
  const problem = isTooDeep(document)
    ? "it is nested too deeply"
    : (firstProblem(SHAPE, document, { newer: format.minor > MINOR }) ?? crossed(document));
  if (problem !== null) throw new BundleError(`${label} is damaged: ${problem}. ${again}`);
  return document;
}

/** Describe the first invalid reference; null when there is none. @param {Comparison} document @returns {string | null} */
function crossed({ base, new: other, logs }) {
  if (!base.length || !other.length) return "a side has no bundle";
  for (const [at, { base, new: other, compiles, changes }] of logs.entries()) {
    if (!base && !other) return `logs[${at}] belongs to neither run`;
    for (const [i, compile] of compiles.entries())
      if (!compile.base && !compile.new) return `logs[${at}].compiles[${i}] belongs to neither run`;
    for (const [i, { because_of: cause, pair_indexes: pairs }] of changes.entries()) {
      if (cause !== null && !(cause >= 0 && cause < i))
        return `logs[${at}].changes[${i}].because_of is ${cause}, which is not an earlier change`;
      if (pairs.some((pair) => pair >= compiles.length))
        return `logs[${at}].changes[${i}].pair_indexes refers to a missing compile`;
    }
  }
  return null;
}
