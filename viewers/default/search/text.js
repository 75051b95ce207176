// Searches the text of artifacts: lists each distinct payload once, and runs the worker.

const EACH = 20; // lines shown of one payload
const MOST = 2_000; // lines shown in total

/** @typedef {{log: any, artifact: import("../../lib/bundle/log.js").Artifact}} Place */
/** @typedef {{id: number, places: Place[], size: number}} Payload */
/** @typedef {{payload: Payload, count: number, lines: {line: number, text: string, at: number}[]}} Found */
/** @typedef {{payloads: Payload[], blobs: any[], bytes: number}} Texts */

/** @param {any[]} logs @returns {Promise<Texts>} */
export async function textsOf(logs) {
  /** @type {Map<string, Payload>} */
  const byHash = new Map();
  /** @type {Payload[]} */
  const payloads = [];
  /** @type {Map<string, any>} */
  const blobs = new Map();
  for (const log of logs) {
    if (log.bundle.manifest.redacted?.dropped.includes("payloads")) continue; // no text to search
    for (const artifact of await log.artifacts()) {
      if (artifact.sha256 === null) continue;
      const known = byHash.get(artifact.sha256);
      if (known) {
        known.places.push({ log, artifact });
        continue;
      }
      const slice = log.slice(artifact);
      if (slice === null) continue;
      const { path, offset, size } = slice;
      const payload = { id: payloads.length, places: [{ log, artifact }], size };
      payloads.push(payload);
      byHash.set(artifact.sha256, payload);
      let blob = blobs.get(path);
      if (!blob)
        blobs.set(
          path,
          (blob = {
            file: log.bundle.source.file(path),
            path,
            whole: !log.bundle.source.partial,
            slices: [],
          }),
        );
      blob.slices.push({ id: payload.id, offset, size, json: artifact.language === "json" });
    }
  }
  return {
    payloads,
    blobs: [...blobs.values()],
    bytes: payloads.reduce((sum, payload) => sum + payload.size, 0),
  };
}

/**
 * @param {Texts} texts @param {string} query @param {boolean} all every line, not only the first ones
 * @param {(progress: {found: Found[], bytes: number, done: boolean, problem: string}) => void} tell after every blob, with new matches
 * @returns {() => void} stops it
 */
export function searchTexts(texts, query, all, tell) {
  const worker = new Worker(new URL("./text-worker.js", import.meta.url), { type: "module" });
  const stop = () => worker.terminate();
  worker.onmessage = ({ data }) => {
    if (data.done) stop();
    const found = (data.found ?? []).map((/** @type {any} */ hit) => ({
      payload: texts.payloads[hit.id],
      count: hit.count,
      lines: hit.lines,
    }));
    tell({ found, bytes: data.bytes ?? 0, done: Boolean(data.done), problem: data.error ?? "" });
  };
  worker.onerror = (event) =>
    tell({ found: [], bytes: 0, done: true, problem: event.message ?? "The search failed." });
  worker.postMessage({ query, blobs: texts.blobs, each: all ? Infinity : EACH, most: all ? 500_000 : MOST });
  return stop;
}
