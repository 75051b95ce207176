// The files of a bundle as a zip, made away from the page's thread.

/** @param {Map<string, Blob>} files @param {string} folder in which they lie there @returns {Promise<Blob>} */
export function zip(files, folder) {
  const top = folder.replace(/[^\w.-]/g, "_").replace(/^\.+/, "") || "bundle";
  const worker = new Worker(new URL("./zip-worker.js", import.meta.url), { type: "module" });
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) =>
      data.error === undefined ? resolve(data.zip) : reject(new Error(data.error));
    worker.onerror = () => reject(new Error("This page cannot make a zip: lib/vendor/fflate.js is missing."));
    worker.postMessage([...files].map(([path, data]) => [`${top}/${path}`, data]));
  }).finally(() => worker.terminate());
}
