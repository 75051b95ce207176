// Decodes zstd away from the page's thread. One message in, one message out.
// @ts-ignore: put in place by the package build
import { decompress } from "./vendor/fzstd.js";

self.onmessage = ({ data: { job, bytes } }) => {
  try {
    const decoded = decompress(bytes);
    self.postMessage({ job, bytes: decoded }, { transfer: [decoded.buffer] });
  } catch (error) {
    self.postMessage({ job, error: String(error) });
  }
};
