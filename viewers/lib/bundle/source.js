// Sources of a bundle's files: a web server, the page itself (an exported report), or files dropped
// on the page. Also decodes the files. The reader uses only this interface.
import { readBounded } from "./bounded.js";

// The allowed names of bundle files, as in bundle/layout.py. No other file is ever requested.
const OWN =
  /^(manifest\.json|(?:live\/[0-9]{1,15}\/)?(schemas\.json|ranks\/[A-Za-z0-9_][A-Za-z0-9._-]*(\/[0-9]{4,18})?\.jsonl?|logs\/[A-Za-z0-9_][A-Za-z0-9._-]*\/([A-Za-z0-9_][A-Za-z0-9._-]*\.jsonl?|[A-Za-z0-9_][A-Za-z0-9._-]*\/[0-9]{4,18}\.(jsonl?|log))|blobs\/([0-9a-f]{2})\/\6[0-9a-f]{62})(\.zst|\.gz)?)$/;
const MOST = 1000;

/** Return whether a path is allowed in a bundle. @param {unknown} path */
export const isOwn = (path) => typeof path === "string" && path.length <= MOST && OWN.test(path);

/** Return whether a path is allowed for a file of this log. @param {unknown} path @param {string} logId */
export const isOfLog = (path, logId) =>
  isOwn(path) && /** @type {string} */ (path).replace(/^live\/[0-9]+\//, "").startsWith(`logs/${logId}/`);

/**
 * @typedef {{url: string} | {data: Blob, gzip?: boolean}} StoredFile input of readFile(); can be sent to a
 *   worker
 */
/**
 * @typedef {object} Source
 * @property {URL | null} url the bundle's folder; null without a URL
 * @property {string} label name of the bundle for the user
 * @property {(path: string) => StoredFile | null} file null if there is none
 * @property {string} absent what to do about a missing file
 * @property {string[]} [viewers] of an exported page: the viewers that it contains
 * @property {string} [folder] of an exported page: the bundle's folder in it
 * @property {string} [stored] id of a bundle stored in this browser
 * @property {boolean} [partial] payloads were left out and replaced by zeros, so the hashes of blobs do not
 *   match
 */

/** The server does not have or does not serve the file. */
export class Refused extends Error {
  name = "Refused";
}

/**
 * @param {StoredFile} file @param {number} most limit in bytes
 * @param {{signal?: AbortSignal, fresh?: boolean}} [options] fresh: revalidate with the server
 * @returns {Promise<Uint8Array>}
 */
export async function readFile(file, most, { signal, fresh } = {}) {
  if ("data" in file) {
    const stream = file.data.stream();
    return readBounded(file.gzip ? stream.pipeThrough(new DecompressionStream("gzip")) : stream, most);
  }
  // "no-cache" would use If-Modified-Since, which has whole seconds, and miss the second state of one second.
  const response = await fetch(file.url, { signal, ...(fresh ? { cache: "reload" } : {}) });
  if (!response.ok) {
    const token =
      response.status === 403
        ? ". For 'tlparse-bundle serve', open the URL that it printed, since the token changes with each restart"
        : "";
    throw new Refused(`the server answered ${response.status} ${response.statusText}${token}`);
  }
  return response.body ? readBounded(response.body, most) : new Uint8Array();
}

/**
 * Return a source for a folder on a web server.
 * @param {string | URL} address the folder, or its manifest.json @returns {Source}
 */
export function webSource(address) {
  const url = new URL(String(address).replace(/manifest\.json$/, ""), globalThis.location?.href);
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return {
    url,
    label: url.pathname,
    file: (path) => ({ url: new URL(path, url).href }),
    absent: "The bundle is incomplete. Copy it again, or run 'tlparse-bundle validate' on it.",
  };
}

/**
 * Return a source for given files: paths below a folder with manifest.json.
 * @param {Map<string, Blob>} files @param {string} label @returns {Source}
 */
export function fileSource(files, label) {
  const manifests = [...files.keys()]
    .filter((path) => /(^|\/)manifest\.json$/.test(path))
    .sort((a, b) => a.length - b.length);
  if (!manifests.length)
    throw new Error(
      `${label} is not a bundle: it has no manifest.json. Choose the folder that tlparse-bundle wrote.`,
    );
  const folder = manifests[0].slice(0, -"manifest.json".length);
  return {
    url: null,
    label,
    file: (path) => {
      const data = files.get(folder + path);
      return data ? { data } : null;
    },
    absent: "The bundle is incomplete. Choose the whole folder.",
  };
}

/**
 * Return a source for the bundle in an exported page, whose elements hold files in base64; null if there is
 * none.
 * @param {string} [folder] ends with a slash @returns {Source | null}
 */
export function embeddedSource(folder = "") {
  /** @type {Map<string, Element>} */
  const elements = new Map();
  for (const element of document.querySelectorAll("script[data-file]"))
    elements.set(element.getAttribute("data-file") ?? "", element);
  if (!elements.size) return null;
  const held = document.body.dataset.compiles ?? "";
  return {
    url: null,
    label: document.title,
    file: (path) => {
      const element = elements.get(folder + path);
      return element
        ? {
            data: new Blob([fromBase64(element.textContent ?? "")]),
            gzip: element.getAttribute("type") === "application/gzip",
          }
        : null;
    },
    absent: `This file contains only part of the bundle: the compiles ${held}.`,
    viewers: (document.body.dataset.viewers ?? "").split(" ").filter(Boolean),
    partial: held !== "",
    folder,
  };
}

/** @param {string} text */
function fromBase64(text) {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

// Decodes stored files.
//
// A server that knows the codec sends 'Content-Encoding', and the browser decodes before we see
// anything. A plain file server sends the .zst or .gz file itself. So the received bytes decide.

const ZSTD_MAGIC = [0x28, 0xb5, 0x2f, 0xfd];
const GZIP_MAGIC = [0x1f, 0x8b];
const WORKER_FROM_BYTES = 1_000_000;

const NO_DECODER =
  "This bundle is compressed with zstd, and this page has no zstd decoder. Open it with " +
  "'tlparse-bundle serve', where the browser decodes, build it with '--codec gzip', or install " +
  "tlparse-bundle with npm available, which adds the decoder viewers/lib/vendor/fzstd.js.";

/** @param {Uint8Array} bytes @param {number[]} magic */
const startsWith = (bytes, magic) => magic.every((byte, i) => bytes[i] === byte);

/**
 * @param {Uint8Array} bytes what the server sent
 * @param {string} path the file's path in the bundle: .zst, .gz, or neither
 * @param {number | null} size the decoded size if the bundle has it
 * @param {number} most limit of the decoded size in bytes
 * @returns {Promise<Uint8Array>}
 */
export async function decode(bytes, path, size, most) {
  if (bytes.length === size) return bytes;
  if (path.endsWith(".zst") && startsWith(bytes, ZSTD_MAGIC)) return unzstdAnywhere(bytes, size, most);
  if (path.endsWith(".gz") && startsWith(bytes, GZIP_MAGIC)) return gunzip(bytes, most);
  return bytes;
}

/** @param {Uint8Array} bytes @param {number} most */
const gunzip = (bytes, most) =>
  readBounded(
    new Blob([/** @type {BlobPart} */ (bytes)]).stream().pipeThrough(new DecompressionStream("gzip")),
    most,
  );

/** @param {Uint8Array} bytes @param {number | null} size @param {number} most */
async function unzstdAnywhere(bytes, size, most) {
  const [decoder, { unzstd }] = await Promise.all([loadDecoder(), import("./unzstd.js")]); // a clear error in both cases
  const large = bytes.length > WORKER_FROM_BYTES || (size ?? 0) > WORKER_FROM_BYTES;
  if (large && typeof Worker === "function")
    return (await import("./decode-job.js")).unzstdInWorker(bytes, most);
  return unzstd(decoder, bytes, most);
}

/** @returns {Promise<import("./unzstd.js").Decoder>} */
async function loadDecoder() {
  try {
    // @ts-ignore: the package build adds it
    return await import("../vendor/fzstd.js");
  } catch (error) {
    throw new Error(NO_DECODER, { cause: error });
  }
}
