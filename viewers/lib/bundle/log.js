// One log of a bundle: its tables, its events, its payloads.
import { checkDirectory, checkEvents, checkTable, hasRows } from "./check.js";
import { BundleError, damaged, shortly } from "./shape.js";
import { isOfLog } from "./source.js";

/** @typedef {import("./bundle.js").Bundle} Bundle */
/** @typedef {import("./bundle.js").BlobSlice} BlobSlice */
/** @typedef {import("./bundle.js").Abortable} Abortable */
/** @typedef {import("./stacks.js").Stacks} Stacks */
/** @typedef {import("../../../schema/bundle.d.ts").Compiles} Compile */
/** @typedef {import("../../../schema/bundle.d.ts").Findings} Finding */
/** @typedef {import("../../../schema/bundle.d.ts").Manifest["logs"][number]} LogSummary */
/** @typedef {import("../../../schema/bundle.d.ts").Log} LogDirectory */
/** @typedef {import("../../../schema/bundle.d.ts").Artifacts} Artifact */
/** @typedef {import("../../../schema/bundle.d.ts").Events} Event */
/**
 * @typedef {{blob: string | null, offset: number | null, size_bytes: number | null, payload_size_bytes?:
 *   number | null}} HasPayload an event or an artifact
 */

export class Log {
  /** @param {Bundle} bundle @param {LogSummary} row */
  constructor(bundle, row) {
    this.bundle = bundle;
    /** The row in the manifest. */
    this.summary = row;
    /** @type {string} */
    this.id = row.id;
    /** @type {number | null} */
    this.rank = row.rank;
    /** @type {Map<string, Promise<any>>} cached results built from files */
    this.built = new Map();
    /** Names of the requested tables. @type {Set<string>} */
    this.requested = new Set();
  }

  /** Preload the tables requested from the previous state, for a quick redraw. @param {Log} before */
  async prepare(before) {
    await Promise.all([...before.requested].map((name) => this.table(name).catch(() => null))); // its users report the error
  }

  /** log.json: paths, kinds, origins, clock. @param {Abortable} [options] @returns {Promise<LogDirectory>} */
  async directory(options) {
    const path = this.own(this.summary.path, "its directory");
    const directory = await this.bundle.file(path, {
      ...options,
      what: `the directory of log ${this.id}`,
      schema: "log",
    });
    checkDirectory(directory, path);
    return directory;
  }

  /** Return a path if it belongs to this log; throw otherwise. @param {string} path @param {string} what */
  own(path, what) {
    if (isOfLog(path, this.id)) return path;
    throw damaged(`Log ${this.id}`, `it names ${shortly(path)} as ${what}, which is not a file of this log`);
  }

  /**
   * Return a table by schema name: an array of its rows, empty if it has none; null if there is no such table
   * or it was left out of a redacted bundle.
   * @param {string} name @param {Abortable} [options] @returns {Promise<any>}
   */
  async table(name, options) {
    this.requested.add(name);
    const { tables, left_out: leftOut } = await this.directory(options);
    if (!Object.hasOwn(tables, name)) return hasRows(name) && !leftOut?.includes(name) ? [] : null;
    const rows = (await Promise.all(tables[name].files.map((file) => this.rows(name, file, options)))).flat();
    checkTable(name, rows, `The table '${name}' of log ${this.id}`);
    return rows;
  }

  /**
   * Return the rows of one file of a table.
   * @param {string} name @param {{path: string, rows: number}} file @param {Abortable} [options]
   * @returns {Promise<any[]>}
   */
  async rows(name, file, options) {
    const what = `the table '${name}' of log ${this.id}`;
    const path = this.own(file.path, what);
    const rows = await this.bundle.file(path, {
      ...options,
      what,
      schema: name,
      lengths: () => this.counts(options),
    });
    if (rows.length !== file.rows) throw damaged(path, `it has ${rows.length} rows instead of ${file.rows}`);
    return rows;
  }

  /**
   * Return the numbers of records and stacks.
   * @param {Abortable} [options] @returns {Promise<Record<string, number>>}
   */
  async counts(options) {
    const { event_count: events, tables } = await this.directory(options);
    return { events, stacks: tables.stacks?.rows ?? 0 };
  }

  /** @param {Abortable} [options] @returns {Promise<Compile[]>} */
  async compiles(options) {
    return this.table("compiles", options);
  }

  /**
   * Return the findings, most important first; null if they were left out of a redacted bundle.
   * @param {Abortable} [options] @returns {Promise<Finding[] | null>}
   */
  findings(options) {
    return this.table("findings", options);
  }

  /** Return all artifacts in log order. @param {Abortable} [options] @returns {Promise<Artifact[]>} */
  artifacts(options) {
    return this.table("artifacts", options);
  }

  /**
   * Return the artifacts of a compile or of one of its attempts.
   * @param {{compile: string | null, attempt?: number | null}} of @param {Abortable} [options]
   * @returns {Promise<Artifact[]>}
   */
  async artifactsOf({ compile, attempt }, options) {
    return (await this.artifacts(options)).filter(
      (row) => row.compile === compile && (attempt === undefined || row.attempt === attempt),
    );
  }

  /** @param {Abortable} [options] @returns {Promise<Stacks>} */
  stacks(options) {
    return this.once("stacks", async () => {
      const [table, { Stacks }] = await Promise.all([this.table("stacks", options), import("./stacks.js")]);
      return new Stacks(table);
    });
  }

  /**
   * Return the events that match. 'from' and 'to' are event numbers, 'to' excluded; only files with events
   * between them are fetched. compileId is the id as torch wrote it ('0/1'), or null for the records without
   * an id.
   * @param {{type?: string, compileId?: string | null, from?: number, to?: number} & Abortable} [filter]
   * @returns {Promise<Event[]>}
   */
  async events({ type, compileId, from = 0, to = Infinity, signal } = {}) {
    const files = await this.files("events", { signal });
    const wanted = files.filter((file) => file.first_event < to && file.first_event + file.rows > from);
    const rows = (await Promise.all(wanted.map((file) => this.part("events", file, { signal })))).flat();
    const all =
      type === undefined &&
      compileId === undefined &&
      from <= (rows[0]?.event ?? 0) &&
      to > (rows.at(-1)?.event ?? 0);
    return all
      ? rows
      : rows.filter(
          (row) =>
            row.event >= from &&
            row.event < to &&
            (type === undefined || row.type === type) &&
            (compileId === undefined || idOf(row) === compileId),
        );
  }

  /**
   * Return one event; null if there is none with this number.
   * @param {number} number @param {Abortable} [options] @returns {Promise<Event | null>}
   */
  async event(number, options = {}) {
    return (await this.events({ from: number, to: number + 1, ...options }))[0] ?? null;
  }

  /**
   * Return the JSON that torch wrote into a record; stacks are ids in the stack table.
   * @param {number} number of the event @param {Abortable} [options] @returns {Promise<any>}
   */
  async metadata(number, options) {
    const file = (await this.files("metadata", options)).findLast(
      ({ first_event: first }) => first <= number,
    );
    const row = file && (await this.part("metadata", file, options)).find(({ event }) => event === number);
    if (row) return row.metadata;
    const event = await this.event(number, options);
    if (event === null) throw new BundleError(`Log ${this.id} has no event ${number}.`);
    return { [event.type]: {} };
  }

  /**
   * Return the files of 'events' or 'metadata'.
   * @param {"events" | "metadata"} name @param {Abortable} [options]
   * @returns {Promise<{path: string, rows: number, first_event: number}[]>}
   */
  async files(name, options) {
    return /** @type {any} */ ((await this.directory(options)).tables[name]?.files ?? []);
  }

  /**
   * Return the rows of one of these files.
   * @param {"events" | "metadata"} name @param {{path: string, rows: number, first_event: number}} file
   * @param {Abortable} [options] @returns {Promise<any[]>}
   */
  async part(name, file, options) {
    const rows = await this.rows(name, file, options);
    checkEvents(name, rows, file);
    return rows;
  }

  /**
   * Return the slice with the payload of an event or artifact; null if it has none.
   * @param {HasPayload} row @returns {BlobSlice | null}
   */
  slice(row) {
    if (row.blob === null) return null;
    if (!row.blob.startsWith("blobs/")) this.own(row.blob, "a blob");
    const { dropped: gone = [] } = this.bundle.manifest.redacted ?? {};
    const dropped =
      gone.includes("payloads") || (gone.includes("timeline") && /\/timeline\/\d+\.json/.test(row.blob));
    return {
      path: row.blob,
      offset: row.offset ?? 0,
      size: row.payload_size_bytes ?? row.size_bytes ?? 0,
      ...(dropped && { left_out: true }),
    };
  }

  /** @param {HasPayload} row @param {Abortable} [options] @returns {Promise<Uint8Array | null>} */
  async payload(row, options) {
    const slice = this.slice(row);
    return slice && this.bundle.bytes(slice, options);
  }

  /** @param {HasPayload} row @param {Abortable} [options] @returns {Promise<string | null>} */
  async text(row, options) {
    const slice = this.slice(row);
    return slice && this.bundle.text(slice, options);
  }

  /**
   * Cache a result unless it failed.
   * @template T @param {string} key @param {() => Promise<T>} build @returns {Promise<T>}
   */
  once(key, build) {
    const cached = this.built.get(key);
    if (cached) return cached;
    const made = build();
    this.built.set(key, made);
    made.catch(() => this.built.delete(key));
    return made;
  }
}

/**
 * Return a key shared by all rows of one attempt.
 * @param {{compile: string | null, attempt: number | null}} row
 */
export const attemptKey = ({ compile, attempt }) => `${compile} ${attempt}`;

/**
 * Return an attempt's name in addresses: "0/1", "0/1_1", "0/1_1@2"; "-" without a compile.
 * @param {{compile: string | null, attempt: number | null}} row
 */
export function attemptName({ compile, attempt }) {
  if (compile === null) return "-";
  const [id, occurrence] = compile.split("@");
  return (attempt ? `${id}_${attempt}` : id) + (occurrence ? `@${occurrence}` : "");
}

/** Return the compile id as torch wrote it. @param {{compile: string | null, attempt: number | null}} row */
const idOf = ({ compile, attempt }) =>
  compile === null ? null : compile.replace(/@\d+$/, "") + (attempt ? `_${attempt}` : "");
