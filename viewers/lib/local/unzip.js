// Unzips in a worker.

/** @param {Blob} zip @returns {Promise<Map<string, Blob>>} */
export function unzip(zip) {
  const worker = new Worker(new URL("./unzip-worker.js", import.meta.url), { type: "module" });
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) =>
      data.error === undefined ? resolve(new Map(data.files)) : reject(new Error(data.error));
    worker.onerror = () =>
      reject(
        new Error(
          "This page can't unzip: lib/vendor/fflate.js is missing. Unzip the file and choose the folder.",
        ),
      );
    worker.postMessage(zip);
  }).finally(() => worker.terminate());
}
