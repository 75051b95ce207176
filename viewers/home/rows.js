// Filters and sorts the list of bundles. Runs without a page.

/**
 * @typedef {object} BundleRow a row of bundles.json; with a problem there is nothing else
 * @property {string} name @property {string} url @property {string} [problem]
 * @property {number} log_count @property {number[]} ranks @property {string[]} torch_versions @property {number} compile_count
 * @property {number | null} compile_us @property {string} [text]
 * @property {Record<"error" | "warning" | "info", number>} [findings] @property {string[]} [holds]
 * @property {string[]} [functions] some that were compiled @property {string} [label] the user's name for runs of one program
 * @property {number | null} [size_bytes] @property {number | null} [built_us] @property {boolean} [growing] its logs are still being written
 */

/** Sort keys by column. Numbers sort descending first. @type {Record<string, (row: BundleRow) => string | number | null | undefined>} */
export const KEYS = {
  name: (row) => row.name,
  findings: (row) =>
    row.findings && row.findings.error * 1e12 + row.findings.warning * 1e6 + row.findings.info,
  compiles: (row) => row.compile_count,
  time: (row) => row.compile_us,
  logs: (row) => row.log_count,
  size: (row) => row.size_bytes,
  torch: (row) => row.torch_versions?.[0],
  built: (row) => row.built_us,
};
const order = new Intl.Collator("en", { numeric: true });

/** Sort rows: 'time' ascending, '-time' descending. Rows without a value come last. @param {BundleRow[]} rows @param {string} sort */
export function sorted(rows, sort) {
  const down = sort.startsWith("-"),
    key = sort.replace(/^-/, "");
  const of = Object.hasOwn(KEYS, key) ? KEYS[key] : KEYS.name;
  const value = (/** @type {BundleRow} */ row) =>
    row.problem && of !== KEYS.name ? null : (of(row) ?? null);
  return [...rows].sort((a, b) => {
    const left = value(a),
      right = value(b);
    if (left === null || right === null)
      return Number(left === null) - Number(right === null) || order.compare(a.name, b.name);
    const by = typeof left === "string" ? order.compare(left, String(right)) : left - Number(right);
    return (down ? -by : by) || order.compare(a.name, b.name);
  });
}

/** Return the rows that contain every word in name, headline, torch versions or ranks ('rank 3'). @param {BundleRow[]} rows @param {string} text */
export function matching(rows, text) {
  const words = text.toLowerCase().match(/rank \d+|\S+/g) ?? [];
  if (!words.length) return rows;
  return rows.filter((row) => {
    const ranks = new Set((row.ranks ?? []).map((rank) => `rank ${rank}`));
    const all = [row.name, row.text, row.problem, ...(row.torch_versions ?? [])].join(" ").toLowerCase();
    return words.every((word) => all.includes(word) || ranks.has(word));
  });
}

/** Return whether two bundles belong to the same program: the same label, or without labels mostly the same functions. @param {BundleRow} one @param {BundleRow} other */
function sameProgram(one, other) {
  if (one.label || other.label) return one.label === other.label;
  const mine = new Set(one.functions ?? []),
    both = (other.functions ?? []).filter((name) => mine.has(name)).length;
  return both > 0 && both * 2 >= Math.max(mine.size, other.functions?.length ?? 0);
}

/**
 * Return the run of the same program that was built last before this one; null without one.
 * @param {BundleRow[]} rows @param {BundleRow} row @returns {BundleRow | null}
 */
export function runBefore(rows, row) {
  const built = (/** @type {BundleRow} */ one) => (one.problem ? 0 : (one.built_us ?? 0));
  const earlier = rows.filter(
    (other) => built(other) > 0 && built(other) < built(row) && sameProgram(other, row),
  );
  return earlier.sort((a, b) => built(b) - built(a))[0] ?? null;
}
