// Runs Python in a worker of the browser: builds bundles, comparisons and exported pages.

/** @typedef {import("./python-worker.js").Entry} Entry path: relative, as dropped */
/**
 * @typedef {{signal?: AbortSignal, onprogress?: (done_bytes: number, total_bytes: number) => void}} Options
 */
/**
 * @typedef {{id: string | null, files: Map<string, Blob>, left_out: string}} Built id: in the browser's
 *   storage, null without one; then the bundle is in files. left_out: a sentence about files that are not
 *   logs, or ""
 */

/**
 * An error of the package or of Python. hint: what to try; code: that of the package's BundleError, or
 * "memory", "no-python", "no-workers", "cancelled".
 */
export class PythonError extends Error {
  name = "PythonError";
  /** @param {{message: string, hint: string, code: string}} failed */
  constructor({ message, hint, code }) {
    super(message);
    this.hint = hint;
    this.code = code;
  }
}

const NO_WORKERS = {
  message: "this browser cannot run Python in the background",
  hint: "Build a bundle on the command line and drop it here: tlparse-bundle LOG",
  code: "no-workers",
};
const CANCELLED = { message: "cancelled", hint: "", code: "cancelled" };
const entries = (/** @type {Map<string, Blob>} */ files) =>
  [...files].map(([path, data]) => ({ path, data }));

export class Python {
  /** Start to load Python. */
  constructor() {
    /**
     * @type {Map<number, {resolve: (value: any) => void, reject: (error: Error) => void, ondone?: (bytes:
     *   number) => void}>} unfinished jobs by number
     */
    this.waiting = new Map();
    this.count = 0;
    this.start();
  }

  start() {
    this.ready = new Promise((resolve, reject) => {
      const failed = (/** @type {any} */ error) => {
        const failure = new PythonError(error);
        reject(failure);
        for (const { reject } of this.waiting.values()) reject(failure);
        this.waiting.clear();
      };
      try {
        this.worker = new Worker(new URL("./python-worker.js", import.meta.url), { type: "module" });
      } catch {
        return failed(NO_WORKERS);
      }
      this.worker.onerror = (event) => {
        event.preventDefault();
        failed(
          event.message
            ? { ...NO_WORKERS, message: `Python stopped: ${event.message}`, code: "failed" }
            : NO_WORKERS,
        );
      };
      this.worker.onmessage = ({ data }) => {
        if (data.ready === true) return resolve(undefined);
        if (data.ready === false) return reject(new PythonError(data.failed));
        this.heard(data);
      };
    });
    this.ready.catch(() => {}); // the error also reaches each job
  }

  /** @param {{number: number, done?: number, result?: any, failed?: any}} data */
  heard({ number, done, result, failed }) {
    const job = this.waiting.get(number);
    if (done !== undefined) return job?.ondone?.(done);
    this.waiting.delete(number);
    if (failed) job?.reject(new PythonError(failed));
    else job?.resolve(result);
  }

  /**
   * @template T @param {string} kind @param {any} job @param {AbortSignal} [signal]
   * @param {(bytes: number) => void} [ondone] @returns {Promise<T>}
   */
  ask(kind, job, signal, ondone) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(new PythonError(CANCELLED));
      const number = this.count++;
      this.waiting.set(number, { resolve, reject, ondone });
      signal?.addEventListener(
        "abort",
        () => {
          if (this.waiting.has(number)) this.cancel();
        },
        { once: true },
      );
      this.ready?.catch((error) => this.waiting.delete(number) && reject(error));
      this.worker?.postMessage({ number, kind, job });
    });
  }

  /** Cancel the running job. Python cannot be interrupted, so it restarts. */
  cancel() {
    this.worker?.terminate();
    for (const { reject } of this.waiting.values()) reject(new PythonError(CANCELLED));
    this.waiting.clear();
    this.start();
  }

  /**
   * Build the logs and store the bundle under a name.
   * @param {Entry[]} files @param {Options & {name: string, codec?: string}} options
   * @returns {Promise<Built>}
   */
  async build(files, { name, codec = "zstd", signal, onprogress }) {
    const total = files.reduce((sum, { data }) => sum + data.size, 0);
    const made = await this.ask(
      "build",
      { files, name, codec },
      signal,
      onprogress && ((done) => onprogress(Math.min(done, total), total)),
    );
    return { ...made, files: new Map(made.files) };
  }

  /**
   * Compare two bundles and return comparison.json.
   * @param {Map<string, Blob>} base @param {Map<string, Blob>} other
   * @param {Options & {names: [string, string]}} options @returns {Promise<Blob>}
   */
  compare(base, other, { names, signal }) {
    return this.ask("compare", { base: entries(base), new: entries(other), names }, signal);
  }

  /**
   * Return a bundle as one HTML page, like 'tlparse-bundle export'.
   * @param {Map<string, Blob>} files @param {Options} [options] @returns {Promise<Blob>}
   */
  export(files, { signal } = {}) {
    return this.ask("export", { files: entries(files) }, signal);
  }

  /**
   * Return a comparison as one HTML page.
   * @param {Map<string, Blob>} base @param {Map<string, Blob>} other @param {Blob} document
   * @param {Options} [options] @returns {Promise<Blob>}
   */
  exportPair(base, other, document, { signal } = {}) {
    return this.ask("exportPair", { base: entries(base), new: entries(other), document }, signal);
  }

  end() {
    this.worker?.terminate();
  }
}
