// Shortens paths and names downloaded files.

const LONGEST_FILE = 44;

/** "/a/b/c.py", 2 -> "b/c.py" @param {string} path @param {number} [n] */
export const lastParts = (path, n = 1) => path.split("/").slice(-n).join("/");

/** Shorten a file name by the prefix that differs between machines. @param {string | null} file */
export function shortFile(file) {
  if (!file) return "(unknown file)";
  for (const mark of ["#link-tree/", "/site-packages/", "/dist-packages/"]) {
    const at = file.lastIndexOf(mark);
    if (at >= 0) return file.slice(at + mark.length);
  }
  return file.replace(/^.*-seed-nspid[^/]*\//, "");
}

/**
 * Shorten file names by the folders that all of them share.
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
 * Return an artifact's file name: 'fx_graph_runnable', 'python', '0/1_2' -> 'fx_graph_runnable_0_1_2.py'. It
 * is safe for file systems and shells.
 * @param {string} name @param {string} language @param {string} [compile] key of its compile
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
