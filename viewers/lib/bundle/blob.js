// The bytes of a blob: decoded, and checked against its name, which is the SHA-256 of its content.
import { MOST_BLOB_BYTES } from "./bounded.js";
import { decode } from "./source.js";
import { BundleError } from "./shape.js";

/** Largest file of a blob, in bytes: data that does not compress grows a little. */
export const MOST_STORED = MOST_BLOB_BYTES * 1.01 + 65_536;
const NAMED = /^blobs\/[0-9a-f]{2}\/([0-9a-f]{64})/;

/**
 * @param {Uint8Array} stored @param {string} path
 * @param {boolean} checked whether to check the hash in its name: false if payloads were left out
 * @returns {Promise<Uint8Array>}
 */
export async function openBlob(stored, path, checked) {
  const bytes = await decode(stored, path, null, MOST_BLOB_BYTES);
  const sha256 = NAMED.exec(path)?.[1];
  if (checked && sha256) await verify(bytes, sha256, path);
  return bytes;
}

/** @param {Uint8Array} bytes @param {string} sha256 @param {string} path */
async function verify(bytes, sha256, path) {
  if (!globalThis.crypto?.subtle) return; // browsers have no hashes on plain HTTP to a remote host
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", /** @type {BufferSource} */ (bytes)));
  const actual = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  if (actual === sha256) return;
  throw new BundleError(
    `${path} is damaged: its content has the SHA-256 ${actual} instead of ${sha256}. ` +
      "Copy the bundle again, or rebuild it from the logs.",
  );
}
