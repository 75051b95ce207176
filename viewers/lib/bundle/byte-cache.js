// Least recently used values, limited by their size in bytes.

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
