// The bytes of a blob: decoded up to the size that the bundle declares, and what its name says.
import { MOST_BLOB_BYTES } from "./bounded.js";
import { decode } from "./source.js";
import { BundleError, malformed } from "./shape.js";

const STORED_MORE = 65_536; // what does not compress gets a little larger

/** How many bytes the file of a blob may have. @param {number} size that the bundle declares */
export const mostStored = (size) => Math.min(size, MOST_BLOB_BYTES) * 1.01 + STORED_MORE;

/** @param {Uint8Array} stored @param {string} path @param {number} size declared @param {string | null} sha256 null when it does not hold @returns {Promise<Uint8Array>} */
export async function openBlob(stored, path, size, sha256) {
  const bytes = await decode(stored, path, size, Math.min(size, MOST_BLOB_BYTES));
  if (bytes.length !== size) throw malformed(path, `it has ${bytes.length} bytes, the bundle says ${size}`);
  if (sha256 !== null) await verify(bytes, sha256, path);
  return bytes;
}

/** @param {Uint8Array} bytes @param {string} sha256 @param {string} path */
async function verify(bytes, sha256, path) {
  if (!globalThis.crypto?.subtle) return; // plain http to another machine: the browser offers no hashes
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", /** @type {BufferSource} */ (bytes)));
  const found = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  if (found === sha256) return;
  throw new BundleError(
    `${path} is damaged: its content has the SHA-256 ${found}, it should have ${sha256}. ` +
      "Copy the bundle again, or build it again from the logs.",
  );
}

