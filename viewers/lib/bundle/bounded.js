// Bounds the bytes that are read and cached: refuses larger input, evicts old values.

/** Largest table: six times the largest one of a log with a million records. */
export const MOST_TABLE_BYTES = 256_000_000;
/** Longest text that a browser can show. */
export const MOST_BLOB_BYTES = 512_000_000;

/** The input has more bytes than allowed. */
export class TooLarge extends Error {
  name = "TooLarge";
  /** @param {number} most */
  constructor(most) {
    super(`it has more than ${most.toLocaleString("en")} bytes, the limit for such a file`);
  }
}

/** @param {ReadableStream<Uint8Array>} stream @param {number} most @returns {Promise<Uint8Array>} */
export async function readBounded(stream, most) {
  const reader = stream.getReader();
  /** @type {Uint8Array[]} */
  const chunks = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return joined(chunks, length);
    length += value.length;
    if (length > most) {
      reader.cancel().catch(() => {});
      throw new TooLarge(most);
    }
    chunks.push(value);
  }
}

/** @param {Uint8Array[]} chunks @param {number} length */
export function joined(chunks, length) {
  if (chunks.length === 1) return chunks[0];
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** Least recently used values, limited by their size in bytes. */
export class ByteCache {
  /** @param {number} limit in bytes */
  constructor(limit) {
    this.limit = limit;
    this.used = 0;
    /** @type {Map<string, {value: any, bytes: number}>} oldest first */
    this.entries = new Map();
  }

  /** @param {string} key */
  get(key) {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    this.entries.delete(key);
    this.entries.set(key, entry);
    return entry.value;
  }

  /** @param {string} key @param {any} value @param {number} bytes */
  set(key, value, bytes) {
    this.delete(key);
    this.entries.set(key, { value, bytes });
    this.used += bytes;
    for (const oldest of this.entries.keys()) {
      if (this.used <= this.limit || oldest === key) break;
      this.delete(oldest);
    }
  }

  /** @param {string} key */
  delete(key) {
    const entry = this.entries.get(key);
    if (!entry) return;
    this.entries.delete(key);
    this.used -= entry.bytes;
  }
}
