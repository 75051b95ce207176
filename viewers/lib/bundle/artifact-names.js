// Labels artifacts of the same name in one compile: 'inductor_output_code (backward)', not '…@2'. The
// direction of a graph or a code comes from the tables of graphs, kernels and provenance; without it the
// label is "2nd".

/** Belongs to the graph that is compiled next; others to what their record says. */
const BEFORE = new Set(["fx_graph_runnable"]);

/** @typedef {{direction: string | null, subgraph: string | null}} Of */

/** @type {WeakMap<object, Promise<Map<number, Of>>>} */
const byLog = new WeakMap();

/**
 * Return direction and subgraph of graphs, codes and mappings by event.
 * @param {any} log @returns {Promise<Map<number, Of>>}
 */
function directionsOf(log) {
  let loading = byLog.get(log);
  if (!loading) {
    const table = (/** @type {string} */ name) => log.table(name).catch(() => null); // labels work without directions
    loading = Promise.all([table("graphs"), table("generated_code"), table("provenance_groups")]).then(
      ([graphs, codes, groups]) => {
        /** @type {Map<number, Of>} */
        const directions = new Map();
        const note = (/** @type {number | null} */ event, /** @type {any} */ row) => {
          if (event !== null && (row.direction || row.subgraph_name))
            directions.set(event, { direction: row.direction, subgraph: row.subgraph_name });
        };
        for (const row of graphs ?? []) note(row.event, row);
        for (const row of codes ?? []) note(row.event, row);
        for (const row of groups ?? [])
          for (const event of [row.code_event, row.mapping_event, row.stacks_event]) note(event, row);
        return directions;
      },
    );
    byLog.set(log, loading);
  }
  return loading;
}

/**
 * Return the artifacts of one compile, each with a label.
 * @template {{name: string, address: string, event: number}} A
 * @param {any} log @param {A[]} artifacts in the order of the log @returns {Promise<(A & {label: string})[]>}
 */
export async function labelled(log, artifacts) {
  /** @type {Map<string, A[]>} */
  const byName = new Map();
  for (const artifact of artifacts)
    byName.set(artifact.name, [...(byName.get(artifact.name) ?? []), artifact]);
  const several = [...byName.values()].some((list) => list.length > 1);
  const directions = several ? await directionsOf(log) : new Map();
  /** @type {Map<A, string>} */
  const labels = new Map();
  for (const list of byName.values()) {
    if (list.length === 1) continue;
    const words = list.map((artifact) => wordsOf(artifact, artifacts, directions));
    list.forEach((artifact, i) => {
      const equal = words.filter((word) => word === words[i]).length;
      const nth = words.slice(0, i + 1).filter((word) => word === words[i]).length;
      const parts = [words[i], equal > 1 && nth > 1 ? ordinal(nth) : ""].filter(Boolean).join(", ");
      labels.set(artifact, parts ? `${artifact.name} (${parts})` : artifact.name);
    });
  }
  return artifacts.map((artifact) => ({ ...artifact, label: labels.get(artifact) ?? artifact.name }));
}

/**
 * "backward of submod_1", or "".
 * @param {any} artifact @param {any[]} artifacts @param {Map<number, Of>} directions
 */
function wordsOf(artifact, artifacts, directions) {
  let of = directions.get(artifact.event);
  if (!of && BEFORE.has(artifact.name))
    of = directions.get(
      artifacts.find((other) => other.event > artifact.event && directions.has(other.event))?.event,
    );
  if (!of) return "";
  return [of.direction === "joint" ? "" : of.direction, of.subgraph].filter(Boolean).join(" of ");
}

/** @param {number} n */
const ordinal = (n) =>
  `${n}${n % 100 > 10 && n % 100 < 14 ? "th" : ({ 1: "st", 2: "nd", 3: "rd" }[n % 10] ?? "th")}`;
