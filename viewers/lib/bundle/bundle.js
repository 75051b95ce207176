// Reads a tlparse bundle: one small manifest first, everything else when it is asked for.
//
//   import { openBundle } from "./bundle.js";
//   const bundle = await openBundle("/bundles/run/");
//   const log = bundle.logs[0];
//   for (const compile of await log.compiles()) console.log(compile.id, compile.status);
//   const artifacts = await log.artifacts();
//   console.log(await log.text(artifacts[0]));
//
// Every method takes a last argument {signal} (AbortSignal) and returns a promise. What was fetched is
// kept, up to a limit in bytes. The format is described by schema/*.schema.json; fields that this reader
// does not know are left alone.
import { MOST_TABLE_BYTES, ByteCache, TooLarge } from "./bounded.js";
import { Refused, decode, isOwn, readFile, webSource } from "./source.js";
import { check, hasRows } from "./check.js";
import { BundleError, isTooDeep, malformed, shortly } from "./shape.js";
import { Log } from "./log.js";

/** @typedef {{path: string, offset: number, size: number, left_out?: boolean}} BlobSlice a payload: a part of a blob; left_out: which is not there, as the bundle is redacted */
/** @typedef {{signal?: AbortSignal}} Abortable */

export const FORMAT = { name: "tlparse-bundle", major: 2 };
const CACHE_BYTES = 256_000_000;
const MANIFEST_KEY = " manifest.json"; // in the cache
const ROWS = /\.jsonl(\.zst|\.gz)?$/;

export { BundleError };

/** @typedef {import("./source.js").Source} Source */
/**
 * @typedef {object} Wanted what is known of a file before it is read
 * @property {string} [what] for a person
 * @property {string} [schema] name of its schema: what does not look like it is refused
 * @property {boolean} [anew] the server is asked whether it has another one by now
 * @property {() => Promise<Record<string, number>>} [lengths] rows of the tables that it points into
 */

/**
 * @param {string | URL | Source} from the address of the bundle's folder (or its manifest.json), or where else its files are
 * @param {Abortable & {cacheBytes?: number}} [options]
 */
export async function openBundle(from, { signal, cacheBytes = CACHE_BYTES } = {}) {
  const source = typeof from === "string" || from instanceof URL ? webSource(from) : from;
  const bundle = new Bundle(source, cacheBytes);
  bundle.manifest = await bundle.readManifest({ signal });
  bundle.logs = bundle.manifest.logs.map((row) => new Log(bundle, row));
  return bundle;
}

/** Logs are told apart by their ids. @param {any} manifest */
function refuseTwins({ logs }) {
  const ids = new Set();
  for (const { id } of logs) {
    if (ids.has(id)) throw malformed("manifest.json", `two logs have the id ${shortly(id)}`);
    ids.add(id);
  }
}

/** Whether a manifest is of a bundle that was begun anew, not of a later state: states are counted, and logs neither go nor get shorter. @param {any} before @param {any} now */
function isAnother(before, now) {
  if (now.growing && !(now.live?.counter > before.live?.counter)) return true;
  const read = new Map(now.logs.map((/** @type {any} */ log) => [log.id, log.source.size_bytes]));
  return before.logs.some((/** @type {any} */ log) => !(read.get(log.id) >= log.source.size_bytes));
}

/** @param {any} manifest @param {string} place */
function refuseForeign(manifest, place) {
  const format = manifest?.format;
  if (format?.name !== FORMAT.name) {
    throw new BundleError(
      `${place} is not a tlparse bundle: its format is ${JSON.stringify(format?.name ?? null)}, ` +
        `this viewer reads "${FORMAT.name}". Check the bundle's address.`,
    );
  }
  if (format.major !== FORMAT.major) {
    const age = format.major > FORMAT.major ? "Use a newer viewer" : "Build the bundle again";
    throw new BundleError(
      `This bundle has format version ${format.major}.${format.minor}; this viewer reads version ${FORMAT.major}. ` +
        `${age}: 'tlparse-bundle serve' of the version that wrote the bundle always fits.`,
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
    /** @type {Map<string, Promise<any>>} what is under way and can be shared */
    this.pending = new Map();
    /** Bytes received so far, as stored. */
    this.fetched = 0;
    /** A file is not there: of a bundle that grows it may belong to a state that is gone. @type {(() => void) | null} */
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
   * The state of a bundle that grows as it is now. Logs in which nothing is new stay the same objects; what is new of the others
   * is another Log, and whoever has the old one can use it as long as its files are there. Null when there is nothing new.
   * @returns {Promise<{logs: Set<string>, ranks: boolean} | null>} ids of logs that are new or changed, and whether the tables about several ranks did
   */
  async renew() {
    this.cache.delete(MANIFEST_KEY);
    const before = this.manifest,
      now = await this.readManifest({ anew: true });
    const same = (/** @type {any} */ a, /** @type {any} */ b) => JSON.stringify(a) === JSON.stringify(b);
    if (same(before, now)) return null;
    if (isAnother(before, now)) this.cache = new ByteCache(this.cache.limit); // its paths may be the same, what lies there is not
    const known = new Map(isAnother(before, now) ? [] : this.logs.map((log) => [log.id, log]));
    this.manifest = now;
    this.logs = now.logs.map((/** @type {any} */ row) => {
      const log = known.get(row.id);
      return log && same(log.summary, row) ? log : new Log(this, row);
    });
    return {
      logs: new Set(this.logs.filter((log) => known.get(log.id) !== log).map(({ id }) => id)),
      ranks: !same(before.rank_tables, now.rank_tables),
    };
  }

  /** @param {string} id */
  log(id) {
    return this.logs.find((log) => log.id === id);
  }

  /**
   * A table about several ranks by the name of its schema, such as "rank_findings": an array of its rows, empty when it has none;
   * null when there is no such table, or when it was left out of a redacted bundle.
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
          what: `the table '${name}' about several ranks`,
          schema: name,
          lengths,
        });
        if (rows.length !== count)
          throw malformed(path, `it has ${rows.length} rows, the manifest says ${count}`);
        return rows;
      }),
    );
    return parts.flat();
  }

  /** Decoded JSON of a file. @param {string} path @param {Abortable & Wanted} [options] @returns {Promise<any>} */
  async file(path, options = {}) {
    const { schema = "", lengths } = options;
    const key = `${schema} ${path}`; // a file that is given out as two tables has to look like both
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

  /** The bytes of a payload. @param {BlobSlice} slice @param {Abortable} [options] */
  async bytes(slice, options = {}) {
    const blob = await this.blob(slice, options);
    if (slice.offset + slice.size > blob.length) {
      throw new BundleError(
        `The bundle says that a payload lies at bytes ${slice.offset} to ${slice.offset + slice.size} of blob ` +
          `${shortly(slice.path)}, which has ${blob.length} bytes. Try 'tlparse-bundle validate' on the bundle.`,
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
      throw new BundleError(`The JSON in ${slice.path} lies in one another too deeply to be shown.`);
    return value;
  }

  /** The whole blob that a payload lies in. @param {BlobSlice} slice @param {Abortable} options @returns {Promise<Uint8Array>} */
  async blob({ path, left_out: leftOut }, options) {
    if (leftOut) throw new BundleError("This payload is not included: the bundle is redacted.");
    const known = this.cache.get(path);
    if (known) return known;
    const { MOST_STORED, openBlob } = await import("./blob.js"); // no first screen shows a payload
    const stored = await this.fetch(path, MOST_STORED, options);
    const bytes = await openBlob(stored, path, !this.source.partial).catch((error) => {
      throw error instanceof BundleError ? error : unreadable(path, error);
    });
    this.cache.set(path, bytes, bytes.length);
    return bytes;
  }

  /** The bytes that the server sends for a path. @param {string} path @param {number} most bytes @param {Abortable & Wanted} options @returns {Promise<Uint8Array>} */
  fetch(path, most, options) {
    return this.once(path, options, () => this.request(path, most, options));
  }

  /**
   * What is asked for again while it is under way is shared, unless it can be aborted.
   * @template T @param {string} key @param {Abortable} options @param {() => Promise<T>} make @returns {Promise<T>}
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
  async request(path, most, { signal, anew, what = "a file of the bundle" }) {
    if (!isOwn(path))
      throw malformed(
        "The bundle",
        `it names ${shortly(path)} as ${what}, which is no path of a file of a bundle`,
      );
    const asked = `Asked for ${what}, ${this.source.url ? new URL(path, this.source.url).href : `${path} of ${this.source.label}`}`;
    const file = this.source.file(path);
    try {
      if (!file) throw new Refused("it is not there");
      const bytes = await readFile(file, most, { signal, anew });
      this.fetched += bytes.length;
      return bytes;
    } catch (error) {
      if (signal?.aborted) throw error;
      if (error instanceof TooLarge) throw unreadable(path, error);
      const reason = /** @type {Error} */ (error).message;
      const failed = new BundleError(
        error instanceof Refused
          ? `${asked}: ${reason}. ` +
              (path === "manifest.json"
                ? "Check the address: '?bundle=' must name the folder that holds manifest.json."
                : this.source.absent)
          : this.source.url
            ? `${asked}: no answer (${reason}). Is the server still running? Start it again with 'tlparse-bundle serve' and reload.`
            : `${asked}: it could not be read (${reason}).`,
        { cause: error },
      );
      failed.missing = error instanceof Refused;
      failed.passing = failed.missing && this.onmissing !== null;
      if (failed.passing) this.onmissing?.();
      throw failed;
    }
  }
}

/** The rows of JSON Lines: one call of the parser for all of them. @param {Uint8Array} bytes @param {string} path */
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
      `${path} is not JSON (${/** @type {Error} */ (error).message}). It begins with ${JSON.stringify(text.slice(0, 60))}. ` +
        "Is this the address of a bundle?",
      { cause: error },
    );
  }
}

/** @param {string} path @param {Error} error */
function unreadable(path, error) {
  return new BundleError(`${path} could not be decoded: ${error.message ?? error}`, { cause: error });
}
