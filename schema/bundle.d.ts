// The tables of a bundle and the documents made of bundles, as TypeScript sees them. Written by scripts/docs from schema/: do not edit.
//
// In JSDoc: @typedef {import("../../schema/bundle.d.ts").Compiles["compiles"][number]} Compile

/** Input mutations and output aliases of graphs: one row per aot_forward_graph_fw_metadata and aot_forward_graph_fw_subclass_metadata, counted from their text. Texts longer than 20,000 characters are cut and end in '…'. */
export interface Aliasing {
  /** Number of the record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Whether the row describes the graph over the inner tensors of tensor subclasses. */
  subclass: boolean;
  /** Inputs of the graph. */
  input_count: number;
  /** Inputs whose data the graph changes. */
  mutated_input_count: number;
  /** Positions, from 0, of those of them that may be at another address in the next call: inputs other than parameters, buffers and tensors marked as static. At most 1,000. */
  moving_mutated_inputs: number[];
  /** Inputs whose shape or strides the graph changes. */
  metadata_mutated_input_count: number;
  /** Outputs of the graph. */
  output_count: number;
  /** Kind of output (torch's OutputType: 'non_alias', 'alias_of_input', 'is_input' …) -> how many. */
  output_types: Record<string, number>;
  /** Intermediate values that several outputs are views of; null when not recorded. */
  intermediate_base_count: number | null;
  /** Symbolic sizes saved for the backward; null without a backward. */
  saved_symint_count: number | null;
  /** Tokens that order side effects in the backward; null when not recorded. */
  backward_token_count: number | null;
  /** Random number generator states that are passed in; null when not recorded. */
  rng_state_count: number | null;
}

/** Artifacts, in the order torch wrote them: one row per record with a payload (chromium events excepted), per record of type 'artifact' even without a payload, per 'link', and per record of metrics. To read a payload, decode the file `blob` and take `size_bytes` bytes from `offset`. The content of an artifact without a payload is the metadata of its record. */
export interface Artifacts {
  /** Number of the artifact's record. */
  event: number;
  /** Compile that it belongs to; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Type of the record. */
  type: string;
  /** Stable name: the artifact's own name, or the type of the record, or that type, '_' and the name in its metadata (optimize_ddp_split_child_submod_0). One compile can have several artifacts of one name, such as forward and backward. */
  name: string;
  /** Language of the payload; 'none' without one. */
  language: "fx" | "python" | "cpp" | "json" | "guards" | "bytecode" | "csv" | "text" | "none";
  /** Key in `descriptors` of the manifest: title, phase and one line of help. */
  descriptor: string;
  /** Path of the file with the payload, relative to manifest.json; null without a payload. */
  blob: string | null;
  /** Where the payload starts in the decoded file, in bytes; null without a payload. */
  offset: number | null;
  /** Size of the payload in bytes; null without a payload. */
  size_bytes: number | null;
  /** SHA-256 of the payload, in hex: equal payloads have equal hashes. null without a payload. */
  sha256: string | null;
}

/** Attempts: one row per try of a compile, a refused compile or a capture, in the order of their first records. Each Dynamo restart adds an attempt; torch writes their ids as '0/1', '0/1_1', '0/1_2'. */
export interface Attempts {
  /** Key of the compile, or of the refused compile or capture: 'compile' in compiles, limits or captures. */
  compile: string;
  /** Number of the attempt, from 0. */
  attempt: number;
  /** 'restarted': discarded, a later attempt followed. For the last attempt, its outcome: 'ok', 'failed', 'empty' or 'unfinished' as in compiles; null when not recorded. */
  status: "ok" | "failed" | "empty" | "unfinished" | "restarted" | null;
  /** Why the attempt was discarded, as torch reports it; null for the last attempt, and when unknown. */
  restart_reason: string | null;
  /** Stack of the call, as in compiles; null when unknown. */
  stack: number | null;
  /** Number of graph breaks recorded in this attempt. One that the attempt before met, too, is not counted again. */
  graph_break_count: number;
  /** Number of its first record. */
  first_event: number;
  /** Number of its records. */
  event_count: number;
  /** Bytes that its records take in the log. */
  size_bytes: number;
  /** Number of its rows in artifacts. */
  artifact_count: number;
}

/** Captures of a backward graph by compiled autograd: one row per capture, in file order. */
export interface AutogradCaptures {
  /** Compile of the capture; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** The record whose payload is the graph; null when the capture did not produce one. */
  graph_event: number | null;
  /** The record whose payload is the same graph before its nodes were reordered; null when the log lacks it. */
  pre_reordering_event: number | null;
  /** The record with the reasons, which torch writes only with verbose logging of compiled autograd; null without it. */
  reasons_event: number | null;
  /** Why compiled autograd captured the graph and could not reuse an earlier one; at most 500. */
  reasons: string[];
}

/** Candidates of autotuning that torch logs: one row per candidate, grouped by autotuning, the fastest first and then those that did not compile. Up to torch 2.15, only the fastest candidate, the fastest in Triton, and those that did not compile are recorded; 'choice_count' of autotunings says how many there were. Texts longer than 2,000 characters are cut and end in '…'. */
export interface AutotuneChoices {
  /** 'id' in table autotunings, which has operator, shapes and dtypes. */
  autotuning: number;
  /** Compile of the autotuning; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Name: that of an operator for a library call ('mm'), otherwise of a kernel ('triton_mm_18'). null for one that did not compile, whose name torch does not log. */
  name: string | null;
  /** 'extern': a library call, such as ATen's; 'triton', 'cpp', 'cutlass', 'ck', 'cutedsl': a kernel from a template of Inductor; 'other': another kernel, or unknown. */
  kind: "extern" | "triton" | "cpp" | "cutlass" | "ck" | "cutedsl" | "other";
  /** Configuration of the kernel, as torch writes it; null without one. */
  description: string | null;
  /** Position by time among all candidates: 0 is the fastest. null for one that did not compile. */
  position: number | null;
  /** Benchmarked time in microseconds; null for one that did not run. */
  time_us: number | null;
  /** Class of the exception as torch finds it in the message; null without one. */
  error_type: string | null;
  /** Message of the exception; null without one. */
  error: string | null;
  /** Its time divided by that of the fastest; null when one is unknown. */
  ratio: number | null;
}

/** Autotunings of an operator while compiling: one row per benchmark of its candidates ('…_template_autotuning' in the timeline), or per compile of candidates ('…_template_precompiling') without a benchmark, in order of their ends. Statistics of the candidates are recorded since torch 2.9. Runs in which a cache has the result are not recorded. Texts longer than 2,000 characters are cut and end in '…'. */
export interface Autotunings {
  /** Number of the row, from 0. */
  id: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Operator, as torch names it here: 'mm', 'addmm', 'convolution', 'flex_attention' and others. */
  operator: string;
  /** Begin of the benchmark: 'begin_event' of its span; null without a benchmark. */
  begin_event: number | null;
  /** End of the benchmark, which has the statistics; null without a benchmark. */
  end_event: number | null;
  /** Time of the benchmark in microseconds; null without a benchmark. */
  duration_us: number | null;
  /** End of the compile of the candidates, which has their exceptions; null when not recorded. */
  precompile_event: number | null;
  /** Time to compile the candidates in microseconds; null when not recorded. */
  precompile_us: number | null;
  /** Shapes of the inputs, as torch writes them: '64x128, 128x32'; null when not recorded. */
  shapes: string | null;
  /** Strides of the inputs, as torch writes them; null when not recorded. */
  strides: string | null;
  /** dtypes of the inputs; empty when not recorded. */
  dtypes: string[];
  /** Benchmarked candidates; null when not recorded. */
  choice_count: number | null;
  /** Benchmarked candidates in Triton; null when not recorded. */
  triton_choice_count: number | null;
  /** Name of the fastest candidate. Inductor uses it, unless a different one fuses better with what follows. null when not recorded. */
  best: string | null;
  /** Its kind, as in autotune_choices; null when not recorded. */
  best_kind: "extern" | "triton" | "cpp" | "cutlass" | "ck" | "cutedsl" | "other" | null;
  /** Its time in microseconds; null when not recorded, and when no candidate ran. */
  best_time_us: number | null;
  /** Time of the second fastest candidate divided by that of the fastest; null when torch does not log it, which is always unless the second is the fastest in Triton. */
  runner_up_ratio: number | null;
  /** Candidates that did not compile, of those that torch logs. */
  failed_count: number;
}

/** Files that hold the payloads of a log, each once. Use it to verify or copy files; reading a payload does not need it. A payload of 256 KiB or more has a file of its own; smaller payloads of one kind are stored one after another in files of about 1 MiB. Logs share equal files. */
export interface Blobs {
  /** Path of the file, relative to manifest.json. Payloads are in blobs/<first 2 digits>/<SHA-256>, with the ending of the codec; the chromium events, whose times no other log shares, are in the folder of the log. */
  blob: string;
  /** 'timeline': chromium events, as a JSON array that trace viewers open; 'payloads': all other payloads. */
  kind: "timeline" | "payloads";
  /** SHA-256 of the decoded file, in hex. */
  sha256: string;
  /** Size of the decoded file in bytes. */
  size_bytes: number;
  /** Size of the file in bytes. */
  stored_size_bytes: number;
}

/** Bytecode of resume functions, before and after Dynamo: one row per function and compile, in file order. */
export interface Bytecode {
  /** Compile of the function; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Name of the function. */
  function: string;
  /** The record whose payload is its bytecode; null when the log lacks it. */
  original_event: number | null;
  /** The record whose payload is the bytecode that Dynamo replaced it with; null when nothing was compiled. */
  modified_event: number | null;
  /** Instructions in the original bytecode; null when the log lacks it. */
  original_instruction_count: number | null;
  /** Instructions in the replacement; null when the log lacks it. */
  modified_instruction_count: number | null;
}

/** Lookups and writes of the compile caches with their outcome, in file order. For a miss, 'different' names the components of the key that the closest earlier key does not have. A compile that hits the AOTAutograd cache also has hits of the FX graph cache. Texts are cut at 20,000 characters; the payload of the record is complete. */
export interface Caches {
  /** Number of the record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** fx_graph: Inductor's FX graph cache. aot_autograd: the AOTAutograd cache, whose entries include Inductor's output. pgo: profile of dynamic dimensions from earlier runs. precompile: whole compiled functions. */
  cache: "fx_graph" | "aot_autograd" | "pgo" | "precompile";
  /** hit, miss: a lookup. bypass: the cache could not be used, see reason. disabled: the cache is switched off. get, put: a profile was read or written, or an entry was written; torch does not log a get that finds no profile. error: an entry could not be written or read. key: only the key is logged (torch 2.4). */
  outcome: "hit" | "miss" | "bypass" | "disabled" | "get" | "put" | "error" | "key";
  /** Name of the artifact; for 'disabled', name of the timeline event. An AOTAutograd hit comes with fx_graph hits for its forward and backward. */
  name: string;
  /** Whether the profile is in a remote cache; null for caches other than pgo, where the log does not record it. */
  remote: boolean | null;
  /** Cache key of the lookup; null when not recorded. */
  key: string | null;
  /** torch's cache_status_detailed: 'hit', 'full_miss' (no entry with this key), 'guard_miss' (the guards on shapes of all entries failed); null in older torch. */
  detail: string | null;
  /** For a guard_miss: expression of the guard that failed; null otherwise. */
  guard: string | null;
  /** Reason of a bypass or an error; null otherwise. */
  reason: string | null;
  /** Type of the exception that led to a bypass; null when there was none. */
  exception_type: string | null;
  /** Field of the entry that could not be serialized; null otherwise. */
  field: string | null;
  /** For a hit: duration of the original compile, in microseconds; null otherwise. Don't add up hits of several caches in one compile: they save the same time. */
  time_saved_us: number | null;
  /** For a miss: compile time in microseconds; null otherwise. */
  time_taken_us: number | null;
  /** Number of components of the key, as the payload lists them; for pgo, functions in the profile; for a precompile put, entries; null when unknown. */
  component_count: number | null;
  /** For a miss: record of the earlier lookup of this cache whose key shares the most components with this one, among the last 8 distinct keys, or an earlier lookup of the same key. null without one, or when the log has no components (as for AOTAutograd in recent torch). */
  closest_event: number | null;
  /** Number of components in which the two keys differ; null without a closest_event. */
  different_count: number | null;
  /** Names of these components, sorted, at most 50: 'gm' is the graph, 'example_inputs[0]' an input, 'inductor_config[max_autotune]' a setting. Empty without a closest_event, and when the keys are equal. */
  different: string[];
}

/** What is known of the call that triggered each compile: a row for each value, from the tensors and symbols that torch described and from the guards of the compile, which hold for its own call. Parameters and buffers are left out ('tensors' has them). Compiles in the order of 'code_objects'. */
export interface CallInputs {
  /** The compile. */
  compile: string;
  /** The value, as torch writes it: "L['x']" for the argument x, "L['self'].training", "G['mode']", "len(L['xs'])". */
  source: string;
  /** Kind of the value: 'tensor', a constant of Python ('int', 'float', 'bool', 'str', 'none'), 'named' for a constant such as torch.float32, else 'other'. */
  kind: "tensor" | "int" | "float" | "bool" | "str" | "none" | "named" | "other";
  /** The value as Python writes it, at most 1,000 characters; null for a tensor. */
  value: string | null;
  /** Sizes of a tensor; else null. */
  shape: number[] | null;
  /** Strides of a tensor; else null, as for a tensor without strides. */
  stride: number[] | null;
  /** Data type of a tensor, such as 'torch.float32'; else null. */
  dtype: string | null;
  /** Device of a tensor, such as 'cpu' or 'cuda:0'; else null. */
  device: string | null;
  /** Whether autograd tracks the tensor; else null. */
  requires_grad: boolean | null;
  /** The record that states it: 'describe_tensor', 'create_symbol', or a 'guard' of the compile. */
  known_from: "describe_tensor" | "create_symbol" | "guard";
}

/** Compile ids that only captured something: the graph of compiled autograd ('!0'), calls of torch.export, functions inlined elsewhere. */
export interface Captures {
  /** The compile id, with '@2' for a second occurrence. */
  compile: string;
  /** Number of its first record. */
  first_event: number;
  /** Function; null when unknown. */
  function: string | null;
  /** File; null when unknown. */
  file: string | null;
  /** First line of the function; null when unknown. */
  line: number | null;
}

/** Compiled code objects with all their compiles, in order of the first compile. After torch._dynamo.reset() a frame id stands for a different code object and gets another row. Resume functions of two branches have the same name but are different code objects. */
export interface CodeObjects {
  /** Number of the code object, from 0. */
  id: number;
  /** Part of the compile ids, or null. */
  compiled_autograd_id: number | null;
  /** Part of the compile ids: torch's number of the code object. */
  frame_id: number;
  /** Name of the function; null when unknown. */
  function: string | null;
  /** File of that function, as written; null when unknown. */
  file: string | null;
  /** First line of that function; null when unknown. */
  first_line: number | null;
  /** Its compile ids in order, including those that torch refused. */
  compiles: string[];
  /** The compile that torch refused at the recompile limit, or null. */
  limit_compile: string | null;
  /** For a resume function, the code object of the function that it continues ('id' in this table); null for other functions, and when that one is not in the log. */
  resumes: number | null;
}

/** Collectives that a pass grouped into buckets, each of which runs as one: one row per fx_bucketing_passes_… artifact. Texts longer than 20,000 characters are cut and end in '…'. */
export interface CollectiveBuckets {
  /** Number of the record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Name of the artifact. */
  name: string;
  /** The nodes of each bucket; at most 20,000 nodes. */
  buckets: string[][];
}

/** Distinct collective calls, which tables about several ranks refer to in 'collective_call'. */
export interface CollectiveCalls {
  /** Number of the row, from 0. */
  id: number;
  /** Name, such as all_reduce. */
  op: string;
  /** Such as 'sum', or null. */
  reduce_op: string | null;
  /** Process group: 'group' of process_groups. null when unknown. */
  group: string | null;
  /** Number of ranks of the group, or null when the call does not state it. */
  group_size: number | null;
  /** Type of the result as torch prints graphs ('f32'), or null. */
  dtype: string | null;
  /** Sizes of the result; a symbol is a string. null when unknown. */
  shape: (number | string)[] | null;
  /** Rank that a broadcast sends from; null for other operations, and when unknown. */
  root: number | null;
  /** Rows that an all-to-all receives from each rank of the group; a symbol is a string. null for other operations, and when unknown. */
  output_splits: (number | string)[] | null;
  /** Rows that an all-to-all sends to each rank of the group; a symbol is a string. null for other operations, and when unknown. */
  input_splits: (number | string)[] | null;
}

/** First mismatched calls of each process group: one row per group of ranks that make the same call, the largest group first. */
export interface CollectiveMismatches {
  /** Process group: 'group' of process_groups. */
  group: string | null;
  /** Position of the call in the group, from 0. */
  position: number;
  /** 'hang': the calls never match, so the ranks wait for each other. 'wrong': they match, but but the results are wrong, as with different reductions. */
  effect: "hang" | "wrong";
  /** For an all-to-all: the first pair of ranks with different sizes; null for other operations. */
  unmatched: {
    /** Rank that sends. */
    sender: number;
    /** Rank that receives. */
    receiver: number;
    /** Rows that the sender sends. */
    sent: number;
    /** Rows that the receiver expects. */
    expected: number;
  } | null;
  /** Ranks of this row. */
  ranks: number[][];
  /** Matched compile that makes the call: 'id' of rank_compiles. */
  rank_compile: number;
  /** The call: 'id' of collective_calls. */
  collective_call: number;
}

/** Profiled and estimated run times of operations: one row per pge_profile_vs_analytical. Texts longer than 20,000 characters are cut and end in '…'. */
export interface CollectiveProfiles {
  /** Number of the record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Collectives in the profile; null when not recorded. */
  collective_count: number | null;
  /** Operations in the profile; null when not recorded. */
  op_count: number | null;
  /** Operations in the profile; at most 20,000. */
  ops: {
    /** Name. */
    op: string | null;
    /** Shapes of its inputs, as Python writes them. */
    shapes: string | null;
    /** Strides of its inputs. */
    strides: string | null;
    /** Data type. */
    dtype: string | null;
    /** Run time in the profile, in milliseconds. */
    profile_ms: number | null;
  }[];
  /** Nodes of the graph with their estimates; at most 20,000. */
  nodes: {
    /** Name of the node. */
    node: string | null;
    /** Its operator. */
    op: string | null;
    /** Estimate from the profile, in milliseconds. */
    pge_ms: number | null;
    /** Estimate from a model of the device, in milliseconds. */
    analytical_ms: number | null;
  }[];
}

/** Text reports of passes over collectives, and of what ranks exchanged while they compiled (compiler_collective): one row per report, with the values in its text. Texts longer than 20,000 characters are cut and end in '…'. */
export interface CollectiveReports {
  /** Number of the record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Name of the artifact. */
  name: string;
  /** Lines of the report. */
  line_count: number;
  /** Values in the report ('group_size=2', 'source: state'), as text; at most 500. */
  values: Record<string, string>;
  /** Kind of collective -> its number before and after ('all_gather 4->1'). */
  changes: Record<string, number[]>;
  /** Beginning of the report, at most 2,000 characters; the payload of the record is complete. */
  text: string;
}

/** The collectives of compiled graphs: one row per inductor_collective_schedule, that is, per graph with collectives. Texts longer than 20,000 characters are cut and end in '…'. */
export interface CollectiveSchedules {
  /** Number of the record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Collectives in the order in which the code starts them, waits included; null for one without a name. */
  collectives: (string | null)[];
  /** Whether a limit left something out; the payload of the record is complete. */
  cut: boolean;
}

/** Sizes of collectives before bucketing: one row per collective in a pre_bucketing_collective_sizes… artifact, at most 20,000 per artifact. Texts longer than 20,000 characters are cut and end in '…'. */
export interface CollectiveSizes {
  /** Number of the record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Name of the artifact. */
  name: string;
  /** Name of the node; null when not recorded. */
  node: string | null;
  /** 'AG' all-gather, 'RS' reduce-scatter, 'AR' all-reduce; null when not recorded. */
  type: string | null;
  /** Size in megabytes; null when not recorded. */
  size_mb: number | null;
}

/** Positions in a process group at which some ranks make no further call while others do. */
export interface CollectiveWaits {
  /** Process group: 'group' of process_groups. */
  group: string | null;
  /** Position of the call in the group, from 0. */
  position: number;
  /** Ranks that make no further call. */
  ranks: number[][];
  /** Ranks that make the call. */
  others: number[][];
  /** Matched compile that makes the call: 'id' of rank_compiles. */
  rank_compile: number;
  /** The call: 'id' of collective_calls. */
  collective_call: number;
}

/** Compiles: one row per compile with all its attempts, in order of start. Includes frames, frames of compiled autograd, and ahead-of-time compiles. Refused compiles are in limits, captures in captures, calls of torch.export in exports. For the compile time of a log, use compile_us of its summary: compiles nest and run in parallel, so the sum of total_us can exceed it. */
export interface Compiles {
  /** Key of the compile, unique in the log: the compile id without attempt ('0/1': the second compile of code object 0; '!1/0/0' inside compiled autograd 1), and '@2' for the second compile with this id, after torch._dynamo.reset(); 'aot-1' for an ahead-of-time compile that has no compile id. */
  compile: string;
  /** 'frame': a function of the program, or a part of it after a graph break; 'compiled_autograd': a frame inside compiled autograd; 'ahead_of_time': AOTInductor, or a capture that a backend compiled, as in vLLM. */
  kind: "frame" | "compiled_autograd" | "ahead_of_time";
  /** Part of the compile id, or null. */
  compiled_autograd_id: number | null;
  /** Part of the compile id: number of the code object; null without one. */
  frame_id: number | null;
  /** Part of the compile id: number of earlier compiles of the code object; above 0 it is a recompile. null without a compile id. */
  frame_compile_id: number | null;
  /** 1 for the first compile with this id; torch._dynamo.reset() restarts the numbers, so an id can occur again as 2, 3 and so on. */
  occurrence: number;
  /** Number of attempts: rows in attempts. */
  attempt_count: number;
  /** 'ok': compiled, also after graph breaks or restarts; 'failed': an error was raised; 'skipped': Dynamo gave up and the frame runs eager; 'empty': nothing to compile, the graph has no operations; 'unfinished': the log ends before the compile does. */
  status: "ok" | "failed" | "skipped" | "empty" | "unfinished";
  /** Name of the compiled function, as torch names it: a part after a graph break is called torch_dynamo_resume_in_f_at_12. From the metrics, the last frame of the stack, or another compile of the code object; null when unknown. */
  function: string | null;
  /** File of that function, as written; null when unknown. */
  file: string | null;
  /** First line of that function; null when unknown. */
  line: number | null;
  /** Stack of the call, ending with the compiled function. null when the compile has no dynamo_start. */
  stack: number | null;
  /** Start, microseconds since 1970-01-01 UTC; null when unknown. */
  start_epoch_us: number | null;
  /** Time of the compile, forward, backward and restarts, in microseconds; null when unknown. */
  total_us: number | null;
  /** Part of total_us spent in Dynamo, in the last attempt. null when torch does not record the parts. */
  dynamo_us: number | null;
  /** Part of total_us spent in AOTAutograd, or in a backend other than Inductor. null when unknown or when no backend ran. */
  aot_us: number | null;
  /** Part of total_us spent in Inductor. null when unknown or when it did not run. */
  inductor_us: number | null;
  /** Part of total_us spent on backward graphs that were compiled later, in all phases. null without one, or when unknown. */
  backward_us: number | null;
  /** Part of total_us lost to restarts. null without restarts, or when unknown. */
  restart_us: number | null;
  /** Operations in the last graph; null when unknown. */
  graph_op_count: number | null;
  /** Nodes in the last graph; null when unknown. */
  graph_node_count: number | null;
  /** Inputs of the last graph; null when unknown. */
  graph_input_count: number | null;
  /** Guards as torch counts them; null when unknown, as after a failure. */
  guard_count: number | null;
  /** Number of graph breaks of its attempts. One that a later attempt meets again counts once. */
  graph_break_count: number;
  /** Why it was recompiled: torch's text (metrics, else the recompile_reasons artifact); null when it is not a recompile. */
  recompile_reason: string | null;
  /** Why attempts were restarted, from the metrics; empty without restarts. */
  restart_reasons: string[];
  /** Exception type that the metrics report, or null. */
  failure_type: string | null;
  /** Its message; null when not recorded. */
  failure_reason: string | null;
  /** User file where it happened; null when unknown. */
  failure_file: string | null;
  /** Line in that file; null when unknown. */
  failure_line: number | null;
  /** Record with its compilation metrics, or null. */
  metrics_event: number | null;
  /** Number of its first record. */
  first_event: number;
  /** Number of its records; null when the log does not record which records belong to it. */
  event_count: number | null;
  /** Bytes that its records take in the log; null like event_count. */
  size_bytes: number | null;
  /** Number of its rows in artifacts; null like event_count. */
  artifact_count: number | null;
}

/** CUDA graphs: one row per compile and direction whose graph torch prepared for CUDA graphs, recorded, or could not use, in order of the first record. torch does not log replays, and reasons that it finds while the program runs, such as an input that the graph changes, or too many recordings. A compile without a row did not ask for CUDA graphs, or did not run. Texts longer than 20,000 characters are cut and end in '…'. */
export interface CudaGraphs {
  /** Compile; for a recording, the newest with the id in its record. null when unknown. */
  compile: string | null;
  /** Attempt of that compile; null without a compile. */
  attempt: number | null;
  /** 'backward': the graph of a backward; 'forward': any other graph. */
  direction: "forward" | "backward";
  /** How often torch prepared CUDA graphs for it ('cudagraphify.get_container' in the timeline), in the first run: once for each part of the graph, and again for each new set of sizes and integers. null when not recorded; older versions of torch do not. */
  prepare_count: number | null;
  /** Number of recordings. The first is in the second run. A graph is recorded again for new sizes, and when it runs after a different graph. */
  record_count: number;
  /** Ends of the recordings ('CUDAGraphNode.record' in the timeline); at most 1,000. */
  record_events: number[];
  /** Time of all recordings in microseconds. */
  record_us: number;
  /** Metrics with the reason; null without one. */
  skip_event: number | null;
  /** Why torch does not use CUDA graphs for it, as torch writes it; null without a reason. */
  skip_reason: string | null;
  /** File of the innermost frame that the reason names ('Found from'); null when it names none. */
  file: string | null;
  /** Line in that file, or null. */
  line: number | null;
  /** Function of that line, or null. */
  function: string | null;
  /** Text of that line, or null. */
  source_line: string | null;
}

/** Conditions on unbacked symbols that torch could not decide: one row per record guard_on_data_dependent_error, in file order. Texts longer than 2,000 characters are cut and end in '…'; the metadata of the event has the whole text. */
export interface DataDependentErrors {
  /** Number of the record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** The condition; null when the record lacks it. */
  expr: string | null;
  /** The condition without known values substituted; null when the record lacks it. */
  unhinted_expr: string | null;
  /** Symbols whose names occur in expr, in order of first occurrence: event of their rows in `symbols`. A name that several symbols share means the newest one in the same compile, whatever its attempt. */
  symbol_events: number[];
  /** Record that created the expression: event of its row in `expressions`; null when the log lacks it (TORCH_DTRACE records it). */
  expression_event: number | null;
  /** torch's stack; null when the record has none. */
  stack: number | null;
}

/** Parts of graphs that DDPOptimizer split: one row per part, in file order. Parts of one graph share 'split_event'. */
export interface DdpSplits {
  /** The record whose payload is the part. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** The record whose payload is the graph that calls the parts; null when the log lacks it. */
  split_event: number | null;
  /** Position of the part in the order in which the parts run, from 0. */
  position: number;
  /** Name of the part, such as 'submod_0'; null when the record has none. */
  name: string | null;
}

/** Parts of the log that were skipped, repaired, assumed or not understood: one row per occurrence, or per run of lines with the same code, in file order. The verbatim chunks keep the bytes. `diagnostic_codes` in the manifest explains the codes. */
export interface Diagnostics {
  /** Number of the affected record; null when it does not concern a single record. */
  event: number | null;
  /** Stable code; `diagnostic_codes` in the manifest has its meaning. */
  code: string;
  /** 'info' or 'warning', as in the manifest. */
  severity: "info" | "warning";
  /** Problem, as a sentence. */
  message: string;
  /** Log line where it starts, counted from 1; null when it concerns the whole log. */
  line: number | null;
  /** Byte offset in the log where it starts; null when it concerns the whole log. */
  byte_offset: number | null;
  /** Number of occurrences that the row stands for: consecutive lines, or those after the first 1,000 rows of a code. */
  count: number;
}

/** Nested regions whose backward was compiled more than once, for different gradients: one row per invoke_subgraph_backward_duplicate. Texts longer than 20,000 characters are cut and end in '…'. */
export interface DuplicateBackwards {
  /** Number of the record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Name of the region's forward; null when not recorded. */
  forward_identifier: string | null;
  /** Name of its backward; null when not recorded. */
  backward_identifier: string | null;
  /** Suffix that distinguishes the new variant; null when not recorded. */
  variant_suffix: string | null;
  /** Variants of this backward so far; null when not recorded. */
  variant_count: number | null;
  /** Name of the new variant; null when not recorded. */
  new_backward_identifier: string | null;
  /** Gradients of the new variant; at most 5,000. Values that are not recorded are null. */
  tangents: {
    /** Name of the input. */
    backward_input_name: string | null;
    /** Its shape, as Python writes it. */
    shape: string | null;
    /** Its strides. */
    stride: string | null;
    /** Its data type. */
    dtype: string | null;
    /** Its device. */
    device: string | null;
    /** Type of an input that is not a tensor. */
    type: string | null;
  }[];
  /** torch's explanation; null when not recorded. */
  explanation: string | null;
  /** Cause that torch suspects; null when not recorded. */
  common_cause: string | null;
  /** torch's suggestion; null when not recorded. */
  suggested_action: string | null;
}

/** Run-time estimates that torch writes as CSV: one row per artifact (fx_compute_nodes_runtime_estimation, fx_collectives_…). Texts longer than 20,000 characters are cut and end in '…'. */
export interface EstimateTables {
  /** Number of the record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Name of the artifact. */
  name: string;
  /** Number of ranks that the collectives were estimated for; null when not recorded. */
  world_size: number | null;
  /** Column headers with units, as torch writes them. */
  columns: string[];
  /** Rows of cells, with numeric cells as numbers; at most 5,000 rows. */
  rows: ((number | string)[])[];
  /** Whether a limit left something out; the payload of the record is complete. */
  cut: boolean;
}

/** Operations with their estimated run times and output tensors: one row per operation, in the order of the generated code. Texts longer than 20,000 characters are cut and end in '…'. */
export interface EstimatedOps {
  /** The record of the estimate: 'event' of runtime_estimates. */
  estimate_event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Kernel or buffer; null when not recorded. */
  name: string | null;
  /** 'compute' or 'collective'; null when not recorded. */
  type: string | null;
  /** Estimated run time in nanoseconds; null when not recorded. */
  estimated_runtime_ns: number | null;
  /** Output tensors. */
  outputs: {
    /** Sizes: numbers, or text where torch writes an expression; null when not recorded. Empty for in-place collectives. */
    shape: (number | string | null)[] | null;
    /** Strides, as in shape. */
    stride: (number | string | null)[] | null;
    /** Such as 'float32'; null when unknown. */
    dtype: string | null;
  }[];
}

/** Records of the log: one row per record, in file order. To locate a record, use `first_event` of each file in log.json. */
export interface Events {
  /** Number of the record in the log, from 0. */
  event: number;
  /** Type of the record, such as 'dynamo_output_graph'. */
  type: string;
  /** Name of an artifact or a dumped file; null for types without one. */
  name: string | null;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Rank in the record, which can differ from the rank of the log; null when it has none. */
  record_rank: number | null;
  /** Line of the record in the log, counted from 1. */
  line: number;
  /** Bytes of the log between the previous record and this one, normally 0. The record starts in the (uncompressed) log at the sum of gap_bytes and size_bytes of all rows before it, plus its own gap_bytes. */
  gap_bytes: number;
  /** Bytes of the record in the log, payload lines included. */
  size_bytes: number;
  /** Time of the record in microseconds after the clock origin of the log. torch writes milliseconds; records of different threads can be out of order. */
  time_us: number;
  /** Source line of torch that wrote the record, as 'path:line'. */
  origin: string;
  /** Process id in the prefix of the record; before torch 2.5, a thread id (above 2^32). */
  pid: number;
  /** Path of the file with the payload, relative to manifest.json; null without a payload. */
  blob: string | null;
  /** Where the payload starts in the decoded file, in bytes; null without a payload. */
  offset: number | null;
  /** Size of the payload in bytes; null without a payload. */
  payload_size_bytes: number | null;
  /** How the log stores the payload: 'lf': each line is a tab, the text and a line feed (the usual form); 'crlf': lines end in CR LF; 'verbatim': its lines are in the verbatim chunks as well (truncated, blank lines, mixed line endings). null without a payload. */
  payload_form: "lf" | "crlf" | "verbatim" | null;
}

/** Obstacles to an export: one row per record, in file order. In a log without rows in `exports`, a guard_evaluated is an ordinary guard. Texts longer than 2,000 characters are cut and end in '…'; the metadata of the event has the whole text. */
export interface ExportFailures {
  /** The record: missing_fake_kernel, mismatched_fake_kernel, propagate_real_tensors_provenance, guard_on_data_dependent_error, or guard_added with the prefix 'eval'. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** 'missing_fake_kernel': an operator cannot be traced because it has no fake kernel; 'mismatched_fake_kernel': its fake kernel disagrees with the real one; 'data_dependent_error': a condition depends on data; if result is not null, the example inputs decided it (draft_export), otherwise the export stopped there; 'guard_evaluated': a condition on symbols was decided, which may narrow the requested dynamic shapes. */
  kind: "missing_fake_kernel" | "mismatched_fake_kernel" | "data_dependent_error" | "guard_evaluated";
  /** The condition; null for kinds without one. */
  expr: string | null;
  /** Value assumed for the condition, such as 'False'; null when it was not decided. */
  result: string | null;
  /** The operator, such as 'mylib.my_op.default'; null for kinds without one. */
  op: string | null;
  /** How the fake kernel differs; null for other kinds. */
  reason: string | null;
  /** torch's stack; null when the record has none. */
  stack: number | null;
  /** Stack of the user's code; null when the record has none. */
  user_stack: number | null;
  /** Record that created the condition: event of a row of `expressions`; null when the log lacks it. */
  expression_event: number | null;
  /** Text of the source lines; null when unknown. */
  loc: string | null;
  /** Local variables in those lines: one text for each leaf of a variable's value, null for a leaf that is neither a tensor nor symbolic. At most 200 variables of at most 200 leaves. */
  locals: Record<string, (string | null)[]>;
  /** Source of each symbol that has one, as a Python expression. */
  symbol_sources: Record<string, string | null>;
}

/** Calls of torch.export, torch.export.draft_export and torch.onnx.export, with their outcomes: one row per call, in file order. With TORCH_DTRACE, torch logs each call. Without it, calls are found by the graphs that Dynamo captures (strict=True) and by failures: calls with strict=False that succeed leave no trace. */
export interface Exports {
  /** The first record of the call. */
  event: number;
  /** The record 'export'; null without TORCH_DTRACE, and for draft_export, which writes a separate log without a start. */
  start_event: number | null;
  /** The record 'exported_program', whose payload is the program; null when the export failed, the log ends, or without TORCH_DTRACE. */
  program_event: number | null;
  /** Compile of the first record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** 'succeeded': torch logged the program, or (without TORCH_DTRACE) Dynamo captured the graph and no failure follows; 'failed'; 'unknown': the log ends inside the call, or draft_export logged problems and no program. */
  outcome: "succeeded" | "failed" | "unknown";
  /** Why it failed: exception type and first line of its message, or the data-dependent condition; null when it did not fail or torch did not log why. */
  reason: string | null;
  /** The last record that reports the failure; null without one. */
  failure_event: number | null;
  /** The function of torch that was called, as far as the stack of a failure shows it. */
  function: "torch.export" | "torch.export.draft_export" | "torch.onnx.export";
  /** Other ways in which the same call of torch.onnx.export tried to convert the program and failed: before the one that succeeded, or after the first one that failed. */
  conversions: {
    /** Its record 'export'; null without TORCH_DTRACE. */
    start_event: number | null;
    /** null, as it failed. */
    program_event: number | null;
    /** The last record that reports its failure. */
    failure_event: number;
    /** Exception type and first line of its message; null when torch did not log why. */
    reason: string | null;
  }[];
}

/** The nodes of symbolic expressions: one row per record expression_created or create_unbacked_symbol (a leaf), in file order. torch logs expressions only with TORCH_DTRACE. Texts longer than 2,000 characters are cut and end in '…'; the metadata of the event has the whole text. */
export interface Expressions {
  /** The record: expression_created or create_unbacked_symbol. It increases from row to row; other tables refer to an expression by it. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** The operation, such as 'add' or 'gt'; null for an unbacked symbol. */
  method: string | null;
  /** The expression, or the name of the unbacked symbol; null when the record lacks it. */
  result: string | null;
  /** The arguments, constants included; null for one that is null in the record. At most 100. */
  arguments: (string | null)[];
  /** The nodes of the arguments, in their order: event of their rows, which is less than that of this row; null for a node that the log lacks (a backed symbol). Constants are left out, so this list can be shorter than arguments. torch identifies nodes by an address that later nodes can reuse; this is the newest earlier node. */
  argument_events: (number | null)[];
  /** torch's stack; null when the record has none. */
  stack: number | null;
  /** Stack of the user's code that was traced; null when the record has none. */
  user_stack: number | null;
}

/** Partitioner state when no cut was found: one row per min_cut_failed_… artifact. The content is in the payload of the record. Texts longer than 20,000 characters are cut and end in '…'. */
export interface FailedPartitions {
  /** Number of the record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Content of the payload: 'fx_graph', 'edge_list' or 'svg'. */
  what: string;
  /** Lines of the payload. */
  line_count: number;
}

/** Failures and restarts: one row per record that reports one, in file order. One failure of a compile can have several rows: the exception (kind 'exception'), then the metrics (kind 'compile'). To count failed compiles, count the rows of kind 'compile'. Texts longer than 20,000 characters are cut and end in '…'. */
export interface Failures {
  /** Number of the record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; the last one for a restart; null outside any compile. */
  attempt: number | null;
  /** 'compile': the metrics of a compile report a failure; 'backward': the metrics of a backward compile do; 'restart': one of the restart reasons in the metrics of a compile (at most 1000); 'exception': dynamo_error, a frame compile raised an exception; 'eager_backward': the backward could not be compiled ahead; 'fx_interpreter': a node failed while a graph was interpreted; 'make_fx': make_fx failed and left a partial graph; 'compile_worker': the process of the compile workers died (torch 2.15 and newer). */
  kind: "compile" | "backward" | "restart" | "exception" | "eager_backward" | "fx_interpreter" | "make_fx" | "compile_worker";
  /** Exception type: in metrics its qualified name ('Unsupported'), in a traceback with its module ('torch._dynamo.exc.Unsupported'). null for restart, fx_interpreter, make_fx and compile_worker, which have none. */
  type: string | null;
  /** Message of the exception without torch's stack and advice; for a restart, its reason; for fx_interpreter, message and node; for compile_worker, process id, return code and last output. null when not recorded, as for make_fx. */
  reason: string | null;
  /** User file where it happened: innermost frame of the user's code, or the source of the last node of a partial graph; null when unknown. */
  file: string | null;
  /** Line in that file; null when unknown. */
  line: number | null;
  /** Function that contains that line; null when unknown (metrics do not record it). */
  function: string | null;
  /** Text of that line; null when unknown. */
  source_line: string | null;
  /** The user's stack as Python prints it, outermost frame first; null when the record has none. */
  user_traceback: string | null;
  /** Stack of the caller, for a record outside any compile; null otherwise. */
  stack: number | null;
}

/** ATen operators that generated code calls as they are: one row per operator and record of code, in order of first appearance. Calls for which Inductor has no kernel of its own by design, such as convolutions in the C++ wrapper, are included; those through 'extern_kernels' are only in table kernels. Texts longer than 20,000 characters are cut and end in '…'. */
export interface Fallbacks {
  /** The record with the code: a row of table generated_code. */
  code_event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** What the code calls: 'name' in table kernels. */
  name: string;
  /** The operator: 'aten.topk'. */
  operator: string;
  /** Calls in the code; at most 1000. */
  call_count: number;
  /** File of the operator in the program, from Dynamo's graph; null when unknown, as in most backwards. */
  file: string | null;
  /** Line in that file, or null. */
  line: number | null;
  /** Function of that line, or null. */
  function: string | null;
  /** Text of that line, or null. */
  source_line: string | null;
}

/** Findings, most important first: what went wrong, where, what it cost and how to fix it. One row per finding. The headline's numbers are in 'summary' of the log's row in the manifest. A log has at most 300 findings; a last one of kind 'unlisted' counts the rest. */
export interface Findings {
  /** Number of the row, from 0: most important first. */
  id: number;
  /** Kind of finding: a key of $defs/details, or a kind that a plug-in defines. Readers also show kinds that they don't recognize. */
  kind: string;
  /** Identifies the problem across ranks, runs, machines and minor versions of torch (docs/reference/comparison.md has the exceptions). Made from kind, cause, function and file name; never from ids, times, lines, addresses or folders. */
  fingerprint: string;
  /** 'error': something is wrong or lost; 'warning': it costs time or speed; 'info': worth knowing. */
  severity: "error" | "warning" | "info";
  /** One sentence, on one line. Plain text, code in backticks. */
  title: string;
  /** Explanation: paragraphs with an empty line between them, code in backticks; may be empty. */
  text: string;
  /** Function, or null. */
  function: string | null;
  /** File, shortened as long as it is unique in the log; null when unknown. */
  file: string | null;
  /** Line, or null. */
  line: number | null;
  /** Keys of the affected compiles; at most 1,000. */
  compiles: string[];
  /** Records that show it; at most 1,000. */
  events: number[];
  /** Ids of the spans that show it; at most 1,000. */
  spans: number[];
  /** How often it happened. */
  count: number;
  /** Time that fixing it would save, in microseconds; null when unknown. Costs of findings can overlap: don't add them up. */
  cost_us: number | null;
  /** What the cost consists of, in words; null without a cost. */
  cost_of: string | null;
  /** Suggested fixes, torch's own hints first. */
  remedies: {
    /** What to do, in words. */
    text: string;
    /** Code to paste, or null. */
    code: string | null;
    /** Origin of the fix; 'torch' marks torch's own hint, verbatim. */
    source: "torch" | "tlparse-bundle";
  }[];
  /** Id of the finding that causes this one, or null. */
  because_of: number | null;
  /** Facts that the text is built from, by kind: see $defs/details. */
  details: Record<string, unknown>;
}

/** Calls in Flight Recorder dumps: one row per recorded call and rank, by rank and order of calls, joined to the compile whose code made the call. A bundle has the last 200,000 calls, equally many of each rank. */
export interface FlightRecorderCalls {
  /** The rank. */
  rank: number;
  /** record_id: number of the call among those of the rank. */
  record: number;
  /** Name of the process group: 'group' of flight_recorder_groups. */
  group: string;
  /** Its description. */
  description: string;
  /** Backend, such as nccl or gloo; null when not recorded. */
  backend: string | null;
  /** Operation, such as all_reduce. */
  operation: string;
  /** Whether it is a point-to-point call (send or recv). */
  p2p: boolean;
  /** collective_seq_id: number of the collective in the group, from 1; of point-to-point calls p2p_seq_id. */
  sequence: number;
  /** Sender of a point-to-point call, as a rank of the group; null for others. */
  source: number | null;
  /** Receiver of a point-to-point call, as a rank of the group; null for others. */
  destination: number | null;
  /** Sizes of the inputs. */
  input_sizes: number[][];
  /** Types of the inputs, as torch records them ('Float'). */
  input_dtypes: string[];
  /** Sizes of the outputs. */
  output_sizes: number[][];
  /** Types of the outputs. */
  output_dtypes: string[];
  /** Recorded state; null for an unknown one. gloo only records 'scheduled'. */
  state: "scheduled" | "started" | "completed" | null;
  /** Whether the call has finished: state 'completed', or retired with gloo. */
  finished: boolean;
  /** When the call was made, in microseconds since 1970-01-01 UTC. */
  created_epoch_us: number | null;
  /** When its start was noticed; null when not recorded. */
  started_epoch_us: number | null;
  /** When its end was noticed; null when not recorded. */
  completed_epoch_us: number | null;
  /** Duration in microseconds; null when not recorded (TORCH_NCCL_ENABLE_TIMING). */
  duration_us: number | null;
  /** Timeout in milliseconds; null when not recorded. */
  timeout_ms: number | null;
  /** Stack of the call: 'id' of flight_recorder_stacks; null without one. */
  stack: number | null;
  /** 'compiled': the call comes from compiled code; 'eager': it does not; null when unknown, as without a stack. */
  origin: "compiled" | "eager" | null;
  /** Key of the compile whose code made the call; null when unknown, or outside compiled code. */
  compile: string | null;
  /** That compile among the matched ones: 'id' of rank_compiles; null without one. */
  rank_compile: number | null;
  /** How the compile was found. 'generated_code': the stack names the file of its code; 'function': the stack has its function, which has one compile; 'sizes': of the compiles of that function, one makes this call with these sizes; 'order': without a stack, from the operation, sizes and order of the calls. null without a compile. */
  joined_by: "generated_code" | "function" | "sizes" | "order" | null;
  /** Function that made the call: of the program, from the stack or the log; null when unknown. */
  function: string | null;
  /** Its file; null when unknown. */
  file: string | null;
  /** Line in that file; null when unknown. */
  line: number | null;
}

/** Dumps of PyTorch's Flight Recorder, one row per rank. Only in bundles built with --flight-recorder. */
export interface FlightRecorderDumps {
  /** Rank, from the name of the file. */
  rank: number;
  /** Log of the rank; null without one. */
  log: string | null;
  /** Name of the file. */
  file: string;
  /** 'json': from torch._C._distributed_c10d._dump_fr_trace_json; 'pickle': from _dump_fr_trace, as torch itself writes dumps. */
  format: "json" | "pickle";
  /** Version of the format, such as 2.10; null when it is not a version. */
  version: string | null;
  /** Entries in the dump. The Flight Recorder keeps the newest ones (TORCH_FR_BUFFER_SIZE). */
  entry_count: number;
  /** Entries in flight_recorder_calls: readable ones, and of many ranks only the last ones. */
  call_count: number;
  /** Whether the dump has stacks. JSON has none. */
  stacks: boolean;
}

/** Process groups in Flight Recorder dumps, and what their ranks do: one row per group, those in which ranks wait first. */
export interface FlightRecorderGroups {
  /** Number of the row, from 0. */
  id: number;
  /** Name of the group, as torch numbers or hashes it; '0' is the default group. Groups of the same name with different ranks are different groups. */
  group: string;
  /** Its description (group_desc), such as 'default_pg' or 'mesh_tp'; 'undefined' without one. */
  description: string;
  /** Its ranks. */
  ranks: number[][];
  /** 'recorded': the dumps name the ranks; 'all': it is the default group, so all ranks of the job; 'callers': ranks that call in it, in a dump or in compiled code, so ranks may be missing. */
  ranks_from: "recorded" | "all" | "callers";
  /** 'differs': ranks made different calls; 'missing': ranks wait for ranks that have not made the call; 'waiting': all ranks made the call, and it has not finished; 'unknown': ranks wait, and ranks without a dump may not have made the call; 'finished': no rank waits. */
  state: "differs" | "missing" | "waiting" | "unknown" | "finished";
  /** Number of the call in which ranks wait or differ, otherwise of the last one; from 1. null without a call. */
  sequence: number | null;
  /** Operation of that call. */
  operation: string | null;
  /** Ranks that wait in that call. */
  waiting: number[][];
  /** Ranks with a dump that have not made that call. */
  missing: number[][];
  /** Ranks without a dump. */
  no_dump: number[][];
}

/** The call that each rank is in, for each of its process groups, from Flight Recorder dumps: the first one that has not finished, otherwise the last one. One row per group and rank with a dump. */
export interface FlightRecorderPositions {
  /** The group: 'id' of flight_recorder_groups. */
  group: number;
  /** The rank. */
  rank: number;
  /** 'waiting': a call has not finished; 'finished': all calls have; 'none': the dump has no call of the rank in this group. */
  state: "waiting" | "finished" | "none";
  /** The call: 'record' of flight_recorder_calls; null without one. */
  record: number | null;
  /** Whether it is a point-to-point call (send or recv). */
  p2p: boolean;
  /** Its number among the collectives of the group, or among the point-to-point calls; from 1. */
  sequence: number | null;
  /** Its operation, such as all_reduce. */
  operation: string | null;
  /** Its state as recorded: 'scheduled', 'started' or 'completed'. gloo only records 'scheduled'. */
  recorded_state: "scheduled" | "started" | "completed" | null;
  /** When the rank made the call, in microseconds since 1970-01-01 UTC. */
  since_epoch_us: number | null;
  /** pg_status: last_enqueued_collective of the rank. null when not recorded. */
  last_enqueued: number | null;
  /** pg_status: last_started_collective. */
  last_started: number | null;
  /** pg_status: last_completed_collective. */
  last_completed: number | null;
  /** 'compiled': the call comes from compiled code; 'eager': it does not; null when unknown, as without a stack. */
  origin: "compiled" | "eager" | null;
  /** Key of the compile whose code made the call; null when unknown, or outside compiled code. */
  compile: string | null;
  /** That compile among the matched ones: 'id' of rank_compiles; null without one. */
  rank_compile: number | null;
  /** Function that made the call: of the program, from the stack or the log; null when unknown. */
  function: string | null;
  /** Its file; null when unknown. */
  file: string | null;
  /** Line in that file; null when unknown. */
  line: number | null;
}

/** Distinct stacks of the calls in flight_recorder_calls. */
export interface FlightRecorderStacks {
  /** Number of the row, from 0. */
  id: number;
  /** Frames, innermost first, at most 200. In compiled code of Inductor, the frames after that of the generated code are the lines of the program that it was compiled from. */
  frames: {
    /** Name of the function. */
    function: string;
    /** File. */
    file: string;
    /** Line; null when not recorded. */
    line: number | null;
  }[];
}

/** Configurations of AOTAutograd: one row per torch._functorch.config artifact, in file order. */
export interface FunctorchConfigs {
  /** Number of the record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Name of each setting -> its value, as torch wrote it; null when the payload is not a configuration, or larger than 500,000 bytes. */
  config: Record<string, unknown> | null;
}

/** Code that Inductor generated: one row per record, in file order. Fields are read from the text of the code, which is never executed. Texts longer than 20,000 characters are cut and end in '…'. */
export interface GeneratedCode {
  /** The record whose payload is the code. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** 'output': the Python wrapper of inductor_output_code; 'wrapper', 'kernel', 'header': C++ sources of AOTInductor (graph_dump); 'autotuning': code that autotunes kernels; 'other'. */
  role: "output" | "wrapper" | "kernel" | "header" | "autotuning" | "other";
  /** File that torch wrote the code to; null when the record does not name one. */
  filename: string | null;
  /** The 'subgraph_name' of the record: the region of the graph that Inductor compiles separately; null without one. */
  subgraph_name: string | null;
  /** The 'AOT ID' in the first lines, such as '0_forward': number of the graph and direction; null without one. */
  aot_id: string | null;
  /** Direction in the AOT ID; null without one. */
  direction: "forward" | "backward" | "inference" | null;
  /** Lines of the code. */
  line_count: number;
  /** Number of rows in kernels for this code. */
  kernel_count: number;
  /** Whether kernels or calls are missing from table kernels because of a limit. The payload of the record is complete. */
  cut: boolean;
}

/** The records of graph breaks (dynamo_graph_break_reason): one row per record, in file order. After a break Dynamo restarts the compile: the next attempt has the graph. */
export interface GraphBreakRecords {
  /** Number of the record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile, which ended at the break; null outside any compile. */
  attempt: number | null;
  /** id of the break in `graph_breaks`. */
  graph_break: number;
  /** true: the whole function runs eager; false: the part before the break is compiled; null: not recorded. */
  skips_frame: boolean | null;
  /** true: Dynamo cannot resume after the break, so the code from the last place where it can stop runs eager (torch 2.12 and later say so); false: the record does not say so. */
  skips_rest: boolean;
}

/** Graph breaks: one row per place and reason, in order of first occurrence. Records (dynamo_graph_break_reason) with equal reason, file, line and gb_id are one row, because resume functions, recompiles, and functions that are first inlined and later compiled separately hit the same break again; where a backend fails, torch writes two records of one break (the error, then the break with the error in its explanation), which count as one; the texts come from the first record. The number of graph breaks of a log is the sum of count; `graph_break_records` has the individual records. Texts longer than 20,000 characters are cut and end in '…'; the payload of the event is complete. */
export interface GraphBreaks {
  /** Number of the row, from 0. */
  id: number;
  /** Number of records. */
  count: number;
  /** Number of records whose whole frame runs eager (skips_frame of the records). */
  skipped_frame_count: number;
  /** The records, in file order. */
  events: number[];
  /** Compiles of these records, each once, in order of first occurrence; empty when all records are outside any compile. */
  compiles: string[];
  /** Reason: torch's name for this type of graph break, or the text of the reason when the type has no name. */
  reason: string;
  /** What Dynamo was doing, when torch logs it above the reason ('Encountered graph break when attempting to trace CALL …'); null otherwise. */
  situation: string | null;
  /** The higher-order operator whose body broke; null outside one. */
  higher_order_operator: string | null;
  /** torch's explanation; null when not recorded. It can contain addresses, which differ between processes. */
  explanation: string | null;
  /** torch's hints, in its order; at most 100. */
  hints: string[];
  /** torch's developer debug context; null when not recorded. */
  debug_context: string | null;
  /** Number of this type in torch's registry of graph breaks, such as 'GB0059'; null when the text has no link. */
  gb_id: string | null;
  /** URL of the page about this type of graph break; null when the text has none. */
  link: string | null;
  /** Further breaks that occurred while this one was handled, in order; usually empty. */
  followed_by: {
    /** Reason: torch's name for this type of graph break, or the text of the reason when the type has no name. */
    reason: string;
    /** What Dynamo was doing, when torch logs it above the reason ('Encountered graph break when attempting to trace CALL …'); null otherwise. */
    situation: string | null;
    /** The higher-order operator whose body broke; null outside one. */
    higher_order_operator: string | null;
    /** torch's explanation; null when not recorded. It can contain addresses, which differ between processes. */
    explanation: string | null;
    /** torch's hints, in its order; at most 100. */
    hints: string[];
    /** torch's developer debug context; null when not recorded. */
    debug_context: string | null;
    /** Number of this type in torch's registry of graph breaks, such as 'GB0059'; null when the text has no link. */
    gb_id: string | null;
    /** URL of the page about this type of graph break; null when the text has none. */
    link: string | null;
  }[];
  /** User file, as logged; null when unknown. */
  file: string | null;
  /** Line in that file; null when unknown. */
  line: number | null;
  /** Function around that line; null when unknown. */
  function: string | null;
  /** Text of that line; null when unknown. */
  source_line: string | null;
  /** The user's stack as Python prints it, outermost frame first; null when the record has none. */
  user_traceback: string | null;
  /** Full text when its form is unknown, in which case its first line is the reason; null otherwise. */
  text: string | null;
}

/** Execution order of compiled graphs: one row per record of it (record_and_log_graph_execution_order of torch._inductor.debug). The last row has the whole order; older torch (inductor_graph_execution) writes one row per graph that ran. Texts longer than 20,000 characters are cut and end in '…'. */
export interface GraphExecutions {
  /** Number of the record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Compile ids in the order of execution, as torch writes them, the same for forward and backward of one compile; null for a graph that was compiled before the recording began. */
  graphs: (string | null)[];
  /** Compile of each graph: the newest with that id up to this record; null without one. */
  graph_compiles: (string | null)[];
  /** Whether a limit left something out; the payload of the record is complete. */
  cut: boolean;
}

/** Sizes of the tensors in Dynamo graphs: one row per record dynamo_output_graph with sizes, in file order. */
export interface GraphTensors {
  /** Number of the record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Number of leading elements of nodes that are inputs; null when the graph text does not show it. */
  input_count: number | null;
  /** Names of the nodes that are tensors, in the order of the graph. */
  nodes: string[];
  /** Shape of each of nodes, in their order, with elements as in shape of `tensors`; null when the record lacks it. */
  shapes: ((number | string)[] | null)[];
}

/** FX graphs: one row per payload whose language is 'fx', in file order. Counts come from the text of the graph, and are null when the text contains no graph. The counts are those of the outermost graph, except 'ops', which covers the whole text; a subgraph that is called twice is in the text once. Texts longer than 20,000 characters are cut and end in '…'. */
export interface Graphs {
  /** The record whose payload is the graph. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Compiler stage that wrote it: 'dynamo' as Dynamo captured it; 'compiled_autograd'; 'ddp_split' by DDPOptimizer; 'export'; 'aot_joint', 'aot_forward', 'aot_backward', 'aot_inference', 'aot_quantization' of AOTAutograd; 'pre_grad', 'joint', 'post_grad' around or between those passes of Inductor; 'communication' around a pass over collectives; 'other'. */
  stage: "dynamo" | "compiled_autograd" | "ddp_split" | "export" | "aot_joint" | "aot_forward" | "aot_backward" | "aot_inference" | "aot_quantization" | "pre_grad" | "joint" | "post_grad" | "communication" | "other";
  /** Whether it shows the graph before or after the passes in its name; null when the name does not state it. */
  position: "before" | "after" | null;
  /** What the graph computes. When its name does not state it, the input names decide: a graph with tangents is a backward, else one with primals is a forward, else it is an inference graph. null before AOTAutograd. */
  direction: "joint" | "forward" | "backward" | "inference" | null;
  /** The 'subgraph_name' of the record: the region of the graph that Inductor compiles separately; null without one. */
  subgraph_name: string | null;
  /** Name of the outermost class in the text, or 'graph' for a list of nodes; null when the text contains no graph. */
  class_name: string | null;
  /** Number after '# graph id:', which the graphs before and after the pre-grad passes share; a string, since it is an address. null without one. */
  graph_id: string | null;
  /** Nodes of the outermost graph: inputs, calls, attributes, and one for its output. */
  node_count: number | null;
  /** Inputs of the outermost graph; of a joint graph, the leaves of its input trees. */
  placeholder_count: number | null;
  /** Calls in the outermost graph: operators, functions, methods, modules. A call of a subgraph counts as one. */
  call_count: number | null;
  /** Attributes that the outermost graph reads: constants, subgraphs. */
  get_attr_count: number | null;
  /** Values that the outermost graph returns. */
  output_count: number | null;
  /** Operation -> how often it occurs in the whole text, subgraphs included, most frequent first; at most 100. Operators are written as in the text ('torch.ops.aten.mm.default'), Python's as 'operator.add', methods of a value as 'Tensor.sin', called modules as 'self.submod_0', an attribute of a value as 'getattr'. */
  ops: Record<string, number>;
}

/** First place where ranks of a role call collectives of several process groups in different orders, although the calls of each group match: one row per order, the most frequent first. */
export interface GroupOrders {
  /** Position of the call among all calls of a rank, from 0. */
  position: number;
  /** 'hang': with the waits in the code, ranks wait for each other in a circle. 'may_hang': they do not, but NCCL needs one order on all ranks. */
  effect: "hang" | "may_hang";
  /** Ranks of this row. */
  ranks: number[][];
  /** Matched compile that makes the call: 'id' of rank_compiles. */
  rank_compile: number;
  /** The call: 'id' of collective_calls. */
  collective_call: number;
}

/** First call that ranks make in process groups with different numbers of callers: one row per group of ranks that make the same call, the largest group first. */
export interface GroupSplits {
  /** Position of the call in the compile, from 0. */
  position: number;
  /** Ranks of this row. */
  ranks: number[][];
  /** Matched compile that makes the call: 'id' of rank_compiles. */
  rank_compile: number;
  /** The call: 'id' of collective_calls. */
  collective_call: number;
}

/** All guards that the call of a recompile fails, for each cache entry that existed: the guards of the entry evaluated for 'call_inputs'. One row for each row of 'recompile_reasons' whose entry is in the log, where torch itself names only the first guard. At most 64 entries of a recompile have rows, those that torch tried first; recompiles of a code object after the 1,000th have none. */
export interface GuardFailures {
  /** Record with the reason: 'event' in 'recompile_reasons'. */
  event: number;
  /** The compile whose call is checked. */
  compile: string;
  /** Position among the cache entries as torch tried them: 'position' in 'recompile_reasons'; 0 is the first. */
  position: number;
  /** Compile of the cache entry. */
  entry: string;
  /** The guard that torch names as the reason: 'id' in 'guards'; null when it is not found among those of the entry. */
  guard: number | null;
  /** Guards of the entry that the call fails, torch's among them, in the order in which torch checks them: 'id' in 'guards'. */
  guards: number[];
  /** Guards of the entry that may fail too: the log does not record their values. Those on functions and classes of Python and torch are not among them. */
  not_evaluated: number[];
  /** Whether the log records the input of the call. If not, 'guards' has only the guard that torch names, as for a call that torch refused to compile; for one whose compile failed, also guards that torch names for other entries, and those on tensors that the log describes. */
  is_input_known: boolean;
  /** Whether the entry came nearest to fit the call: it is for the same path, as far as conditions on numbers tell, then the fewest things changed: a size that several tensors share is one change, with a length that changes alike, and so are the items of a list, the conditions on one number, whether the modules of a model train, and all of another object. An entry comes after another one that takes the values in which the call differs from it and fails on something that it does not look at, and after one that fails on a part of what it fails on. Of several, one for another global state or inference mode is farther, and one that fails on a single guard is nearer if that hides nothing; then one that does not look at a value in which the call differs from others is farther, and one that fails on a type or a length is farther, and sizes and numbers are nearer than other values; then the one with the fewest differences, then the one that torch tried first. Of a call that torch refused: the entry with the fewest of the guards that torch names, where they differ in that. False for all entries when the log describes nothing of the call. */
  is_nearest: boolean;
}

/** Records with guards, in file order: number and kinds of guards and the cost of a check. One row per record. The guards themselves are in 'guards'. */
export interface GuardTrees {
  /** The record: dynamo_cpp_guards_str or dynamo_guards. */
  event: number;
  /** Its compile; null for a record outside any compile. */
  compile: string | null;
  /** Attempt of that compile in which torch wrote the record; null outside any compile. */
  attempt: number | null;
  /** 'tree': dynamo_cpp_guards_str; 'list': dynamo_guards, which recent versions of torch write for guards about aliasing only. */
  form: "tree" | "list";
  /** Number of guards in the record. */
  guard_count: number;
  /** Time of one check of all guards in microseconds, as measured by torch; null when not recorded. */
  latency_us: number | null;
  /** Its guards, in the order in which torch checks them: 'id' in 'guards'; at most 5,000. Where it lists the keys of a dict of the arguments, torch also checks their number, without listing it: a guard of kind DICT_LENGTH, which 'guard_count' and 'counts' leave out. */
  guards: number[];
  /** For each of 'guards', its line in the payload of the record, counted from 0. */
  payload_lines: number[];
  /** Number of guard managers: the inner nodes of the tree, one for each object that is checked. */
  manager_count: number;
  /** Number of guards by kind. Kinds beyond 256 count as 'OTHER'. */
  counts: Record<string, number>;
}

/** Guards of the log, each distinct one once, in order of first appearance: kind, source, condition and place. 'guard_trees' lists the guards of each compile. */
export interface Guards {
  /** Number of the guard, from 0: 'guards' in 'guard_trees'. */
  id: number;
  /** Kind of the guard, torch's name: TENSOR_MATCH, TYPE_MATCH and others. For the form 'list', which has no kinds, that of guards with such a condition. */
  kind: string;
  /** Source that it checks, from the guard manager above it, such as L['x'] or G['model']._modules; null without one. */
  source: string | null;
  /** Its condition, as torch writes it, without the comment. Lines longer than 4,000 characters are cut. */
  text: string;
  /** What the source has to be: a tensor such as 'f32[4, None][8, 1]cpu' (dtype, sizes, strides, device; None is dynamic), the name of a type, a constant as Python writes it; null when the condition asks for something else. */
  expected: string | null;
  /** Whether the condition depends on nothing but values that a call can state, so that it can be evaluated for other calls. */
  can_be_evaluated: boolean;
  /** The condition as JSON, for programs that evaluate guards without parsing Python; null when it cannot be evaluated, or depends on more than values, such as aliasing. A condition is a list. ['tensor', E, {class, dtype, device, requires_grad, autocast, size, stride}]: E is such a tensor, where null in sizes and strides is any number and elsewhere unknown. ['type', E, name]: its type. ['same', E, E]: equal, and of the same type. ['text', E, text]: equal to a constant that only its text states. ['true', E]: E is true. An expression E is a constant (null, true, false, a text, an integer, ['int', digits] for large ones, ['float', text], ['named', 'torch.float32']), ['tuple' or 'list', E, ...], [operator, E, ...] with Python's operators ('neg', 'pos', 'invert' for the unary ones; 'and', 'or', 'not'), or ['get', source, F]: the value that a call states for that source, else F, which is optional: ['at', E, key], ['attr', E, name], ['method', E, 'size' or 'stride' or 'dim'] of a tensor, ['call', function, E, ...], or an E. */
  condition: string | null;
  /** Depth in the tree; 0 is the root. */
  depth: number;
  /** User file that the guard comes from, whose path torch shortens; null when unknown. */
  file: string | null;
  /** That line; null when unknown. */
  line: number | null;
  /** Function around that line; null when unknown. */
  function: string | null;
}

/** Timeline events without a duration, in log order: cache hits and misses, dimensions marked dynamic. */
export interface Instants {
  /** Number of the record. */
  event: number;
  /** Name of the instant, such as 'fx_graph_cache_miss'; cut after 1,000 characters. */
  name: string;
  /** Microseconds since 1970-01-01 UTC, rounded down. For the FX graph cache, torch writes the time at which the compile started. */
  time_epoch_us: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
}

/** Measured times of kernels, from profiler traces: one row per trace, kernel, line that calls it, device and stream, the longest total first within a trace. Joined with the log by exact keys; where several kernels fit, the row says so and names none. At most 10,000 rows per trace; profile_remainder has the others. */
export interface KernelCalls {
  /** The profiler trace: 'profile' of a row of table profiles. */
  profile: string;
  /** Name in the trace. C++ kernels have the number of their graph in front, 'graph_0_cpp_fused_add_0'. Names longer than 2,000 characters are cut. */
  name: string;
  /** 'generated': by Inductor; 'library': an operator or kernel of a library, in a compiled graph; 'copy': a copy or fill, in a compiled graph or region; 'eager': outside compiled code; 'other': unknown. */
  kind: "generated" | "library" | "copy" | "eager" | "other";
  /** Whether it ran on a device; false on the host. */
  on_device: boolean;
  /** Number of the device; null on the host. */
  device: number | null;
  /** Stream of the device; null on the host, or when not recorded. */
  stream: number | null;
  /** Number of calls. */
  count: number;
  /** Total time in microseconds. */
  total_us: number;
  /** Median of a call. */
  median_us: number;
  /** 90th percentile of a call. */
  p90_us: number;
  /** Compile that the kernel belongs to; null when unknown, or outside compiled code. */
  compile: string | null;
  /** The record with the code of the kernel: a row of table generated_code; null when not joined. */
  code_event: number | null;
  /** 'name' of the row of table kernels with this code_event; null when not joined. */
  kernel: string | null;
  /** Line of the code that makes the calls: the only one of the kernel, or by the order of calls inside each call of the graph; null when not joined or unknown. */
  call_line: number | null;
  /** Why call_line is null for a joined kernel that several lines call; null otherwise. 'order': the order in which the code runs these lines is not known, as with branches, loops, or the C++ wrapper; 'enclosing_call': the trace does not have the call of the graph around it, as on other threads and in replays of a CUDA graph; 'count': the call of the graph ran the kernel more or less often than the code calls it. */
  line_unknown: "order" | "enclosing_call" | "count" | null;
  /** Direction of that code; null when not joined or unknown. */
  direction: "forward" | "backward" | "inference" | null;
  /** Key of the join. 'kernel_file': the file of a Triton kernel, whose name is the hash of its content; 'record_name': the name that a C++ kernel passes to the profiler, in the text of the code; 'kernel_name': the name alone; 'operator': the only row of table kernels with this operator in the code of the graph. null when not joined. */
  joined_by: "kernel_file" | "record_name" | "kernel_name" | "operator" | null;
  /** Kernels of the log that fit: 1 when joined, more when ambiguous, 0 when none was looked for or found. */
  candidate_count: number;
  /** Why it was not joined: see table profile_remainder; null when joined. */
  reason: "eager" | "library" | "copy" | "ambiguous" | "not_in_log" | "unknown_launch" | null;
  /** Whether a CUDA graph replayed it. Replays have only the names of kernels. */
  is_replay: boolean;
  /** Bytes of the tensors that one call gets and writes, each once, and twice if the kernel reads and writes it; the mean if several lines call the kernel and call_line is null. An upper limit: a kernel can read only a part of a tensor. null when unknown. */
  call_bytes: number | null;
  /** Floating-point operations of one call, for matrix products and convolutions of a library: two for each product. null for other kernels, and when unknown. */
  call_flops: number | null;
  /** Why call_bytes is null; null when it is known. 'not_joined': the kernel is not in the log; 'operator': an operator that is not a matrix product or convolution; 'dynamic': sizes depend on symbols; 'size': the code does not have a size or type; 'language': not Python, as with the C++ wrapper; 'several': the operator runs kernels with different names. */
  work_unknown: "not_joined" | "operator" | "dynamic" | "size" | "language" | "several" | null;
  /** call_bytes per mean time of a call, as a share of the peak in 'peaks' of profiles. More than 1 when the data come from a cache, or only a part is read. null when one of them is unknown. */
  bandwidth_share: number | null;
  /** The same for call_flops. */
  flops_share: number | null;
}

/** Source lines of kernels: one row per kernel and line, without those that only provenance tracking records, which are in provenance_kernels. The comments of the code name the nodes of Dynamo's graph that a kernel or call computes, except for C++ kernels and in a backward. A kernel also computes the values that it writes and the code returns. So a kernel can have more lines than its rows, or none. Texts longer than 20,000 characters are cut and end in '…'. */
export interface KernelLines {
  /** The record with the code: a row of table generated_code. */
  code_event: number;
  /** Name of the kernel or call: 'name' in table kernels. */
  kernel: string;
  /** 'comment': a comment above the kernel or its call names a node of the line; 'result': the code returns a value of the line that the kernel writes. */
  evidence: "comment" | "result";
  /** File of the line. */
  file: string;
  /** Line in that file, or null. */
  line: number | null;
  /** Function of that line, or null. */
  function: string | null;
  /** Text of that line, or null. */
  source_line: string | null;
}

/** Kernels in generated code, and the operations that the code calls: one row per name and record, in order of first appearance. A forward and its backward can have kernels with the same name. Read from the text of the code, which is never executed; provenance_kernels and provenance_lines have the source lines. Lines are counted from 1 in the payload of 'code_event'. Texts longer than 20,000 characters are cut and end in '…'. */
export interface Kernels {
  /** The record with the code: a row of table generated_code. */
  code_event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Name of the kernel. An operation has the name that the code calls: 'extern_kernels.mm', 'torch.ops._c10d_functional.all_reduce_.default', 'aoti_torch_cpu_addmm_out'. */
  name: string;
  /** 'triton', 'cpp': a kernel that Inductor generated; 'other': one in a different language; 'extern': an operation of a library; 'fallback': an operator that Inductor calls as is; 'collective': communication between ranks, including waits. */
  kind: "triton" | "cpp" | "other" | "extern" | "fallback" | "collective";
  /** Line of its definition or declaration; null for an operation. */
  line: number | null;
  /** Lines that call it; at most 1000. */
  call_lines: number[];
  /** Debug handle of each of these calls; provenance records name a call 'name:handle'. null without provenance tracking. */
  call_handles: (number | null)[];
  /** Graph nodes that were fused into it, from the comments above its definition and its calls; empty without such a comment, as for C++ kernels. At most 500. */
  source_nodes: string[];
  /** Operators of these nodes, from the same comments. */
  aten_ops: string[];
  /** The triton_kernel_info with its compile time: 'event' of the row of table triton_kernels that also has this name. The first one after the code in the same attempt; null without one. */
  triton_event: number | null;
}

/** Records and bytes by kind and attempt of a compile: one row per pair that occurs, ordered by compile, then by kind, both in order of first appearance. */
export interface KindCompiles {
  /** Event type: the key torch wrote, such as 'dynamo_start' or 'artifact'. 'damaged_record' is a record whose JSON could not be read, 'untyped_record' one with context keys only. */
  type: string;
  /** The 'name' of the event's metadata (of an artifact, a graph_dump, a dump_file, a link …); null for an event without one. */
  name: string | null;
  /** Compile of the records; null for records outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null for records outside any compile. */
  attempt: number | null;
  /** Number of records. */
  event_count: number;
  /** Bytes that the records take in the log, payloads included. */
  size_bytes: number;
  /** Bytes of their payloads. */
  payload_size_bytes: number;
}

/** Kinds of records in the log with their size in bytes, in order of first appearance: what makes a log large. Bytes outside size_bytes are between records. */
export interface Kinds {
  /** Event type: the key torch wrote, such as 'dynamo_start' or 'artifact'. 'damaged_record' is a record whose JSON could not be read, 'untyped_record' one with context keys only. */
  type: string;
  /** The 'name' of the event's metadata (of an artifact, a graph_dump, a dump_file, a link …); null for an event without one. */
  name: string | null;
  /** Key into 'descriptors' of the manifest. */
  descriptor: string;
  /** Language of the payload; as in the manifest's descriptors. */
  language: "fx" | "python" | "cpp" | "json" | "guards" | "bytecode" | "csv" | "text" | "none";
  /** Number of records of this kind. */
  event_count: number;
  /** Bytes that the records of this kind take in the log, payloads included. */
  size_bytes: number;
  /** Bytes of their payloads. The rest of size_bytes is prefixes, envelopes, tabs and line ends. */
  payload_size_bytes: number;
  /** payload_size_bytes without payloads that an earlier record of any kind already had. */
  distinct_payload_size_bytes: number;
}

/** Compiles that torch refused, one row each. The function runs eager for new inputs, or torch raised an error. These ids are not in compiles. */
export interface Limits {
  /** Compile id that was refused, with '@2' for a second occurrence. */
  compile: string;
  /** Number of its first record. */
  first_event: number;
  /** Function; null when unknown. */
  function: string | null;
  /** File; null when unknown. */
  file: string | null;
  /** First line of the function; null when unknown. */
  line: number | null;
  /** Stack of the call; null when unknown. */
  stack: number | null;
  /** Why it would have recompiled, as torch writes it; null when unknown. */
  recompile_reason: string | null;
  /** Exception type that the metrics report, or null. */
  failure_type: string | null;
  /** Its message, or null. */
  failure_reason: string | null;
  /** 'recompile_limit': the limit was reached; 'error_on_recompile': error_on_recompile is set. */
  kind: "recompile_limit" | "error_on_recompile";
}

/** Source lines by the measured time of their kernels, over all profiler traces of the log: one row per line, the longest time first. The line of a kernel is the innermost line of the program in each of its source stacks (table provenance_kernels). A fused kernel can compute several lines; each has its whole time, and shared_us says how much of it other lines have, too. The same holds for a kernel that several lines of the code call where call_line of table kernel_calls is null. The last row, without a file, is the time of kernels without a known line. */
export interface LineTimes {
  /** Path of the file; null for kernels without a known line. */
  file: string | null;
  /** Line in the file; null for kernels without a known line. */
  line: number | null;
  /** Function around the line; null when unknown. */
  function: string | null;
  /** Text of the line; null when unknown. */
  code: string | null;
  /** Time of the kernels that compute the line, in microseconds. */
  total_us: number;
  /** Share of the time of all measured kernels, from 0 to 1. Shares of lines with a common kernel overlap. */
  share: number;
  /** Part of total_us that other lines have, too. */
  shared_us: number;
  /** Calls of these kernels. */
  count: number;
  /** Their names in table kernels, the longest time first, at most 50. */
  kernels: string[];
  /** Time of each of these kernels for the line; they add up to total_us if no kernel is left out. */
  kernels_us: number[];
  /** Compiles of these kernels, at most 50. */
  compiles: string[];
}

/** Links that the job attached: one row per link, in file order. Texts longer than 20,000 characters are cut and end in '…'. */
export interface Links {
  /** Number of the record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Name; null when the record has none. */
  name: string | null;
  /** Address, as text; null when the record has none. */
  url: string | null;
  /** Whether the address starts with http:// or https:// and has no blank or control character. Don't make other addresses clickable. */
  safe: boolean;
}

/** logs/<log id>/log.json: the directory of one log. It lists every other file of the log. */
export interface Log {
  /** Id of the log, as in the manifest. */
  id: string;
  /** Rank of the log, as in the manifest. */
  rank: number | null;
  /** Ranks in the records of this log, with the number of records; 'rank' is null for records without a rank. */
  ranks: {
    /** Rank, or null. */
    rank: number | null;
    /** Number of events with this rank. */
    event_count: number;
  }[];
  /** Process ids in the record prefixes, in order of first appearance; before torch 2.5 of threads (above 2^32). More than one is unusual. */
  pids: number[];
  /** The log file, as in the manifest. */
  source: {
    /** File name as it was given, without its directory. */
    name: string;
    /** Size of the log in bytes, after decompression. */
    size_bytes: number;
    /** SHA-256 of the log's bytes, after decompression, in hex. */
    sha256: string;
    /** How the file was compressed, or null. */
    compression: "gzip" | "zstd" | null;
  };
  /** Origin of 'time_us' of the events. A log has local times without year or time zone; both are derived from its chromium events, or null. */
  clock: {
    /** Time of the first record as the log writes it, 'MM-DD hh:mm:ss.ffffff', local time; null when the log has no record. */
    origin: string | null;
    /** The same instant in microseconds since 1970-01-01 UTC, or null when not recorded. */
    origin_epoch_us: number | null;
    /** Year of the first record, or null. */
    year: number | null;
    /** Local time minus UTC in minutes, or null. */
    utc_offset_minutes: number | null;
  };
  /** Number of events. */
  event_count: number;
  /** Tables by name (the name of their schema), as JSON Lines with one row per line. A table without rows is not listed. */
  tables: Record<string, {
    /** Number of rows. */
    rows: number;
    /** The files, in order. A file ends with its 4,096th row, or with the row that fills its first MiB. */
    files: {
      /** Path relative to manifest.json. */
      path: string;
      /** Number of rows in the file. */
      rows: number;
      /** The `event` of its first row. Only `events` and `metadata` have it, so that readers can fetch single files. */
      first_event?: number;
    }[];
  }>;
  /** Tables that were left out of a redacted bundle, by name. */
  left_out?: string[];
  /** Chunks of the log, in order, without the payloads that can be restored from blobs. Chunks and payloads together restore the log byte for byte. */
  verbatim: {
    /** Path relative to manifest.json. */
    path: string;
    /** Size of the chunk in bytes, uncompressed. */
    size_bytes: number;
  }[];
  /** The kinds of events in this log, in order of first appearance. */
  kinds: {
    /** Event type: the key torch wrote, such as 'dynamo_start' or 'artifact'. 'damaged_record' is a record whose JSON could not be read, 'untyped_record' one with context keys only. */
    type: string;
    /** The 'name' of the event's metadata (of an artifact, a graph_dump, a dump_file, a link …), or null. */
    name: string | null;
    /** Key into 'descriptors' of the manifest. */
    descriptor: string;
    /** Language of the payload; as in the manifest's descriptors. */
    language: "fx" | "python" | "cpp" | "json" | "guards" | "bytecode" | "csv" | "text" | "none";
    /** Number of events of this kind. */
    event_count: number;
    /** Bytes that the records of this kind take in the log, payloads included. */
    size_bytes: number;
  }[];
}

/** manifest.json: the entry point of a bundle. Always uncompressed JSON, and small: a few kB plus about 1 kB per log. */
export interface Manifest {
  /** The bundle format and its version. Readers reject a different name or an unknown major version, and ignore unknown fields of a newer minor version. */
  format: {
    /** Always "tlparse-bundle". */
    name: "tlparse-bundle";
    /** Changes when something moves or changes its meaning. Readers reject other major versions. */
    major: number;
    /** Increases when something is added. Readers ignore what they don't recognize. */
    minor: number;
  };
  /** The program that wrote the bundle. */
  producer: {
    /** Name of the program. */
    name: string;
    /** Version of the program; independent of the format version. */
    version: string;
  };
  /** How every file except manifest.json is stored. File paths show it too: .zst (zstd), .gz (gzip) or no extra ending (none). */
  codec: "zstd" | "gzip" | "none";
  /** The user's name for runs of this program; at most 100 characters. */
  label?: string;
  /** Git commit of the program, as given by the user; at most 100 characters. */
  commit?: string;
  /** Where the source code of the program is on the web, as given by the user. Viewers link to it. */
  source_links?: {
    /** Address of a line, http or https, where {path}, {line} and {commit} stand for the file in the repository, the line and 'commit'; at most 500 characters. */
    url: string;
    /** Folders whose files the repository has. The longest that contains a file counts; other files have no address. */
    roots: {
      /** Folder on the machine that ran the program. */
      folder: string;
      /** The same folder in the repository; empty for its root. */
      inside: string;
    }[];
  };
  /** Path of a JSON object that maps each table to its JSON Schema, which explains every field. */
  schemas: string;
  /** One row per log file, ordered by rank (logs without a rank last), then by start, then by id. */
  logs: {
    /** Unique name of the log in this bundle, made from the file name. Letters, digits, '.', '_' and '-' only. */
    id: string;
    /** Path of the log's own directory file (schema: log), relative to manifest.json. */
    path: string;
    /** Rank of the process: from the file name, else from the first record with a rank. null when not recorded. */
    rank: number | null;
    /** Id of the process that wrote the log; null when not recorded, as before torch 2.5, or when several processes wrote it. */
    pid: number | null;
    /** The log file. */
    source: {
      /** File name as it was given, without its directory. */
      name: string;
      /** Size of the log in bytes, after decompression. */
      size_bytes: number;
      /** SHA-256 of the log's bytes, after decompression, in hex. */
      sha256: string;
      /** How the file was compressed, or null. */
      compression: "gzip" | "zstd" | null;
    };
    /** PyTorch version that wrote the log, or null when not recorded. */
    torch_version: string | null;
    /** Number of records in the log. Each record is one event. */
    event_count: number;
    /** Occurrences of each diagnostic code in this log, without codes that do not occur. */
    diagnostics: Record<string, number>;
    /** Headline and its numbers. A number that is not recorded is null; the schema defines each. */
    summary: {
      /** Headline: what was compiled, how long it took, and what went wrong. Plain text, code in backticks. */
      text: string;
      /** Rows of compiles: frames and ahead-of-time compiles. Attempts count once; refused compiles, captures and exports do not count. */
      compile_count: number;
      /** Number of compiles by status, adding up to compile_count. Statuses without compiles are left out. */
      statuses: Record<string, number>;
      /** Attempts of all compiles. */
      attempt_count: number;
      /** Rows of limits: compiles that torch refused. */
      limit_count: number;
      /** Rows of captures. */
      capture_count: number;
      /** Frames that torch started to compile. Attempts count once; compiles that the recompile limit or error_on_recompile refused, captures of compiled autograd, and records without a function do not count. */
      frame_count: number;
      /** Compiles by AOTInductor (outermost 'compile_fx_aot' spans), and captures ('fullgraph_capture') in which a backend compiled, as in vLLM. */
      ahead_of_time_count: number;
      /** Those of ahead_of_time_count that AOTInductor compiled. */
      aot_inductor_count: number;
      /** Calls of torch.export, from records (TORCH_DTRACE) or spans ('fullgraph_capture' without a backend). */
      export_count: number;
      /** Functions of the program among the frames; resume functions belong to their function, and code that torch generates does not count. */
      function_count: number;
      /** Compile time, forward and backward, in microseconds, without counting overlaps twice: the outermost compile spans of the timeline, or without a timeline the sum of the metrics. An unfinished compile counts up to the last record. null when unknown. */
      compile_us: number | null;
      /** Time from the start of the first compile to the end of the last, in microseconds; null without a timeline. */
      wall_us: number | null;
      /** Failures, each once, except those already counted as graph breaks or at the recompile limit. null when this torch does not log failures. */
      failure_count: number | null;
      /** Compiles that were open when the log ended. */
      unfinished_count: number;
      /** Number of graph breaks. null when this torch does not log them. */
      graph_break_count: number | null;
      /** Number of places (file and line) with graph breaks. null when this torch does not log them. */
      graph_break_place_count: number | null;
      /** Restarts for reasons other than graph breaks. */
      restart_count: number;
      /** Recompiles because guards failed, without those that the limit refused. null when this torch does not log why it recompiles. */
      recompile_count: number | null;
      /** Rows of recompile_causes. null when this torch does not log why it recompiles. */
      recompile_cause_count: number | null;
      /** Functions that hit the recompile limit. null when this torch does not log it. */
      recompile_limit_count: number | null;
      /** Sizes that were specialized in functions of the program. */
      specialization_count: number;
      /** Obstacles to exports. */
      export_failure_count: number;
      /** Conditions that an export assumed. */
      export_assumption_count: number;
      /** Graphs that run without the requested CUDA graphs. */
      cudagraph_skip_count: number;
      /** When the first record was written, in microseconds since 1970-01-01 UTC; null when not recorded the year. */
      start_epoch_us: number | null;
      /** Compile time of frames by phase, in microseconds, from the metrics: all attempts, forward and backward. null when a frame has no metrics, or there is no frame. */
      phase_times_us: {
        /** In Dynamo: dynamo_us and restart_us of the compiles. */
        dynamo: number;
        /** In AOTAutograd or a backend other than Inductor: aot_us of the compiles. */
        aot: number;
        /** In Inductor. */
        inductor: number;
        /** Backward graphs that were compiled later, in all phases. */
        backward: number;
      } | null;
      /** Outcomes of cache lookups, by cache, without caches that were not used. Every lookup counts; an AOTAutograd cache hit includes FX graph cache hits. */
      cache_counts: Record<string, {
        /** Cache hits. */
        hit: number;
        /** Cache misses. */
        miss: number;
        /** Cache bypasses. */
        bypass: number;
      }>;
      /** Functions that identify the program: the five compiled first, then up to three others with most recompiles and graph breaks. Without functions that torch generates. */
      functions: {
        /** Name; a resume function counts for its function. */
        function: string;
        /** Name of its file, in a package with the path in the package; null when unknown. */
        file: string | null;
        /** Recompiles of the function. */
        recompile_count: number;
        /** Graph breaks while it was compiled. */
        graph_break_count: number;
      }[];
      /** What this version of torch does not log, so that an empty list of it proves nothing (docs/reference/versions.md). 'exports': without TORCH_DTRACE, calls of torch.export that succeed with strict=False leave no record, so export_count is the least number. */
      not_recorded: ("failures" | "graph_breaks" | "function_names" | "times" | "recompile_reasons" | "timeline" | "caches" | "symbols" | "exports")[];
      /** Number of findings by severity. */
      findings: {
        /** Findings of severity 'error'. */
        error: number;
        /** Findings of severity 'warning'. */
        warning: number;
        /** Findings of severity 'info'. */
        info: number;
      };
    };
  }[];
  /** Sums over the logs; absent in a bundle with one log. A count that some logs do not record is the sum over the others, or null when no log records it. */
  totals?: {
    /** Compiles. */
    compile_count: number;
    /** Compile time of all processes in microseconds, which can compile at the same time; null when unknown. */
    compile_us: number | null;
    /** Failures. */
    failure_count: number | null;
    /** Graph breaks. */
    graph_break_count: number | null;
    /** Recompiles. */
    recompile_count: number | null;
    /** Outcomes of cache lookups, by cache, without caches that were not used. Every lookup counts; an AOTAutograd cache hit includes FX graph cache hits. */
    cache_counts: Record<string, {
      /** Cache hits. */
      hit: number;
      /** Cache misses. */
      miss: number;
      /** Cache bypasses. */
      bypass: number;
    }>;
    /** Records. */
    event_count: number;
    /** Uncompressed size of the logs in bytes. */
    size_bytes: number;
  };
  /** Headline and numbers of the comparison of ranks. Only in bundles with logs of two or more ranks, or with Flight Recorder dumps. */
  job?: {
    /** Headline: what blocks the job, or that the ranks agree. Plain text, code in backticks. */
    text: string;
    /** The ranks that were compared. */
    ranks: number[][];
    /** Ranks without findings, except that they were slow or wrote extra logs. */
    agreeing: number[][];
    /** World size, from collective calls or estimates; null when not recorded, in which case ranks above the highest may be missing. */
    world_size: number | null;
    /** Ranks known to have no log. */
    missing: number[][];
    /** Number of roles, then the sizes of the process groups along each axis within a role: [2, 2, 4] for two pipeline stages of a 2 × 4 mesh. Only the number of roles where the sizes do not multiply to the number of ranks. */
    structure: number[];
    /** Order of collectives in compiled code, per process group: 'agrees' on all ranks; 'differs'; 'unknown': some logs do not record it; 'none': no collectives. */
    collective_order: "agrees" | "differs" | "unknown" | "none";
    /** Number of the compared run, from 1. */
    run: number;
    /** Runs that the logs with a rank belong to, in order of start. Each run has a rank at most once. */
    runs: {
      /** Its ranks. */
      ranks: number[][];
      /** Ids of its logs, by rank. */
      logs: string[];
      /** First record, microseconds since 1970-01-01 UTC, or null. */
      start_epoch_us: number | null;
      /** World size of the run; null when not recorded. */
      world_size: number | null;
      /** torch versions. */
      torch_versions: string[];
      /** Whether this is the compared run or a different attempt of the same job. */
      attempt: boolean;
    }[];
    /** Time in microseconds that ranks wait for the slowest rank, assuming that they synchronize after each compile: the sum of lost_us of rank_skew. */
    lost_us: number;
    /** Number of findings across ranks, by severity. */
    findings: {
      /** Findings of severity 'error'. */
      error: number;
      /** Findings of severity 'warning'. */
      warning: number;
      /** Findings of severity 'info'. */
      info: number;
    };
  };
  /** Tables about several ranks by name (the name of their schema), as JSON Lines with one row per line. A table without rows is not listed. Only in bundles with logs of two or more ranks, or with Flight Recorder dumps. More tables may be added; readers ignore those that they don't recognize. */
  rank_tables?: Record<string, {
    /** Number of rows. */
    rows: number;
    /** The files, in order. A file ends with its 4,096th row, or with the row that fills its first MiB. */
    files: {
      /** Path relative to manifest.json. */
      path: string;
      /** Number of rows in the file. */
      rows: number;
    }[];
  }>;
  /** Problems in comparing ranks and in reading Flight Recorder dumps: messages by code. */
  diagnostics?: Record<string, string[]>;
  /** Only in a redacted bundle: see docs/how-to/share.md. */
  redacted?: {
    /** Name of the preset, or null. */
    preset: string | null;
    /** The removed parts, as named by `redact --drop`. */
    dropped: string[];
    /** Fields whose text was kept, as TABLE.FIELD; absent in bundles of earlier versions. */
    kept?: string[];
    /** Tables about several ranks that were left out, by name; absent when there are none. */
    left_out?: string[];
  };
  /** Only while logs are being followed. */
  growing?: true;
  /** State of a growing bundle: its number, open compiles of each log, and problems; the schema defines each. */
  live?: {
    /** Increases with each state. */
    counter: number;
    /** When it was written, by the clock of the following machine, in microseconds since 1970. */
    written_epoch_us: number;
    /** One row for each of 'logs', in the same order. */
    logs: {
      /** The id of the log. */
      id: string;
      /** Bytes of the uncompressed log that were read. */
      read_bytes: number;
      /** When bytes were last read, by the same clock as written_epoch_us. */
      read_epoch_us: number;
      /** Last record; null before the first one. */
      last_record: {
        /** When it was written, by the clock of the log; null when not recorded. */
        epoch_us: number | null;
        /** Key of 'descriptors'. */
        kind: string;
        /** Key of its compile; null outside any compile. */
        compile: string | null;
        /** Attempt of that compile; null outside any compile. */
        attempt: number | null;
      } | null;
      /** Open compiles, in order of start. */
      running: {
        /** Key of the compile; null for a compile without an id. */
        compile: string | null;
        /** Attempt; null without an id. */
        attempt: number | null;
        /** Name of the function; null when not recorded. */
        function: string | null;
        /** File of the function, shortened as in findings. */
        file: string | null;
        /** First line of the function. */
        line: number | null;
        /** Start, by the clock of the following machine. */
        since_epoch_us: number | null;
        /** Open spans of the timeline, outermost first; empty when torch writes no timeline. */
        spans: {
          /** Name of the span. */
          name: string;
          /** Start, by the same clock. */
          since_epoch_us: number;
        }[];
      }[];
    }[];
    /** Problems with the logs or the disk: a log that was deleted, truncated or replaced; a full disk. */
    problems: {
      /** Code for programs. */
      code: string;
      /** Message for people. */
      message: string;
    }[];
  };
  /** Phases that artifacts and events belong to, in the order in which a compile runs through them. */
  phases: {
    /** Name used by descriptors. */
    id: string;
    /** Short title to show. */
    title: string;
    /** One sentence that explains the phase. */
    help: string;
  }[];
  /** Meaning of the kinds of events in this bundle, by the 'descriptor' of a kind (schema: log): an event type, or 'artifact:' and an artifact name in which '*' matches any text. Unknown artifacts are 'artifact:*json' and 'artifact:*text'. Only kinds that occur are listed. */
  descriptors: Record<string, {
    /** Short title to show. */
    title: string;
    /** Phase the kind belongs to: an id of 'phases'. */
    phase: string;
    /** Language of the payload, for highlighting. 'none' for kinds without a payload. */
    language: "fx" | "python" | "cpp" | "json" | "guards" | "bytecode" | "csv" | "text" | "none";
    /** One sentence that explains the kind; empty for an unknown kind. */
    help: string;
  }>;
  /** The diagnostic codes that occur in this bundle. */
  diagnostic_codes: Record<string, {
    /** 'info': worth knowing, nothing is wrong. 'warning': something is damaged, assumed or left out. */
    severity: "info" | "warning";
    /** One sentence: what happened and how it was handled. */
    meaning: string;
  }>;
}

/** Memory that generated code allocated in the calls of a profiler trace with allocations (profile_memory=True), and what table memory computes for it: one row per trace, code and device. Calls are joined by the key of the graph. */
export interface MeasuredMemory {
  /** The profiler trace: 'profile' of a row of table profiles. */
  profile: string;
  /** The record with the code: a row of table generated_code. */
  code_event: number;
  /** Compile of the code; null outside any compile. */
  compile: string | null;
  /** Type of the device, as in table memory; 'other' for types without a name. */
  device: string;
  /** Calls in the trace that allocated something. */
  count: number;
  /** The most bytes that a call had allocated and not yet freed: the median of the calls. Memory that is freed but was allocated before, such as inputs, does not count. */
  peak_bytes: number;
  /** The same for the call with the lowest peak. */
  least_bytes: number;
  /** The same for the call with the highest peak. */
  most_bytes: number;
  /** 'peak_bytes' of memory for this code and device; null when it is unknown. */
  computed_bytes: number | null;
}

/** Memory that generated code allocates when it runs: one row per record inductor_output_code and device, computed from the code, which is never executed. Inputs are not part of a peak: the caller has allocated them. Memory that a library keeps for itself, such as a workspace of cuBLAS, is not counted. Sizes on CUDA and XPU are rounded up to 512 bytes, as their allocators do. */
export interface Memory {
  /** The record with the code: a row of table generated_code. */
  code_event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Type of the device: 'cpu', 'cuda'; null when the code allocates nothing and the log does not record the device of its inputs. */
  device: string | null;
  /** The most bytes that the buffers of the code have at one time; null when unknown, see 'unknown'. */
  peak_bytes: number | null;
  /** The same of the buffers whose size is known: the peak is at least this. */
  known_peak_bytes: number;
  /** Line of the code at which known_peak_bytes is reached first, from 1; null without a buffer. */
  peak_line: number | null;
  /** The same as a number of an executed statement: compare first_step and last_step of memory_buffers. */
  peak_step: number | null;
  /** Why peak_bytes is null; empty when it is known. 'operator': an operator may allocate more than the code shows; 'size': a size is decided at run time, or the log has no hint of it; 'dtype': the type of a result is not recorded; 'statement': a statement outside the known forms; 'branch': statements of which only a part runs, or that run several times; 'language': not Python, and not C++ of the C++ wrapper; 'limit': more statements or buffers than are followed. */
  unknown: ("operator" | "size" | "dtype" | "statement" | "branch" | "language" | "limit")[];
  /** Operators that may allocate more than the code shows; at most 100. */
  operators: string[];
  /** Whether sizes depend on symbols: the bytes are then those for the hints of the symbols, the sizes of the first call. */
  is_hint: boolean;
  /** Bytes that its inputs span, each counted by itself; null when one is unknown. */
  input_bytes: number | null;
  /** Bytes of new buffers that it returns to the program; null when one is unknown, or when a forward's saved values are not known. */
  output_bytes: number | null;
  /** Bytes of new buffers that a forward returns only to save them for its backward; null when one is unknown, or when the log lacks the backward graph. */
  saved_bytes: number | null;
  /** Inputs and buffers of the code on this device. */
  buffer_count: number;
}

/** Buffers of generated code: one row per input and allocation, in the order in which the code meets them. A buffer that is reused under a new name, or seen through views, is one row. A code with more than 2,000 buffers keeps the largest. The live bytes at a step are the sum over the buffers that are not inputs with first_step <= step and last_step > step or null. */
export interface MemoryBuffers {
  /** The record with the code: 'code_event' of memory. */
  code_event: number;
  /** First name in the code; empty when it never gets one. */
  name: string;
  /** Later names of the same memory; at most 50. */
  aliases: string[];
  /** 'input'; 'output': returned to the program; 'saved': returned only to be saved for the backward; 'intermediate'. */
  role: "input" | "output" | "saved" | "intermediate";
  /** Whether the backward gets it, inputs and outputs included; null when not known. */
  saved: boolean | null;
  /** Type of its device; null when not recorded. */
  device: string | null;
  /** What the allocator takes for it; for an input the bytes that it spans. null when unknown. */
  bytes: number | null;
  /** Why bytes is null: the words of 'unknown' in memory. */
  unknown: "operator" | "size" | "dtype" | "statement" | "branch" | "language" | "limit" | null;
  /** Whether the bytes depend on hints of symbols. */
  is_hint: boolean;
  /** Data type, such as 'float32'; null when not recorded. */
  dtype: string | null;
  /** Sizes, as numbers or expressions of symbols; null when not recorded. At most 100. */
  shape: (number | string)[] | null;
  /** Line of the code that allocates it, from 1. */
  first_line: number;
  /** Line that ends its last reference; null when the code returns it. */
  last_line: number | null;
  /** Number of the statement that allocates it, in the order of execution. */
  first_step: number;
  /** Number of the statement that ends its last reference; null when the code returns it. */
  last_step: number | null;
  /** The kernel or operator that writes it first: 'name' in table kernels; null when not known. */
  kernel: string | null;
  /** Line of that call, with which kernels and provenance_kernels have it in call_lines; null when not known. */
  kernel_line: number | null;
  /** Node of the post-grad graph, for what the code returns; null when not known. */
  node: string | null;
  /** File of that node, or of the last source node of the kernel; null when not known. */
  file: string | null;
  /** Line in that file, or null. */
  line: number | null;
  /** Function of that line, or null. */
  function: string | null;
  /** Text of that line, or null. */
  source_line: string | null;
}

/** JSON of the records: one row per record, in file order. A record without a row has the metadata {<type>: {}}. `first_event` of each file in log.json is the first record with a row in it. Fields that `events` holds are left out (frame_id, frame_compile_id, compiled_autograd_id, attempt, rank when they are well formed; has_payload when it is the MD5 of the payload). A stack ('stack', 'user_stack', at the top or in the metadata of the event) is replaced by the id of a row of `stacks` ('stack_index', 'user_stack_index'). */
export interface Metadata {
  /** Number of the record. */
  event: number;
  /** An object whose keys are the type of the record and its other keys. NaN, Infinity and -Infinity become strings; integers beyond 2^53 become strings of digits. Of a damaged record: {"damaged_record": {"text": the text that could not be read}}. */
  metadata: Record<string, unknown>;
}

/** Distinct configurations in the metrics, in order of first appearance, at most 1000. The first configuration of a field has all settings. Later ones only have differences: take the settings of the base, apply 'changes' and delete 'removed'. */
export interface MetricConfigs {
  /** Id of the configuration, from 0. */
  id: number;
  /** Name of the field: dynamo_config, inductor_config, …. */
  field: string;
  /** First record with this configuration. */
  event: number;
  /** Number of records with this configuration. */
  record_count: number;
  /** Id of the first configuration of the same field; null for the first configuration of a field, and where text is set. */
  base: number | null;
  /** All settings, when base is null; null otherwise. Integers that JavaScript cannot represent are strings, and so are NaN and infinities. */
  value: Record<string, unknown> | null;
  /** Settings that differ from the base or are missing there. */
  changes: Record<string, unknown>;
  /** Settings of the base that this configuration lacks. */
  removed: string[];
  /** torch's text when it is not a JSON object (a sentence when a setting cannot be serialized), cut at 20,000 characters; null otherwise. When it is set, value is null. */
  text: string | null;
}

/** Unit and meaning of the fields in the metrics of this log: known fields first, in a fixed order, then unknown ones in order of appearance. Fields that are null in every record are left out. */
export interface MetricFields {
  /** Key in 'values' or 'configs' of the metrics. */
  name: string;
  /** Unit of the numbers; epoch_s and epoch_us are times since 1970-01-01 UTC. null for fields that are not quantities, and for unknown fields. */
  unit: "s" | "ms" | "us" | "epoch_s" | "epoch_us" | "bytes" | "count" | null;
  /** Group of the field; 'other' for unknown fields. */
  group: "frame" | "time" | "counts" | "cache" | "failure" | "config" | "environment" | "other";
  /** One sentence in English; null for unknown fields. */
  meaning: string | null;
}

/** Compilation metrics with every field, one row per record, in file order. torch writes a record for each frame compile (not for each attempt), for each backward that is compiled later, and for work at run time. */
export interface Metrics {
  /** The record; its metadata is what torch wrote. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; 0 for records of run time; null outside any compile. */
  attempt: number | null;
  /** Type of the record, which states what it measures. */
  type: "compilation_metrics" | "bwd_compilation_metrics" | "compilation_metrics_runtime" | "bwd_compilation_metrics_runtime" | "aot_autograd_backward_compilation_metrics";
  /** Values by torch's names of the fields, including fields of other releases; fields that are null are left out. The table metric_fields has their units and meanings. graph_node_shapes and triton_kernel_compile_times_us, which torch writes as Python or JSON in a string, are parsed where possible; sizes that are not numbers stay strings (s77). Integers that JavaScript cannot represent are strings. */
  values: Record<string, unknown>;
  /** The fields whose names end in _config, each with its id in metric_configs; null when the log has too many different configurations. */
  configs: Record<string, number | null>;
  /** Names of values that are cut at about 20,000 characters. */
  cut: string[];
}

/** Modules that a compile uses: one row per module, each after its parent, from the sources of the inputs that Dynamo described and from guards on modules. Only what the last attempt that described any shows: a submodule that it neither reads nor checks has no row. From torch 2.5 on, which inlines modules. Of a compile at most 20,000, down to 32 levels. */
export interface Modules {
  /** Number of the row, from 0. */
  id: number;
  /** The compile. */
  compile: string;
  /** Its attempt. */
  attempt: number | null;
  /** 'id' of the module that contains it; null for the outermost. */
  parent: number | null;
  /** Name in its parent; of the outermost module its source, such as L['self']. */
  name: string;
  /** Python expression for the module, such as L['self']._modules['layers']. */
  source: string;
  /** Class with its Python module, from guard trees of torch 2.9 and later; null when not recorded. */
  class_name: string | null;
  /** Parameters and buffers of the module itself that Dynamo described, in order. */
  tensors: {
    /** Name in the module. */
    name: string;
    /** Whether it is a buffer, not a parameter. */
    is_buffer: boolean;
    /** Sizes, as in shape of `tensors`; null when the record lacks them. */
    shape: (number | string)[] | null;
    /** Data type, such as 'torch.float32'; null when the record lacks it. */
    dtype: string | null;
    /** Whether Dynamo's graph has it as an input; null when the log lacks the graph. */
    is_input: boolean | null;
  }[];
  /** Number of tensors of the module and its submodules in this table. 0 for a module that only guards name. */
  tensor_count: number;
  /** How many of them are inputs of the graph; null when the log lacks the graph. */
  input_count: number | null;
  /** Elements of the parameters among them; null when a size is unknown or symbolic. */
  parameter_count: number | null;
  /** Within a compile, modules with the same number have equal classes, tensors and submodules. The number itself says nothing. */
  structure: number;
}

/** Calls of the compile functions of torch's native operators, which are written in CuTeDSL, Triton or FlyDSL: one row per native_dsl_compile (torch 2.15 and newer), in file order. No span has their time. Texts longer than 2,000 characters are cut and end in '…'. */
export interface NativeCompiles {
  /** Number of the record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Operator, such as 'aten::topk'; null when not recorded. */
  op: string | null;
  /** Language of the kernel: 'cutedsl', 'triton' …; null when not recorded. */
  dsl: string | null;
  /** 'compiled', 'cache_hit' or 'error'; null when not recorded. */
  outcome: string | null;
  /** Whether a kernel was compiled; null when not recorded. */
  compiled: boolean | null;
  /** Time of the call in microseconds. For Triton it includes the launch. null when not recorded. */
  duration_us: number | null;
  /** Key of the kernel in its cache, as torch writes it; null when not recorded. */
  key: string | null;
  /** Hits of this cache so far; Triton has no such count and writes 0. null when not recorded. */
  hit_count: number | null;
  /** Misses of this cache so far; for Triton, variants of the kernel. null when not recorded. */
  miss_count: number | null;
}

/** Source lines of torch (or of a different library) that wrote records, with the bytes that each wrote, in order of first appearance. One line can write several kinds of records. */
export interface Origins {
  /** Level letter of the record prefix; torch uses V. */
  level: string;
  /** Source file of the logging call, as written. */
  path: string;
  /** Line in that file, counted from 1. */
  line: number;
  /** Number of records. */
  event_count: number;
  /** Bytes that the records take in the log, payloads included. */
  size_bytes: number;
  /** Bytes of their payloads. */
  payload_size_bytes: number;
}

/** Nodes that the partitioner could save for the backward or recompute: one row per node, at most 5,000 per row of partitions. Texts longer than 20,000 characters are cut and end in '…'. */
export interface PartitionCandidates {
  /** The record of the partition: 'event' of partitions. */
  partition_event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Name of the node. */
  node: string;
  /** Its operator; null when not recorded. */
  target: string | null;
  /** Memory to save it, in bytes; null when not recorded. */
  memory_bytes: number | null;
  /** Estimated run time to recompute it (a number without a unit); null when not recorded. */
  runtime: number | null;
  /** Whether it is saved; null when not recorded. */
  saved: boolean | null;
  /** Whether it is recomputed; null when not recorded. */
  recomputed: boolean | null;
}

/** Decisions of AOTAutograd's min-cut partitioner on what to save for the backward: one row per min_cut_information (AOT_PARTITIONER_DEBUG=1 and a memory budget below 1), that is, per joint graph. The nodes it chose between are in partition_candidates. Texts longer than 20,000 characters are cut and end in '…'. */
export interface Partitions {
  /** Number of the record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Nodes of the joint graph; null when not recorded. */
  node_count: number | null;
  /** Edges of the joint graph; null when not recorded. */
  edge_count: number | null;
  /** Fraction of the activation memory that may be used, 0 to 1; null when not recorded. */
  memory_budget: number | null;
  /** Estimated run time of recomputed nodes, without a unit; null when not recorded. */
  expected_runtime: number | null;
  /** Size of the activations with maximum recomputation, in gigabytes; null when not recorded. */
  min_activation_gb: number | null;
  /** Size of the activations without recomputation, in gigabytes; null when not recorded. */
  max_activation_gb: number | null;
  /** Size of the saved values, in gigabytes; null when not recorded. */
  saved_activation_gb: number | null;
  /** Memory of more aggressive recomputation relative to the default; null when not recorded. */
  more_aggressive_ratio: number | null;
  /** Memory of aggressive recomputation relative to the default; null when not recorded. */
  aggressive_recomputation_ratio: number | null;
  /** Names of all values that are saved for the backward, inputs included; at most 5,000. */
  saved_values: string[];
}

/** Process groups in which compiled code calls collectives, one row each. collective_mismatches, collective_waits and group_splits show where the calls of the ranks differ. */
export interface ProcessGroups {
  /** Name of the group, '0' for the group of all ranks; equal on all ranks. null when unknown. */
  group: string | null;
  /** Number of its ranks; null when unknown. */
  size: number | null;
  /** Number of the axis of the job, from 0. Groups of one axis are disjoint, and each is another one moved by some ranks, as in a mesh of ranks. */
  axis: number;
  /** Ranks that call collectives in it. */
  ranks: number[][];
  /** Whether the execution order of graphs is recorded; otherwise calls are in the order of the compiles. */
  recorded: boolean;
  /** Ranks whose logs lack some calls (cached code), which are assumed to equal those of most ranks. */
  unknown: number[][];
}

/** Measured kernels that were not joined with a kernel of the log, by reason: one row per trace and reason. With those joined, the counts and times are those of table profiles. */
export interface ProfileRemainder {
  /** The profiler trace: 'profile' of a row of table profiles. */
  profile: string;
  /** 'eager': outside compiled code; 'library': launched by an operator of a library in a compiled graph, and not joined with its call; 'copy': a copy or fill in compiled code; 'ambiguous': several kernels of the log fit; 'not_in_log': a generated kernel whose code is not in the log; 'unknown_launch': a device event without a recorded launch; 'not_listed': beyond the rows of kernel_calls. */
  reason: "eager" | "library" | "copy" | "ambiguous" | "not_in_log" | "unknown_launch" | "not_listed";
  /** Number of events. */
  count: number;
  /** Their total time in microseconds. */
  total_us: number;
}

/** Profiler traces (torch.profiler, Kineto) that were joined with the log: one row per file, in order of 'profile'. Only in bundles built with --profile, or after add-profile. The sums cover what kernel_calls lists and, for a very large trace, what it leaves out. */
export interface Profiles {
  /** Name of the file, and key of the trace in other tables; '#2' follows the second file with this name. */
  profile: string;
  /** SHA-256 of the file. */
  sha256: string;
  /** Uncompressed size, as far as it was read. */
  size_bytes: number;
  /** Why the trace belongs to this log. 'rank': distributedInfo has its rank; 'process': the process id is that of the log; 'keys': no other log has as many of its kernel files, graph keys and kernel names. */
  assigned_by: "rank" | "process" | "keys";
  /** Rank in distributedInfo; null when not recorded. */
  profile_rank: number | null;
  /** Processes with events on host threads, at most 100. */
  pids: number[];
  /** Names of the devices, each once. */
  device_names: string[];
  /** Peak rates that the kernels are compared with: those of --peak, else those of the device if its name is known; empty otherwise. */
  peaks: {
    /** 'GB/s': bytes of memory, 10^9 per second; 'TFLOP/s': floating-point operations, 10^12 per second. */
    unit: "GB/s" | "TFLOP/s";
    /** Type of the operations; null for all types, and for bytes. */
    dtype: string | null;
    /** The rate in this unit. */
    rate: number;
    /** 'stated': by --peak; 'device': from the table of devices. */
    source: "stated" | "device";
  }[];
  /** Time of the first event, in microseconds since 1970-01-01 UTC; null when the trace has no base time. */
  start_epoch_us: number | null;
  /** From the first event that was read into these tables to the end of the last one. */
  duration_us: number;
  /** Whether the whole file was read. */
  complete: boolean;
  /** Events of all kinds. */
  event_count: number;
  /** Events that are not valid: not an object, or a range without a usable time or name. */
  skipped_count: number;
  /** Different kernel files, graph keys and kernel names with a graph number in the trace. */
  key_count: number;
  /** Those of them that occur in the log. */
  known_key_count: number;
  /** Whether the kernel times are those of a device. false: the trace has no device events, and the times are those of kernels and operators on the host. */
  on_device: boolean;
  /** Kernels and copies on devices; without device events, generated kernels and the outermost operators in compiled graphs. */
  kernel_count: number;
  /** Their total time in microseconds. Kernels on different streams overlap. */
  kernel_us: number;
  /** Those joined with a kernel of table kernels. */
  joined_count: number;
  /** Total time of those joined. */
  joined_us: number;
  /** Guard lookups (TorchDynamo Cache Lookup) that no compiled region follows. */
  lookup_count: number;
  /** Their total time. */
  lookup_us: number;
}

/** Compiled graphs with provenance (INDUCTOR_PROVENANCE=1): one row per graph, in file order of its first record; a forward and its backward are two rows, and one compile can have several. The other provenance tables link their lines: provenance_lines (source line of each graph node), provenance_nodes (pre-grad and post-grad nodes), provenance_kernels, provenance_sources. Records are grouped by their order, separately for each attempt and subgraph_name: a post-grad graph starts a group; code, mapping and stacks join it; its pre-grad graph is the last one before it. A backward that is compiled on its first run has no rows in provenance_nodes; its nodes are linked by sources. The counts cover nodes and kernels and those with a counterpart; inputs and parameters are not counted. */
export interface ProvenanceGroups {
  /** Row number, from 0. */
  id: number;
  /** Compile of the graph; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** The 'subgraph_name' of the records: the region of the graph that Inductor compiles separately; null without one. At most 2,000 characters. */
  subgraph_name: string | null;
  /** Number of the group in its attempt and subgraph_name, from 1. */
  number: number;
  /** Version of the mapping: 1 maps kernels, 2 maps single calls; null without a mapping. */
  version: number | null;
  /** Direction in the 'AOT ID' of the code; null without one, as in C++ code. */
  direction: "forward" | "backward" | "inference" | null;
  /** Language of the code around the kernels; null without code. 'cpp' can be C++ in a Python string. */
  code_language: "python" | "cpp" | null;
  /** The record whose payload is the pre-grad graph. A backward has its forward's. null when not recorded. */
  pre_graph_event: number | null;
  /** The record whose payload is the post-grad graph; null when the log lacks it. */
  post_graph_event: number | null;
  /** The record whose payload is the generated code: inductor_output_code, or the wrapper of AOTInductor; null when the log lacks it. */
  code_event: number | null;
  /** The inductor_aot_kernel_code: the bodies of the C++ kernels that the wrapper of AOTInductor calls; null when the log lacks it. */
  bodies_event: number | null;
  /** The inductor_provenance_tracking_node_mappings; null when the log lacks it. */
  mapping_event: number | null;
  /** The inductor_provenance_tracking_kernel_stack_traces; null when the log lacks it. */
  stacks_event: number | null;
  /** Nodes of the pre-grad graph. */
  pre_node_count: number;
  /** Pre-grad nodes with a post-grad node. */
  pre_in_post_count: number;
  /** Nodes of the post-grad graph. */
  post_node_count: number;
  /** Post-grad nodes with a pre-grad node. */
  post_in_pre_count: number;
  /** Post-grad nodes in a kernel. Views need none. */
  post_in_kernel_count: number;
  /** Its rows in table provenance_kernels. */
  kernel_count: number;
  /** Kernels with a post-grad node. */
  kernel_in_post_count: number;
  /** Of those, kernels whose nodes are read from the code only, as for a backward that is compiled later. */
  kernel_from_code_count: number;
  /** Kernels with a line in the code. */
  kernel_in_code_count: number;
  /** Kernels with a stack. */
  kernel_with_source_count: number;
  /** Names in the kernel mapping that the text of the post-grad graph lacks. */
  unknown_name_count: number;
}

/** Kernels of graphs with provenance: one row per kernel of a group; kernels in torch's mapping first, then those only in the code. With version 2 of the mapping a row is one call, with version 1 all calls of the name. Each of its post_lines belongs to each of its call_lines. Lines are counted from 1. */
export interface ProvenanceKernels {
  /** 'id' of a row of table provenance_groups. */
  group: number;
  /** Name of the kernel without its debug handle; at most 2,000 characters. */
  name: string;
  /** Debug handle: the number after the last colon in 'name:handle'; null with version 1. */
  handle: number | null;
  /** Lines of the post-grad graph whose nodes it computes; empty when not recorded. */
  post_lines: number[];
  /** Lines of the code that call it; the comment with its handle when no call follows. */
  call_lines: number[];
  /** First and last line of its code in the payload of code_event; null when it is not there. */
  definition: number[] | null;
  /** First and last line in the payload of bodies_event; null when it is not there. */
  body: number[] | null;
  /** Whether post_lines are read from the code because torch wrote no mapping: from comments, and for CPU kernels from data flow. */
  from_code: boolean;
  /** Source stacks of its nodes: one list per stack of 'id' of provenance_sources, outermost caller first, at most the 200 innermost frames. */
  sources: number[][];
}

/** Lines of nodes in the pre-grad and post-grad graphs of table provenance_groups, with the source line that each node comes from. One row per line, ascending within a graph. The line starts with the name of the node. */
export interface ProvenanceLines {
  /** The record whose payload is the text of the graph: pre_graph_event or post_graph_event of a group. Groups can share a pre-grad graph; its lines are listed once. */
  graph_event: number;
  /** Line in that payload, from 1. */
  line: number;
  /** The source line in the comment above the node: 'id' of a row of table provenance_sources; null when not recorded. */
  source: number | null;
}

/** Pairs of a pre-grad node and a post-grad node that belong together: one row per pair of lines, sorted within a group. */
export interface ProvenanceNodes {
  /** 'id' of a row of table provenance_groups. */
  group: number;
  /** Line of the pre-grad graph, from 1. */
  pre_line: number;
  /** Line of the post-grad graph, from 1. */
  post_line: number;
}

/** Source lines that provenance refers to: one row per distinct line, as recorded. The program itself is not in the log. Texts longer than 2,000 characters are cut and end in '…'. */
export interface ProvenanceSources {
  /** Row number, from 0. */
  id: number;
  /** Path of the file. */
  file: string;
  /** Line in the file. */
  line: number;
  /** Function around the line; null when unknown. */
  function: string | null;
  /** Text of the line; null when unknown. */
  code: string | null;
}

/** Cache lookups by rank, over the whole log: one row per group of ranks with equal counts, the row with the most ranks first. */
export interface RankCacheTotals {
  /** Ranks of this row. */
  ranks: number[][];
  /** Cache and outcome ('fx_graph hit') -> how often. */
  counts: Record<string, number>;
}

/** Matched compiles whose cache lookups differ between ranks: one row per compile and group of ranks with the same outcomes, the largest group first. When ranks share a cache directory, one rank misses first and the others wait; that is not an error. */
export interface RankCaches {
  /** The matched compile: 'id' of rank_compiles. */
  rank_compile: number;
  /** Ranks of this row. */
  ranks: number[][];
  /** Cache and outcome, in order: 'fx_graph miss'. */
  outcomes: string[];
  /** Reasons of bypasses and errors. */
  reasons: string[];
}

/** Ranks with equal schedules over all compiles: one row per group of ranks; the row with the most ranks first. An unknown schedule is assumed to equal that of most ranks. */
export interface RankCollectives {
  /** Ranks of this row. */
  ranks: number[][];
  /** Number of operations, waits included. */
  op_count: number;
  /** Operation -> its count here and in the first row; only where they differ. */
  counts: Record<string, number[]>;
  /** Position of the first difference from the first row, over all schedules, from 0; null without one. */
  position: number | null;
  /** Matched compile of that operation on these ranks, else in the first row: 'id' of rank_compiles. */
  rank_compile: number | null;
  /** Operation at that position on these ranks; null after the end. */
  here: string | null;
  /** Operation at that position in the first row; null after the end. */
  others: string | null;
}

/** Collectives that most ranks call in each matched compile that has any. */
export interface RankCompileCalls {
  /** The matched compile: 'id' of rank_compiles. */
  rank_compile: number;
  /** The calls, in order: 'id' of collective_calls. */
  collective_calls: number[];
}

/** Key of each matched compile in the logs of the ranks: one row per group of ranks with the same keys, the row with the most ranks first. */
export interface RankCompileKeys {
  /** Ranks of this row. */
  ranks: number[][];
  /** For each row of rank_compiles, the compile in the logs of these ranks; null when they did not compile it. */
  compiles: (string | null)[];
}

/** Compiles matched across ranks: one row per compile that any rank has, in the order of most ranks. They are matched by function, place, order and graph, not by id, because an extra compile on a rank shifts later ids. Attempts count as one compile. Other tables refer to a row as 'rank_compile'; rank_compile_keys has the key on each rank. */
export interface RankCompiles {
  /** Number of the row, from 0. */
  id: number;
  /** Role of the ranks that are compared: 'id' of rank_roles. Ranks of different roles have different rows. */
  role: number;
  /** Name of the function; null when unknown. */
  function: string | null;
  /** File, as on most ranks; null when unknown. */
  file: string | null;
  /** First line of the function; null when unknown. */
  first_line: number | null;
  /** Number of the compile of this code object, from 1; above 1 it is a recompile, or the same code after a reset. */
  number: number;
  /** Key on most of these ranks. */
  compile: string;
  /** The ranks that compiled it. */
  ranks: number[][];
}

/** Partitions that ranks agreed on: one row per aot_joint_graph_sync_decision_cross_ranks. All ranks use the partition of one of them. Texts longer than 20,000 characters are cut and end in '…'. */
export interface RankDecisions {
  /** Number of the record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Rank whose partition is used; null when not recorded. */
  picked_rank: number | null;
  /** Values that this rank would have saved: node name -> size in bytes; at most 5,000. */
  saved_size_bytes: Record<string, number>;
  /** Their total size in bytes, as torch writes it; null when not recorded. */
  total_size_bytes: number | null;
}

/** First compile at which a rank differs from most ranks. */
export interface RankDivergences {
  /** The matched compile: 'id' of rank_compiles. */
  rank_compile: number;
  /** Ranks of this row. */
  ranks: number[][];
  /** extra: compiled here, not by most ranks. missing: compiled by most, not here. order: compiled by all, in a different order here. graph: a different Dynamo graph. */
  kind: "extra" | "missing" | "order" | "graph";
  /** Position among the compiles of these ranks, from 1; for a missing compile, the position it would have. */
  number: number;
  /** Whether later, equal compiles have different ids here than on most ranks. */
  shifted: boolean;
}

/** Operations whose estimated run times differ most between the fastest and the slowest rank of a row of rank_estimates: at most 10 of each of the 100 graphs with the largest difference, largest difference first. */
export interface RankEstimateOps {
  /** The matched compile: 'id' of rank_compiles. */
  rank_compile: number;
  /** Number of the graph in the compile, from 0. */
  graph: number;
  /** Position in the graph, from 0. */
  position: number;
  /** Name; null without one. */
  name: string | null;
  /** Estimate on the fastest rank, in nanoseconds. */
  fastest_ns: number | null;
  /** Estimate on the slowest rank, in nanoseconds. */
  slowest_ns: number | null;
}

/** Sum of all estimated run times (LOG_TLPARSE=1) by rank, for ranks that have any. */
export interface RankEstimateTotals {
  /** Rank of this row. */
  rank: number;
  /** Sum, in nanoseconds. */
  total_ns: number;
  /** Graphs with estimates. */
  graph_count: number;
}

/** Estimated run times (LOG_TLPARSE=1), compared across the ranks whose graph has the same number of operations: one row per graph of a matched compile with estimates on two or more ranks. */
export interface RankEstimates {
  /** The matched compile: 'id' of rank_compiles. */
  rank_compile: number;
  /** Number of the graph in the compile, from 0. */
  graph: number;
  /** Compared ranks. */
  ranks: number[][];
  /** Rank with the lowest estimate; the lowest rank on a tie. */
  fastest_rank: number;
  /** Its sum over all operations, in nanoseconds. */
  fastest_ns: number;
  /** Rank with the highest estimate; the lowest rank on a tie. */
  slowest_rank: number;
  /** Its sum, in nanoseconds. */
  slowest_ns: number;
  /** Median of the sums, in nanoseconds. */
  median_ns: number;
}

/** Positions in the execution order at which ranks ran graphs with different collectives, or with different cache outcomes, at most 1,000: for each position and kind, one row per group of equal ranks, the largest group first. */
export interface RankExecutionMismatches {
  /** Position in the order, from 0. */
  position: number;
  /** Kind of difference. */
  kind: "schedule" | "cache";
  /** Ranks of this row. */
  ranks: number[][];
  /** Graph that ran there: 'id' of rank_steps. */
  rank_step: number;
  /** Collectives, or outcomes of the caches, separated by ', '; empty for none. */
  value: string;
}

/** Execution order of compiled graphs by rank (artifact graph_execution): one row per group of ranks with the same order, the largest group first. The last row has ranks that compiled something but lack the record that others have. */
export interface RankExecutions {
  /** Ranks of this row. */
  ranks: number[][];
  /** Graphs that ran, in order: 'id' of rank_steps; null when not recorded. */
  rank_steps: number[] | null;
  /** Position of the first difference from the first row, from 0; null without one. */
  position: number | null;
  /** Graph that ran there on these ranks: 'id' of rank_steps; null when they stopped earlier. */
  here_rank_step: number | null;
  /** Graph that ran there in the first row; null when it stopped earlier. */
  others_rank_step: number | null;
}

/** Findings about several ranks, most important first, at most 300. Ordered by effect (hang, wrong results, slow, different), then by position. The headline and its numbers are in 'job' of the manifest. */
export interface RankFindings {
  /** Number of the row, from 0. */
  id: number;
  /** Log of the lowest of the ranks; null without one. */
  log: string | null;
  /** The matched compile: 'id' of rank_compiles; null without one. */
  rank_compile: number | null;
  /** Its key on the lowest of the ranks; null without one. */
  compile: string | null;
  /** Its key on the lowest of the other ranks; null without one. */
  others_compile: string | null;
  /** Kind of finding. The job cannot continue: collective-mismatch (mismatched calls; with 'effect' wrong, they match but give wrong results), failed-everywhere, failure, unfinished-compile (the ranks are still compiling), never-began (they lack a compile that others have; 'call': a collective that the others wait in), missing-rank, empty-log, cut-log, collective-waits (other ranks make calls that these do not), group-differs, equal-logs; from Flight Recorder dumps: recorded-order, recorded-mismatch, collective-hang (other ranks wait in a call that these have not made). Wrong results: missing-wait, collective-parity, mixed-versions, rank-differs. Slow: straggler, late-start, cached-before, collective-running (a recorded call has not finished). Ranks are not the same: graph-break, restart, recompile, guard (on these ranks only or, with 'lacking', on the others only), compile-order, extra-compile, missing-compile, graph, execution-order, collectives, tensors. Notes: other-run, no-rank (logs that are not compared), stages (ranks that compiled nothing in common). */
  kind: string;
  /** 16 hex digits that identify the finding across runs. */
  fingerprint: string;
  /** 'error': the job fails, hangs or computes wrong results; 'warning': an avoidable difference; 'info': costs time, or is worth knowing. */
  severity: "error" | "warning" | "info";
  /** One sentence, on one line. Plain text, code in backticks. */
  title: string;
  /** Explanation: paragraphs with an empty line between them; may be empty. */
  text: string;
  /** Function, or null. */
  function: string | null;
  /** File, or null. */
  file: string | null;
  /** Line, or null. */
  line: number | null;
  /** Affected ranks. */
  ranks: number[][];
  /** Ranks that they differ from, or that wait for them. */
  others: number[][];
  /** How often it happened. */
  count: number;
  /** Cost in microseconds; null when unknown. */
  cost_us: number | null;
  /** What the cost consists of, in words; null without a cost. */
  cost_of: string | null;
  /** Suggested fixes, best first. */
  remedies: {
    /** What to do, in words. */
    text: string;
    /** Code to paste, or null. */
    code: string | null;
    /** Origin of the fix; 'torch' marks torch's own hint, verbatim. */
    source: "torch" | "tlparse-bundle";
  }[];
  /** 'id' of the finding that causes this one, or null. */
  because_of: number | null;
  /** Table with the numbers, such as 'rank_schedules'; 'manifest.job' and 'manifest.logs' are parts of the manifest. */
  evidence: string;
  /** Facts that the text is built from, by kind: fields of the table in 'evidence'. 'here' and 'others' are the values on these ranks and on the others; a call is a row of collective_calls without its id; group_count is the number of groups of which the first is described. */
  details: Record<string, unknown>;
}

/** Graphs and code across ranks, and the first stage at which they differ: for each matched compile, one row per group of ranks with the same content in all stages, the largest group first. The comparison ignores the rank's device number, graph ids, addresses and paths of cache files. Content that a rank lacks because of a cache hit counts as equal. */
export interface RankGraphs {
  /** The matched compile: 'id' of rank_compiles. */
  rank_compile: number;
  /** Ranks of this row. */
  ranks: number[][];
  /** For each stage of the compiler, in order ('dynamo' the captured graph; 'joint', 'forward', 'backward', 'inference' graphs of AOTAutograd; 'post_grad' graphs after Inductor's passes; 'code' generated), a number for its content: within this compile, equal numbers mean equal content, and 0 is the content of the first group that has any; null when these ranks have none. */
  contents: Record<string, number | null>;
  /** First stage whose content differs from the first group; null when none does. */
  first_stage: string | null;
  /** How the captured graph differs from the first group: 'constants': only in numbers outside types; 'numbers': only in numbers, sizes among them; null when it also differs otherwise, or when a later stage is the first to differ. */
  differs_only_in: "constants" | "numbers" | null;
  /** When 'dynamo' differs: inputs of the compile that differ from the first group, at most 20, of the first 500 groups. */
  inputs: {
    /** Name, as Python writes it ("L['x']") or as the graph does. */
    name: string;
    /** Input on these ranks; null when it does not exist. */
    here: {
      /** Sizes: numbers, or text for symbols. */
      shape: (number | string)[] | null;
      /** Strides, as in shape. */
      stride: (number | string)[] | null;
      /** Data type, or null. */
      dtype: string | null;
      /** Device without its number, or null. */
      device: string | null;
    } | null;
    /** Input in the first group. */
    others: {
      /** Sizes: numbers, or text for symbols. */
      shape: (number | string)[] | null;
      /** Strides, as in shape. */
      stride: (number | string)[] | null;
      /** Data type, or null. */
      dtype: string | null;
      /** Device without its number, or null. */
      device: string | null;
    } | null;
  }[];
  /** Name of the first differing artifact in the first differing stage. null without one, or when it was not looked up. */
  artifact: string | null;
  /** 'added': the first differing line is only on these ranks, and the rest is equal; 'missing': it is only in the first group; 'replaced': otherwise. null without such a line. */
  change: "replaced" | "added" | "missing" | null;
  /** The first differing line of that artifact on these ranks, from 1 (in the first group when they have no more lines); a comment line only when nothing else differs. */
  line: number | null;
  /** That line on these ranks, at most 300 characters; null after the end. */
  here: string | null;
  /** That line in the first group; null after the end. */
  others: string | null;
}

/** Events that only some ranks have (graph breaks, restarts, recompiles, guards), and all failures; at most 1,000. Ordered by kind (failures, graph breaks, restarts, recompiles, guards), then by compile. Guards are only compared within the same compile and graph. */
export interface RankOccurrences {
  /** failure: a compile failed. graph_break: Dynamo ended a graph. restart: an attempt restarted for a reason other than a graph break in this table. recompile: a guard failed. guard: a guard of the compiled code. */
  kind: "failure" | "graph_break" | "restart" | "recompile" | "guard";
  /** The matched compile: 'id' of rank_compiles; null outside any. */
  rank_compile: number | null;
  /** Its key on the lowest of the ranks; null without one. */
  compile: string | null;
  /** Ranks where it happened. */
  ranks: number[][];
  /** Ranks with this compile where it did not happen (for a graph break: all other ranks). */
  others: number[][];
  /** Reason and source line of a graph break, message of a failure, failed guard, or guard; at most 2,000 characters. */
  text: string;
  /** Exception type of a failure; torch's number of a graph break (GB0059); null otherwise. */
  type: string | null;
  /** File in which it happened; null when unknown. */
  file: string | null;
  /** Line in that file; null when unknown. */
  line: number | null;
}

/** Compiles whose generated code lacks collectives of the schedules, or does not wait for one that it calls. */
export interface RankParity {
  /** The matched compile: 'id' of rank_compiles. */
  rank_compile: number;
  /** Its key on the lowest of the ranks. */
  compile: string;
  /** Ranks of this row. */
  ranks: number[][];
  /** Kind of collective. */
  op: string;
  /** Number in the schedules. */
  scheduled: number;
  /** Number of calls in the generated code. */
  in_code: number;
  /** Number of calls in the code, of any kind, minus the waits in it; 0 when every call has a wait. */
  missing_waits: number;
}

/** Problems with the logs of ranks: missing or cut logs, logs without compiles, and unfinished compiles. */
export interface RankProblems {
  /** missing: no log of this rank. empty: a log without records. cut: the log ends within a record. unfinished: the ranks are inside a compile. silent: no compile, although other ranks have some. stopped: the log ends before compiles that most ranks have. other_logs: the rank has further logs, which are not compared. equal_logs: equal byte for byte. */
  kind: "missing" | "empty" | "cut" | "unfinished" | "silent" | "stopped" | "other_logs" | "equal_logs";
  /** Matched compile that did not end, or the first missing one: 'id' of rank_compiles; null otherwise. */
  rank_compile: number | null;
  /** Key of the unfinished compile on the lowest of the ranks; else null. */
  compile: string | null;
  /** Ranks of this row. */
  ranks: number[][];
  /** Ids of their logs; for other_logs, of the further logs. */
  logs: string[];
  /** Time of the last record, microseconds since 1970-01-01 UTC (the earliest of several ranks); null when unknown. */
  last_epoch_us: number | null;
  /** Time of the last record of the rank that wrote longest; null when unknown. */
  others_last_epoch_us: number | null;
  /** For an unfinished compile: name of the last artifact, or null. */
  phase: string | null;
  /** For an unfinished compile: the innermost open span, or null. */
  span: string | null;
  /** Start of the unfinished compile, microseconds since 1970-01-01 UTC, or null. */
  since_epoch_us: number | null;
  /** How long it was open when the log ended, in microseconds (the longest of several ranks); else null. */
  open_us: number | null;
  /** Ranks that finished the compile. */
  finished: number[][];
  /** For an unfinished compile: ranks that never started it. */
  never_began: number[][];
}

/** Roles: sets of ranks that should compile the same code, such as the stages of a pipeline. Only ranks of one role are compared. No log records roles: they follow from the functions that ranks compiled, the inputs of their graphs, and the process groups that they call. A rank that compiled nothing has no role. */
export interface RankRoles {
  /** Number of the row, from 0, by lowest rank. */
  id: number;
  /** Its ranks. */
  ranks: number[][];
}

/** The collectives of compiled code, from inductor_collective_schedule: for each matched compile with a schedule on any rank, one row per group of ranks with the same schedules, the largest group first and ranks without a schedule last. */
export interface RankSchedules {
  /** The matched compile: 'id' of rank_compiles. */
  rank_compile: number;
  /** Ranks of this row. */
  ranks: number[][];
  /** A list of operations as torch writes them ('null' for one without a name) for each graph with collectives: forward, backward, regions. null when unknown, as for code from a cache or an unfinished compile. */
  schedules: string[][] | null;
  /** Number of the first schedule that differs from the first group, from 0; null when none does. */
  schedule: number | null;
  /** Position of the first difference in that schedule, from 0. */
  position: number | null;
  /** Operation there on these ranks; null after the end. */
  here: string | null;
  /** Operation there in the first group; null after the end. */
  others: string | null;
}

/** Settings of torch that ranks record with different values, in their first compile: one row per value, that of most ranks first. Only settings that all ranks record, without folders and ports. */
export interface RankSettings {
  /** Configuration, such as inductor_config. */
  config: string;
  /** Name of the setting. */
  name: string;
  /** Value as JSON, at most 200 characters. */
  value: string;
  /** Ranks with this value. */
  ranks: number[][];
}

/** Compile times across ranks, and the slowest rank: one row per row of rank_compiles. The lost time is estimated from durations, which need no common clock. */
export interface RankSkew {
  /** The matched compile: 'id' of rank_compiles. */
  rank_compile: number;
  /** Median duration over the ranks, in microseconds; null when unknown. */
  median_us: number | null;
  /** Rank with the longest compile, the lowest on a tie; null when unknown. */
  slowest_rank: number | null;
  /** Its duration in microseconds; null when unknown. */
  slowest_us: number | null;
  /** slowest_us minus median_us when two or more ranks compiled it, otherwise 0. */
  lost_us: number;
  /** Rank that ended last; null when unknown. */
  last_rank: number | null;
  /** Time from the median end to the last end, in microseconds; null when unknown. */
  wait_us: number | null;
}

/** Distinct compiled graphs that ran, which rank_executions refers to (artifact graph_execution). */
export interface RankSteps {
  /** Number of the row, from 0. */
  id: number;
  /** The matched compile: 'id' of rank_compiles; null when the log does not contain its compile. */
  rank_compile: number | null;
  /** Compile id in the record of the lowest rank that ran it; null for a graph that was compiled before recording began. */
  compile_id: string | null;
}

/** Operations of compiled code whose output tensors differ between ranks (inductor_runtime_and_tensor_meta, recorded with LOG_TLPARSE=1): for each matched compile with differences, one row per group of ranks with the same tensors, the largest group first. Shapes, strides and data types are compared; estimated run times and names of operations are not. Ranks without a row in rank_estimate_totals have no tensor metadata. */
export interface RankTensors {
  /** The matched compile: 'id' of rank_compiles. */
  rank_compile: number;
  /** Ranks of this row. */
  ranks: number[][];
  /** Number of operations in the compile. */
  op_count: number;
  /** Graph of the first operation that differs from the first group, from 0; null for the first group, and after the first 500 groups. */
  graph: number | null;
  /** Position of that operation in the graph, from 0. */
  position: number | null;
  /** Its name; null without one. */
  name: string | null;
  /** Its output on these ranks; null when it does not exist there. */
  here: {
    /** Sizes. */
    shape: (number | string | null)[] | null;
    /** Strides. */
    stride: (number | string | null)[] | null;
    /** Data type, or null. */
    dtype: string | null;
  }[] | null;
  /** Its output in the first group; null when it does not exist there. */
  others: {
    /** Sizes. */
    shape: (number | string | null)[] | null;
    /** Strides. */
    stride: (number | string | null)[] | null;
    /** Data type, or null. */
    dtype: string | null;
  }[] | null;
}

/** Start and duration of each matched compile by rank: one row per rank, with lists that have one value per row of rank_compiles. */
export interface RankTimes {
  /** Rank of this row. */
  rank: number;
  /** Start of its first compile, microseconds since 1970-01-01 UTC; null when unknown. */
  first_start_epoch_us: number | null;
  /** Starts of its compiles, in microseconds since first_start_epoch_us; null when unknown, or not compiled. */
  start_offset_us: (number | null)[];
  /** Durations of its compiles, in microseconds; null when unknown, or not compiled. */
  length_us: (number | null)[];
}

/** Compared ranks, one row each. For a rank with several logs (a restart or forked child writes its own), this is the log with the most compiles. Times come from the clocks of the machines, which are assumed to agree. */
export interface Ranks {
  /** Rank of this row. */
  rank: number;
  /** Id of its log. */
  log: string;
  /** Start of its first compile, microseconds since 1970-01-01 UTC; null when unknown. */
  first_start_epoch_us: number | null;
  /** End of its last compile, microseconds since 1970-01-01 UTC; null when unknown. */
  last_end_epoch_us: number | null;
  /** Sum of the durations of its compiles, in microseconds. */
  compile_time_us: number;
  /** Delay that it caused, in microseconds: its duration minus the median, summed over compiles in which it was the slowest. */
  held_up_us: number;
  /** Start of its first compile relative to the median over ranks, in microseconds; negative when earlier; null when unknown. */
  late_us: number | null;
}

/** Causes of recompiles: the recompiles that follow no other, grouped by code object, source, change and dimension of a reason ('recompile_reasons': that of the nearest entry in 'guard_failures'; where that is not known, position 0, or, where that is the global state, the first one for the same state), in order of first appearance. Changes of type, identity, value, attribute, keys and length of one source are one cause. When the source is not recognized, and for the changes 'other' and 'shape', they are also grouped by guard. */
export interface RecompileCauses {
  /** Number of the cause, from 0. */
  id: number;
  /** The code object: 'id' in 'code_objects'; null when the records have no frame id. */
  code_object: number | null;
  /** Source that the guard checks, as in the reason; null when not recognized. */
  source: string | null;
  /** Kind of change, as in the first reason of the cause. */
  change: "size" | "stride" | "rank" | "dtype" | "device" | "requires_grad" | "dispatch_keys" | "shape" | "value" | "flag" | "type" | "identity" | "length" | "keys" | "attribute" | "aliasing" | "global_state" | "backend" | "other";
  /** Dimension, for size, stride and shape; else null. */
  dimension: number | null;
  /** Guard of the first of these recompiles; null without reasons. */
  guard: string | null;
  /** Expected and actual values in order, without repetition: 4, 5, 9 means 4 → 5 → 9. Values that are not recorded are missing; at most 1000. */
  values: (number | string)[];
  /** Number of these recompiles. */
  count: number;
  /** Number of recompiles that followed these in the same calls. */
  follower_count: number;
  /** Compiles of these recompiles; null for one outside any compile. */
  compiles: (string | null)[];
  /** Usual fix: 'mark_dynamic': torch._dynamo.mark_dynamic on that dimension, or dynamic=True; 'same_layout': inputs with the same memory layout; 'same_rank', 'same_dtype', 'same_device', 'same_type': inputs with the same rank, …; 'same_grad_mode', 'same_global_state': calls in the same mode; 'dynamic_int': make the integer dynamic instead of a constant; 'tensor_argument': pass the number as a tensor; 'few_values': use few different values, or don't pass it as an argument; 'same_object': pass the same object each time; 'same_structure': containers with the same length and keys; 'no_aliasing': inputs that don't share memory; 'same_backend': the same backend object; 'force_parameter_static_shapes': set this option of torch._dynamo.config to False; 'use_duck_shape': set this option of torch.fx.experimental._config to False; 'mark_unbacked': torch._dynamo.decorators.mark_unbacked, so that 0 and 1 are not specialized. null when no general fix exists. */
  remedy: "mark_dynamic" | "same_layout" | "same_rank" | "same_dtype" | "same_device" | "same_grad_mode" | "dynamic_int" | "tensor_argument" | "few_values" | "same_type" | "same_object" | "same_structure" | "no_aliasing" | "same_global_state" | "same_backend" | "force_parameter_static_shapes" | "use_duck_shape" | "mark_unbacked" | null;
}

/** What a fix would save: the calls that compiled, replayed with the guards relaxed that the fix removes. First the fixes of a code object one by one, the most effective first, then the best two or three together. A fix that avoids no compile alone has a row, too: other guards fail as well. 'few_values' and 'same_object' stand for the value of the first call. Code objects with more than 200 compiles have none. */
export interface RecompileFixes {
  /** Number of the row, from 0. */
  id: number;
  /** The code object: 'id' in 'code_objects'. */
  code_object: number;
  /** The fix; null for a combination. 'mark_dynamic', 'mark_unbacked': torch._dynamo.mark_dynamic or mark_unbacked on that dimension; 'dynamic_true': torch.compile(dynamic=True), for all sizes and integers; 'tensor_argument': pass the number as a tensor; 'few_values': one value only; 'same_layout', 'same_dtype', 'same_device', 'same_requires_grad', 'same_type', 'same_object', 'same_structure', 'same_global_state': the same in each call. */
  fix: "mark_dynamic" | "mark_unbacked" | "dynamic_true" | "tensor_argument" | "few_values" | "same_layout" | "same_dtype" | "same_device" | "same_requires_grad" | "same_type" | "same_object" | "same_structure" | "same_global_state" | null;
  /** What it applies to, as torch writes it; null for the whole function. */
  source: string | null;
  /** Dimension of that tensor; null when it is about no single one. */
  dimension: number | null;
  /** Rows of this table that are applied together; empty for a single fix. */
  combines: number[];
  /** Compiles of the code object. */
  compile_count: number;
  /** Compiles that would remain; at most, when 'is_minimum' is true. */
  remaining_count: number;
  /** Compiles that would not happen. Resume functions that recompiled for the same value (see 'follows' in 'recompiles') would not either. */
  avoided: string[];
  /** Compiles that may be avoided as well: the log lacks values that would decide it, so 'is_minimum' is true. With one value of a flag, for example, calls take a path that reads values which their own guards do not state. With 'dynamic_true', sizes that are equal in a call share a symbol, so calls that hit an entry before can need another compile: for each such entry, one compile that would not happen is here, not in 'avoided'. */
  undecided: string[];
  /** Whether 'avoided' is a minimum: more compiles remain than one, and some of them are in 'undecided', or the fix is more than one property of a tensor. A value, an object, a container or a mode can also decide which path the code takes, and 'dynamic_true' makes numbers dynamic that the log has no symbol for. */
  is_minimum: boolean;
  /** Compile time of the code object, with that of its resume functions for the same values, in microseconds; null when not recorded. */
  total_us: number | null;
  /** Compile time of the avoided compiles, with those of resume functions for the same value, in microseconds; null when not recorded, and for more than one dynamic size, such as 'dynamic_true': how much longer code takes with several symbols, the log does not show. The first compiles of a log with dynamic sizes and with dynamic numbers take longer than others; without them the next one does. So they count as the median of the other recompiles of the function. Inductor's cache can have, or lack, the graphs of compiles that remain: what they take less or more is included, also what compiles take more that get a dynamic size: as much as other dynamic recompiles of the function, and at least a fifth of the usual one. */
  saved_us: number | null;
}

/** Guard failures: one row per cache entry that was checked before a recompile ('recompiles') or a refusal ('limits'), newest entry first. A recompile happens only when every cache entry has a guard failure. A reason that torch logs only in the metrics is that of the newest entry. At most 1000 per recompile. Texts longer than 20,000 characters are cut and end in '…'. */
export interface RecompileReasons {
  /** Record with the reason: recompile_reasons, else the compilation metrics; 'event' of the row in 'recompiles'. */
  event: number;
  /** Its compile; null for a record outside any compile. */
  compile: string | null;
  /** Attempt of that compile in which torch wrote the record; null outside any compile. */
  attempt: number | null;
  /** Position among the reasons of that recompile; 0 is the newest cache entry, which shows what changed since the last compile. */
  position: number;
  /** Compile of the cache entry whose guard failed: the newest with the logged id; null when the text has no id, or the log lacks that compile. */
  entry: string | null;
  /** Guard that failed, or torch's description of it. */
  guard: string;
  /** Source that the guard checks, as written: 'x', "L['x']", 'self.training', "G['mode']", 'grad_mode'; null when not recognized. Newer versions of torch write x for L['x']. */
  source: string | null;
  /** Kind of change, from the text: 'size', 'stride': of one dimension of a tensor; 'rank', 'dtype', 'device' (its index), 'requires_grad', 'dispatch_keys': of a tensor; 'shape': a condition on dynamic sizes; 'value', 'flag' (True or False): of an object; 'type', 'identity': a different type, a different object; 'length', 'keys': of a container; 'attribute': present or missing; 'aliasing': which inputs are the same or overlap; 'global_state': of torch, such as the grad mode; 'backend': a different backend; 'other'. */
  change: "size" | "stride" | "rank" | "dtype" | "device" | "requires_grad" | "dispatch_keys" | "shape" | "value" | "flag" | "type" | "identity" | "length" | "keys" | "attribute" | "aliasing" | "global_state" | "backend" | "other";
  /** Dimension, for size, stride and shape; else null. */
  dimension: number | null;
  /** Expected value; null when not recorded. As torch writes it ('Float', 'False', "'a'"), whole numbers as numbers. */
  expected: number | string | null;
  /** Actual value; null when not recorded (torch records it for tensors only). */
  actual: number | string | null;
  /** torch's comment after the guard: source line, place, hint, or why a condition on sizes exists; null without one. */
  comment: string | null;
  /** User file that the guard comes from: from user_traceback, else from the comment, where torch shortens it; null when unknown. */
  file: string | null;
  /** Line in that file; null when unknown. */
  line: number | null;
  /** Function around that line; null when unknown. */
  function: string | null;
  /** Text of that line; null when unknown. */
  source_line: string | null;
  /** The user's stack at the guard as Python prints it, outermost frame first; null when not recorded. */
  user_traceback: string | null;
}

/** Recompiles because the guards of all cache entries failed: one row per recompile, in file order. The guard failures are in 'recompile_reasons', the root causes in 'recompile_causes', refused compiles in 'limits'. A later compile of a code object is not a recompile when earlier ones left no cache entry. Texts longer than 20,000 characters are cut and end in '…'. */
export interface Recompiles {
  /** Record with the reason: recompile_reasons, else the compilation metrics. */
  event: number;
  /** Its compile; null for a record outside any compile. */
  compile: string | null;
  /** Attempt of that compile in which torch wrote the record; null outside any compile. */
  attempt: number | null;
  /** Its code object: 'id' in 'code_objects'; null when the record has no frame id. */
  code_object: number | null;
  /** Compile of the recompile that this one follows, which can have the same cause, or null. That is an earlier recompile whose call is still running (its callers are the outer callers of this one), of the function that this one resumes, inlined before a graph break, or was called by; with guard failures of the same kind: any change of shape, else equal expected and actual values. */
  follows: string | null;
  /** Its cause: 'id' in 'recompile_causes'. A recompile that follows another has the cause of the first one in that chain. */
  cause: number;
  /** Full payload when it was not fully understood; null otherwise. */
  text: string | null;
}

/** Calls of compiled regions (Torch-Compiled Region) and of compiled graphs (CompiledFxGraph) in profiler traces: one row per trace, kind, key and compile, the longest total first within a trace. A backward is a graph outside the region of its forward. At most 5,000 rows per trace. */
export interface RegionCalls {
  /** The profiler trace: 'profile' of a row of table profiles. */
  profile: string;
  /** 'region': a call of a function that Dynamo compiled, with everything in it; 'graph': a call of the code of one graph. */
  kind: "region" | "graph";
  /** Of a region its compile id, '0/0'; of a graph its key in the FX graph cache. */
  key: string;
  /** The compile; null when none or several fit. */
  compile: string | null;
  /** Compiles that fit. An id such as '0/0' can have several after torch._dynamo.reset(); the time of the call decides where the trace has a base time. */
  candidate_count: number;
  /** Number of calls. */
  count: number;
  /** Total time of the calls on the host, with nested regions, in microseconds. */
  total_us: number;
  /** Total time without nested regions. */
  self_us: number;
  /** Median time of a call. */
  median_us: number;
  /** Time of the guard lookups before the calls (TorchDynamo Cache Lookup); null for a graph, or when not recorded. */
  lookup_us: number | null;
  /** Time of 'Pregraph bytecode' and of the prologue of AOTDispatcher; null for a graph. */
  prologue_us: number | null;
  /** Time between the end of a graph and the start of a nested region, which is the next part of the function after a graph break. It ran eager. null for a graph. */
  eager_us: number | null;
  /** Calls of the runtime of the device, such as cudaLaunchKernel, with a correlation. */
  launch_count: number;
  /** Time of these calls on the host. */
  launch_us: number;
  /** Time in which the devices worked, from the start of the first kernel that a call launched to the end of its last one. null without kernels. */
  device_busy_us: number | null;
  /** Time in which they did not work, in the same period. null without kernels. */
  device_idle_us: number | null;
}

/** Estimated run time of the graphs that Inductor compiled: one row per inductor_runtime_and_tensor_meta (LOG_TLPARSE=1), that is, per graph. The operations are in estimated_ops. */
export interface RuntimeEstimates {
  /** Number of the record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** The 'subgraph_name' of the record: the region of the graph that Inductor compiles separately; null for a whole graph. */
  subgraph_name: string | null;
  /** Number of its rows in estimated_ops. */
  op_count: number;
  /** Sum of the estimates of its computations, in nanoseconds; 0 on a CPU, for which torch has no estimates; null when the sum is out of range. */
  compute_runtime_ns: number | null;
  /** Sum of the estimates of its collectives, in nanoseconds; null when the sum is out of range. */
  collective_runtime_ns: number | null;
  /** Whether a limit left something out; the payload of the record is complete. */
  cut: boolean;
}

/** Metrics of running compiled code, such as autotuning and CUDA graph recording: one row per record. */
export interface RuntimeMetrics {
  /** Number of the record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Which graph ran. */
  direction: "forward" | "backward";
  /** Measured time in microseconds; null when not recorded. */
  duration_us: number | null;
  /** Time spent autotuning Triton kernels, in microseconds; null when not recorded. */
  triton_autotune_time_us: number | null;
  /** Time spent recording a CUDA graph, in microseconds; null when not recorded. */
  cudagraphify_time_us: number | null;
}

/** Side effects of compiled code: one row per dynamo_side_effects, in file order. Texts longer than 20,000 characters are cut and end in '…'. */
export interface SideEffects {
  /** Number of the record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Mutations that the compiled code replays, each with the user code that causes it; at most 500. */
  messages: string[];
}

/** Source code in the log: dumped files, and Python artifacts (AOTAutograd wrappers, scripts that reproduce a graph, partial graphs). One row per record, in file order. Texts longer than 20,000 characters are cut and end in '…'. */
export interface Sources {
  /** The record whose payload is the code. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** 'dump_file': a dumped file; stack frames whose file is 'name' refer to it; names can repeat, so use the last row before the record. 'code': a Python artifact. */
  kind: "dump_file" | "code";
  /** For a dumped file, the file name in stacks and guards, such as '<eval_with_key>.5', or null when not recorded; for code, the name of the artifact. */
  name: string | null;
  /** Lines of the code. */
  line_count: number;
  /** Top-level functions that it defines; at most 200. */
  functions: string[];
}

/** Total and self time of spans by name, in order of first appearance. */
export interface SpanTotals {
  /** Name of the spans. */
  name: string;
  /** Number of spans. */
  count: number;
  /** Total time, including nested spans; a span inside one of the same name counts twice. Don't add it up over names. */
  total_us: number;
  /** Self time: their durations without nested spans of the same lane. Can be added up over names. */
  self_us: number;
}

/** Nested spans of the timeline: one row per span, in the order of their begin events. torch writes a begin and an end event for each span, all with one thread id although several threads write, so spans can overlap. Ends are matched to begins by name. Draw each lane separately. Don't add up duration_us over nested spans: use the self times in span_totals. Diagnostics with codes that start with 'timeline-' count repairs and omissions. The original events are in the blobs that 'timeline' of log.json lists. */
export interface Spans {
  /** Number of the span, from 0. */
  id: number;
  /** Name of the span, such as 'dynamo' or 'inductor_compile'; cut after 1,000 characters. */
  name: string;
  /** Start, microseconds since 1970-01-01 UTC, rounded down. */
  start_epoch_us: number;
  /** End minus begin, each rounded down to microseconds; null when the span never ended because the process died or an exception left it. */
  duration_us: number | null;
  /** Compile of the begin event; null outside any compile. */
  compile: string | null;
  /** Attempt of the begin event; null outside any compile. The outer spans of a restarted compile begin in its first attempt and end in its last. */
  attempt: number | null;
  /** 'id' of the smallest span of the same lane that encloses it; null for an outermost span. Children of a span do not overlap. A parent can come after its children. */
  parent: number | null;
  /** 0, or a higher number for a span that overlaps a span on every lower lane without being nested in it, because several threads were at work. Lanes are not threads; the log does not record which thread wrote a span. */
  lane: number;
  /** Assumption about the span; null without one. 'misnested': it overlaps a span of another lane, and has no parent. 'unended': no end was found; the last event of its compile was used as its end to find its parent and lane. 'backwards': the end is before the begin; the duration was set to 0. */
  repair: "misnested" | "unended" | "backwards" | null;
  /** The begin event. */
  begin_event: number;
  /** The end event; null when there is none. Its arguments include data gathered while the span ran. */
  end_event: number | null;
}

/** Symbols that were specialized to a constant: one row per record symbolic_shape_specialization, in file order. Texts longer than 2,000 characters are cut and end in '…'; the metadata of the event has the whole text. */
export interface Specializations {
  /** Number of the record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Name of the symbol; null when the record lacks it. */
  name: string | null;
  /** The symbol: event of its row in `symbols`. The newest one of that name in the same compile; null when the log lacks it. */
  symbol_event: number | null;
  /** The constant; null when the record lacks it. */
  value: string | null;
  /** torch's reason, such as 'range_refined_to_singleton'; null when not recorded. */
  reason: string | null;
  /** Where the value comes from, as Python expressions. */
  sources: string[];
  /** torch's stack; null when the record has none. */
  stack: number | null;
  /** Stack of the user's code that was traced; null when the record has none. */
  user_stack: number | null;
}

/** Stacks of one log, as a trie: each row adds one innermost frame to its parent stack. Fields `stack` and `user_stack` of other tables, and of the metadata, are ids of rows. To list the frames, innermost first, follow `parent` until it is null. */
export interface Stacks {
  /** Id of the stack: the number of the row, from 0. */
  id: number;
  /** Id of the stack without its innermost frame, always less than `id`; null for a stack of one frame. Siblings are in order of first appearance. */
  parent: number | null;
  /** File of the innermost frame; null when the log does not define it (a forked child uses string ids of its parent). */
  file: string | null;
  /** Line in that file, counted from 1. */
  line: number;
  /** Name of the function. */
  function: string;
  /** Text of the line; null when the log lacks it. */
  code: string | null;
}

/** What ran in one step of each profiler trace: the ProfilerStep with the median duration, or without steps the longest range on the host. The first row is the step, its children are threads and devices, and below them are ranges and kernels with one name inside the same range, added up. At most the 2,000 rows with the most time per trace; a row's children need not add up to it. Parents come before their children, children in order of their first start. */
export interface StepTree {
  /** The profiler trace: 'profile' of a row of table profiles. */
  profile: string;
  /** Number of the row in its trace, from 0. */
  id: number;
  /** 'id' of the row around it; null for the step. */
  parent: number | null;
  /** 'step'; 'thread': of the host; 'device'; 'range': on a thread; 'kernel': a kernel or copy that begins on the device during the step. */
  kind: "step" | "thread" | "device" | "range" | "kernel";
  /** Name in the trace; of a thread or device its number. */
  name: string;
  /** Ranges or kernels that the row adds up. */
  count: number;
  /** Start of the first of them, from the start of the step, in microseconds. */
  start_us: number;
  /** Their total time; of a thread or device, the sum over its children. */
  total_us: number;
  /** The part outside ranges inside them, with or without a row; 0 for the step, threads and devices. */
  self_us: number;
}

/** Graphs nested in FX graphs: one row per graph, in the order of the text; at most 200 of one graph. Texts longer than 20,000 characters are cut and end in '…'. */
export interface Subgraphs {
  /** The record whose payload holds it: a row of table graphs. */
  graph_event: number;
  /** Name of its class, which the enclosing graph calls. */
  name: string;
  /** Number of inputs. */
  placeholder_count: number;
  /** Number of calls. */
  call_count: number;
  /** Number of values that it returns. */
  output_count: number;
}

/** Distinct places in user code where a condition was evaluated; logged only with TORCH_DTRACE. Texts longer than 2,000 characters are cut and end in '…'; the metadata of the event has the whole text. */
export interface SymbolContexts {
  /** Number of the row, from 0. */
  id: number;
  /** Text of the source lines; null when unknown. */
  loc: string | null;
  /** Local variables in those lines: one text for each leaf of a variable's value, null for a leaf that is neither a tensor nor symbolic. At most 200 variables of at most 200 leaves. */
  locals: Record<string, (string | null)[]>;
  /** Source of each symbol that has one, as a Python expression. */
  symbol_sources: Record<string, string | null>;
}

/** Guards on symbols, in file order. With TORCH_DTRACE torch writes two records per guard, guard_added and guard_added_fast, which are one row. The guards of a symbol are the rows whose symbol_events contain its event. Texts longer than 2,000 characters are cut and end in '…'; the metadata of the event has the whole text. */
export interface SymbolGuards {
  /** The record: guard_added, or guard_added_fast when the guard has only that one. */
  event: number;
  /** The second record of the same guard (guard_added_fast after guard_added); null when there is none. */
  pair_event: number | null;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** The condition; null when the record lacks it. */
  expr: string | null;
  /** Origin of the guard ('eval', 'runtime_assert' …); null without TORCH_DTRACE. */
  prefix: string | null;
  /** Symbols whose names occur in expr, in order of first occurrence: event of their rows in `symbols`. A name that several symbols share means the newest one in the same compile, whatever its attempt. */
  symbol_events: number[];
  /** Record that created the expression: event of its row in `expressions`; null when the log lacks it (TORCH_DTRACE records it). */
  expression_event: number | null;
  /** id in `symbol_contexts`: the place in user code; null when the record has none. */
  context: number | null;
  /** torch's stack; null when the record has none. */
  stack: number | null;
  /** Stack of the user's code that was traced; null when the record has none. */
  user_stack: number | null;
}

/** Conditions on unbacked symbols decided by the real value of an example input, in file order. With TORCH_DTRACE torch writes two records per decision, propagate_real_tensors and propagate_real_tensors_provenance, which are one row. Texts longer than 2,000 characters are cut and end in '…'; the metadata of the event has the whole text. */
export interface SymbolValues {
  /** The first record of the decision. */
  event: number;
  /** The second record of the same decision; null when there is none. */
  pair_event: number | null;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** The condition; null when the record lacks it. */
  expr: string | null;
  /** Value of the condition, such as 'True'; null when the record lacks it. */
  result: string | null;
  /** Symbols whose names occur in expr, in order of first occurrence: event of their rows in `symbols`. A name that several symbols share means the newest one in the same compile, whatever its attempt. */
  symbol_events: number[];
  /** Record that created the expression: event of its row in `expressions`; null when the log lacks it (TORCH_DTRACE records it). */
  expression_event: number | null;
  /** id in `symbol_contexts`: the place in user code; null when the record has none. */
  context: number | null;
  /** torch's stack; null when the record has none. */
  stack: number | null;
  /** Stack of the user's code that was traced; null when the record has none. */
  user_stack: number | null;
}

/** Symbols of dynamic shapes: one row per record create_symbol or create_unbacked_symbol, in file order. Other tables refer to a symbol by the event of its row. Texts longer than 2,000 characters are cut and end in '…'; the metadata of the event has the whole text. */
export interface Symbols {
  /** The record: create_symbol or create_unbacked_symbol. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Name, such as 's77' or 'u0'; null when the record lacks it. Each trace has its own s0, s1 …, so names repeat. */
  name: string | null;
  /** Whether the symbol is unbacked: its value is known only when the code runs. */
  unbacked: boolean;
  /** Value of the symbol during tracing; null for an unbacked symbol. */
  value: string | null;
  /** Possible values, such as '[2, int_oo]'; null when not recorded. */
  range: string | null;
  /** Where the value comes from, as a Python expression such as "L['x'].size()[0]"; null for an unbacked symbol. */
  source: string | null;
  /** torch's stack; null when the record has none. */
  stack: number | null;
  /** Stack of the user's code that was traced; null when the record has none. */
  user_stack: number | null;
}

/** Storages of tensors as torch described them: one row per record describe_storage, in file order. */
export interface TensorStorages {
  /** Number of the record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Size in bytes; text when it is symbolic; null when the record lacks it. */
  size_bytes: number | string | null;
}

/** Inputs of compiles as torch described them: one row per record describe_tensor, in file order. torch leaves out default values: a flag that is not in the record is false. Lists of sizes, strides and dimensions have at most 100 elements; an element is a number, or an expression of symbols such as 's77' as text. (A specialized symbol, which torch writes as text, is a number.) Texts longer than 2,000 characters are cut and end in '…'; the metadata of the event has the whole text. */
export interface Tensors {
  /** Number of the record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Number of the describer; each trace of the process has its own. */
  describer_id: number;
  /** Number that the describer gave the tensor. A log can repeat a pair of numbers; sources and other refer to the newest row before them. */
  tensor_id: number;
  /** Sizes; null when the record lacks them. */
  shape: (number | string)[] | null;
  /** Strides; null for a tensor without strides (sparse, nested). */
  stride: (number | string)[] | null;
  /** Dimensions that the user marked as dynamic; null for none. */
  dynamic_dims: (number | string)[] | null;
  /** Data type, such as 'torch.float32'; null when the record lacks it. */
  dtype: string | null;
  /** Device, such as 'cpu' or 'cuda:0'; null when the record lacks it. */
  device: string | null;
  /** Storage of the tensor: event of its row in `tensor_storages`; null when the log lacks it. Tensors with one storage_event share memory. */
  storage_event: number | null;
  /** Fields with non-default values that have no column here, as torch wrote them (layout, base, attrs, storage_offset …); null for none. A value that is a tensor is its tensor_id. view_func, a function name with an address, is left out. A value of more than 2,000 characters of JSON becomes cut text. */
  other: Record<string, unknown> | null;
  /** Whether autograd tracks it. */
  requires_grad: boolean;
  /** Whether it is a torch.nn.Parameter. */
  is_parameter: boolean;
  /** Whether it is a leaf of the autograd graph. */
  is_leaf: boolean;
  /** Whether it is a view of another tensor. */
  is_view: boolean;
  /** Python expressions for the tensor, such as "L['x']". Empty for a tensor that is only part of another one (a base, a gradient). */
  sources: string[];
}

/** Triton kernels that torch reports in triton_kernel_info: one row per kernel and record, in file order. */
export interface TritonKernels {
  /** Number of the record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Name of the kernel. */
  name: string;
  /** Time to compile it, in microseconds; null when not recorded. */
  compile_time_us: number | null;
  /** Number of configurations that autotuning chooses from; null when not recorded. */
  config_count: number | null;
  /** Autotuning cache lookup: 'hit', 'miss' …, as torch writes it; null when not recorded. */
  autotune_cache_state: string | null;
}

/** Sends and receives in compiled code without a counterpart in the compiled code of the other rank: one row per rank, operation, peer and tag, in the first compile of each function. Only transfers in the group of all ranks between ranks with logs. */
export interface UnmatchedTransfers {
  /** Rank that makes the call. */
  rank: number;
  /** 'isend' or 'irecv'. */
  op: "isend" | "irecv";
  /** The rank that it sends to or receives from. */
  peer: number;
  /** Tag of the transfer. */
  tag: number;
  /** Number of calls without a counterpart. */
  count: number;
  /** Matched compile that makes the call: 'id' of rank_compiles. */
  rank_compile: number;
}

/** vLLM compile backends, in file order: one for the model, one for a draft model. */
export interface VllmBackends {
  /** Id of the backend, from 0. */
  id: number;
  /** The record of its settings, vllm_compilation_config; null when the log has none, as on a warm start with ahead-of-time compiled code. */
  event: number | null;
  /** Compile of its records; null without one, as when vLLM compiles ahead of time. */
  compile: string | null;
  /** Attempt of that compile; null when compile is. */
  attempt: number | null;
  /** Whether a warm start loaded all its pieces; vLLM then logs neither settings nor piece names. */
  is_loaded: boolean;
  /** Type of the last vllm_compile_event before it: 'fresh_compile', 'aot_cache_hit'; null without one, as in older vLLM. */
  compile_event_type: string | null;
  /** Part of the model that is compiled: 'backbone', 'draft_model', …. */
  prefix: string | null;
  /** Model, as given to vLLM. */
  model: string | null;
  /** Settings by name, as vLLM writes them; lists are comma-separated strings. Texts are cut at 20,000 characters; at most 200 settings. */
  config: Record<string, string | number | boolean | null>;
  /** The record of the graph after its split, vllm_piecewise_split_graph; null when not recorded. */
  split_event: number | null;
  /** The record of the Python code that calls the pieces, vllm_execution_code; null when not recorded. */
  code_event: number | null;
  /** Number of submodules that are compiled, as vLLM logs it with the first piece; null when not recorded. */
  submodule_count: number | null;
  /** Whether the log records its end, successful or not. */
  is_ended: boolean;
  /** Start in microseconds since 1970: the span vllm_backend; for a loaded backend, the first load; null when unknown. */
  start_epoch_us: number | null;
  /** Duration in microseconds; for a loaded backend, until the end of the last load; null when unknown. */
  duration_us: number | null;
  /** Start of Dynamo's capture around it: the span fullgraph_capture, or dynamo; null when unknown. */
  capture_epoch_us: number | null;
  /** Duration of that span, including the backend; null when unknown. The duration in the metrics of an ahead-of-time compile is wrong. */
  capture_time_us: number | null;
  /** Time from its start to the start of the first piece, in microseconds; null when unknown. */
  split_time_us: number | null;
  /** Time spent saving compiled pieces (CompiledArtifact.save), a part of the pieces' time; null when nothing was saved. */
  save_time_us: number | null;
}

/** vllm_compile_event records, in file order: whether a compile is fresh or cached. */
export interface VllmCompileEvents {
  /** Number of the record. */
  event: number;
  /** Type of the event: 'fresh_compile', 'aot_cache_hit'; null when not recorded. */
  type: string | null;
}

/** Graph after each vLLM pass, compared with the graph before it, when the log has both. */
export interface VllmPasses {
  /** Id of the piece, in vllm_pieces. */
  piece: number;
  /** The record of the graph after the pass, vllm_post_grad.*. */
  event: number;
  /** Record of the graph before the pass: the graph after the previous pass, or before_pre_grad_graph or before_post_grad_graph (torch passes may have run in between); null without one. */
  base_event: number | null;
  /** Position in the order of passes, from the name; null when the name lacks it. */
  number: number | null;
  /** Name of the pass: 'NoOpEliminationPass'. */
  name: string;
  /** Whether both graphs have the same text; null without a base_event. */
  is_equal: boolean | null;
  /** Number of nodes after the pass; null when the payload is not a graph. */
  node_count: number | null;
  /** Number of nodes before the pass; null when unknown. */
  base_node_count: number | null;
  /** Number of added calls, by operation. */
  added: Record<string, number>;
  /** Number of removed calls, by operation. */
  removed: Record<string, number>;
}

/** Pieces that vLLM compiles or loads, with the origin of their code: one row per submodule and size or range of sizes, in file order. */
export interface VllmPieces {
  /** Id of the piece, from 0. */
  id: number;
  /** Id of the backend, in vllm_backends. */
  backend: number;
  /** Compile of its records; null without one, as when vLLM compiles ahead of time. */
  compile: string | null;
  /** Attempt of that compile; null when compile is. */
  attempt: number | null;
  /** The record of its start, vllm_piecewise_compile_start; null for a loaded backend. */
  start_event: number | null;
  /** Name of the submodule: 'submod_2'; null for a loaded backend, whose log has no names. To find it, look for the same code_hash in the log of an earlier start. */
  submodule: string | null;
  /** Position among the submodules that are compiled, vLLM's piecewise_index; null when not recorded. */
  piecewise_number: number | null;
  /** Lowest number of tokens that the piece is for; null when not recorded. */
  range_start: number | null;
  /** Highest number of tokens that the piece is for; null when not recorded. */
  range_end: number | null;
  /** Whether the piece is for a single size; null when not recorded. */
  is_single_size: boolean | null;
  /** compiled: Inductor generated code. inductor_loaded: AOTAutograd traced it, and Inductor's cache had the code. loaded: it came entirely from a cache. reused: it uses the code of an equal piece. failed: the compile produced no code. unfinished: the log ends within the piece. null when unknown. */
  outcome: "compiled" | "inductor_loaded" | "loaded" | "reused" | "failed" | "unfinished" | null;
  /** Start in microseconds since 1970; null when unknown. */
  start_epoch_us: number | null;
  /** From its start to the start of the next piece or to the end; for a loaded piece, its load (loads run in several threads at the same time). null when the load records are ambiguous. */
  duration_us: number | null;
  /** Inductor's part of it (span inductor_compile); null when unknown. */
  inductor_time_us: number | null;
  /** Duration of the load from the cache (span AOTAutogradCache.inductor_load); null when unknown. */
  load_time_us: number | null;
  /** Hash of its graph after AOTAutograd, aot_inference_graph; null when not recorded. */
  graph_hash: string | null;
  /** Hash of its code, inductor_output_code; null when not recorded. The same piece has the same hash in the log of a different start. */
  code_hash: string | null;
  /** Number that AOTAutograd gave it when it was compiled, from the code: '4_inference'; null when unknown. */
  aot_id: string | null;
  /** Ids of earlier pieces of its backend for the same sizes, with their own code and a graph that is equal except for names; at most 8. */
  equal_to: number[];
  /** Id of the piece whose code a reused piece uses; null when none or several pieces have an equal graph. Inferred, because vLLM does not log it. */
  reused: number | null;
  /** The metrics with the reason of its failure; null when it did not fail, or when unknown. */
  failure_event: number | null;
  /** Records of its artifacts, attributed by content as well as order. */
  events: number[];
}

/** Model submodules that vLLM compiles, each with its graph. Submodules with equal graphs share code. */
export interface VllmSubmodules {
  /** Id of the backend, in vllm_backends. */
  backend: number;
  /** Name of the submodule: 'submod_2'. */
  name: string;
  /** The record of its graph, vllm_submod_2. */
  event: number;
  /** Hash of the graph without the names of values: equal for graphs that differ only in names, such as those of layers; null when the payload is not a graph. */
  shape_hash: string | null;
  /** Name of the first submodule of the backend with an equal graph; null for the first one. */
  same_as: string | null;
}

/** Reports about jobs of Inductor's compile workers that take long: one row per compile_worker_status (torch 2.15 and newer), in file order. A worker reports a job again and again while it runs; torch does not record its end. Texts longer than 2,000 characters are cut and end in '…'. */
export interface WorkerReports {
  /** Number of the record. */
  event: number;
  /** Compile that the job belongs to: the newest with the id in the report; null when the report names none. */
  compile: string | null;
  /** Newest attempt of that compile at the time of the report; null without a compile. */
  attempt: number | null;
  /** Number of the job, from 0 for each pool of workers; null when not recorded. */
  job: number | null;
  /** Time since the job was submitted, in microseconds; null when not recorded. */
  elapsed_us: number | null;
  /** 'queued': no worker has begun; 'running'; 'querying_cache'; 'compiling'. null when not recorded, as for spawned workers. */
  phase: string | null;
  /** Time in that phase, in microseconds; null when not recorded, as for 'queued'. */
  phase_elapsed_us: number | null;
  /** Process id of the worker; null when not recorded, as for 'queued'. */
  worker_pid: number | null;
}

/** A baseline that 'tlparse-bundle check --write-baseline' writes: findings that later runs may have. One finding per line, ordered by kind, file, function and fingerprint. */
export interface Baseline {
  /** Identifies the file. */
  what: "tlparse-bundle baseline";
  /** Version of this format. */
  version: 1;
  /** Highest number in any log; null when a log does not record it. */
  most_in_one_log: {
    /** Graph breaks. */
    breaks: number | null;
    /** Recompiles. */
    recompiles: number | null;
    /** Compiles. */
    compiles: number | null;
    /** Failures, compiles that did not end and exports that failed. */
    failures: number | null;
    /** Compile time in microseconds, rounded to two digits; only with --with-time. */
    compile_time_us?: number | null;
  };
  /** Number of findings of each kind that the bundle, and so this file, does not list. 'ranks': findings across ranks, of any kind. */
  unlisted: Record<string, number>;
  /** Findings except those about times, each once for all logs. */
  findings: {
    /** As in findings. */
    kind: string;
    /** As in findings: identifies the same problem across runs. The only field that is matched. */
    fingerprint: string;
    /** As in findings. */
    severity: "error" | "warning" | "info";
    /** File, or null. */
    file: string | null;
    /** Function, or null. */
    function: string | null;
    /** Highest count in any log. */
    count: number;
    /** Title, for people. */
    title: string;
  }[];
}

/** comparison.json: what changed from one run of a program (base) to another (new). Not part of a bundle. */
export interface Comparison {
  /** Name and version of the format. Readers reject other major versions and ignore unknown fields. */
  format: {
    /** Always this name. */
    name: "tlparse-comparison";
    /** Changes when readers would break. */
    major: 1;
    /** Increases when fields are added. */
    minor: number;
  };
  /** Program and version that wrote it. */
  made_by: string;
  /** The bundles of the base side. The first one represents the side; only times are read from the others. */
  base: {
    /** Name of its folder or file, never a path. */
    name: string;
    /** For a bundle that was still growing: its state, 'live.counter' of the manifest. null for a finished one. */
    state: number | null;
  }[];
  /** As base, for the new side. */
  new: {
    /** Name of its folder or file, never a path. */
    name: string;
    /** For a bundle that was still growing: its state, 'live.counter' of the manifest. null for a finished one. */
    state: number | null;
  }[];
  /** The headline and its numbers. */
  summary: {
    /** Headline: the net result with both totals, its explanation and the number of other changes; or that nothing changed. Plain text, code in backticks. */
    text: string;
    /** same: no change, and all numbers agree. noise: no change, and the totals differ by less than run-to-run noise. less, more: the new side has less or more compile time, beyond noise. changed: something changed, but the totals differ by less than noise or are not recorded. incomplete: a log ends early, so totals cannot be compared. unknown: compiles cannot be matched. Since 1.1. */
    verdict?: "same" | "noise" | "less" | "more" | "changed" | "incomplete" | "unknown";
    /** Compile time of the new side minus that of the base side, in microseconds, over all pairs of logs; null when a log does not record it or ends early. Since 1.1. */
    net_us?: number | null;
    /** Totals whose difference is net_us; null when net_us is null. Since 1.1. */
    compile_us?: null | {
      /** Base side. */
      base: number;
      /** As base, for the new side. */
      new: number;
    };
    /** Main explanation of net_us when verdict is less or more, otherwise null. changes: changes with a cost in that direction. speed: unchanged compiles ran faster or slower. unknown: neither. Since 1.1. */
    reason?: "changes" | "speed" | "unknown" | null;
    /** Notes that are not changes: logs without a counterpart, a machine that is faster or slower overall. */
    notes: string[];
    /** Number of changes in all logs. */
    change_count: number;
    /** Number of changes that no other change caused. */
    root_count: number;
  };
  /** Pairs of logs, matched by rank, and in order for logs without a rank. A log that only one side has is alone, with empty lists. */
  logs: {
    /** Base log, or null. */
    base: null | {
      /** Id in its bundle. */
      id: string;
      /** Name of its file. */
      source: string;
      /** Version of torch, or null. */
      torch_version: string | null;
      /** Headline in its bundle. */
      text: string;
      /** Why the log is incomplete, in words: it is damaged, ends inside a compile, or is still being written. null when it is complete. */
      ends_early: string | null;
      /** What its version of torch does not log, as in the summary of its findings; none of it counts as a change. */
      not_recorded: string[];
    };
    /** New log, or null. */
    new: null | {
      /** Id in its bundle. */
      id: string;
      /** Name of its file. */
      source: string;
      /** Version of torch, or null. */
      torch_version: string | null;
      /** Headline in its bundle. */
      text: string;
      /** Why the log is incomplete, in words: it is damaged, ends inside a compile, or is still being written. null when it is complete. */
      ends_early: string | null;
      /** What its version of torch does not log, as in the summary of its findings; none of it counts as a change. */
      not_recorded: string[];
    };
    /** Rank of both, or null. */
    rank: number | null;
    /** Run-to-run noise of unchanged compiles; null for an unpaired log. */
    noise: null | {
      /** Median ratio of new to base time over unchanged compiles. */
      speed: number;
      /** Noise of single compiles beyond speed, as a factor. Smaller differences are not reported. */
      factor: number;
      /** Differences below this are not reported, whatever their ratio. */
      least_us: number;
      /** Number of compiles that it was measured on. With few of them, a default factor is used. */
      measured: number;
      /** Noise of the total compile time: smaller differences of the totals are noise. Since 1.1. */
      total_us?: number;
    };
    /** Compile time in the headlines of the logs; null for an unpaired log. */
    compile_us: null | {
      /** null when unknown. */
      base: number | null;
      /** null when unknown. */
      new: number | null;
    };
    /** Total time of unchanged compiles; null for an unpaired log. Since 1.1. */
    unchanged_us?: null | {
      /** Base log. */
      base: number;
      /** As base, for the new side. */
      new: number;
    };
    /** Numbers of both logs, without those that neither has. Since 1.1. */
    counts?: {
      /** compiles, functions, graph_breaks, recompiles, recompile_limits, restarts, failures, unfinished: as in the summary of the findings. generated_codes: artifacts with Inductor code. fx_graph_hits and so on: lookups of a cache by outcome. */
      name: string;
      /** Base log; null when not recorded. */
      base: number | null;
      /** As base, for the new log. */
      new: number | null;
    }[];
    /** Time by phase, for compiles whose metrics record it. */
    phases: {
      /** dynamo, aot_autograd, inductor or backward. */
      phase: string;
      /** Microseconds, 0 when no compile reached the phase; null when not recorded. */
      base_us: number | null;
      /** As base, for the new log. */
      new_us: number | null;
    }[];
    /** Timeline spans with the most time, by name, at most 200. */
    spans: {
      /** Name of the span. */
      name: string;
      /** Self time in microseconds. */
      base_us: number;
      /** As base, for the new log. */
      new_us: number;
      /** Number of spans. */
      base_count: number;
      /** As base, for the new log. */
      new_count: number;
    }[];
    /** Compiles of both logs, each once, in the order of the new log. pair_indexes of a change are positions in this array. */
    compiles: {
      /** Compile in the base log, or null. */
      base: null | {
        /** Key, as in `compiles`. */
        compile: string;
        /** File of the function as torch wrote it, or null. */
        file: string | null;
        /** First line of the function, or null. */
        line: number | null;
      };
      /** Compile in the new log, or null. */
      new: null | {
        /** Key, as in `compiles`. */
        compile: string;
        /** File of the function as torch wrote it, or null. */
        file: string | null;
        /** First line of the function, or null. */
        line: number | null;
      };
      /** Name of the function, or null. */
      function: string | null;
      /** Compile time, forward and backward, in microseconds; null when unknown. */
      base_us: number | null;
      /** As base, for the new log. */
      new_us: number | null;
      /** Whether Dynamo captured the same graph. unknown: in one log only, or not recorded. */
      graph: "same" | "other" | "unknown";
      /** Whether Inductor generated the same code. unknown: not generated in both, as on a cache hit. */
      code: "same" | "other" | "unknown";
      /** Cache lookups with different outcomes, one per cache. */
      lookups: {
        /** Cache, as in the cache table. */
        cache: "aot_autograd" | "fx_graph";
        /** Outcome in the base log: hit, miss or bypass. */
        base: string;
        /** As base, for the new log. */
        new: string;
        /** Parts of the key that differ, at most 50; an empty array when the keys are equal, null when the parts are not recorded. */
        different: {
          /** Name as torch writes it: 'gm' is the graph, 'example_inputs[0]' an input, 'inductor_config[max_autotune]' a setting. */
          part: string;
          /** Its text, at most 200 characters; null when the key lacks it. */
          base: string | null;
          /** As base, for the new log. */
          new: string | null;
        }[] | null;
      }[];
    }[];
    /** Measured run times; null when neither log has a profiler trace. Since 1.1. */
    run_time?: null | {
      /** The side without a profiler trace; the numbers are then 0 and the lists empty. null when both have one. */
      missing: "base" | "new" | null;
      /** Whether times are those of a device; false for times on the host. */
      on_device: boolean;
      /** Time of all kernels of the base log in microseconds. */
      base_us: number;
      /** As base_us, for the new log. */
      new_us: number;
      /** Median ratio of new to base times of kernels with the same code; 1 when there are fewer than 3. */
      speed: number;
      /** Kernels of both logs, each once, by absolute difference, at most 200. */
      kernels: {
        /** Its compile: position in compiles; null for one that is not there. */
        pair_index: number | null;
        /** Name in the base log; null when it is not there. */
        base_name: string | null;
        /** As base_name, for the new log. */
        new_name: string | null;
        /** What the two have in common. code: the same code, whatever the name. lines: the same source lines. name: the name without its number. null for a kernel of one log. */
        matched_by: "code" | "lines" | "name" | null;
        /** Microseconds; null when it is not in the base log. */
        base_us: number | null;
        /** As base_us, for the new log. */
        new_us: number | null;
        /** Calls in the base log, not scaled. */
        base_count: number;
        /** As base_count, for the new log. */
        new_count: number;
        /** slower and faster: by more than noise. new and gone: in one log only. same: none of these, or too small to matter. */
        change: "slower" | "faster" | "new" | "gone" | "same";
      }[];
      /** Source lines by absolute difference, at most 200. A kernel that computes several lines counts for each of them. Empty when no log records source lines (INDUCTOR_PROVENANCE=1). */
      lines: {
        /** Path of the file. */
        file: string;
        /** Line in the file. */
        line: number;
        /** Function around it; null when unknown. */
        function: string | null;
        /** Text of the line; null when unknown. */
        code: string | null;
        /** Time of its kernels in microseconds; null when no kernel of the base log computes it. */
        base_us: number | null;
        /** As base_us, for the new log. */
        new_us: number | null;
        /** As for kernels. */
        change: "slower" | "faster" | "new" | "gone" | "same";
      }[];
    };
    /** Changes: new errors first, then by absolute cost, each followed by the changes that it caused. */
    changes: {
      /** torch: a different version. setting: a setting of torch or of vLLM. backend: compiles that stop at a different stage of the compiler (since 1.1). vllm: pieces that vLLM compiles, loads or reuses. finding: see the findings table. graph: a different graph of the same function. compile: compiled in one log only. cache: a lookup with a different outcome. code: different code for the same graph. memory: a different peak. run_time: kernels that take more or less time when they run, with profiler traces of both runs. time: more or less compile time. */
      kind: "torch" | "setting" | "backend" | "vllm" | "finding" | "graph" | "compile" | "cache" | "code" | "memory" | "run_time" | "time";
      /** new and gone: in one log only. worse and better: in both, but different. changed: neither. */
      change: "new" | "gone" | "worse" | "better" | "changed";
      /** As in findings. */
      severity: "error" | "warning" | "info";
      /** One sentence, on one line. Plain text, code in backticks. */
      title: string;
      /** Explanation; may be empty. */
      text: string;
      /** Function, or null. */
      function: string | null;
      /** Name of its file, or null. */
      file: string | null;
      /** Line, or null. */
      line: number | null;
      /** Number of affected compiles, lookups or occurrences. */
      count: number;
      /** Additional time of the affected compiles, in microseconds; negative when they take less. null when unknown. */
      cost_us: number | null;
      /** Affected compiles: positions in 'compiles', at most 1000. */
      pair_indexes: number[];
      /** For a finding: its position in the findings table of the base log, or null. */
      base_finding_index: number | null;
      /** As base, for the new log. */
      new_finding_index: number | null;
      /** Position of the change that caused this one, or null. */
      because_of: number | null;
      /** Facts that the text is built from, by kind. */
      details: Record<string, unknown>;
    }[];
  }[];
}

/** trend.json: the runs of one or more folders of bundles over time, and where their numbers jump. It is built from manifests only. */
export interface Trend {
  /** Only in the output of --json: true. */
  ok?: true;
  /** Name and version of the format. Readers reject a different name or a higher version. */
  format: {
    /** Always "tlparse-bundle-trend". */
    name: "tlparse-bundle-trend";
    /** Increases when a meaning changes. */
    version: 1;
  };
  /** Address of the page that compares two bundles, relative to this file; null without one. */
  compare_url: string | null;
  /** Metrics of a run, in display order. */
  metrics: {
    /** Key in 'values'. */
    key: string;
    /** Title to show. */
    title: string;
    /** us: microseconds. count: a number. */
    unit: "us" | "count";
    /** Direction that is worse; null when neither is. */
    worse: "more" | "less" | null;
    /** Meaning, and which log it comes from in a bundle of several. */
    help: string;
    /** Whether runs that end early are part of its line, because it can explain why they do. */
    of_the_end: boolean;
  }[];
  /** One row per bundle, in order of start, those without a time last. */
  runs: {
    /** Name of the bundle, as in the list of bundles: FOLDER, or FOLDER/BUNDLE. */
    name: string;
    /** Address of the bundle, relative to this file; null without a bundle beside it. */
    url: string | null;
    /** Label of the bundle, or null. */
    label: string | null;
    /** Commit of the bundle, or null. */
    commit: string | null;
    /** Time of the first record of any log, in microseconds since 1970-01-01 UTC; null when not recorded. */
    start_epoch_us: number | null;
    /** Number of logs. */
    log_count: number;
    /** Whether a log ends inside a compile. Such a run is only part of jumps in metrics with of_the_end. */
    ends_early: boolean;
    /** Versions of PyTorch in the logs, sorted; at most 10. */
    torch_versions: string[];
  }[];
  /** Values by key of the metric: a list with one value per run; null when unknown. */
  values: Record<string, (number | null)[]>;
  /** Runs that are compared over time: those with the same label, or without a label in the same folder with at least half of their first functions in common. Largest first. */
  series: {
    /** The label, or the name of the folder, followed by the first function if the folder has several programs. */
    name: string;
    /** Rows of 'runs', in the order of time. */
    run_indexes: number[];
  }[];
  /** Lasting changes of level, most costly first and time savings last. */
  jumps: {
    /** Row of 'series'. */
    series_index: number;
    /** First run that differs: row of 'runs'. */
    run_index: number;
    /** The run before it, to compare with: row of 'runs'. */
    base_run_index: number;
    /** Number of runs of the series from this one on. */
    run_count: number;
    /** Address of the folder with the comparison of both runs, relative to this file, when a site has one, otherwise null. */
    comparison_url: string | null;
    /** The jump in a sentence: what changed, between which runs, in which functions. */
    text: string;
    /** true in 'jumps', false in 'latest'. */
    confirmed: boolean;
    /** Changes at this jump, phases last. */
    changes: {
      /** Key of the metric. */
      metric: string;
      /** Change in words. */
      text: string;
      /** Median of the runs before it, at most ten. */
      before: number;
      /** Median of the runs after it, at most ten. */
      after: number;
      /** Whether it is a change for the worse; null when neither direction is. */
      is_worse: boolean | null;
    }[];
  }[];
  /** Changes in the last runs of a series, too few to confirm: values outside the range since the last jump. */
  latest: {
    /** Row of 'series'. */
    series_index: number;
    /** First run that differs: row of 'runs'. */
    run_index: number;
    /** The run before it, to compare with: row of 'runs'. */
    base_run_index: number;
    /** Number of runs of the series from this one on. */
    run_count: number;
    /** Address of the folder with the comparison of both runs, relative to this file, when a site has one, otherwise null. */
    comparison_url: string | null;
    /** The jump in a sentence: what changed, between which runs, in which functions. */
    text: string;
    /** true in 'jumps', false in 'latest'. */
    confirmed: boolean;
    /** Changes at this jump, phases last. */
    changes: {
      /** Key of the metric. */
      metric: string;
      /** Change in words. */
      text: string;
      /** Median of the runs before it, at most ten. */
      before: number;
      /** Median of the runs after it, at most ten. */
      after: number;
      /** Whether it is a change for the worse; null when neither direction is. */
      is_worse: boolean | null;
    }[];
  }[];
  /** Bundles that were left out. */
  skipped: {
    /** Name of the bundle. */
    name: string;
    /** Problem with the bundle. */
    problem: string;
  }[];
}
