// Reads a tlparse bundle: the small manifest first, everything else on demand.
//
//   import { openBundle } from "./bundle.js";
//   const bundle = await openBundle("/bundles/run/");
//   const log = bundle.logs[0];
//   for (const compile of await log.compiles()) console.log(compile.id, compile.status);
//   const artifacts = await log.artifacts();
//   console.log(await log.text(artifacts[0]));
//
// Every method takes a last argument {signal} (AbortSignal) and returns a promise. Fetched data is
// cached, up to a limit in bytes. schema/*.schema.json describe the format; fields that this reader
// does not know are ignored.
import { MOST_TABLE_BYTES, ByteCache, TooLarge } from "./bounded.js";
import { Refused, decode, isOwn, readFile, webSource } from "./source.js";
import { check, hasRows } from "./check.js";
import { BundleError, isTooDeep, damaged, shortly } from "./shape.js";
import { Log } from "./log.js";

/**
 * @typedef {{path: string, offset: number, size: number, left_out?: boolean}} BlobSlice a payload: a part of
 *   a blob; left_out: it was removed from a redacted bundle
 */
/** @typedef {{signal?: AbortSignal}} Abortable */

export const FORMAT = { name: "tlparse-bundle", major: 2 };
const CACHE_BYTES = 256_000_000;
const MANIFEST_KEY = " manifest.json"; // in the cache
const ROWS = /\.jsonl(\.zst|\.gz)?$/;

export { BundleError };

/** @typedef {import("./source.js").Source} Source */
/**
 * @typedef {object} Wanted options for reading a file
 * @property {string} [what] description for error messages
 * @property {string} [schema] name of its schema, which the file must match
 * @property {boolean} [fresh] revalidate with the server
 * @property {() => Promise<Record<string, number>>} [lengths] row counts of the tables that it refers to
 */

/**
 * @param {string | URL | Source} from the address of the bundle's folder (or its manifest.json), or a
 *   different source of its files
 * @param {Abortable & {cacheBytes?: number}} [options]
 */
export async function openBundle(from, { signal, cacheBytes = CACHE_BYTES } = {}) {
  const source = typeof from === "string" || from instanceof URL ? webSource(from) : from;
  const bundle = new Bundle(source, cacheBytes);
  bundle.manifest = await bundle.readManifest({ signal });
  bundle.logs = bundle.manifest.logs.map((row) => new Log(bundle, row));
  return bundle;
}

/** Check that log ids are unique. @param {any} manifest */
function refuseTwins({ logs }) {
  const ids = new Set();
  for (const { id } of logs) {
    if (ids.has(id)) throw damaged("manifest.json", `two logs have the id ${shortly(id)}`);
    ids.add(id);
  }
}

/**
 * Return whether the bundle was restarted: later states have a higher counter, and logs never vanish or
 * shrink.
 * @param {any} before @param {any} now
 */
function isRestarted(before, now) {
  if (now.growing && !(now.live?.counter > before.live?.counter)) return true;
  const read = new Map(now.logs.map((/** @type {any} */ log) => [log.id, log.source.size_bytes]));
  return before.logs.some((/** @type {any} */ log) => !(read.get(log.id) >= log.source.size_bytes));
}

/** @param {any} manifest @param {string} place */
function refuseForeign(manifest, place) {
  const format = manifest?.format;
  if (format?.name !== FORMAT.name) {
    throw new BundleError(
      `${place} is not a tlparse bundle: its format is ${JSON.stringify(format?.name ?? null)}, but ` +
        `this viewer reads "${FORMAT.name}". Check the bundle's address.`,
    );
  }
  if (format.major !== FORMAT.major) {
    const age = format.major > FORMAT.major ? "Use a newer viewer" : "Rebuild the bundle";
    throw new BundleError(
      `This bundle has format version ${format.major}.${format.minor}; this viewer reads version ${FORMAT.major}. ` +
        `${age}, or use 'tlparse-bundle serve' of the version that wrote it.`,
    );
  }
}

export class Bundle {
  /** @param {Source} source @param {number} cacheBytes */
  constructor(source, cacheBytes) {
    this.source = source;
    /** @type {import("../../../schema/bundle.d.ts").Manifest} */
    this.manifest = /** @type {any} */ (null); // openBundle() sets it
    /** @type {Log[]} */
    this.logs = [];
    this.cache = new ByteCache(cacheBytes);
    /** @type {Map<string, Promise<any>>} shared requests that are under way */
    this.pending = new Map();
    /** Bytes received so far, as stored. */
    this.fetched = 0;
    /**
     * Called when a file is missing: in a growing bundle it may belong to a replaced state.
     * @type {(() => void) | null}
     */
    this.onmissing = null;
  }

  /** @param {Abortable & Wanted} [options] @returns {Promise<any>} */
  async readManifest(options) {
    const manifest = await this.file("manifest.json", { ...options, what: "the manifest of the bundle" });
    refuseForeign(manifest, `${this.source.url?.href ?? `${this.source.label}/`}manifest.json`);
    check("manifest", manifest, "manifest.json", { minor: manifest.format.minor });
    refuseTwins(manifest);
    return manifest;
  }

  /**
   * Read the current state of a growing bundle; return null if nothing is new. Unchanged logs stay the same
   * objects. A changed log becomes a new Log, and the old object works as long as its files exist.
   * @returns {Promise<{logs: Set<string>, ranks: boolean} | null>} ids of new and changed logs, and whether
   *   the tables about several ranks changed
   */
  async renew() {
    this.cache.delete(MANIFEST_KEY);
    const before = this.manifest,
      now = await this.readManifest({ fresh: true });
    const same = (/** @type {any} */ a, /** @type {any} */ b) => JSON.stringify(a) === JSON.stringify(b);
    if (same(before, now)) return null;
    if (isRestarted(before, now)) this.cache = new ByteCache(this.cache.limit); // same paths, different content
    const kept = new Map(isRestarted(before, now) ? [] : this.logs.map((log) => [log.id, log]));
    this.manifest = now;
    this.logs = now.logs.map((/** @type {any} */ row) => {
      const log = kept.get(row.id);
      return log && same(log.summary, row) ? log : new Log(this, row);
    });
    return {
      logs: new Set(this.logs.filter((log) => kept.get(log.id) !== log).map(({ id }) => id)),
      ranks: !same(before.rank_tables, now.rank_tables),
    };
  }

  /** @param {string} id */
  log(id) {
    return this.logs.find((log) => log.id === id);
  }

  /**
   * Return a table about several ranks by schema name, such as "rank_findings": an array of its rows, empty
   * if it has none; null if there is no such table or it was left out of a redacted bundle.
   * @param {string} name @param {Abortable} [options] @returns {Promise<any>}
   */
  async rankTable(name, options) {
    const { rank_tables: tables = {}, redacted } = this.manifest;
    if (!Object.hasOwn(tables, name)) return hasRows(name) && !redacted?.left_out?.includes(name) ? [] : null;
    const lengths = async () =>
      Object.fromEntries(Object.entries(tables).map(([table, { rows }]) => [table, rows]));
    const parts = await Promise.all(
      tables[name].files.map(async ({ path, rows: count }) => {
        const rows = await this.file(path, {
          ...options,
          what: `the rank table '${name}'`,
          schema: name,
          lengths,
        });
        if (rows.length !== count)
          throw damaged(path, `it has ${rows.length} rows, but the manifest says ${count}`);
        return rows;
      }),
    );
    return parts.flat();
  }

  /**
   * Return the decoded JSON of a file.
   * @param {string} path @param {Abortable & Wanted} [options] @returns {Promise<any>}
   */
  async file(path, options = {}) {
    const { schema = "", lengths } = options;
    const key = `${schema} ${path}`; // a file used as two tables must match both schemas
    return (
      this.cache.get(key) ??
      this.once(key, options, async () => {
        const [bytes, rows] = await Promise.all([this.decoded(path, options), lengths?.()]);
        const value = ROWS.test(path) ? parseRows(bytes, path) : parse(bytes, path);
        check(schema, value, path, { lengths: rows, minor: this.manifest?.format.minor });
        this.cache.set(key, value, bytes.length * 2);
        return value;
      })
    );
  }

  /** @param {string} path @param {Abortable & Wanted} options */
  async decoded(path, options) {
    const stored = await this.fetch(path, MOST_TABLE_BYTES, options);
    return decode(stored, path, null, MOST_TABLE_BYTES).catch((error) => {
      throw unreadable(path, error);
    });
  }

  /** Return the bytes of a payload. @param {BlobSlice} slice @param {Abortable} [options] */
  async bytes(slice, options = {}) {
    const blob = await this.blob(slice, options);
    if (slice.offset + slice.size > blob.length) {
      throw new BundleError(
        `The bundle has a payload at bytes ${slice.offset} to ${slice.offset + slice.size} of blob ` +
          `${shortly(slice.path)}, which has only ${blob.length} bytes. Run 'tlparse-bundle validate' on the bundle.`,
      );
    }
    const bytes = blob.subarray(slice.offset, slice.offset + slice.size);
    if (this.source.partial && slice.size && bytes.every((byte) => byte === 0))
      throw new BundleError(`This payload was left out. ${this.source.absent}`);
    return bytes;
  }

  /** @param {BlobSlice} slice @param {Abortable} [options] */
  async text(slice, options = {}) {
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await this.bytes(slice, options));
  }

  /** @param {BlobSlice} slice @param {Abortable} [options] */
  async json(slice, options = {}) {
    const value = parse(await this.bytes(slice, options), slice.path);
    if (typeof value === "object" && value !== null && isTooDeep(value))
      throw new BundleError(`The JSON in ${slice.path} is nested too deeply to show.`);
    return value;
  }

  /**
   * Return the whole blob that contains a payload.
   * @param {BlobSlice} slice @param {Abortable} options @returns {Promise<Uint8Array>}
   */
  async blob({ path, left_out: leftOut }, options) {
    if (leftOut) throw new BundleError("This payload is not included: the bundle is redacted.");
    const cached = this.cache.get(path);
    if (cached) return cached;
    const { MOST_STORED, openBlob } = await import("./blob.js"); // first screens show no payloads
    const stored = await this.fetch(path, MOST_STORED, options);
    const bytes = await openBlob(stored, path, !this.source.partial).catch((error) => {
      throw error instanceof BundleError ? error : unreadable(path, error);
    });
    this.cache.set(path, bytes, bytes.length);
    return bytes;
  }

  /**
   * Return the bytes that the server sends for a path.
   * @param {string} path @param {number} most bytes @param {Abortable & Wanted} options
   * @returns {Promise<Uint8Array>}
   */
  fetch(path, most, options) {
    return this.once(path, options, () => this.request(path, most, options));
  }

  /**
   * Share a request that is under way, unless it can be aborted.
   * @template T @param {string} key @param {Abortable} options @param {() => Promise<T>} make
   * @returns {Promise<T>}
   */
  once(key, { signal }, make) {
    const shared = this.pending.get(key);
    if (shared) return shared;
    const made = make();
    if (signal) return made;
    this.pending.set(key, made);
    const done = () => this.pending.delete(key);
    made.then(done, done);
    return made;
  }

  /** @param {string} path @param {number} most @param {Abortable & Wanted} options */
  async request(path, most, { signal, fresh, what = "a file of the bundle" }) {
    if (!isOwn(path))
      throw damaged(
        "The bundle",
        `it names ${shortly(path)} as ${what}, which is not a path of a bundle file`,
      );
    const problem = `Can't read ${what}, ${this.source.url ? new URL(path, this.source.url).href : `${path} of ${this.source.label}`}`;
    const file = this.source.file(path);
    try {
      if (!file) throw new Refused("it is missing");
      const bytes = await readFile(file, most, { signal, fresh });
      this.fetched += bytes.length;
      return bytes;
    } catch (error) {
      if (signal?.aborted) throw error;
      if (error instanceof TooLarge) throw unreadable(path, error);
      const reason = /** @type {Error} */ (error).message;
      const failed = new BundleError(
        error instanceof Refused
          ? `${problem}: ${reason}. ` +
              (path === "manifest.json"
                ? "Check the address: '?bundle=' must name the folder that contains manifest.json."
                : this.source.absent)
          : this.source.url
            ? `${problem}: the server does not respond (${reason}). Check that it is running, or start it with 'tlparse-bundle serve', and reload.`
            : `${problem}: ${reason}.`,
        { cause: error },
      );
      failed.missing = error instanceof Refused;
      failed.passing = failed.missing && this.onmissing !== null;
      if (failed.passing) this.onmissing?.();
      throw failed;
    }
  }
}

/** Parse JSON Lines, with one call of the parser. @param {Uint8Array} bytes @param {string} path */
const parseRows = (bytes, path) =>
  parseText(`[${new TextDecoder().decode(bytes).replace(/\n$/, "").replaceAll("\n", ",")}]`, path);

/** @param {Uint8Array} bytes @param {string} path */
const parse = (bytes, path) => parseText(new TextDecoder().decode(bytes), path);

/** @param {string} text @param {string} path */
function parseText(text, path) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new BundleError(
      `${path} is not JSON (${/** @type {Error} */ (error).message}). It starts with ${JSON.stringify(text.slice(0, 60))}. ` +
        "Check the bundle's address.",
      { cause: error },
    );
  }
}

/** @param {string} path @param {Error} error */
function unreadable(path, error) {
  return new BundleError(`Can't decode ${path}: ${error.message ?? error}`, { cause: error });
}
