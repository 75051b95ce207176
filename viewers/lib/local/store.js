// Stores bundles in the browser's private file system (OPFS) of this origin until they are removed. Works in
// pages and workers.
//
// A bundle is two files of one folder: <id>.data holds its files in sequence, <id>.json has their positions.
// The second is written last, so a bundle that has it is complete. The writer holds a lock of that id: an
// incomplete bundle without a lock was interrupted.
import { joined } from "../bundle/bounded.js";
import { isOwn } from "../bundle/source.js";

/**
 * @typedef {object} Stored facts about a bundle or a comparison
 * @property {string} id @property {string} name @property {"bundle" | "comparison"} kind
 * @property {number} size_bytes sum of its files @property {number} stored_ms since 1970
 * @property {number} log_count
 * @property {string} [base] @property {string} [new] of a comparison: the ids of both sides
 */
/**
 * @typedef {{name: string, kind: "bundle" | "comparison", log_count?: number, base?: string, new?: string}}
 *   About
 */
/**
 * @typedef {Iterable<[string, Uint8Array | Blob]> | AsyncIterable<[string, Uint8Array | Blob]>} Files paths
 *   below the bundle's folder, and contents
 */
/** @typedef {{write(data: Uint8Array): Promise<unknown>, close(): Promise<void>}} Writer */
/**
 * @typedef {{about: Stored, file(path: string): Blob | null, all(): Map<string, Blob>}} Kept all() is slow
 *   with thousands of files
 */

/** The storage failed; the message has the reason and a remedy. */
export class StoreError extends Error {
  name = "StoreError";
  /** @param {string} message @param {"room" | "none"} code no space, or no storage */
  constructor(message, code) {
    super(message);
    this.code = code;
  }
}

const FOLDER = "tlparse-bundles",
  DATA = ".data",
  INDEX = ".json",
  VERSION = 1;
const ID = /^[0-9a-z]{16}$/;
const PIECE_BYTES = 1 << 20; // small files are written together, since each write costs a millisecond
const COMPARISON = "comparison.json";

/** Return whether a text can be an id. @param {unknown} id @returns {id is string} */
export const isId = (id) => typeof id === "string" && ID.test(id);

/** @type {Promise<boolean> | null} */
let tried = null;

/**
 * Return whether bundles can be stored. Tries it once, since some browsers refuse to write in a private
 * window.
 */
export function hasStore() {
  tried ??= (async () => {
    try {
      const there = await folder(),
        name = `${newId()}${DATA}.try`;
      const writer = await writerOf(there, name);
      await writer.write(new Uint8Array(1));
      await writer.close();
      await there.removeEntry(name);
      return Boolean(navigator.locks);
    } catch (error) {
      return isFull(error);
    }
  })();
  return tried;
}

/** List everything, newest first, and remove interrupted writes. @returns {Promise<Stored[]>} */
export async function list() {
  const there = await folder();
  /** @type {Set<string>} */
  const ids = new Set();
  for await (const name of /** @type {any} */ (there).keys())
    if (isId(name.split(".")[0])) ids.add(name.split(".")[0]);
  const stored = await Promise.all(
    [...ids].map(async (id) => (await entryOf(there, id)) ?? void (await removeHalf(there, id))),
  );
  return stored
    .flatMap((entry) => entry?.about ?? [])
    .sort((a, b) => b.stored_ms - a.stored_ms || (a.id < b.id ? -1 : 1));
}

/**
 * Store all of the files or none. @param {About} about @param {Files} files @returns {Promise<string>} the id
 */
export async function save(about, files) {
  if (!(await hasStore()))
    throw new StoreError(
      "This browser can't store files for this page: storage is blocked, or this is a private window.",
      "none",
    );
  const there = await folder(),
    id = newId();
  return navigator.locks.request(lockOf(id), async () => {
    try {
      /** @type {Record<string, [number, number]>} */
      const places = {};
      const size_bytes = await writing(there, id + DATA, (writer) => writeAll(writer, files, places));
      const index = {
        version: VERSION,
        about: { log_count: 0, ...about, size_bytes, stored_ms: Date.now() },
        files: places,
      };
      await writing(there, id + INDEX, (writer) =>
        writer.write(new TextEncoder().encode(JSON.stringify(index))),
      );
      return id;
    } catch (error) {
      await removeFiles(there, id);
      throw isFull(error) ? await noRoom(about.name) : error;
    }
  });
}

/**
 * Return what is stored under an id, without reading the files; null if it is missing or incomplete.
 * @param {string} id @returns {Promise<Kept | null>}
 */
export async function read(id) {
  if (!isId(id)) return null;
  const { about, places, data } = (await entryOf(await folder(), id)) ?? {};
  if (!about) return null;
  const own = about.kind === "comparison" ? (/** @type {string} */ path) => path === COMPARISON : isOwn;
  const file = (/** @type {string} */ path) => {
    const [at, size] = places.get(path) ?? [];
    return own(path) && isCount(at) && isCount(size) && at + size <= data.size
      ? data.slice(at, at + size)
      : null;
  };
  const all = () =>
    new Map(
      [...places.keys()].flatMap((path) => {
        const blob = file(path);
        return blob ? [/** @type {[string, Blob]} */ ([path, blob])] : [];
      }),
    );
  return { about, file, all };
}

/** @param {string} id */
export async function remove(id) {
  if (isId(id)) await removeFiles(await folder(), id);
}

/** Remove everything, including interrupted writes. */
export async function removeAll() {
  for (const { id } of await list()) await remove(id);
}

async function folder() {
  if (!navigator.storage?.getDirectory)
    throw new StoreError("This browser can't store files, or allows it only over HTTPS.", "none");
  return (await navigator.storage.getDirectory()).getDirectoryHandle(FOLDER, { create: true });
}

/** @param {unknown} n @returns {n is number} */
const isCount = (n) => typeof n === "number" && Number.isSafeInteger(n) && n >= 0;
const isFull = (/** @type {any} */ error) => error?.name === "QuotaExceededError";
const lockOf = (/** @type {string} */ id) => `tlparse-bundle ${id}`;
const newId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => (byte % 36).toString(36)).join("");

/**
 * Return what is stored under an id; null if it is incomplete, without 'about' if a different version of this
 * module wrote it.
 * @param {FileSystemDirectoryHandle} there @param {string} id
 * @returns {Promise<{about?: undefined, places?: undefined, data?: undefined} | {about: Stored, places:
 *   Map<string, [number, number]>, data: File} | null>}
 */
async function entryOf(there, id) {
  try {
    const [index, data] = await Promise.all(
      [INDEX, DATA].map(async (ending) => (await there.getFileHandle(id + ending)).getFile()),
    );
    const { version, about, files } = JSON.parse(await index.text());
    return version === VERSION
      ? { about: { ...about, id }, places: new Map(Object.entries(files)), data }
      : {};
  } catch {
    return null;
  }
}

/** @param {FileSystemDirectoryHandle} there @param {string} id */
async function removeHalf(there, id) {
  await navigator.locks?.request(lockOf(id), { ifAvailable: true }, async (lock) => {
    if (lock && !(await entryOf(there, id))) await removeFiles(there, id);
  });
}

/**
 * Remove a bundle, the index first, so an interruption leaves no half bundle.
 * @param {FileSystemDirectoryHandle} there @param {string} id
 */
async function removeFiles(there, id) {
  for (const name of [id + INDEX, id + DATA])
    await there.removeEntry(name).catch((error) => {
      if (error.name !== "NotFoundError") throw error;
    });
}

/**
 * Write all files in sequence.
 * @param {Writer} writer @param {Files} files
 * @param {Record<string, [number, number]>} places gets the position of each @returns {Promise<number>} bytes
 */
async function writeAll(writer, files, places) {
  /** @type {Uint8Array[]} */
  let waiting = [];
  let at = 0,
    written = 0;
  const write = async () => {
    await writer.write(joined(waiting, at - written));
    waiting = [];
    written = at;
  };
  for await (const [path, data] of files) {
    const some = data instanceof Blob ? new Uint8Array(await data.arrayBuffer()) : data;
    places[path] = [at, some.length];
    at += some.length;
    waiting.push(some);
    if (at - written >= PIECE_BYTES) await write();
  }
  await write();
  return at;
}

/**
 * Write a file and close it in any case.
 * @template T @param {FileSystemDirectoryHandle} there @param {string} name
 * @param {(writer: Writer) => Promise<T>} fill @returns {Promise<T>}
 */
async function writing(there, name, fill) {
  const writer = await writerOf(there, name);
  let filled;
  try {
    filled = await fill(writer);
  } catch (error) {
    await writer.close().catch(() => {}); // the first error has more detail
    throw error;
  }
  await writer.close();
  return filled;
}

/** @param {FileSystemDirectoryHandle} there @param {string} name @returns {Promise<Writer>} */
async function writerOf(there, name) {
  const handle = await there.getFileHandle(name, { create: true });
  if (!("createSyncAccessHandle" in handle)) {
    // in a page: only workers can write synchronously
    const stream = await handle.createWritable();
    return { write: (data) => stream.write(/** @type {any} */ (data)), close: () => stream.close() };
  }
  const access = await /** @type {any} */ (handle).createSyncAccessHandle();
  let at = 0;
  return {
    write: async (data) => {
      for (const end = at + data.length; at < end;) {
        const left = end - at,
          some = access.write(data.subarray(data.length - left), { at });
        // In a private window Chromium gives a negative code of the error, as the unsigned number
        // 4,294,967,288.
        if (!(some > 0 && some <= left)) throw new DOMException("incomplete write", "QuotaExceededError");
        at += some;
      }
    },
    close: async () => {
      access.flush();
      access.close();
    },
  };
}

/** Build the error for a full storage; browsers do not report the space left. @param {string} name */
async function noRoom(name) {
  const kept = await list();
  const megabytes = kept.reduce((sum, { size_bytes: size }) => sum + size, 0) / 1e6;
  const way = kept.length
    ? `Stored bundles use ${megabytes.toLocaleString("en", { maximumFractionDigits: 1 })} MB. Remove some, or free disk space.`
    : "Free disk space.";
  return new StoreError(`Not enough space for ${name} in this browser's storage. ${way}`, "room");
}
