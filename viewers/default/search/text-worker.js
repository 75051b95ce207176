// Searches the payloads of blobs in a worker. Each payload is decoded and searched once.
//
// In: {query, blobs: [{file, path, whole, slices: [{id, offset, size, json}]}], each, most}
// Out: {found: [{id, count, lines: [{line, text, at}]}], bytes} after every blob, {error, bytes} when one fails, finally {done: true}.
import { MOST_STORED, openBlob } from "../../lib/bundle/blob.js";
import { readFile } from "../../lib/bundle/source.js";
import { findAll, lastAtMost, prettyJson, splitLines } from "../../lib/page/text.js";

const EXCERPT = 220;
const IN_SIGHT = 80; // characters of a line in half a window
const BEFORE = 60;
const scope = /** @type {any} */ (self);

scope.onmessage = async (/** @type {MessageEvent} */ { data }) => {
  const left = { lines: data.most };
  for (const blob of data.blobs) {
    const size = blob.slices.reduce(
      (/** @type {number} */ sum, /** @type {any} */ slice) => sum + slice.size,
      0,
    );
    try {
      if (!blob.file) throw new Error("file not found");
      const bytes = await openBlob(await readFile(blob.file, MOST_STORED), blob.path, blob.whole);
      const found = blob.slices
        .map((/** @type {any} */ slice) =>
          look(bytes.subarray(slice.offset, slice.offset + slice.size), slice, data, left),
        )
        .filter(Boolean);
      scope.postMessage({ found, bytes: size });
    } catch (error) {
      scope.postMessage({ error: `${blob.path}: ${/** @type {Error} */ (error).message}`, bytes: size });
    }
  }
  scope.postMessage({ done: true });
};

/** @param {Uint8Array} bytes @param {{id: number, json: boolean}} slice json: laid out, as it is shown @param {{query: string, each: number}} options @param {{lines: number}} left */
function look(bytes, { id, json }, { query, each }, left) {
  const written = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  if (!findAll(written, query, 1).length && !json) return null;
  const text = (json && prettyJson(written)) || written;
  const matches = findAll(text, query, 1_000_000);
  if (!matches.length) return null;
  const { lines, starts } = splitLines(text);
  const excerpts = [];
  let last = -1,
    count = 0;
  for (const at of matches) {
    const line = lastAtMost(starts, at);
    if (line === last) continue;
    last = line;
    count++;
    if (excerpts.length >= each || left.lines <= 0) continue;
    left.lines--;
    const column = at - starts[line];
    const from = column + query.length > IN_SIGHT ? Math.max(0, column - BEFORE) : 0;
    excerpts.push({
      line: line + 1,
      text:
        (from ? "…" : "") +
        lines[line].slice(from, from + EXCERPT) +
        (lines[line].length > from + EXCERPT ? "…" : ""),
      at: column - from + (from ? 1 : 0),
    });
  }
  return { id, count, lines: excerpts };
}
