// Decodes zstd up to a size limit. Reads a frame's declared size first, since the decoder allocates it.
import { TooLarge, joined } from "./bounded.js";

/** @typedef {{decompress(bytes: Uint8Array): Uint8Array, Decompress: any}} Decoder */

const FRAME = 0xfd2fb528;
const WINDOW_MOST = 1 << 27; // largest window in bytes

/** @param {Decoder} decoder @param {Uint8Array} bytes @param {number} most @returns {Uint8Array} */
export function unzstd(decoder, bytes, most) {
  const claimed = claimedSize(bytes, most);
  if (claimed !== null) return decoder.decompress(bytes);
  /** @type {Uint8Array[]} */
  const chunks = [];
  let length = 0;
  const stream = new decoder.Decompress((/** @type {Uint8Array} */ chunk) => {
    length += chunk.length;
    if (length > most) throw new TooLarge(most);
    chunks.push(chunk.slice());
  });
  stream.push(bytes, true);
  return joined(chunks, length);
}

/**
 * Return the declared size of all frames in bytes; null if a frame does not declare one.
 * @param {Uint8Array} bytes @param {number} most @returns {number | null}
 */
export function claimedSize(bytes, most) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let total = 0;
  for (let at = 0; at < bytes.length;) {
    const magic = view.getUint32(at, true);
    if ((magic & 0xfffffff0) >>> 0 === 0x184d2a50) {
      // skippable frame
      at += 8 + view.getUint32(at + 4, true);
      continue;
    }
    if (magic !== FRAME) throw new Error("it is not zstd data");
    const flags = bytes[at + 4];
    const single = (flags >> 5) & 1;
    const idBytes = [0, 1, 2, 4][flags & 3];
    const sizeBytes = flags >> 6 ? 1 << (flags >> 6) : single;
    if (!single) {
      const power = bytes[at + 5] >> 3;
      if (power > 17 || 2 ** (10 + power) * (1 + (bytes[at + 5] & 7) / 8) > Math.max(most, WINDOW_MOST))
        throw new TooLarge(most);
    }
    at += 6 - single + idBytes;
    if (!sizeBytes) return null;
    total +=
      sizeBytes === 1
        ? bytes[at]
        : sizeBytes === 2
          ? view.getUint16(at, true) + 256
          : sizeBytes === 4
            ? view.getUint32(at, true)
            : Number(view.getBigUint64(at, true));
    if (total > most) throw new TooLarge(most);
    at = afterBlocks(view, at + sizeBytes) + (flags & 4);
  }
  return total;
}

/** @param {DataView} view @param {number} at where the first block begins */
function afterBlocks(view, at) {
  for (;;) {
    const head = view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
    at += 3 + (((head >> 1) & 3) === 1 ? 1 : head >> 3);
    if (head & 1) return at;
  }
}
