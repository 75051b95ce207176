// Zips a bundle's files in a worker.

/**
 * @param {Map<string, Blob>} files @param {string} folder their folder in the zip @returns {Promise<Blob>}
 */
export function zip(files, folder) {
  const top = folder.replace(/[^\w.-]/g, "_").replace(/^\.+/, "") || "bundle";
  const worker = new Worker(new URL("./zip-worker.js", import.meta.url), { type: "module" });
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) =>
      data.error === undefined ? resolve(data.zip) : reject(new Error(data.error));
    worker.onerror = () => reject(new Error("This page can't write a zip: lib/vendor/fflate.js is missing."));
    worker.postMessage([...files].map(([path, data]) => [`${top}/${path}`, data]));
  }).finally(() => worker.terminate());
}
