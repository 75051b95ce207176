// Unzips: one zip in, {files: [[path, Blob], …]} or {error} out.
// @ts-ignore: the package build adds it
import { unzipSync } from "../vendor/fflate.js";

const LIMIT_BYTES = 2_000_000_000; // a page cannot hold much more
const scope = /** @type {any} */ (self);

scope.onmessage = async (/** @type {MessageEvent<Blob>} */ { data: zip }) => {
  try {
    let total = 0;
    const take = (/** @type {{name: string, originalSize: number}} */ { name, originalSize }) => {
      if (name.endsWith("/")) return false;
      total += originalSize;
      if (total > LIMIT_BYTES)
        throw new Error(
          `it unpacks to more than ${LIMIT_BYTES / 1e9} GB. Use 'tlparse-bundle serve' instead`,
        );
      return true;
    };
    const entries = unzipSync(new Uint8Array(await zip.arrayBuffer()), { filter: take });
    scope.postMessage({ files: Object.entries(entries).map(([path, bytes]) => [path, new Blob([bytes])]) });
  } catch (error) {
    scope.postMessage({ error: `The zip could not be read: ${/** @type {Error} */ (error).message}.` });
  }
};
