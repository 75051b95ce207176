// Pairs the artifacts of two compiles.
import { labelled } from "../bundle/artifact-names.js";
import { compileArtifacts } from "../bundle/artifacts.js";
import { count } from "../page/format.js";

/**
 * @typedef {{log: import("../bundle/log.js").Log, compile: string | null, attempt: number | null}} Of an
 *   attempt of a compile of a log
 */
/**
 * @typedef {{address: string, label: string, left: any | null, right: any | null, verdict: "same" | "differs"
 *   | "left" | "right"}} Pair
 */

/** Sign and word. @type {Record<string, [string, string]>} */
export const VERDICTS = {
  same: ["=", "same"],
  differs: ["≠", "differs"],
  left: ["◧", "only left"],
  right: ["◨", "only right"],
};

/**
 * Pair artifacts and compare them by hash, without fetching them.
 * @param {Of | null} left @param {Of | null} right @returns {Promise<Pair[]>}
 */
export async function artifactPairs(left, right) {
  const [a, b] = await Promise.all(
    [left, right].map(async (side) =>
      side ? labelled(side.log, await compileArtifacts(side.log, side)) : [],
    ),
  );
  const others = new Map(b.map((artifact) => [artifact.address, artifact]));
  const both = a.map((artifact) => {
    const other = others.get(artifact.address) ?? null;
    others.delete(artifact.address);
    const label =
      other && other.label !== artifact.label ? `${artifact.label} / ${other.label}` : artifact.label;
    return {
      address: artifact.address,
      label,
      left: artifact,
      right: other,
      verdict: other === null ? "left" : same(artifact, other) ? "same" : "differs",
    };
  });
  return /** @type {Pair[]} */ ([
    ...both,
    ...[...others.values()].map((artifact) => ({
      address: artifact.address,
      label: artifact.label,
      left: null,
      right: artifact,
      verdict: "right",
    })),
  ]);
}

/**
 * Return whether two artifacts are equal. Metrics contain times, so they always differ.
 * @param {any} a @param {any} b
 */
const same = (a, b) => a.sha256 !== null && a.sha256 === b.sha256;

/** "= 3 same, ≠ 1 differs" @param {Pair[]} list */
export function verdictsText(list) {
  const of = (/** @type {string} */ verdict) => list.filter((pair) => pair.verdict === verdict).length;
  return Object.entries(VERDICTS)
    .filter(([id]) => of(id))
    .map(([id, [sign, word]]) => `${sign} ${count(of(id))} ${word}`)
    .join(", ");
}

/**
 * Return the text of an artifact; "" if there is none.
 * @param {import("../bundle/log.js").Log} log @param {any} artifact @param {AbortSignal} [signal]
 * @returns {Promise<string>}
 */
export async function artifactText(log, artifact, signal) {
  if (!artifact) return "";
  if (artifact.sha256 !== null) return (await log.text(artifact, { signal })) ?? "";
  return JSON.stringify((await log.stacks()).resolve(await log.metadata(artifact.event, { signal })));
}
