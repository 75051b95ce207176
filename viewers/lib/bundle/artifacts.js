// The artifacts of a compile, each with a stable address.
import { attemptKey } from "./log.js";

/** @typedef {import("./log.js").Log} Log */

const MOST = 5_000; // listed per compile; the events have the others

/** @typedef {import("./log.js").Artifact} Artifact */

/** @type {WeakMap<Log, Promise<{rows: Artifact[], byAttempt: Map<string, number[]>}>>} */
const byLog = new WeakMap();

/** Return the artifacts, and their row numbers by attempt (see attemptKey). @param {Log} log */
export function artifactsOf(log) {
  let made = byLog.get(log);
  if (!made) {
    made = log.artifacts().then((rows) => {
      /** @type {Map<string, number[]>} */
      const byAttempt = new Map();
      rows.forEach((row, i) => {
        const key = attemptKey(row),
          own = byAttempt.get(key);
        if (own) own.push(i);
        else byAttempt.set(key, [i]);
      });
      return { rows, byAttempt };
    });
    byLog.set(log, made);
    made.catch(() => byLog.delete(log));
  }
  return made;
}

/**
 * Return the artifacts of one attempt, each with a stable address: its name, with '@2' for the second of that
 * name.
 * @param {Log} log @param {{compile: string | null, attempt: number | null}} attempt
 * @returns {Promise<any[]>}
 */
export async function compileArtifacts(log, attempt) {
  const { rows, byAttempt } = await artifactsOf(log);
  return addressed(
    (byAttempt.get(attemptKey(attempt)) ?? []).slice(0, MOST).map((row) => ({ ...rows[row], row })),
  );
}

/**
 * Add addresses to the artifacts of one compile.
 * @template {{name: string}} A @param {A[]} artifacts @returns {(A & {address: string})[]}
 */
export function addressed(artifacts) {
  /** @type {Map<string, number>} */
  const seen = new Map();
  return artifacts.map((artifact) => {
    const nth = (seen.get(artifact.name) ?? 0) + 1;
    seen.set(artifact.name, nth);
    return { ...artifact, address: nth === 1 ? artifact.name : `${artifact.name}@${nth}` };
  });
}

/**
 * Return a note if some artifacts are not listed, else null.
 * @param {{artifact_count: number}} compile @param {any[]} artifacts
 */
export const moreArtifacts = (compile, artifacts) =>
  artifacts.length >= MOST
    ? `The first ${artifacts.length.toLocaleString("en")} artifacts of ${compile.artifact_count.toLocaleString("en")}. See the records for the others.`
    : "";

/**
 * Return the bundle's description of a kind.
 * @param {any} manifest @param {{descriptor: string, type?: string, name?: string | null}} row
 */
export function describe(manifest, row) {
  const described = Object.hasOwn(manifest.descriptors, row.descriptor)
    ? manifest.descriptors[row.descriptor]
    : null;
  return (
    described ?? { title: row.name ?? row.type ?? row.descriptor, phase: "", language: "text", help: "" }
  );
}

/** Group artifacts by phase, in phase order. @param {any} manifest @param {any[]} artifacts */
export function byPhase(manifest, artifacts) {
  const phases = [
    ...manifest.phases.map((/** @type {any} */ phase) => ({
      ...phase,
      artifacts: /** @type {any[]} */ ([]),
    })),
  ];
  const other = {
    id: "",
    title: "Other",
    help: "Kinds without a phase.",
    artifacts: /** @type {any[]} */ ([]),
  };
  for (const artifact of artifacts) {
    const phase = describe(manifest, artifact).phase;
    (phases.find((p) => p.id === phase) ?? other).artifacts.push(artifact);
  }
  return [...phases, other].filter((phase) => phase.artifacts.length);
}
