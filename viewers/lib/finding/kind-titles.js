// The title of each kind of finding, as in docs/reference/findings.md. Written by scripts/docs.
/** Of findings of one log. @type {Record<string, string>} */
const OF_LOGS = {
  "autotune": "Autotuning",
  "cache-bypass": "Cache bypass",
  "cache-error": "Cache error",
  "cache-miss": "Cache miss",
  "collective-parity": "Schedule and code differ",
  "cudagraph-rerecord": "CUDA graph recorded repeatedly",
  "cudagraph-skip": "CUDA graphs skipped",
  "data-problem": "Damaged log",
  "export-assumption": "Export assumption",
  "export-attempt": "Attempt of an export",
  "export-failure": "Export failure",
  "failure": "Failure",
  "fallback": "Fallback operator",
  "graph-break": "Graph break",
  "guard-cost": "Slow guard check",
  "missing-wait": "Missing wait",
  "native-compile": "Native operator compile",
  "recompile": "Recompile",
  "recompile-limit": "Recompile limit",
  "restart": "Restart",
  "runs-eager": "Runs eager",
  "slow-span": "Slow compiler step",
  "slow-worker": "Slow compile worker",
  "specialization": "Specialization",
  "unfinished-compile": "Unfinished compile",
  "unlisted": "Unlisted findings",
  "vllm-capture": "Dynamo capture of the vLLM model",
  "vllm-piece-failed": "vLLM piece failed",
  "vllm-reuse-failed": "vLLM did not reuse an equal piece",
  "vllm-sizes": "vLLM single sizes",
  "vllm-warm-compile": "vLLM compile on a warm start",
};

/** Of findings over ranks. @type {Record<string, string>} */
const OF_RANKS = {
  "cached-before": "Different cache state",
  "collective-hang": "Ranks wait in a recorded call",
  "collective-mismatch": "Mismatched collectives",
  "collective-order": "Different order across process groups",
  "collective-parity": "Schedule and code differ",
  "collective-running": "A recorded call has not finished",
  "collective-waits": "Ranks wait for a collective",
  "collectives": "Different collective schedules",
  "compile-order": "Different compile order",
  "cut-log": "Truncated log",
  "empty-log": "Empty log",
  "equal-logs": "Identical logs",
  "execution-order": "Different execution order",
  "extra-compile": "Extra compile",
  "failed-everywhere": "Failed on all ranks",
  "failure": "Failed on some ranks",
  "graph": "Different graph or code",
  "graph-break": "Graph break on some ranks",
  "group-differs": "Different process group",
  "guard": "Different guards",
  "late-start": "Late start",
  "missing-compile": "Missing compile",
  "missing-rank": "Missing log",
  "missing-wait": "Missing wait",
  "mixed-versions": "Different versions of torch",
  "never-began": "Compile not started",
  "no-rank": "Logs without a rank",
  "other-run": "Logs that are not compared",
  "rank-differs": "Rank differs from the file name",
  "rank-numbers": "Numbers that depend on the rank",
  "recompile": "Recompile on some ranks",
  "recorded-mismatch": "Recorded calls differ",
  "recorded-order": "Different order of groups",
  "restart": "Restart on some ranks",
  "settings": "Different settings",
  "stages": "Roles of ranks",
  "straggler": "Slow compile on one rank",
  "tensors": "Different output tensors",
  "unfinished-compile": "Rank still compiling",
  "unmatched-transfer": "Send or receive without a counterpart",
};

/**
 * Return the title of a kind; for a kind of a plug-in, its name in words.
 * @param {string} kind @param {boolean} [ofRanks]
 */
export function kindTitle(kind, ofRanks = false) {
  const titles = ofRanks ? OF_RANKS : OF_LOGS;
  return Object.hasOwn(titles, kind) ? titles[kind] : kind.replaceAll("-", " ");
}
