// Rows of the tables of profiler traces, and what they say about one compile.

/** Why a measured kernel is not joined with one of the log. @type {Record<string, string>} */
export const REASONS = {
  eager: "outside compiled code",
  library: "library kernels in compiled code, not joined with their call",
  copy: "copies and fills in compiled code",
  ambiguous: "several kernels of the log have this name",
  not_in_log: "generated kernels whose code is not in the log",
  unknown_launch: "events without a recorded launch",
  not_listed: "beyond the 10,000 rows of kernels",
};

/** Words and help of the keys of a join. @type {Record<string, [string, string]>} */
export const KEYS = {
  kernel_file: ["file", "The file of the kernel, whose name is the hash of its content"],
  record_name: ["name in code", "The name that the kernel passes to the profiler is in its code"],
  kernel_name: ["name", "Only the name of the kernel is recorded"],
  operator: ["operator", "The code of its graph has only one function with this operator"],
};

/** Why the line of the code that calls a joined kernel is unknown. @type {Record<string, string>} */
export const LINE_UNKNOWN = {
  order: "Several lines call it, and the order in which they run is not known",
  enclosing_call: "Several lines call it, and the trace does not have the call of the graph around it",
  count: "Several lines call it, and it ran more or less often than the code calls it",
};

/**
 * Return the tables of a log; tables that a redacted bundle leaves out are empty.
 * @param {import("../../lib/bundle/log.js").Log} log
 */
export async function timesOf(log) {
  const [profiles, kernels, regions, remainder, lines, steps] = await Promise.all(
    ["profiles", "kernel_calls", "region_calls", "profile_remainder", "line_times", "step_tree"].map(
      async (name) => /** @type {any[]} */ ((await log.table(name)) ?? []),
    ),
  );
  return { profiles, kernels, regions, remainder, lines, steps };
}

/** @param {any[]} rows @param {string} field */
export const sum = (rows, field) => rows.reduce((total, row) => total + (row[field] ?? 0), 0);

/**
 * Merge rows of several traces and streams that are equal in some fields, the longest time first.
 * @template T @param {T[]} rows @param {(row: T) => string} keyOf @returns {T[][]}
 */
export function grouped(rows, keyOf) {
  const groups = new Map(/** @type {[string, T[]][]} */ ([]));
  for (const row of rows) {
    const key = keyOf(row);
    const own = groups.get(key);
    if (own) own.push(row);
    else groups.set(key, [row]);
  }
  return [...groups.values()].sort((a, b) => sum(b, "total_us") - sum(a, "total_us"));
}

/** "device 0, stream 7" @param {any} row */
export const whereOf = (row) =>
  row.on_device
    ? [`device ${row.device ?? "?"}`, row.stream !== null && `stream ${row.stream}`]
        .filter(Boolean)
        .join(", ")
    : "host";
