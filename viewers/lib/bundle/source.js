// Where the files of a bundle come from: a web server, the page itself (an exported report), or files that
// somebody dropped on the page; and what was stored in them. The reader knows this interface only.
import { readBounded } from "./bounded.js";

// The names that a file of a bundle can have, as bundle/layout.py has them: nothing else is ever asked for.
const OWN =
  /^(manifest\.json|(?:live\/[0-9]{1,15}\/)?(schemas\.json|ranks\/[A-Za-z0-9_][A-Za-z0-9._-]*(\/[0-9]{4,18})?\.jsonl?|logs\/[A-Za-z0-9_][A-Za-z0-9._-]*\/([A-Za-z0-9_][A-Za-z0-9._-]*\.jsonl?|[A-Za-z0-9_][A-Za-z0-9._-]*\/[0-9]{4,18}\.(jsonl?|log))|blobs\/([0-9a-f]{2})\/\6[0-9a-f]{62})(\.zst|\.gz)?)$/;
const MOST = 1000;

/** Whether a file of this path may be part of a bundle. @param {unknown} path */
export const isOwn = (path) => typeof path === "string" && path.length <= MOST && OWN.test(path);

/** Whether it may be a file of this log. @param {unknown} path @param {string} logId */
export const isOfLog = (path, logId) =>
  isOwn(path) && /** @type {string} */ (path).replace(/^live\/[0-9]+\//, "").startsWith(`logs/${logId}/`);

/** @typedef {{url: string} | {data: Blob, gzip?: boolean}} StoredFile what readFile() reads; a worker can be given it */
/**
 * @typedef {object} Source
 * @property {URL | null} url the bundle's folder; null when it has no address
 * @property {string} label the bundle, for a person
 * @property {(path: string) => StoredFile | null} file null when there is none
 * @property {string} absent what to do about a file that is not there
 * @property {string[]} [viewers] of an exported page: those that it holds
 * @property {string} [folder] of an exported page: where in it the bundle lies
 * @property {string} [stored] of a bundle that this browser keeps: its id
 * @property {boolean} [partial] payloads were left out: zeros stand for them, so that the hashes of blobs do not hold
 */

/** The server has no such file, or does not give it. */
export class Refused extends Error {
  name = "Refused";
}

/** @param {StoredFile} file @param {number} most how many bytes it may have @param {{signal?: AbortSignal, anew?: boolean}} [options] anew: the server is asked whether it changed @returns {Promise<Uint8Array>} */
export async function readFile(file, most, { signal, anew } = {}) {
  if ("data" in file) {
    const stream = file.data.stream();
    return readBounded(file.gzip ? stream.pipeThrough(new DecompressionStream("gzip")) : stream, most);
  }
  // "no-cache" would ask with If-Modified-Since, which counts in seconds: of two states in one second the browser would keep the first.
  const response = await fetch(file.url, { signal, ...(anew ? { cache: "reload" } : {}) });
  if (!response.ok) {
    const token =
      response.status === 403
        ? ". If it is 'tlparse-bundle serve', open the address that it printed: after a restart there is another token"
        : "";
    throw new Refused(`the server answered ${response.status} ${response.statusText}${token}`);
  }
  return response.body ? readBounded(response.body, most) : new Uint8Array();
}

/** A folder on a web server. @param {string | URL} address the folder, or its manifest.json @returns {Source} */
export function webSource(address) {
  const url = new URL(String(address).replace(/manifest\.json$/, ""), globalThis.location?.href);
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return {
    url,
    label: url.pathname,
    file: (path) => ({ url: new URL(path, url).href }),
    absent: "The bundle is incomplete. Copy it again, or try 'tlparse-bundle validate' on it.",
  };
}

/** Files at hand: paths below some folder that holds manifest.json. @param {Map<string, Blob>} files @param {string} label @returns {Source} */
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
    absent: "The bundle is incomplete. Take the whole folder.",
  };
}

/** The bundle in an exported page, or in a folder of it: elements with the bytes of files in base64. Null when the page holds none. @param {string} [folder] ends with a slash @returns {Source | null} */
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
    absent: `This file holds a part of the bundle only: the compiles ${held}.`,
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

// Stored bytes -> the bytes that were stored.
//
// A server that knows the codec sends 'Content-Encoding', and the browser has decoded before we see
// anything. A plain file server hands out the .zst or .gz file as it is. So what came back decides.

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
const gunzip = (bytes, most) =>
  readBounded(
    new Blob([/** @type {BlobPart} */ (bytes)]).stream().pipeThrough(new DecompressionStream("gzip")),
    most,
  );

/** @param {Uint8Array} bytes @param {number | null} size @param {number} most */
async function unzstdAnywhere(bytes, size, most) {
  const [decoder, { unzstd }] = await Promise.all([loadDecoder(), import("./unzstd.js")]); // the same clear error, whichever way is taken
  const large = bytes.length > WORKER_FROM_BYTES || (size ?? 0) > WORKER_FROM_BYTES;
  if (large && typeof Worker === "function")
    return (await import("./decode-job.js")).unzstdInWorker(bytes, most);
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
