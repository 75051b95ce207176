// The page without a bundle: opens a bundle from disk, or builds one from a log. Nothing leaves the machine.
import { fileSource } from "../bundle/source.js";
import { takeDropped } from "../local/dropped.js";
import { fill, h } from "./dom.js";
import { kept, onlyOne } from "./keep-dropped.js";
import { failure, isCancelled } from "./working.js";

/** @typedef {import("../bundle/source.js").Source} Source */
/** @typedef {import("../local/dropped.js").Dropped} Dropped */

/**
 * Ask until a bundle opens. @template T
 * @param {(source: Source) => Promise<T>} open @param {string | null} more URL of the page that opens logs
 * @returns {Promise<T>}
 */
export function chooseSource(open, more) {
  return new Promise((resolve) => {
    const status = h("div", { "aria-live": "polite" });
    const take = async (/** @type {Dropped[]} */ dropped, /** @type {string} */ label) => {
      try {
        const source = await sourceOf(status, dropped, label);
        fill(status, h("p", { class: "loading", role: "status" }, `Opening ${source.label} …`));
        const bundle = await open(source);
        removeEventListener("dragover", over);
        removeEventListener("drop", drop);
        resolve(bundle);
      } catch (error) {
        fill(status, !isCancelled(error) && failure(error, label));
      }
    };
    const over = (/** @type {DragEvent} */ event) => {
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = "copy";
    };
    const drop = (/** @type {DragEvent} */ event) => {
      event.preventDefault();
      const dropped = takeDropped(event.dataTransfer);
      if (dropped.length) void take(dropped, dropped.map(({ name }) => name).join(", "));
    };
    addEventListener("dragover", over);
    addEventListener("drop", drop);
    const chosen = (/** @type {Event} */ event) => {
      const input = /** @type {HTMLInputElement} */ (event.target);
      const files = [...(input.files ?? [])];
      if (files.length) void take(files, files[0].webkitRelativePath.split("/")[0] || files[0].name);
    };
    fill(
      document.body,
      h(
        "main",
        { class: "stopped", id: "main" },
        h("h1", null, "Open a bundle"),
        h(
          "p",
          null,
          "Drop a bundle here (the folder that ",
          h("code", null, "tlparse-bundle"),
          " wrote, or a zip of it), a log or a folder of logs. Or choose one:",
        ),
        h(
          "p",
          null,
          h("label", null, "Folder ", h("input", { type: "file", webkitdirectory: true, onchange: chosen })),
        ),
        h("p", null, h("label", null, "Zip or log ", h("input", { type: "file", onchange: chosen }))),
        status,
        h(
          "p",
          { class: "dim" },
          "This page reads the files and builds bundles itself. It uploads nothing. To read from a server, add ",
          h("code", null, "?bundle=ADDRESS"),
          " to the URL of this page.",
        ),
        more && h("p", null, h("a", { href: more }, "Compare two runs, or open a stored bundle")),
      ),
    );
  });
}

/**
 * @param {Element} place shows the progress @param {Dropped[]} dropped @param {string} label
 * @returns {Promise<Source>}
 */
async function sourceOf(place, dropped, label) {
  const thing = await onlyOne(place, dropped, label);
  if (thing.kind === "bundle") return fileSource(thing.files, thing.name);
  const { id, files } = await kept(place, thing);
  if (id === null) return fileSource(files, thing.name);
  history.replaceState(null, "", `?stored=${id}${location.hash}`);
  return (await import("./stored.js")).storedSource(id);
}
