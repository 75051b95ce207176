// What the two numbers of guards count, wherever one of them is shown.

/** guard_count of the metrics, null after a failure. */
export const BY_TORCH = "Guards by torch's own count";
export const BY_TORCH_HELP =
  "guard_count in torch's metrics: what Dynamo collected. One of these can become several checks, as that of a tensor; several can become one, as those of the global state";
/** Lines of dynamo_cpp_guards_str that are a guard. */
export const IN_DUMP = "Guards in the tree dump";
export const IN_DUMP_HELP =
  "Lines of dynamo_cpp_guards_str that are a check. torch's own count, guard_count, is taken before the tree is made";
