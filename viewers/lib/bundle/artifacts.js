// The artifacts of a compile, each with an address that stays.

/** @typedef {import("./log.js").Log} Log */

const MOST = 5_000; // of one compile that are listed; the others are found among the events

/** Artifacts of each compile: [artifact row, …] by compile index. @type {WeakMap<Log, Promise<{table: any, byCompile: Map<number, number[]>}>>} */
const known = new WeakMap();

/** @param {Log} log */
export function artifactsOf(log) {
  let made = known.get(log);
  if (!made) {
    made = log.artifacts().then((table) => {
      /** @type {Map<number, number[]>} */
      const byCompile = new Map();
      const { compile_index: compile } = table.columns;
      for (let i = 0; i < table.length; i++) {
        const rows = byCompile.get(compile[i]);
        if (rows) rows.push(i);
        else byCompile.set(compile[i], [i]);
      }
      return { table, byCompile };
    });
    known.set(log, made);
    made.catch(() => known.delete(log));
  }
  return made;
}

/**
 * The artifacts of one compile, each with an address that stays: its name, and '@2' for the second of that name.
 * @param {Log} log @param {number} compileIndex @returns {Promise<any[]>}
 */
export async function compileArtifacts(log, compileIndex) {
  const { table, byCompile } = await artifactsOf(log);
  /** @type {Map<string, number>} */
  const seen = new Map();
  return (byCompile.get(compileIndex) ?? []).slice(0, MOST).map((row) => {
    const artifact = table.row(row);
    const nth = (seen.get(artifact.name) ?? 0) + 1;
    seen.set(artifact.name, nth);
    return { ...artifact, row, address: nth === 1 ? artifact.name : `${artifact.name}@${nth}` };
  });
}

/** Says that there are more artifacts than are listed. @param {{artifact_count: number}} compile @param {any[]} artifacts */
export const moreArtifacts = (compile, artifacts) => artifacts.length >= MOST ? `The first ${artifacts.length.toLocaleString("en")} artifacts of ${compile.artifact_count.toLocaleString("en")}. The others stand among the events.` : "";

/** What the bundle says of a kind. @param {any} manifest @param {{descriptor: string, type?: string, name?: string | null}} row */
export function describe(manifest, row) {
  const described = Object.hasOwn(manifest.descriptors, row.descriptor) ? manifest.descriptors[row.descriptor] : null;
  return described ?? { title: row.name ?? row.type ?? row.descriptor, phase: "", language: "text", help: "" };
}

/** Artifacts by phase, in the order of the phases. @param {any} manifest @param {any[]} artifacts */
export function byPhase(manifest, artifacts) {
  const phases = [...manifest.phases.map((/** @type {any} */ phase) => ({ ...phase, artifacts: /** @type {any[]} */ ([]) }))];
  const other = { id: "", title: "Other", help: "Kinds that belong to no phase.", artifacts: /** @type {any[]} */ ([]) };
  for (const artifact of artifacts) {
    const phase = describe(manifest, artifact).phase;
    (phases.find((p) => p.id === phase) ?? other).artifacts.push(artifact);
  }
  return [...phases, other].filter((phase) => phase.artifacts.length);
}
