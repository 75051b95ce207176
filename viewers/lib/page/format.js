// Numbers, times and names as people read them.

const LONGEST_FILE = 44;
const THOUSANDS = /\B(?=(?:\d{3})+$)/g;

/** By hand: the first Intl.NumberFormat of a page takes as long as reading ten modules. @param {number} n */
function grouped(n) {
  const [whole, decimals] = String(n).split(".");
  return decimals === undefined
    ? whole.replace(THOUSANDS, ",")
    : `${whole.replace(THOUSANDS, ",")}.${decimals}`;
}

/** 40504 -> "40,504" @param {number | null | undefined} n */
export const count = (n) => (n === null || n === undefined ? "–" : grouped(n));

/** "1 compile", "2 compiles" @param {number} n @param {string} one @param {string} [many] */
export const plural = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;

/** @param {number | null | undefined} us */
export function time(us) {
  if (us === null || us === undefined) return "–";
  const size = Math.abs(us);
  if (size < 1_000) return `${digits(us)} µs`;
  if (size < 1_000_000) return `${digits(us / 1e3)} ms`;
  if (size < 60_000_000) return `${digits(us / 1e6)} s`;
  const all = Math.round(us / 1e6),
    seconds = all % 60;
  return `${count(Math.trunc(all / 60))} min${seconds ? ` ${Math.abs(seconds)} s` : ""}`;
}

/** @param {number | null | undefined} n */
export function bytes(n) {
  if (n === null || n === undefined) return "–";
  if (n < 1_000) return `${n} B`;
  if (n < 1_000_000) return `${digits(n / 1e3)} kB`;
  if (n < 1_000_000_000) return `${digits(n / 1e6)} MB`;
  return `${digits(n / 1e9)} GB`;
}

/** Three significant digits, thousands in full. @param {number} n */
function digits(n) {
  const size = Math.abs(n);
  return grouped(Number(n.toFixed(size < 9.995 ? 2 : size < 99.95 ? 1 : 0)));
}

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
    return rest.length > LONGEST_FILE ? `…/${rest.split("/").slice(-3).join("/")}` : rest;
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

/** The first line, and the next when the first only announces it. @param {string | null} text */
export function firstLine(text) {
  const [first, ...rest] = (text ?? "")
    .trim()
    .split("\n")
    .filter((line) => line.trim());
  return first?.endsWith(":") && rest.length ? `${first} ${rest[0].trim()}` : (first ?? "");
}

/**
 * Function and line (null where the name does not have it) of a resume function, which Dynamo compiles after a graph break
 * (torch/_dynamo/resume_execution.py; before torch 2.1 "<resume in f>"). Null for any other name.
 * @param {string | null | undefined} name @returns {{function: string, line: number | null} | null}
 */
export function resumeFunction(name) {
  const match = /^(?:torch_dynamo_resume_in_(.+)_at_(\d+)|<resume in (.+)>)$/.exec(name ?? "");
  return match && { function: match[1] ?? match[3], line: match[2] ? Number(match[2]) : null };
}
