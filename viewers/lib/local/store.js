// Bundles that this browser keeps: in its private storage (OPFS) of this origin, until they are removed. Works in pages and in workers.
//
// A bundle is two files of one folder: <id>.data holds its files one after another, <id>.json says where each lies. The
// second is written last, so that a bundle is whole when it is there. Whoever writes holds a lock of that id meanwhile:
// what is not whole and has no lock was cut off.
import { joined } from "../bundle/bounded.js";
import { isOwn } from "../bundle/source.js";

/**
 * @typedef {object} Stored what is known of a bundle, or of a comparison of two
 * @property {string} id @property {string} name @property {"bundle" | "comparison"} kind
 * @property {number} size_bytes of its files together @property {number} stored_ms since 1970
 * @property {number} log_count
 * @property {string} [base] @property {string} [new] of a comparison: the ids of both sides
 */
/** @typedef {{name: string, kind: "bundle" | "comparison", log_count?: number, base?: string, new?: string}} About */
/** @typedef {Iterable<[string, Uint8Array | Blob]> | AsyncIterable<[string, Uint8Array | Blob]>} Files paths below the bundle's folder, and what is there */
/** @typedef {{write(data: Uint8Array): Promise<unknown>, close(): Promise<void>}} Writer */
/** @typedef {{about: Stored, file(path: string): Blob | null, all(): Map<string, Blob>}} Kept all() takes a moment where there are thousands of files */

/** The storage does not do what it was asked for; the message says why and what to do. */
export class StoreError extends Error {
  name = "StoreError";
  /** @param {string} message @param {"room" | "none"} code there is no room, or no storage at all */
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
const PIECE_BYTES = 1 << 20; // small files are written together: each write costs a millisecond
const COMPARISON = "comparison.json";

/** Whether a text may be an id. @param {unknown} id @returns {id is string} */
export const isId = (id) => typeof id === "string" && ID.test(id);

/** @type {Promise<boolean> | null} */
let tried = null;

/** Whether bundles can be kept. Some browsers offer the storage in a private window and refuse to write: it is tried once. */
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

/** All, the newest first. What was cut off while it was written is removed by the way. @returns {Promise<Stored[]>} */
export async function list() {
  const there = await folder();
  /** @type {Set<string>} */
  const ids = new Set();
  for await (const name of /** @type {any} */ (there).keys())
    if (isId(name.split(".")[0])) ids.add(name.split(".")[0]);
  const found = await Promise.all(
    [...ids].map(async (id) => (await entryOf(there, id)) ?? void (await removeHalf(there, id))),
  );
  return found
    .flatMap((entry) => entry?.about ?? [])
    .sort((a, b) => b.stored_ms - a.stored_ms || (a.id < b.id ? -1 : 1));
}

/**
 * Keeps the files, all of them or none. @param {About} about @param {Files} files @returns {Promise<string>} the id
 */
export async function save(about, files) {
  if (!(await hasStore()))
    throw new StoreError(
      "This browser keeps no files for this page: its storage is switched off, or this is a private window.",
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

/** What is kept under an id; null when there is nothing, or not the whole. Nothing of the files is read yet. @param {string} id @returns {Promise<Kept | null>} */
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
        const found = file(path);
        return found ? [/** @type {[string, Blob]} */ ([path, found])] : [];
      }),
    );
  return { about, file, all };
}

/** @param {string} id */
export async function remove(id) {
  if (isId(id)) await removeFiles(await folder(), id);
}

/** Everything that is kept, and what is left of what was cut off. */
export async function removeAll() {
  for (const { id } of await list()) await remove(id);
}

async function folder() {
  if (!navigator.storage?.getDirectory)
    throw new StoreError(
      "This browser has no storage for files, or gives none to pages that come without https.",
      "none",
    );
  return (await navigator.storage.getDirectory()).getDirectoryHandle(FOLDER, { create: true });
}

/** @param {unknown} n @returns {n is number} */
const isCount = (n) => typeof n === "number" && Number.isSafeInteger(n) && n >= 0;
const isFull = (/** @type {any} */ error) => error?.name === "QuotaExceededError";
const lockOf = (/** @type {string} */ id) => `tlparse-bundle ${id}`;
const newId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => (byte % 36).toString(36)).join("");

/**
 * What is kept under an id; null when it is not whole. What another version of this module wrote has no 'about'.
 * @param {FileSystemDirectoryHandle} there @param {string} id
 * @returns {Promise<{about?: undefined, places?: undefined, data?: undefined} | {about: Stored, places: Map<string, [number, number]>, data: File} | null>}
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

/** The index first, so that what is left when this is cut off is no bundle. @param {FileSystemDirectoryHandle} there @param {string} id */
async function removeFiles(there, id) {
  for (const name of [id + INDEX, id + DATA])
    await there.removeEntry(name).catch((error) => {
      if (error.name !== "NotFoundError") throw error;
    });
}

/** All files one after another. @param {Writer} writer @param {Files} files @param {Record<string, [number, number]>} places where each comes to lie @returns {Promise<number>} bytes */
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

/** Writes a file and closes it, whatever happens. @template T @param {FileSystemDirectoryHandle} there @param {string} name @param {(writer: Writer) => Promise<T>} fill @returns {Promise<T>} */
async function writing(there, name, fill) {
  const writer = await writerOf(there, name);
  let filled;
  try {
    filled = await fill(writer);
  } catch (error) {
    await writer.close().catch(() => {}); // the first error says more
    throw error;
  }
  await writer.close();
  return filled;
}

/** @param {FileSystemDirectoryHandle} there @param {string} name @returns {Promise<Writer>} */
async function writerOf(there, name) {
  const handle = await there.getFileHandle(name, { create: true });
  if (!("createSyncAccessHandle" in handle)) {
    // a page: workers alone may write without waiting
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
        // In a private window Chromium gives a negative code of the error, as the unsigned number 4,294,967,288.
        if (!(some > 0 && some <= left)) throw new DOMException("not all was written", "QuotaExceededError");
        at += some;
      }
    },
    close: async () => {
      access.flush();
      access.close();
    },
  };
}

/** Browsers do not tell how much room is left. @param {string} name */
async function noRoom(name) {
  const kept = await list();
  const megabytes = kept.reduce((sum, { size_bytes: size }) => sum + size, 0) / 1e6;
  const way = kept.length
    ? `What it keeps takes up ${megabytes.toLocaleString("en", { maximumFractionDigits: 1 })} MB: remove what you do not need, or free some of the disk.`
    : "Free some of the disk.";
  return new StoreError(`There is no room for ${name} in this browser's storage. ${way}`, "room");
}
