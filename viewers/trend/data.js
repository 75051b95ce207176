// Loads and checks the trend document, with lookups for the page.

/**
 * @typedef {{key: string, title: string, unit: "us" | "count", worse: "more" | "less" | null, help: string, of_the_end: boolean}} Metric
 * @typedef {{name: string, url: string | null, label: string | null, commit: string | null, start_epoch_us: number | null, log_count: number, ends_early: boolean, torch_versions: string[]}} Run
 * @typedef {{metric: string, text: string, before: number, after: number, is_worse: boolean | null}} Change
 * @typedef {{series_index: number, run_index: number, base_run_index: number, run_count: number, confirmed: boolean, comparison_url?: string | null, text: string, changes: Change[]}} Jump
 * @typedef {{name: string, run_indexes: number[]}} Series
 * @typedef {object} Trend schema/documents/trend.schema.json
 * @property {{name: string, version: number}} format @property {string | null} compare_url @property {Metric[]} metrics @property {Run[]} runs
 * @property {Record<string, (number | null)[]>} values @property {Series[]} series @property {Jump[]} jumps @property {Jump[]} latest
 * @property {{name: string, problem: string}[]} skipped
 */

/** URLs in the document are relative to it. */
const DOCUMENT = new URL("../../trend.json", location.href);

/** @returns {Promise<Trend>} */
export async function load() {
  const response = await fetch(DOCUMENT, { cache: "no-cache" });
  if (!response.ok)
    throw new Error(
      `${DOCUMENT.href} failed to load (${response.status}). Run 'tlparse-bundle trend FOLDER --open', or '--out' again.`,
    );
  const trend = await response.json();
  if (trend?.format?.name !== "tlparse-bundle-trend" || trend.format.version !== 1) {
    throw new Error(
      `${DOCUMENT.href} is not a trend document that this page can read. Rebuild it with this version of tlparse-bundle.`,
    );
  }
  return trend;
}

/** Return the runs of a series that have a start time, in order. @param {Trend} trend @param {Series} series */
export const timed = (trend, series) =>
  series.run_indexes.filter((index) => trend.runs[index].start_epoch_us !== null);

/** Return the URL of a run in the default viewer; null when its bundle is not published here. @param {Run} run */
export function runAddress(run) {
  if (run.url === null) return null;
  const url = new URL("../default/", location.href);
  url.searchParams.set("bundle", new URL(run.url, DOCUMENT).pathname);
  return url.href;
}

/** Return the URL that compares two runs, such as those around a jump; null when there is none. @param {Trend} trend @param {Pick<Jump, "base_run_index" | "run_index" | "comparison_url">} jump */
export function compareAddress(trend, jump) {
  const base = trend.runs[jump.base_run_index],
    changed = trend.runs[jump.run_index],
    made = jump.comparison_url ?? null;
  if ((trend.compare_url === null && made === null) || base.url === null || changed.url === null) return null;
  const url =
    made === null
      ? new URL(/** @type {string} */ (trend.compare_url), DOCUMENT)
      : new URL("../compare/", location.href);
  if (url.origin !== location.origin) return null;
  url.searchParams.set("base", new URL(base.url, DOCUMENT).pathname);
  url.searchParams.set("new", new URL(changed.url, DOCUMENT).pathname);
  if (made !== null) url.searchParams.set("comparison", new URL(made, DOCUMENT).pathname);
  return url.href;
}

const MINUTES = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "short", timeZone: "UTC" }); // 2026-11-03 02:10

/** Format the start time of a run, in UTC. @param {Run} run */
export const began = (run) =>
  run.start_epoch_us === null ? "unknown" : MINUTES.format(run.start_epoch_us / 1e3);
