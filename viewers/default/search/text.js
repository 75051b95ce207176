// Searching the text of artifacts: which payloads there are, each once, and a worker that goes through them.
import { artifactsOf } from "../../lib/bundle/artifacts.js";
import { modelOf } from "../shared/model.js";

const EACH = 20; // lines shown of one payload
const MOST = 2_000; // lines shown of all

/** @typedef {{log: any, row: number}} Place an artifact */
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
    if (log.bundle.manifest.redacted?.dropped.includes("payloads")) continue; // there is no text
    const [{ table }, files, { directory }] = await Promise.all([artifactsOf(log), log.table("blobs"), modelOf(log)]);
    const { hash, blob_index, blob_offset, size_bytes, kind_index } = table.columns;
    for (let row = 0; row < table.length; row++) {
      if (hash[row] === null || blob_index[row] < 0) continue;
      const known = byHash.get(hash[row]);
      if (known) {
        known.places.push({ log, row });
        continue;
      }
      const payload = { id: payloads.length, places: [{ log, row }], size: size_bytes[row] };
      payloads.push(payload);
      byHash.set(hash[row], payload);
      const sha256 = files.sha256[blob_index[row]];
      let blob = blobs.get(sha256);
      if (!blob) {
        const { path } = await log.slice(table.row(row)); // says so when there is no such blob
        blobs.set(sha256, (blob = { file: log.bundle.source.file(path), path, size: files.size_bytes[blob_index[row]], sha256: log.bundle.source.partial ? null : sha256, slices: [] }));
      }
      blob.slices.push({ id: payload.id, offset: blob_offset[row], size: size_bytes[row], json: directory.kinds[kind_index[row]].language === "json" });
    }
  }
  return { payloads, blobs: [...blobs.values()], bytes: payloads.reduce((sum, payload) => sum + payload.size, 0) };
}

/**
 * @param {Texts} texts @param {string} query @param {boolean} all every line, not only the first of them
 * @param {(progress: {found: Found[], bytes: number, done: boolean, problem: string}) => void} tell after every blob, with what is new
 * @returns {() => void} stops it
 */
export function searchTexts(texts, query, all, tell) {
  const worker = new Worker(new URL("./text-worker.js", import.meta.url), { type: "module" });
  const stop = () => worker.terminate();
  worker.onmessage = ({ data }) => {
    if (data.done) stop();
    const found = (data.found ?? []).map((/** @type {any} */ hit) => ({ payload: texts.payloads[hit.id], count: hit.count, lines: hit.lines }));
    tell({ found, bytes: data.bytes ?? 0, done: Boolean(data.done), problem: data.error ?? "" });
  };
  worker.onerror = (event) => tell({ found: [], bytes: 0, done: true, problem: event.message ?? "The search stopped." });
  worker.postMessage({ query, blobs: texts.blobs, each: all ? Infinity : EACH, most: all ? 500_000 : MOST });
  return stop;
}

/** The address of an artifact in its compile: the name, '@2' for the second of that name. @param {{table: any, byCompile: Map<number, number[]>}} artifacts @param {number} row */
export function addressOf({ table, byCompile }, row) {
  const { name, compile_index: compile } = table.columns;
  const nth = (byCompile.get(compile[row]) ?? []).filter((other) => other <= row && name[other] === name[row]).length;
  return nth > 1 ? `${name[row]}@${nth}` : name[row];
}
