// A page without a bundle: choose one from disk. Nothing leaves the machine; the page reads the files itself.
import { fileSource } from "../bundle/source.js";
import { unzip } from "../bundle/unzip.js";
import { fill, h } from "./dom.js";
import { errorBox } from "./load.js";

/** @typedef {import("../bundle/source.js").Source} Source */

/**
 * Asks until a bundle can be opened. @template T
 * @param {(source: Source) => Promise<T>} open @returns {Promise<T>}
 */
export function chooseSource(open) {
  return new Promise((resolve) => {
    const told = h("div", { "aria-live": "polite" });
    const take = async (/** @type {string} */ label, /** @type {() => Promise<Map<string, Blob>>} */ read) => {
      fill(told, h("p", { class: "loading", role: "status" }, `Reading ${label} …`));
      try {
        const bundle = await open(fileSource(await read(), label));
        removeEventListener("dragover", over);
        removeEventListener("drop", drop);
        resolve(bundle);
      } catch (error) {
        fill(told, errorBox(error));
      }
    };
    const over = (/** @type {DragEvent} */ event) => {
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = "copy";
    };
    const drop = (/** @type {DragEvent} */ event) => {
      event.preventDefault();
      const dropped = takeDropped(event.dataTransfer); // at once: the browser forgets it when this function returns
      if (dropped.length) void take(dropped.map(({ name }) => name).join(", "), () => filesOf(dropped));
    };
    addEventListener("dragover", over);
    addEventListener("drop", drop);
    const chosen = (/** @type {Event} */ event) => {
      const files = [.../** @type {HTMLInputElement} */ (event.target).files ?? []];
      if (files.length) void take(files[0].webkitRelativePath.split("/")[0] || files[0].name, () => filesOf(files));
    };
    fill(document.body, h("main", { class: "stopped", id: "main" },
      h("h1", null, "Open a bundle"),
      h("p", null, "Drop a bundle here: the folder that ", h("code", null, "tlparse-bundle"), " wrote, or a zip of it. Or choose it:"),
      h("p", null, h("label", null, "Folder ", h("input", { type: "file", webkitdirectory: true, onchange: chosen }))),
      h("p", null, h("label", null, "Zip ", h("input", { type: "file", accept: ".zip,application/zip", onchange: chosen }))),
      told,
      h("p", { class: "dim" }, "Nothing is sent anywhere: this page reads the files itself. To read from a server, add ", h("code", null, "?bundle=ADDRESS"), " to the address of this page.")));
  });
}

/** @typedef {File | FileSystemEntry} Dropped */

/** @param {DataTransfer | null} transfer @returns {Dropped[]} */
function takeDropped(transfer) {
  return [...(transfer?.items ?? [])].filter((item) => item.kind === "file").map((item) => item.webkitGetAsEntry() ?? item.getAsFile()).filter((item) => item !== null);
}

/** All files by path: folders and zips taken apart. @param {Dropped[]} dropped @returns {Promise<Map<string, Blob>>} */
async function filesOf(dropped) {
  /** @type {Map<string, Blob>} */
  const files = new Map();
  for (const item of dropped) {
    if (!(item instanceof File)) await walk(item, files);
    else files.set(item.webkitRelativePath || item.name, item);
  }
  const [[name, only]] = files.size === 1 ? files : [["", null]];
  return only && /\.zip$/i.test(name) ? unzip(only) : files;
}

/** @param {FileSystemEntry} entry @param {Map<string, Blob>} files */
async function walk(entry, files) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => /** @type {FileSystemFileEntry} */ (entry).file(resolve, reject));
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
