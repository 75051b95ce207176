// Decodes zstd in a worker.
import { jobsOf } from "./worker-jobs.js";

const run = jobsOf(
  () => new Worker(new URL("./decode-worker.js", import.meta.url), { type: "module" }),
  "zstd",
);

/** @param {Uint8Array} bytes @param {number} most @returns {Promise<Uint8Array>} */
export const unzstdInWorker = (bytes, most) => run({ bytes, most });
