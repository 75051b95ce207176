// Which log of a bundle a page opens on.

/** @typedef {import("../../lib/bundle/bundle.js").Bundle} Bundle */
/** @typedef {import("../../lib/bundle/log.js").Log} Log */

/** The summary of a log, as the manifest has it; null in bundles before 1.2. @param {Log} log */
export const summaryOf = (log) => log.summary.summary ?? null;

/** The log with most to say: errors, then warnings, then time of compiling; among equals the first. @param {Bundle} bundle @returns {Log} */
export function openingLog(bundle) {
  const weight = (/** @type {Log} */ log) => {
    const summary = summaryOf(log);
    return summary === null ? [0, 0, 0] : [summary.findings.error, summary.findings.warning, summary.compile_time_us ?? 0];
  };
  return bundle.logs.reduce((best, log) => {
    const [a, b] = [weight(log), weight(best)];
    const at = a.findIndex((value, i) => value !== b[i]);
    return at >= 0 && a[at] > b[at] ? log : best;
  });
}

/** What an address says of a log: nothing of the one that the page opens on. @param {Log} log */
export const logInAddress = (log) => (log === openingLog(log.bundle) ? "" : log.id);

/** "rank 0 · 6_vppokp", or the id alone. @param {Log} log */
export const logName = (log) => (log.rank === null ? log.id : `rank ${log.rank} · ${log.id}`);
