// Searches the metadata of records file by file, and shows matches as they come.
import { count } from "../../lib/page/format.js";

/**
 * @param {import("../../lib/bundle/log.js").Log} log @param {import("../../lib/bundle/log.js").Event[]} events @param {number[]} rows rows to search @param {string} query
 * @param {AbortSignal} signal @param {(rows: number[], note: string) => void} show
 */
export async function searchMetadata(log, events, rows, query, signal, show) {
  const wanted = query.toLowerCase();
  /** @type {Map<string, boolean>} by type and name */
  const named = new Map();
  const isNamed = (/** @type {number} */ i) => {
    const words = `${events[i].type}\n${events[i].name ?? ""}`;
    let fits = named.get(words);
    if (fits === undefined) named.set(words, (fits = words.toLowerCase().includes(wanted)));
    return fits;
  };
  const found = rows.filter(isNamed);
  const fits = new Set(found),
    asked = new Set(rows);
  show(found, "searching metadata …");
  const files = await log.files("metadata", { signal });
  for (const file of files) {
    const metadata = await log.part("metadata", file, { signal });
    for (const { event, metadata: value } of metadata)
      if (asked.has(event) && !fits.has(event) && JSON.stringify(value).toLowerCase().includes(wanted))
        fits.add(event);
    if (file !== files.at(-1))
      show(sorted(fits), `searched ${count((metadata.at(-1)?.event ?? 0) + 1)} of ${count(events.length)} …`);
    await new Promise((resume) => setTimeout(resume)); // keep the page responsive
    signal.throwIfAborted();
  }
  show(sorted(fits), "names and metadata searched");
}

/** @param {Set<number>} rows */
const sorted = (rows) => [...rows].sort((a, b) => a - b);
