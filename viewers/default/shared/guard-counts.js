// Labels and help of the two guard counts, which differ.

/** guard_count of the compilation metrics, null after a failure. */
export const IN_METRICS = "Guards in the metrics";
export const IN_METRICS_HELP =
  "guard_count in the compilation metrics: guards that Dynamo collected. A tensor guard can become several checks, and several guards of the global state can become one";
/** Lines of dynamo_cpp_guards_str that are a guard. */
export const IN_DUMP = "Guards in the tree dump";
export const IN_DUMP_HELP =
  "Checks in dynamo_cpp_guards_str. Differs from guard_count in the metrics, which torch counts before it builds the guard tree";
