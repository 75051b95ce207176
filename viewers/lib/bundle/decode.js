// Stored bytes -> the bytes that were stored.
//
// A server that knows the codec sends 'Content-Encoding', and the browser has decoded before we see
// anything. A plain file server hands out the .zst or .gz file as it is. So what came back decides.
import { readBounded } from "./bounded.js";

const ZSTD_MAGIC = [0x28, 0xb5, 0x2f, 0xfd];
const GZIP_MAGIC = [0x1f, 0x8b];
const WORKER_FROM_BYTES = 1_000_000;

const NO_DECODER =
  "This bundle is compressed with zstd, and this page has no zstd decoder. Three ways out: look at it with " +
  "'tlparse-bundle serve' (the browser decodes then), build the bundle with '--codec gzip', or install " +
  "tlparse-bundle with Node present, which puts the decoder at viewers/lib/vendor/fzstd.js.";

/** @param {Uint8Array} bytes @param {number[]} magic */
const startsWith = (bytes, magic) => magic.every((byte, i) => bytes[i] === byte);

/**
 * @param {Uint8Array} bytes what the server sent
 * @param {string} path the file's path in the bundle: .zst, .gz, or neither
 * @param {number | null} size the decoded size, where the bundle says it
 * @param {number} most how many bytes it may become
 * @returns {Promise<Uint8Array>}
 */
export async function decode(bytes, path, size, most) {
  if (bytes.length === size) return bytes;
  if (path.endsWith(".zst") && startsWith(bytes, ZSTD_MAGIC)) return unzstdAnywhere(bytes, size, most);
  if (path.endsWith(".gz") && startsWith(bytes, GZIP_MAGIC)) return gunzip(bytes, most);
  return bytes;
}

/** @param {Uint8Array} bytes @param {number} most */
const gunzip = (bytes, most) => readBounded(new Blob([/** @type {BlobPart} */ (bytes)]).stream().pipeThrough(new DecompressionStream("gzip")), most);

/** @param {Uint8Array} bytes @param {number | null} size @param {number} most */
async function unzstdAnywhere(bytes, size, most) {
  const [decoder, { unzstd }] = await Promise.all([loadDecoder(), import("./unzstd.js")]); // the same clear error, whichever way is taken
  const large = bytes.length > WORKER_FROM_BYTES || (size ?? 0) > WORKER_FROM_BYTES;
  if (large && typeof Worker === "function") return (await import("./decode-job.js")).unzstdInWorker(bytes, most);
  return unzstd(decoder, bytes, most);
}

/** @returns {Promise<import("./unzstd.js").Decoder>} */
async function loadDecoder() {
  try {
    // @ts-ignore: put in place by the package build
    return await import("../vendor/fzstd.js");
  } catch (error) {
    throw new Error(NO_DECODER, { cause: error });
  }
}
