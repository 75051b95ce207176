// Stores dropped bundles in the browser, and builds logs with Python first.
import { openBundle } from "../bundle/bundle.js";
import { fileSource, isOwn } from "../bundle/source.js";
import { hasStore, read, save } from "./store.js";

/** @typedef {import("./dropped.js").Thing} Thing */
/**
 * @typedef {{name: string, id: string | null, files: Map<string, Blob>, left_out: string}} Made id: in the
 *   browser's storage, null if there is none; then the bundle is in 'files'. left_out: a sentence about files
 *   that are not logs, or ""
 */

/**
 * Build or store a dropped thing. Throws a BundleError, PythonError or StoreError.
 * @param {Thing} thing @param {import("./python.js").Python} python
 * @param {import("./python.js").Options} options @returns {Promise<Made>}
 */
export async function keep({ name, files, kind }, python, options) {
  if (kind === "logs")
    return {
      name,
      ...(await python.build(
        [...files].map(([path, data]) => ({ path, data })),
        { name, ...options },
      )),
    };
  const { logs } = await openBundle(fileSource(files, name));
  const own = new Map([...files].filter(([path]) => isOwn(path)));
  const id = (await hasStore())
    ? await save({ name, kind: "bundle", log_count: logs.length }, unlessStopped(own, options))
    : null;
  return { name, id, files: own, left_out: "" };
}

/** @param {Map<string, Blob>} files @param {import("./python.js").Options} options */
function* unlessStopped(files, { signal, onprogress }) {
  const total = [...files.values()].reduce((sum, { size }) => sum + size, 0);
  let done = 0;
  for (const file of files) {
    signal?.throwIfAborted();
    yield file;
    onprogress?.((done += file[1].size), total);
  }
}

/**
 * Compare two bundles.
 * @param {Made} base @param {Made} other @param {import("./python.js").Python} python
 * @param {AbortSignal} signal @returns {Promise<{id: string | null, document: Blob}>}
 */
export async function keepPair(base, other, python, signal) {
  const document = await python.compare(await filesOf(base), await filesOf(other), {
    names: [base.name, other.name],
    signal,
  });
  const id =
    base.id &&
    other.id &&
    (await save({ name: `${base.name} → ${other.name}`, kind: "comparison", base: base.id, new: other.id }, [
      ["comparison.json", document],
    ]));
  return { id, document };
}

/** @param {Made} made */
const filesOf = async ({ id, files }) => (id ? (await read(id))?.all() : null) ?? files;
