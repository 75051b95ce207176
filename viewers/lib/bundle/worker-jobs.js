// Runs jobs in a long-lived worker: {job, …} in, {job, result} or {job, error} out.

/**
 * Return a function that sends a message and awaits the answer.
 * @param {() => Worker} start @param {string} name for the error: "zstd"
 * @returns {(message: object) => Promise<any>}
 */
export function jobsOf(start, name) {
  /** @type {Worker | null} */
  let worker = null;
  let last = 0;
  /** @type {Map<number, {resolve(result: any): void, reject(error: Error): void}>} */
  const jobs = new Map();
  const begin = () => {
    const started = start();
    started.onmessage = ({ data }) => {
      const job = jobs.get(data.job);
      jobs.delete(data.job);
      if (data.error === undefined) job?.resolve(data.result);
      else job?.reject(new Error(data.error));
    };
    started.onerror = (event) => {
      for (const job of jobs.values())
        job.reject(new Error(`The ${name} worker stopped: ${event.message ?? "unknown reason"}`));
      jobs.clear();
      worker = null;
    };
    return started;
  };
  return (message) => {
    worker ??= begin();
    const job = ++last;
    return new Promise((resolve, reject) => {
      jobs.set(job, { resolve, reject });
      worker?.postMessage({ job, ...message });
    });
  };
}

/**
 * In the worker: answer each message; arrays of numbers are transferred, not copied.
 * @param {(message: any) => any} work the answer, or a promise of it
 */
export function answerJobs(work) {
  const scope = /** @type {any} */ (self);
  scope.onmessage = async (/** @type {MessageEvent} */ { data: { job, ...message } }) => {
    try {
      const result = await work(message);
      scope.postMessage({ job, result }, { transfer: ArrayBuffer.isView(result) ? [result.buffer] : [] });
    } catch (error) {
      scope.postMessage({ job, error: String(error) });
    }
  };
}
