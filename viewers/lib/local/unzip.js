// The files of a zip, taken apart away from the page's thread.

/** @param {Blob} zip @returns {Promise<Map<string, Blob>>} */
export function unzip(zip) {
  const worker = new Worker(new URL("./unzip-worker.js", import.meta.url), { type: "module" });
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) =>
      data.error === undefined ? resolve(new Map(data.files)) : reject(new Error(data.error));
    worker.onerror = () =>
      reject(
        new Error(
          "This page cannot take a zip apart: lib/vendor/fflate.js is missing. Unzip it, and choose the folder.",
        ),
      );
    worker.postMessage(zip);
  }).finally(() => worker.terminate());
}
