// Sorts dropped or chosen files into bundles and logs. Nothing is uploaded.
import { unzip } from "./unzip.js";

/** @typedef {File | FileSystemEntry} Dropped */
/**
 * @typedef {object} Thing a bundle or the logs of one run: a folder, a zip or files that belong together
 * @property {string} name to show
 * @property {Map<string, Blob>} files by path; for a bundle, relative to its folder
 * @property {"bundle" | "logs"} kind anything but a bundle counts as logs, which Python verifies
 */

const MANIFEST = /(^|\/)manifest\.json$/;
const RANK = /rank_(\d{1,9})(?:_|\.|$)/; // the package finds the rank in a log's name in the same way
const PROFILE = /\.json(\.gz)?$/i; // of torch.profiler
const ENDINGS = /(\.(log|txt|jsonl?))?(\.(gz|zst))?$/i;

/**
 * Return the dropped entries. Call it in the event, since the browser clears them afterwards.
 * @param {DataTransfer | null} transfer @returns {Dropped[]}
 */
export function takeDropped(transfer) {
  return [...(transfer?.items ?? [])]
    .filter((item) => item.kind === "file")
    .map((item) => item.webkitGetAsEntry() ?? item.getAsFile())
    .filter((item) => item !== null);
}

/**
 * Group dropped entries: each folder and each zip is one thing. Loose logs with different ranks in their
 * names are one run.
 * @param {Dropped[]} dropped @returns {Promise<Thing[]>}
 */
export async function thingsOf(dropped) {
  /** @type {Thing[]} */
  const things = [];
  /** @type {Map<string, Blob>} */
  const loose = new Map(),
    chosen = new Map();
  for (const item of dropped) {
    if (!(item instanceof File)) {
      /** @type {Map<string, Blob>} */
      const files = new Map();
      await walk(item, files);
      if (item.isDirectory) things.push(thing(item.name, files));
      else for (const file of files.values()) await alone(/** @type {File} */ (file), things, loose);
    } else if (item.webkitRelativePath) chosen.set(item.webkitRelativePath, item);
    else await alone(item, things, loose);
  }
  if (chosen.size) things.push(thing([...chosen.keys()][0].split("/")[0], chosen));
  return [...things, ...runs(loose)];
}

/**
 * Add a file outside any folder.
 * @param {File} file @param {Thing[]} things @param {Map<string, Blob>} loose
 */
async function alone(file, things, loose) {
  if (/\.zip$/i.test(file.name)) things.push(thing(file.name.replace(/\.zip$/i, ""), await unzip(file)));
  else loose.set(file.name, file);
}

/** @param {string} name @param {Map<string, Blob>} files @returns {Thing} */
function thing(name, files) {
  const [manifest] = [...files.keys()]
    .filter((path) => MANIFEST.test(path))
    .sort((a, b) => a.length - b.length);
  if (manifest === undefined) return { name, files, kind: "logs" };
  const folder = manifest.slice(0, -"manifest.json".length);
  const own = [...files]
    .filter(([path]) => path.startsWith(folder))
    .map(([path, data]) => /** @type {[string, Blob]} */ ([path.slice(folder.length), data]));
  return { name: folder.split("/").at(-2) || name, files: new Map(own), kind: "bundle" };
}

/**
 * Group loose logs: two logs of the same rank, or without a rank, are two runs. Profiler traces belong to the logs.
 * @param {Map<string, Blob>} loose @returns {Thing[]}
 */
function runs(loose) {
  if (!loose.size) return [];
  const all = [...loose.keys()];
  const logs = all.filter((name) => !PROFILE.test(name));
  const names = logs.length > 0 ? logs : all;
  const ranks = new Set(names.map((name) => RANK.exec(name)?.[1] ?? ""));
  if (all.length === 2 && names.length === 2 && ranks.size === 1)
    return names.map((name) =>
      thing(shortName(name), new Map([[name, /** @type {Blob} */ (loose.get(name))]])),
    );
  return [thing(names.length === 1 ? shortName(names[0]) : `${names.length} logs`, loose)];
}

/** Remove a log's extensions. @param {string} name */
export const shortName = (name) => name.replace(ENDINGS, "") || name;

/** @param {FileSystemEntry} entry @param {Map<string, Blob>} files by path */
async function walk(entry, files) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) =>
      /** @type {FileSystemFileEntry} */ (entry).file(resolve, reject),
    );
    files.set(entry.fullPath.replace(/^\//, ""), file);
    return;
  }
  const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
  for (;;) {
    /** @type {FileSystemEntry[]} */
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject)); // returns up to 100 entries at a time
    if (!some.length) return;
    await Promise.all(some.map((child) => walk(child, files)));
  }
}
