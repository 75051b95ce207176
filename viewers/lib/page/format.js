// Formats numbers, times and names. tests/twins.json lists what Python must format identically.

const THOUSANDS = /\B(?=(?:\d{3})+$)/g;

/** Without Intl.NumberFormat, whose first use costs as much as loading ten modules. @param {number} n */
function grouped(n) {
  const [integer, decimals] = String(n).split(".");
  return decimals === undefined
    ? integer.replace(THOUSANDS, ",")
    : `${integer.replace(THOUSANDS, ",")}.${decimals}`;
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

/** Return the first line, and also the second if the first ends in a colon. @param {string | null} text */
export function firstLine(text) {
  const [first, ...rest] = (text ?? "")
    .trim()
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  return first?.endsWith(":") && rest.length ? `${first} ${rest[0]}` : (first ?? "");
}

/**
 * Return the function and line (null if the name has none) of a resume function, which Dynamo compiles after
 * a graph break (torch/_dynamo/resume_execution.py; before torch 2.1 "<resume in f>"). Null for any other
 * name.
 * @param {string | null | undefined} name @returns {{function: string, line: number | null} | null}
 */
export function resumeFunction(name) {
  const match = /^(?:torch_dynamo_resume_in_(.+)_at_(\d+)|<resume in (.+)>)$/.exec(name ?? "");
  return match && { function: match[1] ?? match[3], line: match[2] ? Number(match[2]) : null };
}
