// Paths: short ones to show, and the names of files to download.

const LONGEST_FILE = 44;

/** "/a/b/c.py", 2 -> "b/c.py" @param {string} path @param {number} [n] */
export const lastParts = (path, n = 1) => path.split("/").slice(-n).join("/");

/** The file name without what every machine has differently. @param {string | null} file */
export function shortFile(file) {
  if (!file) return "(unknown file)";
  for (const mark of ["#link-tree/", "/site-packages/", "/dist-packages/"]) {
    const at = file.lastIndexOf(mark);
    if (at >= 0) return file.slice(at + mark.length);
  }
  return file.replace(/^.*-seed-nspid[^/]*\//, "");
}

/**
 * Shortens file names, and leaves off the folders that all of them share.
 * @param {Iterable<string | null>} files @returns {(file: string | null) => string}
 */
export function fileShortener(files) {
  const folders = new Set();
  for (const file of files) {
    const short = file && shortFile(file);
    if (short && short.startsWith("/")) folders.add(short.slice(0, short.lastIndexOf("/") + 1));
  }
  const common = commonFolder([...folders]);
  return (file) => {
    const short = shortFile(file);
    const rest = common.length > 1 && short.startsWith(common) ? short.slice(common.length) : short;
    return rest.length > LONGEST_FILE ? `…/${lastParts(rest, 3)}` : rest;
  };
}

/** @param {string[]} folders each ends in a slash */
function commonFolder(folders) {
  let common = folders[0] ?? "";
  for (const folder of folders) {
    while (!folder.startsWith(common))
      common = common.slice(0, common.lastIndexOf("/", common.length - 2) + 1);
  }
  return common;
}

/** @type {Record<string, string>} */
const ENDINGS = { fx: "py", python: "py", cpp: "cpp", json: "json", csv: "csv" };

/**
 * How an artifact is called as a file: 'fx_graph_runnable', 'python', '0/1_2' -> 'fx_graph_runnable_0_1_2.py'; nothing in it that a file system or a shell minds.
 * @param {string} name @param {string} language @param {string} [compile] its key
 */
export function fileNameOf(name, language, compile = "") {
  const id = compile === "-" ? "" : compile;
  const safe = [name, id]
    .filter(Boolean)
    .join("_")
    .replace(/[^\w.-]+/g, "_")
    .replace(/^[.-]+/, "")
    .slice(0, 120);
  return `${safe || "artifact"}.${ENDINGS[language] ?? "txt"}`;
}
