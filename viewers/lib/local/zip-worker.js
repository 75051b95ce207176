// Zips: [[path, Blob], …] in, {zip: Blob} or {error} out. Does not compress, since a bundle's files are
// compressed.
// @ts-ignore: the package build adds it
import { Zip, ZipPassThrough } from "../vendor/fflate.js";

const MOST_FILES = 65_535; // limit of the zip format
const scope = /** @type {any} */ (self);

scope.onmessage = async (/** @type {MessageEvent<[string, Blob][]>} */ { data: files }) => {
  try {
    if (files.length > MOST_FILES)
      throw new Error(
        `A zip holds at most ${MOST_FILES.toLocaleString("en")} files. The bundle has ${files.length.toLocaleString("en")}.`,
      );
    /** @type {Uint8Array[]} */
    const parts = [];
    const zip = new /** @type {any} */ (Zip)(
      (/** @type {Error | null} */ error, /** @type {Uint8Array} */ part) => {
        if (error) throw error;
        parts.push(part);
      },
    );
    for (const [path, data] of files) {
      const entry = new /** @type {any} */ (ZipPassThrough)(path);
      zip.add(entry);
      entry.push(new Uint8Array(await data.arrayBuffer()), true);
    }
    zip.end();
    scope.postMessage({ zip: new Blob(/** @type {any} */ (parts), { type: "application/zip" }) });
  } catch (error) {
    scope.postMessage({ error: `The zip could not be written: ${/** @type {Error} */ (error).message}` });
  }
};
