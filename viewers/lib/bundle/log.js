// One log of a bundle: its tables, its events, its payloads.
import { checkChunk, checkDirectory, checkTable, hasRows } from "./check.js";
import { BundleError, malformed, shortly } from "./shape.js";
import { isOfLog } from "./source.js";

/** @typedef {import("./bundle.js").Bundle} Bundle */
/** @typedef {import("./bundle.js").BlobSlice} BlobSlice */
/** @typedef {import("./bundle.js").Abortable} Abortable */
/** @typedef {import("./stacks.js").Stacks} Stacks */
/** @typedef {import("./table-data.js").Table} Table */
/** @typedef {import("./table-data.js").Selection} Selection */
/** @typedef {import("../../../schema/bundle.d.ts").Compiles["compiles"][number]} Compile */
/** @typedef {import("../../../schema/bundle.d.ts").Diagnostics} Diagnostic */
/** @typedef {import("../../../schema/bundle.d.ts").Findings} Findings */
/** @typedef {import("../../../schema/bundle.d.ts").Manifest["logs"][number]} LogSummary */
/** @typedef {import("../../../schema/bundle.d.ts").Log} LogDirectory */
/** @typedef {{blob_index: number, blob_offset: number, size_bytes: number, payload_size_bytes?: number}} HasPayload an event or an artifact */

/** Only needed where rows are looked at. */
const tables = () => import("./table-data.js");

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
    /** @type {Map<string, Promise<any>>} what was built from the files */
    this.built = new Map();
    /** Names of the tables that somebody asked for. @type {Set<string>} */
    this.asked = new Set();
  }

  /** Reads what was asked of a state before, so that it is there when a view is drawn anew. @param {Log} before */
  async prepare(before) {
    await Promise.all([...before.asked].map((name) => this.table(name).catch(() => null))); // who needs it will hear of it
  }

  /** log.json: paths, kinds, origins, clock. @param {Abortable} [options] @returns {Promise<LogDirectory>} */
  async directory(options) {
    const path = this.own(this.summary.path, "its directory");
    const directory = await this.bundle.file(path, { ...options, what: `the directory of log ${this.id}`, schema: "log" });
    checkDirectory(directory, path);
    return directory;
  }

  /** A path, if it is one of this log. @param {string} path @param {string} what */
  own(path, what) {
    if (isOfLog(path, this.id)) return path;
    throw malformed(`Log ${this.id}`, `it names ${shortly(path)} as ${what}, which is no file of this log`);
  }

  /**
   * A table by the name of its schema: an array of its rows, empty when it has none; null when there is no such table, or when it was left
   * out of a redacted bundle.
   * @param {string} name @param {Abortable} [options] @returns {Promise<any>}
   */
  async table(name, options) {
    this.asked.add(name);
    const { tables, row_tables: ofRows, left_out: leftOut } = await this.directory(options);
    if (Object.hasOwn(ofRows, name)) return (await Promise.all(ofRows[name].files.map((file) => this.rows(name, file, options)))).flat();
    if (!Object.hasOwn(tables, name)) return hasRows(name) && !leftOut?.includes(name) ? [] : null;
    const what = `the table '${name}' of log ${this.id}`;
    const path = this.own(tables[name], what);
    const table = await this.bundle.file(path, { ...options, what, schema: name, lengths: () => this.lengths(name) });
    checkTable(name, table, path);
    return table;
  }

  /** The rows of one file of a table. @param {string} name @param {{path: string, rows: number}} file @param {Abortable} [options] @returns {Promise<any[]>} */
  async rows(name, file, options) {
    const what = `the table '${name}' of log ${this.id}`;
    const path = this.own(file.path, what);
    const rows = await this.bundle.file(path, { ...options, what, schema: name, lengths: () => this.counts(options) });
    if (rows.length !== file.rows) throw malformed(path, `it has ${rows.length} rows, the directory of the log says ${file.rows}`);
    return rows;
  }

  /** How many records and stacks there are. @param {Abortable} [options] @returns {Promise<Record<string, number>>} */
  async counts(options) {
    const { event_count: events, row_tables: tables } = await this.directory(options);
    return { events, stacks: tables.stacks?.rows ?? 0 };
  }

  /** Rows of what a table points into. @param {string} name of the table @returns {Promise<Record<string, number>>} */
  async lengths(name) {
    const { kinds, origins, pids } = await this.directory();
    const known = { ...await this.counts(), kinds: kinds.length, origins: origins.length, pids: pids.length };
    if (name === "compiles") return known;
    const compiles = await this.compiles().catch(() => null); // who needs it will hear of it
    return compiles ? { ...known, compiles: compiles.length } : known;
  }

  /** @param {"events" | "metadata"} name @param {{path: string, first_event_index: number, count: number}} chunk @param {Abortable} [options] @returns {Promise<any>} */
  async chunk(name, chunk, options) {
    const what = `${name} of log ${this.id}`;
    const path = this.own(chunk.path, what);
    const rows = await this.bundle.file(path, { ...options, what, schema: name, lengths: () => this.lengths(name) });
    checkChunk(name, rows, chunk, path);
    return rows;
  }

  /** @param {Abortable} [options] @returns {Promise<Compile[]>} */
  async compiles(options) {
    return (await this.table("compiles", options)).compiles;
  }

  /** @param {Abortable} [options] @returns {Promise<Diagnostic[]>} */
  diagnostics(options) {
    return this.table("diagnostics", options);
  }

  /** What the log says, most important first, and the numbers of its headline; null in bundles before 1.2. @param {Abortable} [options] @returns {Promise<Findings | null>} */
  findings(options) {
    return this.table("findings", options);
  }

  /** @param {Abortable} [options] @returns {Promise<Table>} the artifacts; each row also has its kind's type, name and language */
  artifacts(options) {
    return this.once("artifacts", async () => {
      const [columns, { kinds }, { Table }] = await Promise.all([this.table("artifacts", options), this.directory(options), tables()]);
      return new Table(columns, columns.event_index.length, (row) => {
        const { type, language, descriptor } = kinds[row.kind_index];
        return { ...row, type, language, descriptor };
      });
    });
  }

  /** @param {Abortable} [options] @returns {Promise<Stacks>} */
  stacks(options) {
    return this.once("stacks", async () => {
      const [table, { Stacks }] = await Promise.all([this.table("stacks", options), import("./stacks.js")]);
      return new Stacks(table);
    });
  }

  /**
   * The events that fit, as a selection over columns; row(i) makes an object when one is needed.
   * 'from' and 'to' are event indexes, 'to' not included; only the chunks between them are fetched.
   * compileId is the id as torch wrote it ('0/1'), or null for the records without an id.
   * @param {{type?: string, compileId?: string | null, from?: number, to?: number} & Abortable} [filter]
   * @returns {Promise<Selection>}
   */
  async events({ type, compileId, from = 0, to = Infinity, signal } = {}) {
    const [directory, compiles, { Selection }] = await Promise.all([this.directory({ signal }), this.compiles({ signal }), tables()]);
    const table = await this.eventTable(from, Math.min(to, directory.event_count), { signal });
    const kinds = type === undefined ? null : directory.kinds.map((/** @type {any} */ kind) => kind.type === type);
    const rows = compileId === undefined ? null : compiles.map((compile) => compile.id === compileId);
    const { kind_index: kind, compile_index: compile } = table.columns;
    const first = table.first;
    const picked = [];
    for (let i = Math.max(from - first, 0); i < table.length && first + i < to; i++) {
      if ((!kinds || kinds[kind[i]]) && (!rows || rows[compile[i]])) picked.push(i);
    }
    return new Selection(table, picked);
  }

  /**
   * The event columns of the chunks that hold the events from 'from' to 'to'.
   * @param {number} from @param {number} to @param {Abortable} options @returns {Promise<Table>}
   */
  async eventTable(from, to, options) {
    const { events: chunks, kinds } = await this.directory(options);
    const wanted = chunks.filter((/** @type {any} */ c) => c.first_event_index < to && c.first_event_index + c.count > from);
    return this.once(`events ${wanted[0]?.path} ${wanted.length}`, async () => {
      const parts = await Promise.all(wanted.map((/** @type {any} */ c) => this.chunk("events", c, options)));
      const [compiles, { Table }] = await Promise.all([this.compiles(options), tables()]);
      return Table.join(parts, parts[0]?.first_event_index ?? 0, (row, index) => {
        const { type, name, language, descriptor } = kinds[row.kind_index];
        const { key, id } = compiles[row.compile_index];
        return { event_index: index, type, name, language, descriptor, compile_key: key, compile_id: id, ...row };
      });
    });
  }

  /** One event. @param {number} eventIndex @param {Abortable} [options] @returns {Promise<any>} */
  async event(eventIndex, options = {}) {
    const events = await this.events({ from: eventIndex, to: eventIndex + 1, ...options });
    return events.length ? events.row(0) : null;
  }

  /** The JSON that torch wrote into a record; stacks are rows of the stack table. @param {number} eventIndex @param {Abortable} [options] */
  async metadata(eventIndex, options) {
    const { metadata: chunks } = await this.directory(options);
    const chunk = chunks.find((/** @type {any} */ c) => eventIndex >= c.first_event_index && eventIndex < c.first_event_index + c.count);
    if (!chunk) throw new BundleError(`Log ${this.id} has no event ${eventIndex}.`);
    const file = await this.chunk("metadata", chunk, options);
    return file.metadata[eventIndex - file.first_event_index] ?? { [(await this.event(eventIndex, options)).type]: {} };
  }

  /** Where the payload of an event or artifact lies; null when it has none. @param {HasPayload} row @param {Abortable} [options] @returns {Promise<BlobSlice | null>} */
  async slice(row, options) {
    if (row.blob_index < 0) return null;
    const blobs = await this.table("blobs", options);
    if (row.blob_index >= blobs.sha256.length) throw malformed(`Log ${this.id}`, `a payload lies in blob ${row.blob_index}, and there are ${blobs.sha256.length}`);
    const path = blobs.path[row.blob_index];
    const gone = this.bundle.manifest.redacted?.dropped;
    const dropped = gone?.includes((await this.directory(options)).timeline.includes(row.blob_index) ? "timeline" : "payloads");
    return {
      ...(dropped && { left_out: true }),
      path: path === null ? this.bundle.blobPath(blobs.sha256[row.blob_index]) : this.own(path, "a blob"),
      sha256: blobs.sha256[row.blob_index],
      blob_size: blobs.size_bytes[row.blob_index],
      offset: row.blob_offset,
      size: row.payload_size_bytes ?? row.size_bytes,
    };
  }

  /** @param {HasPayload} row @param {Abortable} [options] @returns {Promise<Uint8Array | null>} */
  async payload(row, options) {
    const slice = await this.slice(row, options);
    return slice && this.bundle.bytes(slice, options);
  }

  /** @param {HasPayload} row @param {Abortable} [options] @returns {Promise<string | null>} */
  async text(row, options) {
    const slice = await this.slice(row, options);
    return slice && this.bundle.text(slice, options);
  }

  /** Keeps what was built, unless it failed. @template T @param {string} key @param {() => Promise<T>} build @returns {Promise<T>} */
  once(key, build) {
    const known = this.built.get(key);
    if (known) return known;
    const made = build();
    this.built.set(key, made);
    made.catch(() => this.built.delete(key));
    return made;
  }
}

/** The same for all rows of the compile table that are attempts of one compile of one function. @param {{metrics_event_index: number | null, compiled_autograd_id: number | null, frame_id: number | null, frame_compile_id: number | null, occurrence: number}} compile */
export function frameKey(compile) {
  if (compile.metrics_event_index !== null) return `metrics ${compile.metrics_event_index}`;
  return `${compile.compiled_autograd_id}/${compile.frame_id}/${compile.frame_compile_id}@${compile.occurrence}`;
}
