// Looks for words in the metadata of records, chunk by chunk, and shows what it has found on the way.
import { count } from "../../lib/page/format.js";

/**
 * @param {any} log @param {any} table @param {any[]} kinds @param {number[]} rows those to look at @param {string} query
 * @param {AbortSignal} signal @param {(rows: number[], note: string) => void} show
 */
export async function searchMetadata(log, table, kinds, rows, query, signal, show) {
  const wanted = query.toLowerCase();
  const named = kinds.map((kind) => `${kind.type}\n${kind.name ?? ""}`.toLowerCase().includes(wanted));
  const { kind_index: kind } = table.columns;
  /** @type {number[]} */
  const found = rows.filter((i) => named[kind[i]]);
  const fits = new Set(found);
  show(found, "looking into the metadata …");
  const { metadata: chunks, event_count: total } = await log.directory();
  let at = 0;
  for (const chunk of chunks) {
    const end = chunk.first_event_index + chunk.count;
    if (at < rows.length && rows[at] < end) {
      const { metadata } = await log.chunk("metadata", chunk, { signal });
      for (; at < rows.length && rows[at] < end; at++) {
        const value = metadata[rows[at] - chunk.first_event_index];
        if (value !== null && !fits.has(rows[at]) && JSON.stringify(value).toLowerCase().includes(wanted)) fits.add(rows[at]);
      }
      if (end < total) show(sorted(fits), `looked into ${count(end)} of ${count(total)} …`);
      await new Promise((resume) => setTimeout(resume)); // the page stays usable
    }
    signal.throwIfAborted();
  }
  show(sorted(fits), "names and metadata searched");
}

/** @param {Set<number>} rows */
const sorted = (rows) => [...rows].sort((a, b) => a - b);
