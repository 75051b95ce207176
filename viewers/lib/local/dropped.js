// What somebody drops on a page or chooses there: taken apart into bundles and logs. Nothing of it is sent anywhere.
import { unzip } from "./unzip.js";

/** @typedef {File | FileSystemEntry} Dropped */
/**
 * @typedef {object} Thing a folder, a zip or files that belong together
 * @property {string} name for a person
 * @property {Map<string, Blob>} files by path; those of a bundle are its own, below its folder
 * @property {"bundle" | "logs"} kind what is no bundle is taken for logs: Python says whether they are
 */

const MANIFEST = /(^|\/)manifest\.json$/;
const RANK = /rank_(\d{1,9})(?:_|\.|$)/; // as the package finds it in the name of a log
const ENDINGS = /(\.(log|txt|jsonl?))?(\.(gz|zst))?$/i;

/** At once when it drops: the browser forgets it when the event is over. @param {DataTransfer | null} transfer @returns {Dropped[]} */
export function takeDropped(transfer) {
  return [...(transfer?.items ?? [])]
    .filter((item) => item.kind === "file")
    .map((item) => item.webkitGetAsEntry() ?? item.getAsFile())
    .filter((item) => item !== null);
}

/**
 * Folders and zips are a thing each, and so is every run of files beside them: logs whose names have different ranks are one run.
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

/** A file that lies in no folder. @param {File} file @param {Thing[]} things @param {Map<string, Blob>} loose */
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

/** Two logs of one rank, or without one, are two runs. @param {Map<string, Blob>} loose @returns {Thing[]} */
function runs(loose) {
  if (!loose.size) return [];
  const names = [...loose.keys()];
  const ranks = new Set(names.map((name) => RANK.exec(name)?.[1] ?? ""));
  if (names.length === 2 && ranks.size === 1)
    return names.map((name) =>
      thing(shortName(name), new Map([[name, /** @type {Blob} */ (loose.get(name))]])),
    );
  return [thing(names.length === 1 ? shortName(names[0]) : `${names.length} logs`, loose)];
}

/** A log without its endings, which say nothing. @param {string} name */
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
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject)); // a hundred at a time
    if (!some.length) return;
    await Promise.all(some.map((child) => walk(child, files)));
  }
}
