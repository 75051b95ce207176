// Decodes zstd away from the page's thread. One message in, one message out.
// @ts-ignore: put in place by the package build
import { decompress } from "./vendor/fzstd.js";

const scope = /** @type {any} */ (self);

scope.onmessage = (/** @type {MessageEvent} */ { data: { job, bytes } }) => {
  try {
    const decoded = /** @type {any} */ (decompress)(bytes);
    scope.postMessage({ job, bytes: decoded }, { transfer: [decoded.buffer] });
  } catch (error) {
    scope.postMessage({ job, error: String(error) });
  }
};
