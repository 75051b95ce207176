// [[path, Blob], …] in, {zip: Blob} or {error} out. Nothing is compressed: the files of a bundle are.
// @ts-ignore: put in place by the package build
import { Zip, ZipPassThrough } from "../vendor/fflate.js";

const MOST_FILES = 65_535; // that a zip can name
const scope = /** @type {any} */ (self);

scope.onmessage = async (/** @type {MessageEvent<[string, Blob][]>} */ { data: files }) => {
  try {
    if (files.length > MOST_FILES)
      throw new Error(
        `A zip holds ${MOST_FILES.toLocaleString("en")} files at most, the bundle has ${files.length.toLocaleString("en")}.`,
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
    scope.postMessage({ error: `The zip could not be made: ${/** @type {Error} */ (error).message}` });
  }
};
