// Runs the package tlparse_bundle with Python in a worker: builds logs into a bundle in the browser's
// storage.
// Runs the jobs of python.js in order. Fetches only Python and the package, from the page's own host.
import { hasStore, save } from "./store.js";

/** @typedef {{path: string, data: Blob}} Entry */
/**
 * @typedef {{build: {files: Entry[], name: string, codec: string}, compare: {base: Entry[], new: Entry[],
 *   names: [string, string]}, export: {files: Entry[]}, exportPair: {base: Entry[], new: Entry[], document:
 *   Blob}}} Jobs
 */

const PYTHON = new URL("../../vendor/python/", import.meta.url);
const PACKAGE = "/package",
  OUT = "/out",
  LOGS = "/logs";
const EVERY_MS = 100;
/** @type {(message: any) => void} */
const tell = (message) => postMessage(message);

/**
 * Build an error of this worker, as opposed to the package.
 * @param {string} message @param {string} hint @param {string} code
 */
const fault = (message, hint, code) => Object.assign(new Error(message), { hint, code });

/** @param {string} name */
async function answered(name) {
  const response = await fetch(new URL(name, PYTHON));
  if (!response.ok)
    throw fault(
      "this site does not include Python",
      "Build a bundle on the command line and drop it here: tlparse-bundle LOG",
      "no-python",
    );
  return response;
}

/** @param {string} name @returns {Promise<ArrayBuffer>} */
const loaded = async (name) => (await answered(name)).arrayBuffer();

async function start() {
  const [response] = await Promise.all([answered("tlparse_bundle.zip"), loaded("package.json")]); // reports missing files before Python loads
  const archive = response.arrayBuffer();
  archive.catch(() => {});
  const { loadPyodide } = await import(new URL("pyodide.mjs", PYTHON).href);
  const py = await loadPyodide({ indexURL: PYTHON.href, stdout() {}, stderr() {} });
  py.unpackArchive(await archive, "zip", { extractDir: PACKAGE });
  py.runPython(`import sys; sys.path.insert(0, "${PACKAGE}")`);
  py.FS.mkdir(LOGS);
  return { py, jobs: py.pyimport("tlparse_bundle.in_browser") };
}

/** @typedef {Awaited<ReturnType<typeof start>>} Started */

const starting = start();
starting.then(
  () => tell({ ready: true }),
  (error) => tell({ ready: false, failed: described(error) }),
);

/** Call a function of in_browser.py. @param {Started} started @param {string} name @param {any[]} values */
function call({ jobs }, name, ...values) {
  const { result, error } = JSON.parse(jobs.answer(name, ...values));
  if (error) throw fault(error.message, error.hint, error.code);
  return result;
}

/**
 * Mount the page's files as a Python folder, without a copy, until ``done()``.
 * @param {any} py @param {string} folder @param {Entry[]} files
 */
function mounted(py, folder, files) {
  const blobs = files.map(({ path, data }) => ({
    name: path
      .split("/")
      .filter((part) => part !== "" && part !== ".")
      .join("/"),
    data,
  }));
  const odd = blobs.find(({ name }) => name === "" || name.split("/").includes(".."));
  if (odd)
    throw fault(
      `${JSON.stringify(odd.name)} is not a file path`,
      "Unpack it and drop the folder.",
      "bad-name",
    );
  py.FS.mkdirTree(folder);
  py.FS.mount(py.FS.filesystems.WORKERFS, { blobs }, folder);
  return {
    done: () => py.FS.unmount(folder),
    names: [...new Set(blobs.map(({ name }) => name.split("/")[0]))],
  };
}

/**
 * @type {{[K in keyof Jobs]: (started: Started, job: Jobs[K], progress: (done: number) => void) =>
 *   Promise<any>}}
 */
const JOBS = {
  async build(started, { files, name, codec }, progress) {
    const { py } = started;
    const logs = mounted(py, LOGS, files);
    try {
      py.FS.chdir(LOGS);
      const { log_count, left_out } = call(
        started,
        "build_bundle",
        py.toPy(logs.names),
        OUT,
        codec,
        progress,
      );
      const made = takenOut(py, OUT);
      if (await hasStore()) return { id: await save({ name, kind: "bundle", log_count }, made), left_out };
      return {
        id: null,
        left_out,
        files: [...made].map(([path, data]) => [path, new Blob([/** @type {BlobPart} */ (data)])]),
      };
    } finally {
      py.FS.chdir("/");
      logs.done();
      call(started, "remove", OUT);
    }
  },
  compare: (started, { base, new: other, names }) =>
    written(started, { "/base": base, "/new": other }, () =>
      call(started, "compare_bundles", "/base", names[0], "/new", names[1], OUT),
    ),
  export: (started, { files }) =>
    written(started, { "/bundle": files }, async () => {
      await viewers(started.py);
      call(started, "export_bundle", "/bundle", OUT);
    }),
  exportPair: (started, { base, new: other, document }) =>
    written(
      started,
      { "/base": base, "/new": other, "/pair": [{ path: "comparison.json", data: document }] },
      async () => {
        await viewers(started.py);
        call(started, "export_pair", "/base", "/new", "/pair/comparison.json", OUT);
      },
    ),
};

/**
 * Run a job with mounted folders and return the file that it writes.
 * @param {Started} started @param {Record<string, Entry[]>} folders @param {() => unknown} job
 */
async function written(started, folders, job) {
  const mounts = Object.entries(folders).map(([folder, files]) => mounted(started.py, folder, files));
  try {
    await job();
    return new Blob([started.py.FS.readFile(OUT)]);
  } finally {
    for (const mount of mounts) mount.done();
    call(started, "remove", OUT);
  }
}

/**
 * Yield the files below a folder, deleting each from memory afterwards.
 * @param {any} py @param {string} folder @returns {Generator<[string, Uint8Array]>}
 */
function* takenOut(py, folder, below = "") {
  for (const name of py.FS.readdir(folder)
    .filter((/** @type {string} */ name) => name !== "." && name !== "..")
    .sort()) {
    const path = `${folder}/${name}`;
    if (py.FS.isDir(py.FS.stat(path).mode)) {
      yield* takenOut(py, path, `${below}${name}/`);
      continue;
    }
    yield [below + name, py.FS.readFile(path)];
    py.FS.unlink(path);
  }
}

/** @type {Promise<void> | null} */
let unpacked = null;

/** Unpack the viewers, which only exported pages need. @param {any} py */
const viewers = (py) =>
  (unpacked ??= loaded("viewers.zip")
    .then((archive) => void py.unpackArchive(archive, "zip", { extractDir: PACKAGE }))
    .catch((error) => {
      unpacked = null; // the next job retries
      throw error;
    }));

/** @param {any} error @returns {{message: string, hint: string, code: string}} */
function described(error) {
  const message = String(error?.message ?? error);
  if (error?.code && typeof error.code === "string")
    return { message, hint: error.hint ?? "", code: error.code };
  if (error instanceof WebAssembly.RuntimeError || /memory|allocation/i.test(message)) {
    return {
      message: "the browser ran out of memory for this log",
      hint: "Build it on the command line, which needs 70 MB for any log: tlparse-bundle LOG",
      code: "memory",
    };
  }
  return {
    message: `Python failed in the browser: ${message.trim().split("\n").at(-1)}`,
    hint: "Build it on the command line: tlparse-bundle LOG",
    code: "failed",
  };
}

/** @type {Promise<void>} */
let last = Promise.resolve();

onmessage = ({ data: { number, kind, job } }) => {
  last = last.then(async () => {
    let done = 0,
      sentAt = 0;
    const progress = (/** @type {number} */ bytes) => {
      done += bytes;
      if (performance.now() - sentAt < EVERY_MS) return;
      sentAt = performance.now();
      tell({ number, done });
    };
    try {
      tell({ number, result: await JOBS[/** @type {keyof Jobs} */ (kind)](await starting, job, progress) });
    } catch (error) {
      tell({ number, failed: described(error) });
    }
  });
};
