// The tables of a bundle and the documents made of bundles, as TypeScript sees them. Written by scripts/docs from schema/: do not edit.
//
// In JSDoc: @typedef {import("../../schema/bundle.d.ts").Compiles["compiles"][number]} Compile

/** Which inputs a graph mutates and which outputs alias inputs: one row per aot_forward_graph_fw_metadata and aot_forward_graph_fw_subclass_metadata, counted from their text. A text of more than 20,000 characters is cut and ends in '…'. */
export interface Aliasing {
  /** The record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** true: of the graph on the inner tensors of tensor subclasses. */
  subclass: boolean;
  /** Inputs of the graph. */
  input_count: number;
  /** Inputs whose data the graph changes. */
  mutated_input_count: number;
  /** Inputs whose shape or strides the graph changes. */
  metadata_mutated_input_count: number;
  /** Outputs of the graph. */
  output_count: number;
  /** Kind of output (torch's OutputType: 'non_alias', 'alias_of_input', 'is_input' …) -> how many. */
  output_types: Record<string, number>;
  /** Values inside the graph that several outputs are views of; null when not recorded. */
  intermediate_base_count: number | null;
  /** Symbolic sizes saved for the backward; null without a backward. */
  saved_symint_count: number | null;
  /** Tokens that order side effects in the backward; null when not recorded. */
  backward_token_count: number | null;
  /** States of random number generators that are passed in; null when not recorded. */
  rng_state_count: number | null;
}

/** What there is to look at, in the order torch wrote it: one row per record with a payload (chromium events excepted), per record of type 'artifact' even without a payload, per 'link', and per record of metrics. A row is complete: to read a payload, decode the file `blob` and take `size_bytes` bytes from `offset`. The content of an artifact without a payload is the metadata of its record. */
export interface Artifacts {
  /** The record that the artifact is. */
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
  /** SHA-256 of the payload, in hex: two payloads are the same if and only if these are. null without a payload. */
  sha256: string | null;
}

/** Attempts: one row per try of a compile, a refused compile or a capture, in the order of their first records. Dynamo restarts make several of one compile; torch writes their ids as '0/1', '0/1_1', '0/1_2'. */
export interface Attempts {
  /** Key of the compile (compiles), of what torch refused (limits) or only captured (captures). */
  compile: string;
  /** Number of the attempt, from 0. */
  attempt: number;
  /** 'restarted': thrown away, another attempt followed. Of the last attempt the outcome: 'ok', 'failed', 'empty' or 'unfinished' as in compiles; null when torch reports none. */
  status: "ok" | "failed" | "empty" | "unfinished" | "restarted" | null;
  /** Why it was thrown away, as torch reports it; null for the last attempt, and when unknown. */
  restart_reason: string | null;
  /** Stack of the call, as in compiles; null when unknown. */
  stack: number | null;
  /** Number of graph breaks recorded in this attempt. */
  graph_break_count: number;
  /** Its first record. */
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

/** The files that hold the payloads of a log, each once. No reader needs this table to read a payload; it says what to check and to copy. A payload of 256 KiB or more has a file of its own; smaller payloads of one kind are stored one after another in files of about 1 MiB. Equal files of several logs are one file. */
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
  /** Instructions in it; null when the log lacks it. */
  original_instruction_count: number | null;
  /** Instructions in what replaced it; null when the log lacks it. */
  modified_instruction_count: number | null;
}

/** Lookups and writes of the compile caches with their outcome, in file order. For a miss, 'different' names the components of the key that the closest earlier key does not have. A compile that comes from the AOTAutograd cache has hits of both caches. Texts are cut at 20,000 characters; the payload of the record has all of it. */
export interface Caches {
  /** The record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** fx_graph: Inductor's FX graph cache. aot_autograd: the AOTAutograd cache, whose entries include those of Inductor. pgo: profile of dynamic dimensions from earlier runs. precompile: whole compiled functions. */
  cache: "fx_graph" | "aot_autograd" | "pgo" | "precompile";
  /** hit, miss: a lookup. bypass: the cache could not be used, see reason. disabled: the cache is switched off. get, put: a profile was read or written, or an entry was written; torch logs no get when there was no profile. error: an entry could not be written or read. key: only the key is logged (torch 2.4). */
  outcome: "hit" | "miss" | "bypass" | "disabled" | "get" | "put" | "error" | "key";
  /** Name of the artifact; of 'disabled', name of the event of the timeline. An AOTAutograd hit comes with fx_graph hits for its forward and backward. */
  name: string;
  /** Whether the profile is in a remote cache; null for caches other than pgo, where the log does not record it. */
  remote: boolean | null;
  /** Cache key of the lookup; null when not logged. */
  key: string | null;
  /** torch's cache_status_detailed: 'hit', 'full_miss' (no entry with this key), 'guard_miss' (entries, but their guards on shapes failed); null in older torch. */
  detail: string | null;
  /** Expression of the guard that failed, of a guard_miss; null otherwise. */
  guard: string | null;
  /** Reason of a bypass or an error; null otherwise. */
  reason: string | null;
  /** Type of the exception that led to a bypass; null when there was none. */
  exception_type: string | null;
  /** Field of the entry that could not be serialized; null otherwise. */
  field: string | null;
  /** Of a hit: how long the compile took whose result was reused, in microseconds; null otherwise. Hits of several caches in one compile save the same time: do not add them up. */
  time_saved_us: number | null;
  /** Of a miss: how long compiling took, in microseconds; null otherwise. */
  time_taken_us: number | null;
  /** Number of components of the key, as the payload lists them; of pgo, functions in the profile; of a precompile put, entries; null when unknown. */
  component_count: number | null;
  /** Of a miss: the record of the earlier use of this cache in this log whose key shares most components with this one, among the last 8 different keys; or an earlier use of the same key. null when there is none, or when the log has no components (as for AOTAutograd in recent torch). */
  closest_event: number | null;
  /** Number of names of components that the two keys do not share; null without a closest_event. */
  different_count: number | null;
  /** These names, sorted, at most 50: 'gm' is the graph, 'example_inputs[0]' an input, 'inductor_config[max_autotune]' a setting. Empty without a closest_event, and when the keys are equal. */
  different: string[];
}

/** Compile ids under which something was captured that is not compiled under them: the graph of compiled autograd ('!0'), calls of torch.export, functions that were inlined elsewhere. */
export interface Captures {
  /** The compile id, with '@2' for a second occurrence. */
  compile: string;
  /** Its first record. */
  first_event: number;
  /** Function; null when unknown. */
  function: string | null;
  /** File; null when unknown. */
  file: string | null;
  /** First line of the function; null when unknown. */
  line: number | null;
}

/** The code objects that were compiled, in order of their first compile, with all their compiles. After torch._dynamo.reset() a frame id stands for a different code object and gets another row. Resume functions of two branches have one name and are two code objects. */
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
  /** Its compile ids, in order, those that torch refused included. */
  compiles: string[];
  /** The compile that torch refused at the recompile limit, or null. */
  limit_compile: string | null;
  /** For a resume function, the code object of the function that it continues ('id' in this table); null for others, and when that is not in the log. */
  resumes: number | null;
}

/** Collectives that a pass put into buckets, to run each bucket as one: one row per fx_bucketing_passes_… artifact. A text of more than 20,000 characters is cut and ends in '…'. */
export interface CollectiveBuckets {
  /** The record. */
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

/** The distinct calls of collectives that other tables about several ranks name in 'collective_call'. */
export interface CollectiveCalls {
  /** Number of the row, from 0. */
  id: number;
  /** Name, such as all_reduce. */
  op: string;
  /** Such as 'sum', or null. */
  reduce_op: string | null;
  /** Process group: 'group' of process_groups. null when unknown. */
  group: string | null;
  /** Number of ranks of the group, where the call has it; else null. */
  group_size: number | null;
  /** Type of the result as torch prints graphs ('f32'), or null. */
  dtype: string | null;
  /** Sizes of the result; a symbol is a string. null when unknown. */
  shape: (number | string)[] | null;
}

/** The first calls in a process group that do not fit: a row for each group of ranks that make the same call there, the group with most ranks first. */
export interface CollectiveMismatches {
  /** Process group: 'group' of process_groups. */
  group: string | null;
  /** Position of the call in the group, from 0. */
  position: number;
  /** 'hang': the calls cannot meet. 'wrong': they meet, with different reductions or types. */
  effect: "hang" | "wrong";
  /** The ranks. */
  ranks: number[][];
  /** Matched compile that makes the call: 'id' of rank_compiles. */
  rank_compile: number;
  /** The call: 'id' of collective_calls. */
  collective_call: number;
}

/** Run times of a profile beside estimated ones: one row per pge_profile_vs_analytical. A text of more than 20,000 characters is cut and ends in '…'. */
export interface CollectiveProfiles {
  /** The record. */
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

/** Reports in words of passes over collectives, and of what ranks exchanged while they compiled (compiler_collective): one row per report, with the values that its text names. A text of more than 20,000 characters is cut and ends in '…'. */
export interface CollectiveReports {
  /** The record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Name of the artifact. */
  name: string;
  /** Lines of the report. */
  line_count: number;
  /** Values that the report names ('group_size=2', 'source: state'), as text; at most 500. */
  values: Record<string, string>;
  /** Kind of collective -> its number before and after ('all_gather 4->1'). */
  changes: Record<string, number[]>;
  /** Beginning of the report, at most 2,000 characters; the payload of the record has all of it. */
  text: string;
}

/** The collectives of compiled graphs: one row per inductor_collective_schedule, that is per graph with collectives. A text of more than 20,000 characters is cut and ends in '…'. */
export interface CollectiveSchedules {
  /** The record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Collectives in the order in which the code starts them, waits included; null for one without a name. */
  collectives: (string | null)[];
  /** Whether something was left out because of a limit; the payload of the record has it. */
  cut: boolean;
}

/** Sizes of collectives before bucketing: one row per collective in a pre_bucketing_collective_sizes… artifact, at most 20,000 per artifact. A text of more than 20,000 characters is cut and ends in '…'. */
export interface CollectiveSizes {
  /** The record. */
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

/** Where ranks call nothing more in a process group, and others do. */
export interface CollectiveWaits {
  /** Process group: 'group' of process_groups. */
  group: string | null;
  /** Position of the call in the group, from 0. */
  position: number;
  /** The ranks that call nothing more. */
  ranks: number[][];
  /** The ranks that call. */
  others: number[][];
  /** Matched compile that makes the call: 'id' of rank_compiles. */
  rank_compile: number;
  /** The call: 'id' of collective_calls. */
  collective_call: number;
}

/** What torch compiled: one row per compile, all attempts together, in the order in which they began. Frames, frames of compiled autograd, and ahead-of-time compiles. What the recompile limit refused is in limits, what was only captured in captures, calls of torch.export are in exports: none of these is a compile. To get the compile time of a log take compile_us of its summary: compiles nest and run in parallel, so the sum of total_us can exceed it. */
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
  /** 1 for the first compile with this id; torch._dynamo.reset() restarts the numbers, so an id can come again with 2, 3 and so on. */
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
  /** Stack of the call: who called the compiled function, and last the function itself. null when the compile has no dynamo_start. */
  stack: number | null;
  /** Start, microseconds since 1970-01-01 UTC; null when unknown. */
  start_epoch_us: number | null;
  /** Time of the compile, forward, backward and restarts, in microseconds; null when unknown. */
  total_us: number | null;
  /** Part of total_us spent in Dynamo, in the last attempt. null when torch does not report the parts. */
  dynamo_us: number | null;
  /** Part of total_us spent in AOTAutograd, or in a backend other than Inductor. null when unknown or when no backend ran. */
  aot_us: number | null;
  /** Part of total_us spent in Inductor. null when unknown or when it did not run. */
  inductor_us: number | null;
  /** Part of total_us: backward graphs that were compiled later, in all phases. null when there was none, or unknown. */
  backward_us: number | null;
  /** Part of total_us spent in attempts that were thrown away. null when there was none, or unknown. */
  restart_us: number | null;
  /** Operations in the last graph; null when unknown. */
  graph_op_count: number | null;
  /** Nodes in the last graph; null when unknown. */
  graph_node_count: number | null;
  /** Inputs of the last graph; null when unknown. */
  graph_input_count: number | null;
  /** Guards by torch's own count; null when unknown, as after a failure. */
  guard_count: number | null;
  /** Number of graph breaks recorded in all of its attempts. */
  graph_break_count: number;
  /** Why it was recompiled: the text torch wrote (metrics, else the recompile_reasons artifact); null when it is not a recompile. */
  recompile_reason: string | null;
  /** Why attempts were restarted, from the metrics; empty without restarts. */
  restart_reasons: string[];
  /** Exception type that the metrics report, or null. */
  failure_type: string | null;
  /** Its message; null when torch wrote none. */
  failure_reason: string | null;
  /** User's file where it happened; null when unknown. */
  failure_file: string | null;
  /** Line in that file; null when unknown. */
  failure_line: number | null;
  /** Record with its compilation metrics, or null. */
  metrics_event: number | null;
  /** Its first record. */
  first_event: number;
  /** Number of its records; null where the log does not say which records belong to it. */
  event_count: number | null;
  /** Bytes that its records take in the log; null like event_count. */
  size_bytes: number | null;
  /** Number of its rows in artifacts; null like event_count. */
  artifact_count: number | null;
}

/** Conditions on unbacked symbols that torch could not decide: one row per record guard_on_data_dependent_error, in file order. Texts longer than 2,000 characters are cut and end in '…'; the metadata of the event have the whole text. */
export interface DataDependentErrors {
  /** The record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** The condition; null when the record lacks it. */
  expr: string | null;
  /** The condition without known values substituted; null when the record lacks it. */
  unhinted_expr: string | null;
  /** Symbols whose names occur in expr, in order of first occurrence: event of their rows in `symbols`. Of several symbols with one name it is the newest one created before in the same compile, whatever its attempt. */
  symbol_events: number[];
  /** Record that created the expression: event of its row in `expressions`; null when the log does not have it (it does with TORCH_DTRACE). */
  expression_event: number | null;
  /** torch's stack; null when the record has none. */
  stack: number | null;
}

/** Parts of graphs that DDPOptimizer split: one row per part, in file order. The rows with one 'split_event' are the parts of one graph. */
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

/** Everything in the log that was not understood, skipped, repaired or assumed: one row per occurrence, or per run of lines with the same code, in file order. Nothing is lost: the bytes are in the verbatim chunks. `diagnostic_codes` of the manifest explains the codes. */
export interface Diagnostics {
  /** The record that it concerns; null when it concerns no single record. */
  event: number | null;
  /** Stable code; `diagnostic_codes` of the manifest has its meaning. */
  code: string;
  /** 'info' or 'warning', as in the manifest. */
  severity: "info" | "warning";
  /** What was found, in words. */
  message: string;
  /** Line of the log where it starts, counted from 1; null when it concerns the whole log. */
  line: number | null;
  /** Where in the log it starts, in bytes; null when it concerns the whole log. */
  byte_offset: number | null;
  /** How many occurrences the row stands for: consecutive lines, or those after the first 1,000 rows of a code. */
  count: number;
}

/** Nested regions whose backward was compiled a second time, for different gradients: one row per invoke_subgraph_backward_duplicate. A text of more than 20,000 characters is cut and ends in '…'. */
export interface DuplicateBackwards {
  /** The record. */
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
  /** The gradients that the new variant is for; at most 5,000. What torch does not write is null. */
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
  /** Torch's explanation; null when not recorded. */
  explanation: string | null;
  /** The cause that torch suspects; null when not recorded. */
  common_cause: string | null;
  /** What torch suggests; null when not recorded. */
  suggested_action: string | null;
}

/** Run-time estimates that torch writes as CSV: one row per artifact (fx_compute_nodes_runtime_estimation, fx_collectives_…). A text of more than 20,000 characters is cut and ends in '…'. */
export interface EstimateTables {
  /** The record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Name of the artifact. */
  name: string;
  /** Number of ranks that the collectives were estimated for; null when not recorded. */
  world_size: number | null;
  /** Head of the columns, with units, as torch writes it. */
  columns: string[];
  /** Rows of cells; cells that are numbers are numbers here. At most 5,000. */
  rows: ((number | string)[])[];
  /** Whether something was left out because of a limit; the payload of the record has it. */
  cut: boolean;
}

/** The operations of all estimates, with their estimated run times and what they return: one row per operation, in the order of the generated code. A text of more than 20,000 characters is cut and ends in '…'. */
export interface EstimatedOps {
  /** The record of the estimate: 'event' of runtime_estimates. */
  estimate_event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Kernel or buffer; null when torch wrote none. */
  name: string | null;
  /** 'compute' or 'collective'; null when torch wrote none. */
  type: string | null;
  /** Estimated run time in nanoseconds; null when torch wrote none. */
  estimated_runtime_ns: number | null;
  /** The tensors that it returns. */
  outputs: {
    /** Sizes: numbers, or text where torch writes an expression; null when torch wrote none. Empty for collectives that change their input. */
    shape: (number | string | null)[] | null;
    /** Strides, as in shape. */
    stride: (number | string | null)[] | null;
    /** Such as 'float32'; null when unknown. */
    dtype: string | null;
  }[];
}

/** The records of the log: one row per record, in file order. `first_event` of each file in log.json says which file holds a record. */
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
  /** Rank in the record itself, which can differ from that of the log; null when it has none. */
  record_rank: number | null;
  /** Line of the record in the log, counted from 1. */
  line: number;
  /** Bytes of the log between the record before and this one, which belong to no record; 0 as a rule. The record starts in the (uncompressed) log at the sum of gap_bytes and size_bytes of all rows before it, plus its own gap_bytes. */
  gap_bytes: number;
  /** Bytes of the record in the log, payload lines included. */
  size_bytes: number;
  /** Time of the record in microseconds after the clock origin of the log. Torch writes milliseconds; records of other threads can be earlier than the record before them. */
  time_us: number;
  /** Line of torch's source that wrote the record, as 'path:line'. */
  origin: string;
  /** Process id in the prefix of the record; before torch 2.5, a thread id (above 2^32). */
  pid: number;
  /** Path of the file with the payload, relative to manifest.json; null without a payload. */
  blob: string | null;
  /** Where the payload starts in the decoded file, in bytes; null without a payload. */
  offset: number | null;
  /** Size of the payload in bytes; null without a payload. */
  payload_size_bytes: number | null;
  /** How the payload stood in the log: 'lf': each line a tab, the text and a line feed (the usual way); 'crlf': each line ended in CR LF; 'verbatim': its lines are in the verbatim chunks as well (cut off, blank lines between, mixed line ends). null without a payload. */
  payload_form: "lf" | "crlf" | "verbatim" | null;
}

/** What stands in the way of an export: one row per record, in file order. In a log without rows in `exports`, a guard_evaluated is an ordinary guard. Texts longer than 2,000 characters are cut and end in '…'; the metadata of the event have the whole text. */
export interface ExportFailures {
  /** The record: missing_fake_kernel, mismatched_fake_kernel, propagate_real_tensors_provenance, guard_on_data_dependent_error, or guard_added with the prefix 'eval'. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** 'missing_fake_kernel': an operator cannot be traced because it has no fake kernel; 'mismatched_fake_kernel': its fake kernel disagrees with the real one; 'data_dependent_error': a condition depends on data; if result is not null, the data of the example inputs decided it (draft_export), otherwise the export stopped there; 'guard_evaluated': a condition on symbols was decided, which may narrow the requested dynamic shapes. */
  kind: "missing_fake_kernel" | "mismatched_fake_kernel" | "data_dependent_error" | "guard_evaluated";
  /** The condition; null for kinds without one. */
  expr: string | null;
  /** What the condition was decided to be, such as 'False'; null when it was not decided. */
  result: string | null;
  /** The operator, such as 'mylib.my_op.default'; null for kinds without one. */
  op: string | null;
  /** How the fake kernel differs; null for other kinds. */
  reason: string | null;
  /** torch's stack; null when the record has none. */
  stack: number | null;
  /** Stack of the user's code; null when the record has none. */
  user_stack: number | null;
  /** Record that made the condition: event of a row of `expressions`; null when the log does not have it. */
  expression_event: number | null;
  /** Text of the source lines; null when unknown. */
  loc: string | null;
  /** Local variables in those lines: one text for each leaf of a variable's value, null for a leaf that is neither a tensor nor symbolic. At most 200 variables of at most 200 leaves. */
  locals: Record<string, (string | null)[]>;
  /** Source of each symbol that has one, as a Python expression. */
  symbol_sources: Record<string, string | null>;
}

/** Calls of torch.export and torch.export.draft_export: one row per call that started, and one per program without a start, in file order. A program belongs to the newest call that does not have one yet. torch logs them only with TORCH_DTRACE. */
export interface Exports {
  /** The record 'export'; null for draft_export, which writes a log of its own without a start. */
  start_event: number | null;
  /** The record 'exported_program', whose payload is the program; null when there is none: the export failed, or the log ends. */
  program_event: number | null;
  /** Compile of the start, or of the program without a start; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
}

/** The nodes of symbolic expressions: one row per record expression_created or create_unbacked_symbol (a leaf), in file order. torch logs expressions only with TORCH_DTRACE. Texts longer than 2,000 characters are cut and end in '…'; the metadata of the event have the whole text. */
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
  /** The nodes of the arguments, in their order: event of their rows, which is less than that of this row; null for a node that the log does not define (a backed symbol). Constants are left out, so this list can be shorter than arguments. torch names nodes by an address that later nodes can get again; the newest node created before is meant. */
  argument_events: (number | null)[];
  /** torch's stack; null when the record has none. */
  stack: number | null;
  /** Stack of the user's code that was traced; null when the record has none. */
  user_stack: number | null;
}

/** What the partitioner writes when it finds no cut: one row per min_cut_failed_… artifact. The payload of the record has the content. A text of more than 20,000 characters is cut and ends in '…'. */
export interface FailedPartitions {
  /** The record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** What the payload is: 'fx_graph', 'edge_list' or 'svg'. */
  what: string;
  /** Lines of the payload. */
  line_count: number;
}

/** What failed or was restarted: one row per record that reports it, in file order. One failure of a compile can have several rows: the exception (kind 'exception'), then the metrics (kind 'compile'). To count failed compiles, count the rows of kind 'compile'. Texts longer than 20,000 characters are cut and end in '…'. */
export interface Failures {
  /** The record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; of a restart, the last one; null outside any compile. */
  attempt: number | null;
  /** 'compile': the metrics of a compile report a failure; 'backward': those of a backward compile do; 'restart': one of the restart reasons in the metrics of a compile (at most 1000); 'exception': dynamo_error, a frame compile raised; 'eager_backward': the backward could not be compiled ahead; 'fx_interpreter': a node failed while a graph was interpreted; 'make_fx': make_fx failed and left a partial graph. */
  kind: "compile" | "backward" | "restart" | "exception" | "eager_backward" | "fx_interpreter" | "make_fx";
  /** Exception type: in metrics its qualified name ('Unsupported'), in a traceback with its module ('torch._dynamo.exc.Unsupported'). null for the kinds that have none: restart, fx_interpreter, make_fx. */
  type: string | null;
  /** Message of the exception without the stack and the advice that torch appends; of a restart, its reason; of fx_interpreter, message and node. null when torch logs none, as for make_fx. */
  reason: string | null;
  /** User's file where it happened: innermost frame of the user's code, or the source of the last node of a partial graph; null when unknown. */
  file: string | null;
  /** Line in that file; null when unknown. */
  line: number | null;
  /** Function around that line; null when unknown (metrics do not record it). */
  function: string | null;
  /** Text of that line; null when unknown. */
  source_line: string | null;
  /** The user's stack as Python prints it, outermost frame first; null when the record has none. */
  user_traceback: string | null;
  /** Stack of the caller, for a record outside any compile; null otherwise. */
  stack: number | null;
}

/** What the log says, one row per finding, most important first: what went wrong, where, what it cost, what helps. The numbers of the headline are in 'summary' of the log's row in the manifest. A log has at most 300 findings; the last one, of kind 'unlisted', counts the others. */
export interface Findings {
  /** Number of the row, from 0: most important first. */
  id: number;
  /** What it is about: a key of $defs/details, or a kind of another package. Readers show kinds that they do not know like the others. */
  kind: string;
  /** The same problem has the same one in another rank, run and machine: made of kind, cause, function and name of the file; never of ids, times, lines, addresses or folders. */
  fingerprint: string;
  /** 'error': something is wrong or lost; 'warning': it costs time or speed; 'info': worth knowing. */
  severity: "error" | "warning" | "info";
  /** One sentence, on one line. Plain text, code in backticks. */
  title: string;
  /** What a person needs to understand it: paragraphs with an empty line between them, code in backticks; may be empty. */
  text: string;
  /** Function, or null. */
  function: string | null;
  /** File, as short as it is unique in the log; null when unknown. */
  file: string | null;
  /** Line, or null. */
  line: number | null;
  /** Keys of the compiles that it is about; at most 1,000. */
  compiles: string[];
  /** Records that show it; at most 1,000. */
  events: number[];
  /** Ids of the spans that show it; at most 1,000. */
  spans: number[];
  /** How often it happened. */
  count: number;
  /** Time that would not have been spent without it, in microseconds; null where there is no honest figure. Costs of two findings may overlap: do not add them up. */
  cost_us: number | null;
  /** What was added up, in words; null without a cost. */
  cost_of: string | null;
  /** What may help; torch's own hints come first. */
  remedies: {
    /** What to do, in words. */
    text: string;
    /** What to paste, or null. */
    code: string | null;
    /** Who says so: 'torch' is its own hint, word for word. */
    source: "torch" | "tlparse-bundle";
  }[];
  /** Id of the finding that causes this one, or null. */
  because_of: number | null;
  /** What the sentences are made of; by kind, as $defs/details has it. */
  details: Record<string, unknown>;
}

/** Configurations of AOTAutograd: one row per torch._functorch.config artifact, in file order. */
export interface FunctorchConfigs {
  /** The record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Name of each setting -> its value, as torch wrote it; null when the payload is not a configuration, or larger than 500,000 bytes. */
  config: Record<string, unknown> | null;
}

/** Code that Inductor generated: one row per record with such code, in file order. All fields are read from the text of the code; it is never executed. Texts longer than 20,000 characters are cut and end in '…'. */
export interface GeneratedCode {
  /** The record whose payload is the code. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** 'output': the Python wrapper of inductor_output_code; 'wrapper', 'kernel', 'header': C++ sources of AOTInductor (graph_dump); 'autotuning': code that only times kernels; 'other'. */
  role: "output" | "wrapper" | "kernel" | "header" | "autotuning" | "other";
  /** File that torch wrote the code to; null when the record does not name one. */
  filename: string | null;
  /** The 'subgraph_name' of the record: the region of the graph that Inductor compiles on its own; null without one. */
  subgraph_name: string | null;
  /** The 'AOT ID' in the first lines, such as '0_forward': number of the graph and direction; null without one. */
  aot_id: string | null;
  /** Direction in the AOT ID; null without one. */
  direction: "forward" | "backward" | "inference" | null;
  /** Lines of the code. */
  line_count: number;
  /** Rows of table kernels that belong to this code. */
  kernel_count: number;
  /** Whether kernels or calls are missing from table kernels because of a limit. The payload of the record is complete. */
  cut: boolean;
}

/** The records of graph breaks (dynamo_graph_break_reason): one row per record, in file order. After a break Dynamo restarts the compile: the next attempt has the graph. */
export interface GraphBreakRecords {
  /** The record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile, which ended at the break; null outside any compile. */
  attempt: number | null;
  /** id of the break in `graph_breaks`. */
  graph_break: number;
  /** true: no graph is made of the function, it runs eager as a whole; false: what comes before the break is compiled; null: the text does not say. */
  skips_frame: boolean | null;
}

/** The graph breaks: one row per place and reason, in order of first occurrence. Records (dynamo_graph_break_reason) with equal reason, file, line and gb_id are one row, since resume functions, recompiles, and functions that are first inlined and later compiled on their own come to the same break again; the texts are those of the first record. The number of graph breaks of a log is the sum of count; `graph_break_records` has the single records. Texts longer than 20,000 characters are cut and end in '…'; the payload of the event is whole. */
export interface GraphBreaks {
  /** Number of the row, from 0. */
  id: number;
  /** Number of records. */
  count: number;
  /** Number of records whose frame runs eager as a whole (skips_frame of the records). */
  skipped_frame_count: number;
  /** The records, in file order. */
  events: number[];
  /** Compiles of these records, each once, in order of first occurrence; empty when all records are outside any compile. */
  compiles: string[];
  /** What Dynamo could not do: torch's name for this type of graph break, or the text of the reason where torch has no name for it. */
  reason: string;
  /** What Dynamo was doing, where torch logs that above the reason ('Encountered graph break when attempting to trace CALL …'); null otherwise. */
  situation: string | null;
  /** The higher-order operator whose body broke; null outside of one. */
  higher_order_operator: string | null;
  /** torch's explanation; null when torch logs none. It can contain addresses, which differ between processes. */
  explanation: string | null;
  /** torch's hints, in its order; at most 100. */
  hints: string[];
  /** torch's developer debug context; null when torch logs none. */
  debug_context: string | null;
  /** Number of this type in torch's registry of graph breaks, such as 'GB0059'; null when the text has no link. */
  gb_id: string | null;
  /** Page about this type of graph break; null when the text has none. */
  link: string | null;
  /** Further breaks that occurred while this one was handled, in order; usually empty. */
  followed_by: {
    /** What Dynamo could not do: torch's name for this type of graph break, or the text of the reason where torch has no name for it. */
    reason: string;
    /** What Dynamo was doing, where torch logs that above the reason ('Encountered graph break when attempting to trace CALL …'); null otherwise. */
    situation: string | null;
    /** The higher-order operator whose body broke; null outside of one. */
    higher_order_operator: string | null;
    /** torch's explanation; null when torch logs none. It can contain addresses, which differ between processes. */
    explanation: string | null;
    /** torch's hints, in its order; at most 100. */
    hints: string[];
    /** torch's developer debug context; null when torch logs none. */
    debug_context: string | null;
    /** Number of this type in torch's registry of graph breaks, such as 'GB0059'; null when the text has no link. */
    gb_id: string | null;
    /** Page about this type of graph break; null when the text has none. */
    link: string | null;
  }[];
  /** User's file, as logged; null when unknown. */
  file: string | null;
  /** Line in that file; null when unknown. */
  line: number | null;
  /** Function around that line; null when unknown. */
  function: string | null;
  /** Text of that line; null when unknown. */
  source_line: string | null;
  /** The user's stack as Python prints it, outermost frame first; null when the record has none. */
  user_traceback: string | null;
  /** The whole text, when it has an unknown form; its first line is then the reason. null otherwise. */
  text: string | null;
}

/** The order in which compiled graphs ran: one row per record of it (record_and_log_graph_execution_order of torch._inductor.debug). The last row has the whole order; older torch (inductor_graph_execution) writes one row per graph that ran. A text of more than 20,000 characters is cut and ends in '…'. */
export interface GraphExecutions {
  /** The record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Compile ids in the order of execution, as torch writes them, the same for forward and backward of one compile; null for a graph that was compiled before the recording began. */
  graphs: (string | null)[];
  /** The compile of each of them: the newest with that id up to this record; null when there is none. */
  graph_compiles: (string | null)[];
  /** Whether something was left out because of a limit; the payload of the record has it. */
  cut: boolean;
}

/** Sizes of the tensors in the graphs of Dynamo: one row per record dynamo_output_graph with sizes, in file order. */
export interface GraphTensors {
  /** The record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** How many of nodes, from the first on, are inputs; null when the text of the graph does not say. */
  input_count: number | null;
  /** Names of the nodes that are tensors, in the order of the graph. */
  nodes: string[];
  /** Shape of each of nodes, in their order, with elements as in shape of `tensors`; null when the record lacks it. */
  shapes: ((number | string)[] | null)[];
}

/** FX graphs: one row per payload whose language is 'fx', in file order. Everything is counted from the text of the graph; a row without a graph in its text has null counts. The counts are those of the outermost graph, except 'ops', which covers the whole text; a subgraph that is called twice is written once. Texts longer than 20,000 characters are cut and end in '…'. */
export interface Graphs {
  /** The record whose payload is the graph. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Part of the compiler that wrote it: 'dynamo' as Dynamo captured it; 'compiled_autograd'; 'ddp_split' by DDPOptimizer; 'export'; 'aot_joint', 'aot_forward', 'aot_backward', 'aot_inference', 'aot_quantization' of AOTAutograd; 'pre_grad', 'joint', 'post_grad' around or between those passes of Inductor; 'communication' around a pass over collectives; 'other'. */
  stage: "dynamo" | "compiled_autograd" | "ddp_split" | "export" | "aot_joint" | "aot_forward" | "aot_backward" | "aot_inference" | "aot_quantization" | "pre_grad" | "joint" | "post_grad" | "communication" | "other";
  /** Whether it shows the graph before or after the passes that its name states; null when the name does not say. */
  position: "before" | "after" | null;
  /** What the graph computes. Where the name does not say, the names that AOTAutograd gives to inputs decide: tangents make it a backward, else primals a forward, else it is an inference graph. null before AOTAutograd. */
  direction: "joint" | "forward" | "backward" | "inference" | null;
  /** The 'subgraph_name' of the record: the region of the graph that Inductor compiles on its own; null without one. */
  subgraph_name: string | null;
  /** Name of the outermost class in the text, or 'graph' for a graph written as a list of nodes; null when there is no graph in the text. */
  class_name: string | null;
  /** Number after '# graph id:', which the graphs before and after the pre-grad passes share; a string, since it is an address. null without one. */
  graph_id: string | null;
  /** Nodes of the outermost graph: inputs, calls, attributes, and one for its output. */
  node_count: number | null;
  /** Inputs of the outermost graph; of a joint graph, the leaves of its input trees. */
  placeholder_count: number | null;
  /** Calls in the outermost graph: operators, functions, methods, modules. A call of a subgraph counts as one. */
  call_count: number | null;
  /** Attributes that the outermost graph fetches: constants, subgraphs. */
  get_attr_count: number | null;
  /** Values that the outermost graph returns. */
  output_count: number | null;
  /** Operation -> how often it occurs in the whole text, subgraphs included, most frequent first; at most 100. Operators are written as in the text ('torch.ops.aten.mm.default'), Python's as 'operator.add', methods of a value as 'Tensor.sin', called modules as 'self.submod_0', an attribute of a value as 'getattr'. */
  ops: Record<string, number>;
}

/** The first call that ranks make in groups of unequal numbers of callers: a row for each group of ranks that make the same call, the group with most ranks first. */
export interface GroupSplits {
  /** Position of the call in the compile, from 0. */
  position: number;
  /** The ranks. */
  ranks: number[][];
  /** Matched compile that makes the call: 'id' of rank_compiles. */
  rank_compile: number;
  /** The call: 'id' of collective_calls. */
  collective_call: number;
}

/** The records about guards, one row each, in file order: how many guards a compile has, of which kinds, and what a check costs. The guards themselves are in 'guards': those of equal lists, as one function compiled for different sizes has, are stored once. */
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
  /** Time of one check of all guards in microseconds, as torch measured it; null when it did not. */
  latency_us: number | null;
  /** Its guards: 'list' in 'guards'. */
  list: number;
  /** Number of rows that 'guards' has for this list: all its guards, at most 5000. */
  row_count: number;
  /** Number of guard managers: the inner nodes of the tree, one for each object that is checked. */
  manager_count: number;
  /** Number of guards by kind; empty for the form 'list'. Kinds beyond 256 count as 'OTHER'. */
  counts: Record<string, number>;
}

/** The guards of each distinct list: kind, source and place of each, in the order of the payload; the lists in order of their number. 'guard_trees' names the list of each compile. The text of a guard is a line of the payload of the record in 'guard_trees'. At most 5000 guards of a list have a row. */
export interface Guards {
  /** The list, from 0: 'list' in 'guard_trees'. */
  list: number;
  /** Line of the payload with the guard, counted from 0. */
  payload_line: number;
  /** Kind of the guard, torch's name: TENSOR_MATCH, TYPE_MATCH and others; null for the form 'list'. */
  kind: string | null;
  /** What it checks: the source of the guard manager above it, as torch writes it: L['x'], G['model']._modules and so on; null when it has none. */
  source: string | null;
  /** Depth in the tree; 0 is the root. */
  depth: number;
  /** File of the user's line that the guard comes from, which torch shortens to the last parts of its path; null when unknown. */
  file: string | null;
  /** That line; null when unknown. */
  line: number | null;
  /** Function around that line; null when unknown. */
  function: string | null;
}

/** Moments of the timeline without a duration, in the order of the log: cache hits and misses, dimensions that became dynamic. */
export interface Instants {
  /** The record. */
  event: number;
  /** Name of the instant, such as 'fx_graph_cache_miss'; cut after 1,000 characters. */
  name: string;
  /** Microseconds since 1970-01-01 UTC, rounded down. Instants of the FX graph cache have the time at which the compile began, as torch writes them. */
  time_epoch_us: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
}

/** Kernels in generated code, and the operations that the code calls: one row per name and code, in order of first appearance; the codes of a forward and its backward can have kernels of one name. Read from the text of the code, which is never executed; tables provenance_kernels and provenance_lines have the source lines. Lines are counted from 1 in the payload of 'code_event'. Texts longer than 20,000 characters are cut and end in '…'. */
export interface Kernels {
  /** The record with the code: a row of table generated_code. */
  code_event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Name of the kernel. An operation has the name that the code calls: 'extern_kernels.mm', 'torch.ops._c10d_functional.all_reduce_.default', 'aoti_torch_cpu_addmm_out'. */
  name: string;
  /** 'triton', 'cpp': a kernel that Inductor generated; 'other': one in a different language; 'extern': an operation of a library; 'fallback': an operator that is called unchanged; 'collective': communication between ranks, waiting included. */
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
  /** The triton_kernel_info with its compile time: 'event' of the row of table triton_kernels that also has this name. It is the first one after the code in the same attempt; null when there is none. */
  triton_event: number | null;
}

/** Records and bytes per kind and attempt of a compile: one row for each pair that occurs, ordered by compile, then by kind, both in order of first appearance. */
export interface KindCompiles {
  /** Event type: the key torch wrote, such as 'dynamo_start' or 'artifact'. 'damaged_record' is a record whose JSON could not be read, 'untyped_record' one that has context keys only. */
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

/** The kinds of records in the log, in order of first appearance, with the bytes that each takes: why a log is big. The size of a log minus the sum of size_bytes is what stands between records. */
export interface Kinds {
  /** Event type: the key torch wrote, such as 'dynamo_start' or 'artifact'. 'damaged_record' is a record whose JSON could not be read, 'untyped_record' one that has context keys only. */
  type: string;
  /** The 'name' of the event's metadata (of an artifact, a graph_dump, a dump_file, a link …); null for an event without one. */
  name: string | null;
  /** Key into 'descriptors' of the manifest. */
  descriptor: string;
  /** Language of the payload; one of those of the manifest's descriptors. */
  language: "fx" | "python" | "cpp" | "json" | "guards" | "bytecode" | "csv" | "text" | "none";
  /** Number of records of this kind. */
  event_count: number;
  /** Bytes that the records of this kind take in the log, payloads included. */
  size_bytes: number;
  /** Bytes of their payloads. The rest of size_bytes is prefixes, envelopes, and the tab and line end of each payload line. */
  payload_size_bytes: number;
  /** The same without payloads that were in the log before, in a record of any kind. */
  distinct_payload_size_bytes: number;
}

/** Compiles that torch refused, one row each: the function runs eager for new inputs, or an error was raised. They have a compile id and are not compiles. */
export interface Limits {
  /** Compile id that was refused, with '@2' for a second occurrence. */
  compile: string;
  /** Its first record. */
  first_event: number;
  /** Function; null when unknown. */
  function: string | null;
  /** File; null when unknown. */
  file: string | null;
  /** First line of the function; null when unknown. */
  line: number | null;
  /** Stack of the call; null when unknown. */
  stack: number | null;
  /** Why it would have been recompiled: the text torch wrote; null when unknown. */
  recompile_reason: string | null;
  /** Exception type that the metrics report, or null. */
  failure_type: string | null;
  /** Its message, or null. */
  failure_reason: string | null;
  /** 'recompile_limit': the limit was reached; 'error_on_recompile': recompiles are forbidden. */
  kind: "recompile_limit" | "error_on_recompile";
}

/** Links that the job attached: one row per link, in file order. Texts longer than 20,000 characters are cut and end in '…'. */
export interface Links {
  /** The record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Its name; null when the record has none. */
  name: string | null;
  /** Its address, as text; null when the record has none. */
  url: string | null;
  /** Whether the address starts with http:// or https:// and has no blank or control character. Do not make any other address clickable. */
  safe: boolean;
}

/** logs/<log id>/log.json: the directory of one log. It names every other file of the log and holds the small dictionaries that the events refer to. */
export interface Log {
  /** Id of the log, as in the manifest. */
  id: string;
  /** Rank of the log, as in the manifest. */
  rank: number | null;
  /** Every rank that a record of this log carries, with the number of its records; 'rank' null stands for the records without a rank. */
  ranks: {
    /** Rank, or null. */
    rank: number | null;
    /** Number of events with it. */
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
  /** What 'time_us' of the events counts from. A log has local times without a year and without a time zone; both are derived from the log's own chromium events, or stay null. */
  clock: {
    /** Time of the first record as the log writes it, 'MM-DD hh:mm:ss.ffffff', local time; null when the log has no record. */
    origin: string | null;
    /** The same instant in microseconds since 1970-01-01 UTC, or null when the log does not tell. */
    origin_epoch_us: number | null;
    /** Year of the first record, or null. */
    year: number | null;
    /** Local time minus UTC in minutes, or null. */
    utc_offset_minutes: number | null;
  };
  /** Number of events. */
  event_count: number;
  /** The tables by name, which is that of their schema: JSON Lines, a row on each line. A table without rows is not listed. */
  tables: Record<string, {
    /** Number of rows. */
    rows: number;
    /** The files, in order. A file ends with its 4,096th row, or with the row that fills its first MiB. */
    files: {
      /** Path relative to manifest.json. */
      path: string;
      /** Number of rows in the file. */
      rows: number;
      /** The `event` of its first row. Only `events` and `metadata` have it: of these, readers fetch the files that they need. */
      first_event?: number;
    }[];
  }>;
  /** Tables that were left out of a redacted bundle, by name. */
  left_out?: string[];
  /** The log with every payload cut out whose lines can be written again from it, in chunks, in order. With the payloads it restores the log byte for byte. */
  verbatim: {
    /** Path relative to manifest.json. */
    path: string;
    /** Size of the chunk in bytes, uncompressed. */
    size_bytes: number;
  }[];
  /** The kinds of events in this log, in order of first appearance. */
  kinds: {
    /** Event type: the key torch wrote, such as 'dynamo_start' or 'artifact'. 'damaged_record' is a record whose JSON could not be read, 'untyped_record' one that has context keys only. */
    type: string;
    /** The 'name' of the event's metadata (of an artifact, a graph_dump, a dump_file, a link …), or null. */
    name: string | null;
    /** Key into 'descriptors' of the manifest. */
    descriptor: string;
    /** Language of the payload; one of those of the manifest's descriptors. */
    language: "fx" | "python" | "cpp" | "json" | "guards" | "bytecode" | "csv" | "text" | "none";
    /** Number of events of this kind. */
    event_count: number;
    /** Bytes that the records of this kind take in the log, payloads included. */
    size_bytes: number;
  }[];
}

/** manifest.json: the one entry point of a bundle. It is always plain JSON, never compressed, and small: a few kB plus about 1 kB for each log. */
export interface Manifest {
  /** The bundle format and its version. A reader refuses another name or a major version that it does not know, and ignores unknown fields of a newer minor version. */
  format: {
    /** Always "tlparse-bundle". */
    name: "tlparse-bundle";
    /** Changes when something moved or changed its meaning. Readers of another major version stop. */
    major: number;
    /** Grows when something was added. Readers ignore what they do not know. */
    minor: number;
  };
  /** The program that wrote the bundle. */
  producer: {
    /** Name of the program. */
    name: string;
    /** Version of the program; independent of the format version. */
    version: string;
  };
  /** How every file except manifest.json is stored. The path of a file tells it too: it ends in .zst (zstd), .gz (gzip) or in nothing more (none). */
  codec: "zstd" | "gzip" | "none";
  /** What the user calls runs of this program; at most 100 characters. */
  label?: string;
  /** Git commit of the program, as the user gave it; at most 100 characters. */
  commit?: string;
  /** Path of a JSON object with the JSON Schema of every table by its name, and so the meaning of every field. */
  schemas: string;
  /** One row per log file, ordered by rank (logs without a rank last), then by id. */
  logs: {
    /** Unique name of the log in this bundle, made from the file name. Letters, digits, '.', '_' and '-' only. */
    id: string;
    /** Path of the log's own directory file (schema: log), relative to manifest.json. */
    path: string;
    /** Rank of the process: from the file name, else the first that a record carries. null when neither says; it is never invented. */
    rank: number | null;
    /** The log file that this was made from. */
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
    /** PyTorch version that wrote the log, or null when the log does not say. */
    torch_version: string | null;
    /** Number of records in the log. Each record is one event. */
    event_count: number;
    /** How many occurrences each diagnostic code has in this log. Codes that do not occur are left out. */
    diagnostics: Record<string, number>;
    /** The numbers of the headline, and as text the headline itself. A number that the log cannot tell is null; the schema defines each. */
    summary: {
      /** The headline: what was compiled, in what time, and what went wrong. Plain text, code in backticks. */
      text: string;
      /** Rows of compiles: frames and ahead-of-time compiles. Attempts of one compile count once; what the recompile limit refused, captures and exports do not count. */
      compile_count: number;
      /** How many compiles have each status; together compile_count. A status without compiles is left out. */
      statuses: Record<string, number>;
      /** Attempts of all compiles. */
      attempt_count: number;
      /** Rows of limits: compiles that torch refused. */
      limit_count: number;
      /** Rows of captures. */
      capture_count: number;
      /** Frames of functions that torch began to compile. Attempts of one compile count once; tries that the recompile limit refused or error_on_recompile forbade, captures of compiled autograd, and records without a function do not count. */
      frame_count: number;
      /** Compiles by AOTInductor (spans 'compile_fx_aot' that lie in no other), and captures ('fullgraph_capture') in which a backend compiled, as vLLM does ahead of time. */
      ahead_of_time_count: number;
      /** Calls of torch.export, as records (TORCH_DTRACE) or spans ('fullgraph_capture' without a backend) tell of them. */
      export_count: number;
      /** Functions of the program among the frames; a resumed part belongs to its function, and code that torch generates does not count. */
      function_count: number;
      /** Time of compiling, forward and backward, each attempt once, no overlap twice, in microseconds: the outermost spans of compiles in the timeline; where there are none, the sum of the metrics. A compile that did not end counts up to the last record. null when unknown. */
      compile_us: number | null;
      /** From the first to the last moment of compiling, in microseconds; null when the log has no timeline. */
      wall_us: number | null;
      /** Failures, each once; not what a graph break or the recompile limit tells of already. null: this torch writes none. */
      failure_count: number | null;
      /** Compiles that were open when the log ended. */
      unfinished_count: number;
      /** Graph breaks: how often. null when this torch does not write them. */
      graph_break_count: number | null;
      /** Graph breaks: at how many places (file and line). null when this torch does not write them. */
      graph_break_place_count: number | null;
      /** Attempts that were started again where no graph break tells why. */
      restart_count: number;
      /** Frames that were compiled again because guards failed; tries that the limit refused do not count. null when this torch does not write why it compiles again. */
      recompile_count: number | null;
      /** Rows of recompile_causes. null when this torch does not log why it recompiles. */
      recompile_cause_count: number | null;
      /** Functions that reached the recompile limit. null when this torch does not write it. */
      recompile_limit_count: number | null;
      /** Sizes of functions of the program that became constants. */
      specialization_count: number;
      /** What stood in the way of an export. */
      export_failure_count: number;
      /** Conditions that an export took for granted. */
      export_assumption_count: number;
      /** Graphs that run without CUDA graphs although they were asked for. */
      cudagraph_skip_count: number;
      /** When the first record was written, in microseconds since 1970-01-01 UTC; null when the log does not tell the year. */
      start_epoch_us: number | null;
      /** Time of compiling frames by phase, in microseconds, from the metrics: all attempts, forward and backward. null when a frame has no metrics, or there is no frame. */
      phase_times_us: {
        /** In Dynamo: dynamo_us and restart_us of the compiles. */
        dynamo: number;
        /** In AOTAutograd and another backend: aot_us of the compiles. */
        aot: number;
        /** In Inductor. */
        inductor: number;
        /** Backward graphs that were compiled later, in all phases. */
        backward: number;
      } | null;
      /** What came of asking the compile caches, by cache; a cache that was not asked is left out. Each asking counts; hits of the AOTAutograd cache have hits of the FX graph cache inside. */
      cache_counts: Record<string, {
        /** Found. */
        hit: number;
        /** Not found. */
        miss: number;
        /** Could not be asked. */
        bypass: number;
      }>;
      /** What the torch that wrote the log does not write, so that an empty list of it means nothing (docs/versions.md). */
      untold: ("failures" | "graph_breaks" | "function_names" | "times" | "recompile_reasons" | "timeline" | "caches" | "symbols")[];
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
  /** What the logs of several ranks say together: the headline and its numbers. Only in bundles with logs of two or more ranks. */
  job?: {
    /** The headline: what keeps the job from going on, or that the ranks agree. Plain text, code in backticks. */
    text: string;
    /** The ranks that were compared. */
    ranks: number[][];
    /** Ranks that no finding is about, other than that they were slow or left more logs. */
    agreeing: number[][];
    /** Number of ranks of the job, as calls of collectives or estimates record it; null when nothing does: then no rank is known to be missing after the highest. */
    world_size: number | null;
    /** Ranks without a log, as far as is known. */
    missing: number[][];
    /** Order of the collectives that compiled code calls, in each process group: 'agrees' on all ranks; 'differs'; 'unknown': not all logs have it; 'none': there are none. */
    collective_order: "agrees" | "differs" | "unknown" | "none";
    /** Number of the run that is compared, from 1. */
    run: number;
    /** Runs that the logs with a rank belong to, in the order of their start. A run has each rank once. */
    runs: {
      /** Its ranks. */
      ranks: number[][];
      /** Ids of its logs, by rank. */
      logs: string[];
      /** First record, microseconds since 1970-01-01 UTC, or null. */
      start_epoch_us: number | null;
      /** As above. */
      world_size: number | null;
      /** Versions of torch. */
      torch_versions: string[];
      /** Whether it is the run that is compared, or another attempt of the same job. */
      attempt: boolean;
    }[];
    /** Time in microseconds that every rank waits for the slowest if all wait for one another after each compile: the sum of lost_us of rank_skew. */
    lost_us: number;
    /** Number of findings of the ranks together, by severity. */
    findings: {
      /** Findings of severity 'error'. */
      error: number;
      /** Findings of severity 'warning'. */
      warning: number;
      /** Findings of severity 'info'. */
      info: number;
    };
  };
  /** The tables about several ranks by name, which is that of their schema: JSON Lines, a row on each line. A table without rows is not listed. Only in bundles with logs of two or more ranks. More tables may be added; a reader ignores those that it does not know. */
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
  /** Faults of the comparison of ranks: messages by code. */
  diagnostics?: Record<string, string[]>;
  /** Only in a bundle made to be shared: see docs/share.md. */
  redacted?: {
    /** Its name, or null. */
    preset: string | null;
    /** What is not in it, in the words of `redact --drop`. */
    dropped: string[];
    /** Tables about several ranks that were left out, by name; absent when there are none. */
    left_out?: string[];
  };
  /** Only while logs are followed. */
  growing?: true;
  /** State of a growing bundle: its number, what is open in each log, and problems; the schema defines each. */
  live?: {
    /** Grows with each state. */
    counter: number;
    /** When it was written, by the clock of the machine that follows, in microseconds since 1970. */
    written_epoch_us: number;
    /** One row for each of 'logs', in the same order. */
    logs: {
      /** The id of the log. */
      id: string;
      /** Bytes of the uncompressed log that were read. */
      read_bytes: number;
      /** When bytes came last, by the same clock as written_epoch_us. */
      read_epoch_us: number;
      /** The last record; null when there is none yet. */
      last_record: {
        /** When it was written, by the clock of the log; null when the log does not tell. */
        epoch_us: number | null;
        /** Key of 'descriptors'. */
        kind: string;
        /** The compile that it belongs to, by its key; null outside any compile. */
        compile: string | null;
        /** Attempt of that compile; null outside any compile. */
        attempt: number | null;
      } | null;
      /** Compiles that are open now, in the order in which they began. */
      running: {
        /** Key of the compile; null for a compile without an id. */
        compile: string | null;
        /** Its attempt; null without an id. */
        attempt: number | null;
        /** Name of the function; null when the log does not tell. */
        function: string | null;
        /** File of the function, shortened as in findings. */
        file: string | null;
        /** First line of the function. */
        line: number | null;
        /** When it began, by the clock of the machine that follows. */
        since_epoch_us: number | null;
        /** The spans of the timeline that are open, from the outside in; none of a torch that writes no timeline. */
        spans: {
          /** Name of the span. */
          name: string;
          /** When it began, by the same clock. */
          since_epoch_us: number;
        }[];
      }[];
    }[];
    /** What there is to say about the logs and the place: a log that is gone, shorter than it was, or another one; a full disk. */
    problems: {
      /** For programs. */
      code: string;
      /** A sentence. */
      message: string;
    }[];
  };
  /** The phases that artifacts and events belong to, in the order in which a compile runs through them. */
  phases: {
    /** Name used by descriptors. */
    id: string;
    /** Short title to show. */
    title: string;
    /** One sentence for a person who does not know the phase. */
    help: string;
  }[];
  /** What the kinds of events in this bundle mean. The key is what the kinds of a log (schema: log) name in 'descriptor': an event type, or 'artifact:' and the name of an artifact, in which '*' stands for any text, as in 'artifact:*json' and 'artifact:*text' for artifacts that nothing is known about. Only those that occur are listed. */
  descriptors: Record<string, {
    /** Short title to show. */
    title: string;
    /** Phase the kind belongs to: an id of 'phases'. */
    phase: string;
    /** What the payload is written in, for highlighting. 'none': the kind has no payload. */
    language: "fx" | "python" | "cpp" | "json" | "guards" | "bytecode" | "csv" | "text" | "none";
    /** One sentence that says what it is; empty when nothing is known about the kind. */
    help: string;
  }>;
  /** The diagnostic codes that occur in this bundle. */
  diagnostic_codes: Record<string, {
    /** 'info': worth knowing, nothing is wrong. 'warning': something is damaged, assumed or left out. */
    severity: "info" | "warning";
    /** One sentence: what happened and what was done about it. */
    meaning: string;
  }>;
}

/** The JSON that torch wrote into the records: one row per record, in file order. A record without a row has the metadata {<type>: {}}. `first_event` of each file in log.json is the first record with a row in it. Left out is what the rows of `events` hold (frame_id, frame_compile_id, compiled_autograd_id, attempt, rank when they are well formed; has_payload when it is the MD5 of the payload). A stack ('stack', 'user_stack', at the top or in the metadata of the event) is replaced by the id of a row of `stacks` ('stack_index', 'user_stack_index'). */
export interface Metadata {
  /** The record. */
  event: number;
  /** An object whose keys are the type of the record and whatever else the record has. NaN, Infinity and -Infinity become these words as strings; integers beyond 2^53 become strings of digits. Of a damaged record: {"damaged_record": {"text": the text that could not be read}}. */
  metadata: Record<string, unknown>;
}

/** The different configurations in the metrics, in order of first appearance, at most 1000. They are nearly always equal, so only the first configuration of a field has all settings. Another one has what differs: its settings are those of its base, with 'changes' added and 'removed' deleted. */
export interface MetricConfigs {
  /** Id of the configuration, from 0. */
  id: number;
  /** Name of the field: dynamo_config, inductor_config, …. */
  field: string;
  /** First record with this configuration. */
  event: number;
  /** Number of records with this configuration. */
  record_count: number;
  /** Id of the first configuration of the same field, from which this one differs; null for the first configuration of a field, and where text is set. */
  base: number | null;
  /** All settings, when base is null; null otherwise. Integers that JavaScript cannot represent are strings, and so are NaN and infinities. */
  value: Record<string, unknown> | null;
  /** Settings that differ from the base or that the base does not have. */
  changes: Record<string, unknown>;
  /** Settings of the base that this configuration does not have. */
  removed: string[];
  /** What torch wrote when it is not a JSON object (a sentence, when a setting cannot be written as JSON), cut at 20,000 characters; null otherwise. When it is set, value is null. */
  text: string | null;
}

/** Unit and meaning of the fields in the metrics of this log: first the fields that this version of the tool knows, in a fixed order, then the others in order of appearance. Fields that are null in every record are left out. */
export interface MetricFields {
  /** Key in 'values' or 'configs' of the metrics. */
  name: string;
  /** Unit of the numbers; epoch_s and epoch_us are times since 1970-01-01 UTC. null for fields that are not quantities, and for unknown fields. */
  unit: "s" | "ms" | "us" | "epoch_s" | "epoch_us" | "bytes" | "count" | null;
  /** What the field is about; 'other' for unknown fields. */
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
  /** Type of the record: what it measures. */
  type: "compilation_metrics" | "bwd_compilation_metrics" | "compilation_metrics_runtime" | "bwd_compilation_metrics_runtime" | "aot_autograd_backward_compilation_metrics";
  /** Values by torch's names of the fields, including fields of other releases; fields that are null are left out. The table metric_fields has their units and meanings. graph_node_shapes and triton_kernel_compile_times_us, which torch writes as Python or JSON in a string, are parsed where possible; sizes that are not numbers stay strings (s77). Integers that JavaScript cannot represent are strings. */
  values: Record<string, unknown>;
  /** The fields whose names end in _config, each with its id in metric_configs; null when the log has too many different configurations. */
  configs: Record<string, number | null>;
  /** Names of the values that are too long and have only their first part here, about 20,000 characters. */
  cut: string[];
}

/** Places in the source of torch (or of another library) that wrote records, in order of first appearance, with the bytes that each wrote. One place can write records of several kinds. */
export interface Origins {
  /** Level letter of the record prefix; torch writes V. */
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

/** Nodes that the partitioner could save for the backward or recompute: one row per node, at most 5,000 per row of partitions. A text of more than 20,000 characters is cut and ends in '…'. */
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
  /** Memory that it takes when saved, in bytes; null when not recorded. */
  memory_bytes: number | null;
  /** Estimated run time to recompute it (a number without a unit); null when not recorded. */
  runtime: number | null;
  /** Whether it is saved; null when not recorded. */
  saved: boolean | null;
  /** Whether it is recomputed; null when not recorded. */
  recomputed: boolean | null;
}

/** What the min-cut partitioner of AOTAutograd decided to save for the backward: one row per min_cut_information (AOT_PARTITIONER_DEBUG=1 and a memory budget below 1), that is per joint graph. The nodes it chose between are in partition_candidates. A text of more than 20,000 characters is cut and ends in '…'. */
export interface Partitions {
  /** The record. */
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
  /** Run time of what is recomputed, as the partitioner estimates it (a number without a unit); null when not recorded. */
  expected_runtime: number | null;
  /** Size of the activations when as much as possible is recomputed, in gigabytes; null when not recorded. */
  min_activation_gb: number | null;
  /** Size of the activations when nothing is recomputed, in gigabytes; null when not recorded. */
  max_activation_gb: number | null;
  /** Size of what is saved, in gigabytes; null when not recorded. */
  saved_activation_gb: number | null;
  /** Memory of more aggressive recomputation relative to the default; null when not recorded. */
  more_aggressive_ratio: number | null;
  /** Memory of aggressive recomputation relative to the default; null when not recorded. */
  aggressive_recomputation_ratio: number | null;
  /** Names of all values that are saved for the backward, inputs included; at most 5,000. */
  saved_values: string[];
}

/** The process groups in which compiled code calls collectives: one row for each. collective_mismatches, collective_waits and group_splits say where the ranks do not call the same in them. */
export interface ProcessGroups {
  /** Name of the group, '0' for that of all ranks; the same group has the same name on all ranks. null when unknown. */
  group: string | null;
  /** Number of its ranks; null when unknown. */
  size: number | null;
  /** Ranks that call collectives in it. */
  ranks: number[][];
  /** Whether the order in which graphs ran is recorded; else the order of the calls is that of the compiles. */
  recorded: boolean;
  /** Ranks whose calls are in part taken to be those of most, since their logs do not have them (cached code). */
  unknown: number[][];
}

/** Compiled graphs with provenance (INDUCTOR_PROVENANCE=1): one row per graph, in file order of its first record; a forward and its backward are two rows, and one compile can have several. The other provenance tables say which of their lines belong together: provenance_lines (source line of each graph node), provenance_nodes (pre-grad and post-grad nodes), provenance_kernels, provenance_sources. Records are grouped by their order, separately for each attempt and subgraph_name: a post-grad graph starts a group; code, mapping and stacks join it; its pre-grad graph is the last one before it. A backward that is compiled when it first runs has no rows in provenance_nodes; sources tie its nodes. The counts say how many nodes and kernels there are and how many of them have a counterpart; only nodes that compute something are counted, not inputs and parameters. */
export interface ProvenanceGroups {
  /** Row number, from 0. */
  id: number;
  /** Compile of the graph; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** The 'subgraph_name' of the records: the region of the graph that Inductor compiles on its own; null without one. At most 2,000 characters. */
  subgraph_name: string | null;
  /** Number of the group in its attempt and subgraph_name, from 1. */
  number: number;
  /** Version of the mapping: 1 names kernels, 2 single calls of them; null without a mapping. */
  version: number | null;
  /** Direction in the 'AOT ID' of the code; null without one, as in C++ code. */
  direction: "forward" | "backward" | "inference" | null;
  /** Language of the code around the kernels; null without code. 'cpp' can be C++ in a Python string. */
  code_language: "python" | "cpp" | null;
  /** The record whose payload is the pre-grad graph. A backward has that of its forward. null when the log does not say which one it is. */
  pre_graph_event: number | null;
  /** The record whose payload is the post-grad graph; null when the log has none. */
  post_graph_event: number | null;
  /** The record whose payload is the generated code: inductor_output_code, or the wrapper of AOTInductor; null when the log has none. */
  code_event: number | null;
  /** The inductor_aot_kernel_code: the bodies of the C++ kernels that the wrapper of AOTInductor calls; null when the log has none. */
  bodies_event: number | null;
  /** The inductor_provenance_tracking_node_mappings; null when the log has none. */
  mapping_event: number | null;
  /** The inductor_provenance_tracking_kernel_stack_traces; null when the log has none. */
  stacks_event: number | null;
  /** Nodes of the pre-grad graph. */
  pre_node_count: number;
  /** Those with a post-grad node. */
  pre_in_post_count: number;
  /** Nodes of the post-grad graph. */
  post_node_count: number;
  /** Those with a pre-grad node. */
  post_in_pre_count: number;
  /** Those in a kernel. Views need none. */
  post_in_kernel_count: number;
  /** Its rows in table provenance_kernels. */
  kernel_count: number;
  /** Kernels with a post-grad node. */
  kernel_in_post_count: number;
  /** Those of them whose nodes are read from the code alone, as for a backward that is compiled later. */
  kernel_from_code_count: number;
  /** Kernels with a line in the code. */
  kernel_in_code_count: number;
  /** Kernels with a stack. */
  kernel_with_source_count: number;
  /** Names of post-grad nodes in the mapping of kernels that the text of the graph lacks. */
  unknown_name_count: number;
}

/** Kernels of graphs with provenance: one row per kernel of a group, those that torch names first, then those that only the code has. With version 2 of the mapping a row is one call, with version 1 all calls of the name. Each of its post_lines belongs to each of its call_lines. Lines are counted from 1. */
export interface ProvenanceKernels {
  /** 'id' of a row of table provenance_groups. */
  group: number;
  /** Name of the kernel without its debug handle; at most 2,000 characters. */
  name: string;
  /** Debug handle: the number after the last colon in 'name:handle'; null with version 1. */
  handle: number | null;
  /** Lines of the post-grad graph whose nodes became it; empty when torch does not say. */
  post_lines: number[];
  /** Lines of the code that call it; the comment with its handle when no call follows. */
  call_lines: number[];
  /** First and last line of its own code, if it is in the payload of code_event; null otherwise. */
  definition: number[] | null;
  /** First and last line in the payload of bodies_event; null when it is not there. */
  body: number[] | null;
  /** Whether post_lines are read from the code, since torch wrote no map: from its comments, and for kernels of a CPU from the values that flow through it. */
  from_code: boolean;
  /** Where in the program its nodes come from: one list per stack with the 'id' of rows of table provenance_sources, outermost caller first. At most the 200 innermost frames of a stack. */
  sources: number[][];
}

/** Lines of nodes in the pre-grad and post-grad graphs of table provenance_groups, with the source line that each node comes from. One row per line, ascending within a graph. The line begins with the name of the node. */
export interface ProvenanceLines {
  /** The record whose payload is the text of the graph: pre_graph_event or post_graph_event of a group. Groups can share a pre-grad graph; its lines are listed once. */
  graph_event: number;
  /** Line in that payload, from 1. */
  line: number;
  /** The source line in the comment above the node: 'id' of a row of table provenance_sources; null when torch does not know it. */
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

/** Source lines that provenance refers to: one row per distinct line, as the log has them; the program itself is not in the log. Texts longer than 2,000 characters are cut and end in '…'. */
export interface ProvenanceSources {
  /** Row number, from 0. */
  id: number;
  /** Path of the file. */
  file: string;
  /** Line in the file. */
  line: number;
  /** Function around the line; null when not known. */
  function: string | null;
  /** Text of the line; null when not known. */
  code: string | null;
}

/** Cache lookups by rank, over the whole log: one row for the ranks with the same number of each outcome, the row with most ranks first. */
export interface RankCacheTotals {
  /** The ranks. */
  ranks: number[][];
  /** Cache and outcome ('fx_graph hit') -> how often. */
  counts: Record<string, number>;
}

/** The matched compiles whose cache lookups differ between ranks: for each a row for each group of ranks with the same outcomes, the group with most ranks first. Ranks that share a cache directory differ in who missed first; that is not a fault, but says who had to wait. */
export interface RankCaches {
  /** The matched compile: 'id' of rank_compiles. */
  rank_compile: number;
  /** The ranks. */
  ranks: number[][];
  /** Cache and outcome, in order: 'fx_graph miss'. */
  outcomes: string[];
  /** Reasons of bypasses and errors. */
  reasons: string[];
}

/** Ranks whose schedules in the order of their compiles are the same from begin to end; the row with most ranks first. Where a schedule of a rank is unknown, it is taken to be that of most ranks. */
export interface RankCollectives {
  /** The ranks. */
  ranks: number[][];
  /** Number of operations, waits included. */
  op_count: number;
  /** Operation -> how often it occurs here and in the first row; only where that differs. */
  counts: Record<string, number[]>;
  /** Where they begin to differ from the first row, counted over all schedules from 0; null when they do not. */
  position: number | null;
  /** Matched compile of the operation there on these ranks, else of that in the first row: 'id' of rank_compiles. */
  rank_compile: number | null;
  /** Operation there on these ranks; null when they have no more. */
  here: string | null;
  /** Operation there in the first row; null when it has no more. */
  others: string | null;
}

/** The collectives that most ranks call in a matched compile, of those with collectives. */
export interface RankCompileCalls {
  /** The matched compile: 'id' of rank_compiles. */
  rank_compile: number;
  /** The calls, in order: 'id' of collective_calls. */
  collective_calls: number[];
}

/** The key of each matched compile in the logs of the ranks: one row for the ranks that have the same keys, the row with most ranks first. */
export interface RankCompileKeys {
  /** The ranks. */
  ranks: number[][];
  /** For each row of rank_compiles the compile in the logs of these ranks; null where they did not compile it. */
  compiles: (string | null)[];
}

/** What the ranks compiled: one row for each compile that some of them have, in the order in which most ranks have them. Compiles of different ranks are matched by what was compiled (function, place, order, graph), not by id: one more compile on a rank shifts the ids after it. The attempts of a frame compile are one. Other tables about several ranks name a row here in 'rank_compile'; rank_compile_keys has the compile of each rank. */
export interface RankCompiles {
  /** Number of the row, from 0. */
  id: number;
  /** Name of the function; null when unknown. */
  function: string | null;
  /** Its file, as most ranks write it; null when unknown. */
  file: string | null;
  /** First line of the function; null when unknown. */
  first_line: number | null;
  /** Which of the rows of this code it is, from 1: above 1 it is a recompile, or the same code after a reset. */
  number: number;
  /** Its key on most of the ranks that have it. */
  compile: string;
  /** The ranks that compiled it. */
  ranks: number[][];
}

/** Partitions that ranks agreed on: one row per aot_joint_graph_sync_decision_cross_ranks. All ranks use the partition of one of them. A text of more than 20,000 characters is cut and ends in '…'. */
export interface RankDecisions {
  /** The record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** The rank whose partition is used; null when the payload does not have it. */
  picked_rank: number | null;
  /** What this rank would have saved: name of the node -> its size in bytes; at most 5,000. */
  saved_size_bytes: Record<string, number>;
  /** Their total size in bytes, as torch writes it; null when the payload does not have it. */
  total_size_bytes: number | null;
}

/** For ranks that differ from most others: the first compile at which they do. */
export interface RankDivergences {
  /** The matched compile: 'id' of rank_compiles. */
  rank_compile: number;
  /** The ranks. */
  ranks: number[][];
  /** extra: compiled here, not by most ranks. missing: compiled by most, not here. order: compiled by all, here before or after something else. graph: a different Dynamo graph. */
  kind: "extra" | "missing" | "order" | "graph";
  /** Which of the compiles of these ranks it is, from 1; of one that is missing, which it would have been. */
  number: number;
  /** Whether later compiles have different ids here than on most ranks, though they are the same. */
  shifted: boolean;
}

/** Operations whose estimated run times differ most between the fastest and the slowest rank of a row of rank_estimates: at most 10 of each of the 100 graphs with the largest difference, largest difference first. */
export interface RankEstimateOps {
  /** The matched compile: 'id' of rank_compiles. */
  rank_compile: number;
  /** Which graph of the compile, from 0. */
  graph: number;
  /** Position in the graph, from 0. */
  position: number;
  /** Name; null when it has none. */
  name: string | null;
  /** Estimate on the fastest rank, in nanoseconds. */
  fastest_ns: number | null;
  /** Estimate on the slowest rank, in nanoseconds. */
  slowest_ns: number | null;
}

/** Sum of all estimated run times (LOG_TLPARSE=1) of each rank that has any. */
export interface RankEstimateTotals {
  /** The rank. */
  rank: number;
  /** Sum, in nanoseconds. */
  total_ns: number;
  /** Graphs with estimates. */
  graph_count: number;
}

/** Estimated run times (LOG_TLPARSE=1), compared across the ranks whose graph has the same number of operations: one row for each graph of a matched compile with estimates on two or more ranks. */
export interface RankEstimates {
  /** The matched compile: 'id' of rank_compiles. */
  rank_compile: number;
  /** Which graph of the compile, from 0. */
  graph: number;
  /** The ranks that are compared. */
  ranks: number[][];
  /** Rank with the lowest estimate; of several the lowest. */
  fastest_rank: number;
  /** Its sum over all operations, in nanoseconds. */
  fastest_ns: number;
  /** Rank with the highest estimate; of several the lowest. */
  slowest_rank: number;
  /** Its sum, in nanoseconds. */
  slowest_ns: number;
  /** Median of the sums, in nanoseconds. */
  median_ns: number;
}

/** Positions in the execution order at which ranks ran graphs with different collectives, or with different cache outcomes, at most 1,000: for each position and kind a row for each group of ranks that are alike, the group with most ranks first. */
export interface RankExecutionMismatches {
  /** Position in the order, from 0. */
  position: number;
  /** What differs. */
  kind: "schedule" | "cache";
  /** The ranks. */
  ranks: number[][];
  /** What ran there: 'id' of rank_steps. */
  rank_step: number;
  /** Collectives, or outcomes of the caches, separated by ', '; empty for none. */
  value: string;
}

/** In which order the ranks ran their compiled graphs (artifact graph_execution): one row for the ranks with the same order, the row with most ranks first; last the ranks that compiled something and have no such record, while others have. */
export interface RankExecutions {
  /** The ranks. */
  ranks: number[][];
  /** What ran, in order: 'id' of rank_steps; null when it is not recorded. */
  rank_steps: number[] | null;
  /** Where the order begins to differ from that of the first row: position, from 0; null when it does not. */
  position: number | null;
  /** What ran there on these ranks: 'id' of rank_steps; null when they stopped before. */
  here_rank_step: number | null;
  /** What ran there in the first row; null when it stopped before. */
  others_rank_step: number | null;
}

/** What the ranks of a job say together, most important first, at most 300. What does most to the job (hang, wrong results, slow, different) comes first, then by position. Its headline and numbers are 'job' of the manifest. */
export interface RankFindings {
  /** Number of the row, from 0. */
  id: number;
  /** Log of the lowest of the ranks; null without one. */
  log: string | null;
  /** The matched compile: 'id' of rank_compiles; null without one. */
  rank_compile: number | null;
  /** Its key on the lowest of the ranks; null without one. */
  compile: string | null;
  /** Its key on the lowest of the others; null without one. */
  others_compile: string | null;
  /** What it is about. The job cannot go on: collective-mismatch (calls that cannot meet; 'effect' wrong: they meet, with wrong results), failed-everywhere, failure, unfinished-compile (the ranks are inside of it), never-began (they lack a compile that others have; 'call': a collective that those wait in), missing-rank, empty-log, cut-log, collective-waits (others call what these do not), group-differs, equal-logs. Wrong results: missing-wait, collective-parity, mixed-versions, rank-differs. Slow: straggler, late-start, cached-before. Ranks are not the same: graph-break, restart, recompile, guard (on these ranks only or, with 'lacking', on the others only), compile-order, extra-compile, missing-compile, graph, execution-order, collectives, tensors. Notes: other-run, no-rank (logs that are not compared), stages (ranks that compiled nothing in common). */
  kind: string;
  /** 16 hex digits that are the same for the same finding in another run. */
  fingerprint: string;
  /** 'error': the job cannot go well with it; 'warning': a difference that need not be one; 'info': costs time, or is worth knowing. */
  severity: "error" | "warning" | "info";
  /** One sentence, on one line. Plain text, code in backticks. */
  title: string;
  /** More of it: paragraphs with an empty line between them; may be empty. */
  text: string;
  /** Function, or null. */
  function: string | null;
  /** File, or null. */
  file: string | null;
  /** Line, or null. */
  line: number | null;
  /** The ranks that it is about. */
  ranks: number[][];
  /** The ranks that they differ from, or that wait for them. */
  others: number[][];
  /** How often it happened. */
  count: number;
  /** What it cost in microseconds; null when unknown. */
  cost_us: number | null;
  /** What the cost is the time of, in words; null without one. */
  cost_of: string | null;
  /** What may help, best first. */
  remedies: {
    /** What to do, in words. */
    text: string;
    /** What to paste, or null. */
    code: string | null;
    /** Who says so: 'torch' is its own hint, word for word. */
    source: "torch" | "tlparse-bundle";
  }[];
  /** 'id' of the finding that it follows from, or null. */
  because_of: number | null;
  /** Table that has the numbers, such as 'rank_schedules'; 'manifest.job' and 'manifest.logs' are parts of the manifest. */
  evidence: string;
  /** What the sentences are made of, by kind: fields of the table that 'evidence' names. 'here' and 'others' are what these ranks and the others have; a call is a row of collective_calls without its id; group_count: so many groups are described by the first of them. */
  details: Record<string, unknown>;
}

/** Which compiles are identical across ranks, and where in the compiler they begin to differ: for each matched compile a row for each group of ranks with the same content in all stages, the group with most ranks first. Compared is the text of graphs and code without what always differs: the number of the rank's own device, graph ids, addresses, paths of cache files. What a rank lacks because of a cache hit counts as the same. */
export interface RankGraphs {
  /** The matched compile: 'id' of rank_compiles. */
  rank_compile: number;
  /** The ranks. */
  ranks: number[][];
  /** For each stage of the compiler, in order ('dynamo' the captured graph; 'joint', 'forward', 'backward', 'inference' graphs of AOTAutograd; 'post_grad' graphs after Inductor's passes; 'code' generated), a number that stands for its content: within this compile, equal numbers mean equal content, and 0 is the content of the first group that has any; null: these ranks have none. */
  contents: Record<string, number | null>;
  /** First of the stages whose content differs from that of the first group; null when none does. */
  first_stage: string | null;
  /** When 'dynamo' differs: inputs of the compile that are not as in the first group, at most 20, of the first 500 groups. */
  inputs: {
    /** Name, as Python writes it ("L['x']") or as the graph does. */
    name: string;
    /** What these ranks have; null when the input does not exist. */
    here: {
      /** Sizes: numbers, or text for symbols. */
      shape: (number | string)[] | null;
      /** Strides, as in shape. */
      stride: (number | string)[] | null;
      /** Data type, or null. */
      dtype: string | null;
      /** Device, its number left out; or null. */
      device: string | null;
    } | null;
    /** What the first group has. */
    others: {
      /** Sizes: numbers, or text for symbols. */
      shape: (number | string)[] | null;
      /** Strides, as in shape. */
      stride: (number | string)[] | null;
      /** Data type, or null. */
      dtype: string | null;
      /** Device, its number left out; or null. */
      device: string | null;
    } | null;
  }[];
  /** Where the first differing stage begins to differ: name of the artifact. null when there is no such line, or it was not looked for. */
  artifact: string | null;
  /** The first differing line of that artifact on these ranks, from 1 (in the first group when they have no more lines); a line of comment only when nothing else differs. */
  line: number | null;
  /** That line on these ranks, at most 300 characters; null after the end. */
  here: string | null;
  /** That line in the first group; null after the end. */
  others: string | null;
}

/** What happened on some ranks and not on all (graph breaks, restarts, recompiles, guards), and all failures: first failures, then graph breaks, restarts, recompiles, guards; in each kind in the order of the compiles. Guards are compared within a compile and a graph only; at most 1,000. */
export interface RankOccurrences {
  /** failure: a compile failed. graph_break: Dynamo ended a graph. restart: an attempt was restarted for a different reason than a graph break of this table. recompile: a guard failed. guard: a condition of the compiled code. */
  kind: "failure" | "graph_break" | "restart" | "recompile" | "guard";
  /** The matched compile: 'id' of rank_compiles; null outside any. */
  rank_compile: number | null;
  /** Its key on the lowest of the ranks; null without one. */
  compile: string | null;
  /** The ranks where it happened. */
  ranks: number[][];
  /** The ranks that have this compile too (of a graph break: all other ranks), where it did not happen. */
  others: number[][];
  /** What it was: reason of the break and the line of the program, message of the failure, failed guard, guard; at most 2,000 characters. */
  text: string;
  /** Type of the exception, of a failure; torch's number of a graph break (GB0059); else null. */
  type: string | null;
  /** File in which it happened; null when unknown. */
  file: string | null;
  /** Line in that file; null when unknown. */
  line: number | null;
}

/** Compiles whose generated code does not have the collectives of the schedules, or does not wait for one that it has. */
export interface RankParity {
  /** The matched compile: 'id' of rank_compiles. */
  rank_compile: number;
  /** Its key on the lowest of the ranks. */
  compile: string;
  /** The ranks. */
  ranks: number[][];
  /** Kind of collective. */
  op: string;
  /** How many the schedules have. */
  scheduled: number;
  /** How many the generated code calls. */
  in_code: number;
  /** Calls in the code, of any kind, less the waits in it; 0 when all are waited for. */
  missing_waits: number;
}

/** Where each rank stands: whose log is missing, cut or silent, who is inside a compile. */
export interface RankProblems {
  /** missing: no log of this rank. empty: a log without records. cut: the log ends within a record. unfinished: the ranks are inside a compile. silent: no compile, while others have some. stopped: the log ends before compiles that most ranks have. other_logs: the rank has more logs, which are not compared. equal_logs: equal byte for byte. */
  kind: "missing" | "empty" | "cut" | "unfinished" | "silent" | "stopped" | "other_logs" | "equal_logs";
  /** The matched compile that did not end, or the first that is lacking: 'id' of rank_compiles; else null. */
  rank_compile: number | null;
  /** Key of the unfinished compile on the lowest of the ranks; else null. */
  compile: string | null;
  /** The ranks. */
  ranks: number[][];
  /** Ids of their logs; of other_logs, of the others. */
  logs: string[];
  /** Time of the last record, microseconds since 1970-01-01 UTC (of several ranks the earliest); null when unknown. */
  last_epoch_us: number | null;
  /** The same of the rank that wrote longest; null when unknown. */
  others_last_epoch_us: number | null;
  /** Of an unfinished compile: name of the last artifact that was written, or null. */
  phase: string | null;
  /** Of an unfinished compile: the innermost open span, or null. */
  span: string | null;
  /** When the unfinished compile began, microseconds since 1970-01-01 UTC, or null. */
  since_epoch_us: number | null;
  /** For how long it was open when the log ended, in microseconds (of several ranks the longest); else null. */
  open_us: number | null;
  /** Ranks that finished the compile. */
  finished: number[][];
  /** Of an unfinished compile: ranks that never began it. */
  never_began: number[][];
}

/** The collectives of compiled code, from inductor_collective_schedule: for each matched compile with a schedule on any rank a row for each group of ranks with the same schedules, the group with most ranks first; last the ranks that have none. */
export interface RankSchedules {
  /** The matched compile: 'id' of rank_compiles. */
  rank_compile: number;
  /** The ranks. */
  ranks: number[][];
  /** A list of operations as torch writes them ('null' for one without a name) for each graph with collectives: forward, backward, regions. null: unknown, as for code from a cache or an unfinished compile. */
  schedules: string[][] | null;
  /** Where the schedules begin to differ from those of the first group: which schedule, from 0. null when they do not. */
  schedule: number | null;
  /** Position in that schedule, from 0. */
  position: number | null;
  /** Operation there on these ranks; null when the schedule has ended. */
  here: string | null;
  /** Operation there in the first group; null when the schedule has ended. */
  others: string | null;
}

/** How long the ranks took for each matched compile, and who held up the others: one row for each row of rank_compiles. The time lost is estimated from lengths, which need no common clock. */
export interface RankSkew {
  /** The matched compile: 'id' of rank_compiles. */
  rank_compile: number;
  /** Median length of the compile over the ranks, in microseconds; null when unknown. */
  median_us: number | null;
  /** Rank with the longest compile, of several the lowest; null when unknown. */
  slowest_rank: number | null;
  /** Its length in microseconds; null when unknown. */
  slowest_us: number | null;
  /** slowest_us less median_us when two or more ranks compiled it, else 0. */
  lost_us: number;
  /** Rank that ended last; null when unknown. */
  last_rank: number | null;
  /** Time from the median end to the last end, in microseconds; null when unknown. */
  wait_us: number | null;
}

/** Distinct compiled graphs that ran, as rank_executions names them (artifact graph_execution). */
export interface RankSteps {
  /** Number of the row, from 0. */
  id: number;
  /** The matched compile: 'id' of rank_compiles; null when it was not compiled in the log. */
  rank_compile: number | null;
  /** Compile id as the record has it, on the lowest rank that ran it; null for a graph that was compiled before recording began. */
  compile_id: string | null;
}

/** Which operations of compiled code return different tensors on different ranks (inductor_runtime_and_tensor_meta, written with LOG_TLPARSE=1): for each matched compile in which tensors differ a row for each group of ranks with the same tensors, the group with most ranks first. Compared are shapes, strides and data types, not estimated run times and names of operations. Ranks without a row in rank_estimate_totals have no tensor metadata. */
export interface RankTensors {
  /** The matched compile: 'id' of rank_compiles. */
  rank_compile: number;
  /** The ranks. */
  ranks: number[][];
  /** Operations of the compile. */
  op_count: number;
  /** First operation that differs from the first group: which graph of the compile, from 0. null for the first group, and after the first 500 groups. */
  graph: number | null;
  /** Position of that operation in the graph, from 0. */
  position: number | null;
  /** Its name; null when it has none. */
  name: string | null;
  /** What it returns on these ranks; null when there is no such operation. */
  here: {
    /** Sizes. */
    shape: (number | string | null)[] | null;
    /** Strides. */
    stride: (number | string | null)[] | null;
    /** Data type, or null. */
    dtype: string | null;
  }[] | null;
  /** What it returns in the first group; null when there is no such operation. */
  others: {
    /** Sizes. */
    shape: (number | string | null)[] | null;
    /** Strides. */
    stride: (number | string | null)[] | null;
    /** Data type, or null. */
    dtype: string | null;
  }[] | null;
}

/** When each rank began each matched compile, and how long it took: one row for each rank, with a list of a value for each row of rank_compiles. */
export interface RankTimes {
  /** The rank. */
  rank: number;
  /** Start of its first compile, microseconds since 1970-01-01 UTC; null when unknown. */
  first_start_epoch_us: number | null;
  /** Starts of its compiles, in microseconds since first_start_epoch_us; null when unknown, or not compiled. */
  start_offset_us: (number | null)[];
  /** Lengths of its compiles, in microseconds; null when unknown, or not compiled. */
  length_us: (number | null)[];
}

/** The ranks that are compared, by rank: one row for each. Of a rank with several logs it is the log with most compiles (a restart or a forked child has a log of its own). Times are those of the clocks of their machines, which are taken to be equal. */
export interface Ranks {
  /** The rank. */
  rank: number;
  /** Id of its log. */
  log: string;
  /** Start of its first compile, microseconds since 1970-01-01 UTC; null when unknown. */
  first_start_epoch_us: number | null;
  /** End of its last compile, microseconds since 1970-01-01 UTC; null when unknown. */
  last_end_epoch_us: number | null;
  /** Sum of the lengths of its compiles, in microseconds. */
  compile_time_us: number;
  /** By how much it held up the others, in microseconds: over the compiles in which it was the slowest, its length less the median length. */
  held_up_us: number;
  /** By how much its first compile began later than that of half of the ranks, in microseconds; negative when earlier; null when unknown. */
  late_us: number | null;
}

/** Causes of recompiles: the recompiles without caused_by, grouped by code object, source, change and dimension of their first reason ('recompile_reasons', position 0), in order of first appearance. Changes of type, identity, value, attribute, keys and length of one source are one cause. Where the source is not recognised, and for the changes 'other' and 'shape', also grouped by guard. */
export interface RecompileCauses {
  /** Number of the cause, from 0. */
  id: number;
  /** The code object: 'id' in 'code_objects'; null when the records have no frame id. */
  code_object: number | null;
  /** What the guard looks at, as in the reason; null when not recognised. */
  source: string | null;
  /** What changed, as in the first reason of the cause. */
  change: "size" | "stride" | "rank" | "dtype" | "device" | "requires_grad" | "dispatch_keys" | "shape" | "value" | "flag" | "type" | "identity" | "length" | "keys" | "attribute" | "aliasing" | "global_state" | "backend" | "other";
  /** Dimension, for size, stride and shape; else null. */
  dimension: number | null;
  /** Guard of the first of these recompiles; null when it has no reasons. */
  guard: string | null;
  /** Expected and actual values in order, without repetition: 4, 5, 9 means 4 → 5 → 9. Values that the texts do not say are missing; at most 1000. */
  values: (number | string)[];
  /** Number of these recompiles. */
  count: number;
  /** Number of recompiles that these led to, directly or not. */
  cascade_count: number;
  /** These recompiles, by their compiles; null stands for one outside any compile. */
  compiles: (string | null)[];
  /** What usually helps: 'mark_dynamic': torch._dynamo.mark_dynamic on that dimension, or dynamic=True; 'same_layout': inputs of one memory layout; 'same_rank', 'same_dtype', 'same_device', 'same_type': inputs of one rank, …; 'same_grad_mode', 'same_global_state': calls under one mode; 'dynamic_int': let the integer be dynamic instead of a constant; 'tensor_argument': pass the number as a tensor; 'few_values': a constant of few different values, else not an argument; 'same_object': pass the same object again; 'same_structure': containers of one length, with the same keys; 'no_aliasing': inputs that do not share memory; 'same_backend': one backend object; 'force_parameter_static_shapes': set this option of torch._dynamo.config to False; 'use_duck_shape': set this option of torch.fx.experimental._config to False; 'mark_unbacked': torch._dynamo.decorators.mark_unbacked, so that 0 and 1 are not special. null: nothing in general. */
  remedy: "mark_dynamic" | "same_layout" | "same_rank" | "same_dtype" | "same_device" | "same_grad_mode" | "dynamic_int" | "tensor_argument" | "few_values" | "same_type" | "same_object" | "same_structure" | "no_aliasing" | "same_global_state" | "same_backend" | "force_parameter_static_shapes" | "use_duck_shape" | "mark_unbacked" | null;
}

/** The guards that failed: one row for each cache entry that was checked before a recompile ('recompiles') or a refusal ('limits'), newest entry first. A recompile happens only when one guard of every entry fails. When torch logs the reason in the metrics only, it is that of the newest entry. At most 1000 per recompile. Texts longer than 20,000 characters are cut and end in '…'. */
export interface RecompileReasons {
  /** The record that says why: recompile_reasons, else the compilation metrics; 'event' of the row in 'recompiles'. */
  event: number;
  /** Its compile; null for a record outside any compile. */
  compile: string | null;
  /** Attempt of that compile in which torch wrote the record; null outside any compile. */
  attempt: number | null;
  /** Position among the reasons of that recompile; 0 is the newest cache entry, and says what changed since the last compile. */
  position: number;
  /** Compile of the cache entry whose guard failed: the newest with the id that torch wrote; null when the text has no id, or the log no such compile. */
  entry: string | null;
  /** The guard that failed, or torch's words about it. */
  guard: string;
  /** What the guard looks at, as written: 'x', "L['x']", 'self.training', "G['mode']", 'grad_mode'; null when not recognised. Newer versions of torch write x for L['x']. */
  source: string | null;
  /** What changed, as far as the text says: 'size', 'stride': of one dimension of a tensor; 'rank', 'dtype', 'device' (its index), 'requires_grad', 'dispatch_keys': of a tensor; 'shape': a condition on dynamic sizes; 'value', 'flag' (True or False): of an object; 'type', 'identity': a different type, a different object; 'length', 'keys': of a container; 'attribute': present or not; 'aliasing': which inputs are, or overlap, each other; 'global_state': of torch, such as the grad mode; 'backend': a different backend; 'other'. */
  change: "size" | "stride" | "rank" | "dtype" | "device" | "requires_grad" | "dispatch_keys" | "shape" | "value" | "flag" | "type" | "identity" | "length" | "keys" | "attribute" | "aliasing" | "global_state" | "backend" | "other";
  /** Dimension, for size, stride and shape; else null. */
  dimension: number | null;
  /** What the guard expects; null when the text does not say. Text as torch writes it ('Float', 'False', "'a'"), whole numbers as numbers. */
  expected: number | string | null;
  /** What it got instead; null when the text does not say: torch writes it for tensors only. */
  actual: number | string | null;
  /** What torch writes after the guard: source line, place, hint, or why a condition on sizes exists; null when there is nothing. */
  comment: string | null;
  /** User's file that the guard comes from: from user_traceback, else from the comment, where torch shortens it; null when unknown. */
  file: string | null;
  /** Line in that file; null when unknown. */
  line: number | null;
  /** Function around that line; null when unknown. */
  function: string | null;
  /** Text of that line; null when unknown. */
  source_line: string | null;
  /** The user's stack at the guard as Python prints it, outermost frame first; null when torch wrote none. */
  user_traceback: string | null;
}

/** Compiles of a code object that was compiled before, because the guards of all its cache entries failed: one row per recompile, in file order. The guards that failed are in 'recompile_reasons', the root causes in 'recompile_causes'. A compile that torch refused is in 'limits', not here. Not every later compile of a code object is a recompile: the first may have ended without a cache entry. Texts longer than 20,000 characters are cut and end in '…'. */
export interface Recompiles {
  /** The record that says why: recompile_reasons, else the compilation metrics. */
  event: number;
  /** Its compile; null for a record outside any compile. */
  compile: string | null;
  /** Attempt of that compile in which torch wrote the record; null outside any compile. */
  attempt: number | null;
  /** Its code object: 'id' in 'code_objects'; null when the record has no frame id. */
  code_object: number | null;
  /** The recompile that led to this one, by its compile, or null. That is an earlier recompile whose call still ran (its callers are the outer part of this one's callers), of the function that this one resumes, inlined before a graph break, or was called by; and the guards failed for the same sort of change: any change of shape, else equal expected and actual values. */
  caused_by: string | null;
  /** Its cause: 'id' in 'recompile_causes'. A recompile with caused_by has the cause of the first recompile in that chain. */
  cause: number;
  /** The whole payload, when it was not understood or only in part; else null. */
  text: string | null;
}

/** Estimated run time of the graphs that Inductor compiled: one row per inductor_runtime_and_tensor_meta (LOG_TLPARSE=1), that is per graph. The operations are in estimated_ops. */
export interface RuntimeEstimates {
  /** The record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** The 'subgraph_name' of the record: the region of the graph that Inductor compiles separately; null for a whole graph. */
  subgraph_name: string | null;
  /** Number of its rows in estimated_ops. */
  op_count: number;
  /** Sum of the estimates of its computations, in nanoseconds; 0 on a CPU, for which torch estimates nothing; null when the sum is out of range. */
  compute_runtime_ns: number | null;
  /** Sum of the estimates of its collectives, in nanoseconds; null when the sum is out of range. */
  collective_runtime_ns: number | null;
  /** Whether something was left out because of a limit; the payload of the record has it. */
  cut: boolean;
}

/** Metrics that torch records when compiled code runs: autotuning, CUDA graph recording. One row per record. */
export interface RuntimeMetrics {
  /** The record. */
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
  /** The record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Mutations that the compiled code replays, each with the user's code that makes it; at most 500. */
  messages: string[];
}

/** Source code that the log contains by name: dumped files, and artifacts of Python code (AOTAutograd's wrappers, scripts that run a graph alone, partial graphs). One row per record, in file order. Texts longer than 20,000 characters are cut and end in '…'. */
export interface Sources {
  /** The record whose payload is the code. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** 'dump_file': a dumped file; a stack frame whose file is 'name' is in this code, and names can repeat: for a record, the last such row before it counts. 'code': an artifact of Python code. */
  kind: "dump_file" | "code";
  /** Of a dumped file, the file name that stacks and guards use, such as '<eval_with_key>.5', or null when the record has none; of code, the name of the artifact. */
  name: string | null;
  /** Lines of the code. */
  line_count: number;
  /** Functions that it defines at the left margin; at most 200. */
  functions: string[];
}

/** Where the time of a log went: sums over the spans of each name, in order of first appearance. */
export interface SpanTotals {
  /** Name of the spans. */
  name: string;
  /** Number of spans. */
  count: number;
  /** Sum of their durations, nested spans included; a span inside one of the same name counts twice. Do not sum it over names. */
  total_us: number;
  /** Sum of their durations without those of the spans inside them on the same lane. Summed over names, no time of a lane counts twice. */
  self_us: number;
}

/** The timeline as spans that nest: what torch did, when and for how long; one row per span, in the order of their begin events. torch writes a begin and an end event for each span, all under one thread id although several threads write, so they may overlap. Ends are matched to begins by name. Draw each lane on its own. Do not sum duration_us over nested spans: span_totals has self times, which can be summed. Diagnostics with codes that start with 'timeline-' count what was repaired or left out. The events as torch wrote them are in the blobs that 'timeline' of log.json lists. */
export interface Spans {
  /** Number of the span, from 0. */
  id: number;
  /** Name of the span, such as 'dynamo' or 'inductor_compile'; cut after 1,000 characters. */
  name: string;
  /** Begin: microseconds since 1970-01-01 UTC, rounded down. */
  start_epoch_us: number;
  /** End minus begin, each rounded down to microseconds; null when the span never ended: the process died, or an exception left the span. */
  duration_us: number | null;
  /** Compile of the begin event; null outside any compile. */
  compile: string | null;
  /** Attempt of the begin event; null outside any compile. The outer spans of a restarted compile begin in its first attempt and end in its last. */
  attempt: number | null;
  /** 'id' of the smallest span of the same lane that encloses it; null for an outermost span. Children of a span do not overlap. A parent can come after its children. */
  parent: number | null;
  /** 0, or a higher number for a span that overlaps one on each lane below without lying in it: several threads were at work. Lanes are not threads; the log does not record which thread wrote a span. */
  lane: number;
  /** What was assumed about the span; null when nothing was. 'misnested': it overlaps a span of another lane, and has no parent. 'unended': no end was found; the last event of its compile was taken for its end to find its parent and lane. 'backwards': the end is before the begin; the duration was made 0. */
  repair: "misnested" | "unended" | "backwards" | null;
  /** The begin event. */
  begin_event: number;
  /** The end event; null when there is none. Its arguments have more than those of the begin event: what was gathered while the span ran. */
  end_event: number | null;
}

/** Symbols that were specialized, that is, became constants: one row per record symbolic_shape_specialization, in file order. Texts longer than 2,000 characters are cut and end in '…'; the metadata of the event have the whole text. */
export interface Specializations {
  /** The record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Name of the symbol; null when the record lacks it. */
  name: string | null;
  /** The symbol: event of its row in `symbols`. It is the newest one of that name created before in the same compile; null when the log has none. */
  symbol_event: number | null;
  /** The constant; null when the record lacks it. */
  value: string | null;
  /** Reason in torch's words, such as 'range_refined_to_singleton'; null when torch logs none. */
  reason: string | null;
  /** Where the value comes from, as Python expressions. */
  sources: string[];
  /** torch's stack; null when the record has none. */
  stack: number | null;
  /** Stack of the user's code that was traced; null when the record has none. */
  user_stack: number | null;
}

/** The stacks of one log, as a trie: a row is a stack, which has the frames of its parent and one more, the innermost. Fields `stack` and `user_stack` of other tables, and of the metadata, are ids of rows. To list the frames from the innermost outwards, follow `parent` until it is null. */
export interface Stacks {
  /** Id of the stack: the number of the row, from 0. */
  id: number;
  /** Id of the stack without its innermost frame, which is less than `id`; null for a stack of one frame. Siblings are in order of first appearance. */
  parent: number | null;
  /** File of the innermost frame; null when the log does not define it (a forked child uses string ids of its parent). */
  file: string | null;
  /** Line in that file, counted from 1. */
  line: number;
  /** Name of the function. */
  function: string;
  /** Text of the line; null when the log does not have it. */
  code: string | null;
}

/** Graphs inside of FX graphs: one row per graph, in the order of the text; at most 200 of one graph. Texts longer than 20,000 characters are cut and end in '…'. */
export interface Subgraphs {
  /** The record whose payload holds it: a row of table graphs. */
  graph_event: number;
  /** Name of its class, by which the graph around it calls it. */
  name: string;
  /** Its inputs. */
  placeholder_count: number;
  /** Its calls. */
  call_count: number;
  /** Values that it returns. */
  output_count: number;
}

/** Distinct places in the user's code where a condition was evaluated; torch logs them only with TORCH_DTRACE. Texts longer than 2,000 characters are cut and end in '…'; the metadata of the event have the whole text. */
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

/** The guards on symbols, in file order. With TORCH_DTRACE torch writes two records of a guard, guard_added and guard_added_fast; they are one row. The guards of a symbol are the rows whose symbol_events contain its event. Texts longer than 2,000 characters are cut and end in '…'; the metadata of the event have the whole text. */
export interface SymbolGuards {
  /** The record: guard_added, or guard_added_fast when the guard has only that. */
  event: number;
  /** The second record of the same guard (guard_added_fast after guard_added); null when there is none. */
  pair_event: number | null;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** The condition; null when the record lacks it. */
  expr: string | null;
  /** Who asked for it ('eval', 'runtime_assert' …); null when torch does not log it (without TORCH_DTRACE). */
  prefix: string | null;
  /** Symbols whose names occur in expr, in order of first occurrence: event of their rows in `symbols`. Of several symbols with one name it is the newest one created before in the same compile, whatever its attempt. */
  symbol_events: number[];
  /** Record that created the expression: event of its row in `expressions`; null when the log does not have it (it does with TORCH_DTRACE). */
  expression_event: number | null;
  /** id in `symbol_contexts`: the place in the user's code; null when the record has none. */
  context: number | null;
  /** torch's stack; null when the record has none. */
  stack: number | null;
  /** Stack of the user's code that was traced; null when the record has none. */
  user_stack: number | null;
}

/** Conditions on unbacked symbols that the real value of an example input decided, in file order. With TORCH_DTRACE torch writes two records of one decision, propagate_real_tensors and propagate_real_tensors_provenance; they are one row. Texts longer than 2,000 characters are cut and end in '…'; the metadata of the event have the whole text. */
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
  /** What the real value made of it, such as 'True'; null when the record lacks it. */
  result: string | null;
  /** Symbols whose names occur in expr, in order of first occurrence: event of their rows in `symbols`. Of several symbols with one name it is the newest one created before in the same compile, whatever its attempt. */
  symbol_events: number[];
  /** Record that created the expression: event of its row in `expressions`; null when the log does not have it (it does with TORCH_DTRACE). */
  expression_event: number | null;
  /** id in `symbol_contexts`: the place in the user's code; null when the record has none. */
  context: number | null;
  /** torch's stack; null when the record has none. */
  stack: number | null;
  /** Stack of the user's code that was traced; null when the record has none. */
  user_stack: number | null;
}

/** The symbols of dynamic shapes: one row per record create_symbol or create_unbacked_symbol, in file order. Other tables refer to a symbol by the event of its row. Texts longer than 2,000 characters are cut and end in '…'; the metadata of the event have the whole text. */
export interface Symbols {
  /** The record: create_symbol or create_unbacked_symbol. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Name, such as 's77' or 'u0'; null when the record lacks it. Each trace has its own s0, s1 …, so names repeat. */
  name: string | null;
  /** true for an unbacked symbol: its value is known only when the code runs. */
  unbacked: boolean;
  /** Value of the symbol while torch traced; null for an unbacked symbol. */
  value: string | null;
  /** Possible values, such as '[2, int_oo]'; null when torch logs none. */
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
  /** The record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Size in bytes; a text when it is symbolic; null when the record lacks it. */
  size_bytes: number | string | null;
}

/** Inputs of compiles as torch described them: one row per record describe_tensor, in file order. torch leaves out what has its default: a flag that is not in the record is false. Lists of sizes, strides and dimensions have at most 100 elements; an element is a number, or a text: an expression of symbols such as 's77'. (A constant that was a symbol, which torch writes as text, is a number.) Texts longer than 2,000 characters are cut and end in '…'; the metadata of the event have the whole text. */
export interface Tensors {
  /** The record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Number of the describer: one for each trace of the process. */
  describer_id: number;
  /** Number that the describer gave the tensor. A log can have a pair of numbers twice; sources and other refer to the newest row before them. */
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
  /** Storage of the tensor: event of its row in `tensor_storages`; null when the log does not describe it. Tensors with one storage_event share memory. */
  storage_event: number | null;
  /** Fields of the record that are not at their default and have no field here, as torch wrote them (layout, base, attrs, storage_offset …); null for none. A value that is a tensor is its tensor_id. Left out: view_func, the name of a function with its address. A value of more than 2,000 characters of JSON is cut, as text. */
  other: Record<string, unknown> | null;
  /** Whether autograd tracks it. */
  requires_grad: boolean;
  /** Whether it is a torch.nn.Parameter. */
  is_parameter: boolean;
  /** Whether it is a leaf of the autograd graph. */
  is_leaf: boolean;
  /** Whether it is a view of a different tensor. */
  is_view: boolean;
  /** Python expressions for the tensor, such as "L['x']". Empty for a tensor that is only part of a different one (a base, a gradient). */
  sources: string[];
}

/** Triton kernels that torch reports in triton_kernel_info: one row per kernel and record, in file order. */
export interface TritonKernels {
  /** The record. */
  event: number;
  /** Compile of the record; null outside any compile. */
  compile: string | null;
  /** Attempt of that compile; null outside any compile. */
  attempt: number | null;
  /** Name of the kernel. */
  name: string;
  /** Time to compile it, in microseconds; null when not recorded. */
  compile_time_us: number | null;
  /** Configurations that autotuning chooses from; null when not recorded. */
  config_count: number | null;
  /** Whether the choice was in the autotuning cache: 'hit', 'miss' …, as torch writes it; null when not recorded. */
  autotune_cache_state: string | null;
}

/** Compile backends of vLLM, in file order: one for the model, one for a draft model. Other programs have none. */
export interface VllmBackends {
  /** Id of the backend, from 0. */
  id: number;
  /** The record of its settings, vllm_compilation_config; null when the log has none, as on a warm start with code that was compiled ahead of time. */
  event: number | null;
  /** Compile of its records; null when they belong to none, as when vLLM compiles ahead of time. */
  compile: string | null;
  /** Attempt of that compile; null when compile is. */
  attempt: number | null;
  /** Whether its pieces were all loaded by a start that compiled nothing: vLLM then logs neither settings nor names of pieces. */
  is_loaded: boolean;
  /** Type of the last vllm_compile_event before it: 'fresh_compile', 'aot_cache_hit'; null when there is none, as in older vLLM. */
  compile_event_type: string | null;
  /** What is compiled: 'backbone', 'draft_model', …. */
  prefix: string | null;
  /** The model, as it was given to vLLM. */
  model: string | null;
  /** The settings by name, as vLLM writes them: lists are strings with commas. Texts are cut at 20,000 characters; at most 200 settings. */
  config: Record<string, string | number | boolean | null>;
  /** The record of the graph after its split, vllm_piecewise_split_graph; null when not logged. */
  split_event: number | null;
  /** The record of the Python code that calls the pieces, vllm_execution_code; null when not logged. */
  code_event: number | null;
  /** Number of submodules that are compiled, as vLLM logs it with the first piece; null when not logged. */
  submodule_count: number | null;
  /** Whether the log records its end, successful or not. */
  is_ended: boolean;
  /** Start in microseconds since 1970: the begin of the span vllm_backend; for a loaded backend, of the first load; null when unknown. */
  start_epoch_us: number | null;
  /** Its duration; for a loaded backend, until the end of the last load; null when unknown. */
  duration_us: number | null;
  /** Start of Dynamo's capture around it: the span fullgraph_capture, or dynamo; null when unknown. */
  capture_epoch_us: number | null;
  /** Duration of that span, including the backend; null when unknown. The metrics of an ahead-of-time compile have a different duration, which is wrong. */
  capture_time_us: number | null;
  /** From its start to the start of the first piece; null when unknown. */
  split_time_us: number | null;
  /** Time spent saving compiled pieces (CompiledArtifact.save), a part of the pieces' time; null when nothing was saved. */
  save_time_us: number | null;
}

/** vLLM's records about whole compiles, vllm_compile_event, in file order. */
export interface VllmCompileEvents {
  /** The record. */
  event: number;
  /** Type of the event: 'fresh_compile', 'aot_cache_hit'; null when not logged. */
  type: string | null;
}

/** The graph after each of vLLM's passes, compared with the graph before it, where the log has these graphs. */
export interface VllmPasses {
  /** Id of the piece, in vllm_pieces. */
  piece: number;
  /** The record of the graph after the pass, vllm_post_grad.*. */
  event: number;
  /** The record of the graph that it is compared with: the graph after the previous pass, or before_pre_grad_graph or before_post_grad_graph, after which passes of torch may have run too; null when there is none. */
  base_event: number | null;
  /** Position in the order of passes, when the name has it; null otherwise. */
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

/** What vLLM compiles or loads: one row per submodule and size or range of sizes, in file order, with the origin of its code. */
export interface VllmPieces {
  /** Id of the piece, from 0. */
  id: number;
  /** Id of the backend, in vllm_backends. */
  backend: number;
  /** Compile of its records; null when they belong to none, as when vLLM compiles ahead of time. */
  compile: string | null;
  /** Attempt of that compile; null when compile is. */
  attempt: number | null;
  /** The record of its start, vllm_piecewise_compile_start; null for a loaded backend. */
  start_event: number | null;
  /** Name of the submodule: 'submod_2'; null for a loaded backend, whose log has no names. The piece of an earlier start with the same code_hash has the name. */
  submodule: string | null;
  /** Position among the submodules that are compiled, vLLM's piecewise_index; null when not logged. */
  piecewise_number: number | null;
  /** First number of tokens that the piece is for; null when not logged. */
  range_start: number | null;
  /** Last number of tokens that the piece is for; null when not logged. */
  range_end: number | null;
  /** Whether the piece is for a single size; null when not logged. */
  is_single_size: boolean | null;
  /** compiled: Inductor generated code. inductor_loaded: AOTAutograd traced it, and Inductor's cache had the code. loaded: a cache had all of it. reused: nothing was compiled or loaded; it uses the code of an equal piece. failed: a compile without code. unfinished: the log ends within the piece. null when unknown. */
  outcome: "compiled" | "inductor_loaded" | "loaded" | "reused" | "failed" | "unfinished" | null;
  /** Start in microseconds since 1970; null when unknown. */
  start_epoch_us: number | null;
  /** From its start to the start of the next piece or to the end; for a loaded piece, its load (loads run in several threads at the same time). null when the records of loads cannot be told apart. */
  duration_us: number | null;
  /** Inductor's part of it (span inductor_compile); null when unknown. */
  inductor_time_us: number | null;
  /** Duration of the load from the cache (span AOTAutogradCache.inductor_load); null when unknown. */
  load_time_us: number | null;
  /** Hash of its graph after AOTAutograd, aot_inference_graph; null when not logged. */
  graph_hash: string | null;
  /** Hash of its code, inductor_output_code; null when not logged. The same piece in the log of a different start has the same hash. */
  code_hash: string | null;
  /** Number that AOTAutograd gave it when it was compiled: '4_inference'. It is in the code. null when unknown. */
  aot_id: string | null;
  /** Ids of earlier pieces of its backend for the same sizes that have code of their own and a graph that is equal except for names; the first 8. */
  equal_to: number[];
  /** Id of the piece whose code a reused piece uses; null when several pieces have an equal graph, or none. vLLM does not log it. */
  reused: number | null;
  /** The metrics with the reason of its failure; null when it did not fail, or when unknown. */
  failure_event: number | null;
  /** The records of its artifacts, attributed by their content and not only by their order. */
  events: number[];
}

/** Submodules of the model that vLLM compiles, each with its graph. Submodules with equal graphs share code. */
export interface VllmSubmodules {
  /** Id of the backend, in vllm_backends. */
  backend: number;
  /** Name of the submodule: 'submod_2'. */
  name: string;
  /** The record of its graph, vllm_submod_2. */
  event: number;
  /** Hash of the graph without the names of values: equal for graphs that differ only in names, of layers for instance; null when the payload is not a graph. */
  shape_hash: string | null;
  /** Name of the first submodule of the backend with an equal graph; null for the first one. */
  same_as: string | null;
}

/** A baseline, as 'tlparse-bundle check --write-baseline' writes it: what a later run may have, too. One finding a line, in the order of kind, file, function and fingerprint. */
export interface Baseline {
  /** Says what the file is. */
  what: "tlparse-bundle baseline";
  /** Version of this format. */
  version: 1;
  /** Numbers of the log with most of each; null when a log does not record it. */
  most_in_one_log: {
    /** Graph breaks. */
    breaks: number | null;
    /** Recompiles. */
    recompiles: number | null;
    /** Compiles. */
    compiles: number | null;
    /** Failures, compiles that did not end and exports that failed. */
    failures: number | null;
    /** Time of compiling in microseconds, two digits of it; only with --with-time. */
    compile_time_us?: number | null;
  };
  /** How many findings of a kind the bundle does not list, which this file does not have either. 'ranks': of all ranks together, of any kind. */
  unlisted: Record<string, number>;
  /** The findings, each once for all logs, but those about times. */
  findings: {
    /** As in findings. */
    kind: string;
    /** As in findings: the same problem has the same one in another run. This alone says which finding it is. */
    fingerprint: string;
    /** As in findings. */
    severity: "error" | "warning" | "info";
    /** File, or null. */
    file: string | null;
    /** Function, or null. */
    function: string | null;
    /** How often, in the log where it is most. */
    count: number;
    /** One sentence, for people. */
    title: string;
  }[];
}

/** comparison.json: what changed from one run of a program (base) to another (new). A document of its own, not part of a bundle. */
export interface Comparison {
  /** Name and version of the format. Readers refuse another major version and ignore fields that they do not know. */
  format: {
    /** Always this. */
    name: "tlparse-comparison";
    /** Changes when readers would break. */
    major: 1;
    /** Grows when fields are added. */
    minor: number;
  };
  /** Program and version that made it. */
  made_by: string;
  /** The bundles of the base side. The first one stands for the side, of the others only times are read. */
  base: {
    /** What people call it: the name of its folder or file. Never a path. */
    name: string;
    /** Of a bundle that grew when it was compared: the number of its state, 'live.counter' of its manifest. null for one that was finished. */
    state: number | null;
  }[];
  /** The same of the new side. */
  new: {
    /** What people call it: the name of its folder or file. Never a path. */
    name: string;
    /** Of a bundle that grew when it was compared: the number of its state, 'live.counter' of its manifest. null for one that was finished. */
    state: number | null;
  }[];
  /** The headline and its numbers. */
  summary: {
    /** The first line: the net result with both totals, what explains it, and how many other changes there are; or that nothing changed. It is made of the fields beside it. Plain text, code in backticks. */
    text: string;
    /** same: no change, and all numbers agree. noise: no change, and the totals differ by less than runs vary by. less, more: the new side has less or more compile time, by more than that. changed: there are changes, and the totals do not differ by more than that, or are not recorded. incomplete: a log ends early, so that totals cannot be compared. unknown: compiles cannot be matched. Since 1.1. */
    verdict?: "same" | "noise" | "less" | "more" | "changed" | "incomplete" | "unknown";
    /** Compile time of the new side minus that of the base side, in microseconds, over all pairs of logs; null when a log does not record it or ends early. Since 1.1. */
    net_us?: number | null;
    /** The totals that net_us is the difference of; null where it is null. Since 1.1. */
    compile_us?: null | {
      /** Of the base side. */
      base: number;
      /** The same of the new side. */
      new: number;
    };
    /** What explains most of net_us when verdict is less or more, otherwise null. changes: changes with a cost in that direction. speed: compiles that did not change took less or more time. unknown: neither. Since 1.1. */
    reason?: "changes" | "speed" | "unknown" | null;
    /** What one should know and is no change: logs without a counterpart, a machine that is faster or slower as a whole. */
    notes: string[];
    /** Changes of all logs. */
    change_count: number;
    /** Those that no other change led to. */
    root_count: number;
  };
  /** Pairs of logs: those of the same rank, those without a rank in their order. A log of one side only stands alone, with empty lists. */
  logs: {
    /** The log of the base side, or null. */
    base: null | {
      /** Its id in its bundle. */
      id: string;
      /** Name of its file. */
      source: string;
      /** Version of torch, or null. */
      torch_version: string | null;
      /** Its headline, as its bundle has it. */
      text: string;
      /** Why what it lacks may come behind its end, in words: it is damaged, ends inside a compile, or is still being written. null when it is whole. */
      ends_early: string | null;
      /** What its torch does not write, as in the summary of its findings: none of it is a change. */
      untold: string[];
    };
    /** The log of the new side, or null. */
    new: null | {
      /** Its id in its bundle. */
      id: string;
      /** Name of its file. */
      source: string;
      /** Version of torch, or null. */
      torch_version: string | null;
      /** Its headline, as its bundle has it. */
      text: string;
      /** Why what it lacks may come behind its end, in words: it is damaged, ends inside a compile, or is still being written. null when it is whole. */
      ends_early: string | null;
      /** What its torch does not write, as in the summary of its findings: none of it is a change. */
      untold: string[];
    };
    /** Rank of both, or null. */
    rank: number | null;
    /** What times of compiles that did not change vary by; null for a log that stands alone. */
    noise: null | {
      /** How many times as long compiles that did not change took in the new run: the median. */
      speed: number;
      /** What the times of single compiles vary by, on top of that. Differences below it are not told. */
      factor: number;
      /** Differences below this are not told, whatever they are a multiple of. */
      least_us: number;
      /** Compiles that tell of it. With few of them a usual factor is taken. */
      measured: number;
      /** What the total compile time varies by: a difference of the totals up to this is noise. Since 1.1. */
      total_us?: number;
    };
    /** Time of compiling as the headlines of the logs tell it; null for a log that stands alone. */
    compile_us: null | {
      /** null when unknown. */
      base: number | null;
      /** null when unknown. */
      new: number | null;
    };
    /** How long the compiles that did not change took together; null for a log that stands alone. Since 1.1. */
    unchanged_us?: null | {
      /** Of the base log. */
      base: number;
      /** The same of the new side. */
      new: number;
    };
    /** What both logs have, in numbers; what neither has is left out. Since 1.1. */
    counts?: {
      /** compiles, functions, graph_breaks, recompiles, recompile_limits, restarts, failures, unfinished: as in the summary of the findings. generated_codes: artifacts with code of Inductor. fx_graph_hits and so on: lookups of a cache by outcome. */
      name: string;
      /** Of the base log; null when its torch does not record it. */
      base: number | null;
      /** The same of the new log. */
      new: number | null;
    }[];
    /** Time by phase, of the compiles whose metrics tell it. */
    phases: {
      /** dynamo, aot_autograd, inductor or backward. */
      phase: string;
      /** Microseconds, 0 when no compile reached the phase; null when it is not recorded. */
      base_us: number | null;
      /** The same of the new log. */
      new_us: number | null;
    }[];
    /** The spans of the timeline that take most, by name, at most 200. */
    spans: {
      /** Name of the span. */
      name: string;
      /** Microseconds, without those of the spans within. */
      base_us: number;
      /** The same of the new log. */
      new_us: number;
      /** How many spans. */
      base_count: number;
      /** The same of the new log. */
      new_count: number;
    }[];
    /** All compiles of both logs, each once, in the order of the new one. pair_indexes of a change are positions in this array. */
    compiles: {
      /** In the base log, or null. */
      base: null | {
        /** Its key, as in `compiles`. */
        compile: string;
        /** File of the function as torch wrote it, or null. */
        file: string | null;
        /** First line of the function, or null. */
        line: number | null;
      };
      /** In the new log, or null. */
      new: null | {
        /** Its key, as in `compiles`. */
        compile: string;
        /** File of the function as torch wrote it, or null. */
        file: string | null;
        /** First line of the function, or null. */
        line: number | null;
      };
      /** Name of the function, or null. */
      function: string | null;
      /** Time to compile it, forward and backward, in microseconds; null when unknown. */
      base_us: number | null;
      /** The same of the new log. */
      new_us: number | null;
      /** Whether Dynamo captured the same graph. unknown: of one log only, or not recorded. */
      graph: "same" | "other" | "unknown";
      /** Whether Inductor generated the same code. unknown: not made in both, as when a cache had it. */
      code: "same" | "other" | "unknown";
      /** Lookups of compile caches with another outcome, one for each cache. */
      lookups: {
        /** Which cache, as in the cache table. */
        cache: "aot_autograd" | "fx_graph";
        /** Outcome in the base log: hit, miss or bypass. */
        base: string;
        /** The same of the new log. */
        new: string;
        /** Parts of the key that differ, at most 50; an empty array when the keys are the same, null when the logs do not tell the parts. */
        different: {
          /** Name as torch writes it: 'gm' is the graph, 'example_inputs[0]' an input, 'inductor_config[max_autotune]' a setting. */
          part: string;
          /** Its text, at most 200 characters; null when the key lacks it. */
          base: string | null;
          /** The same of the new log. */
          new: string | null;
        }[] | null;
      }[];
    }[];
    /** What changed: causes, new errors first and then the largest cost, whether more or less time; each followed by what it led to. */
    changes: {
      /** torch: another version. setting: a setting of torch or of vLLM. backend: compiles that end at a different step of the compiler (since 1.1). vllm: pieces that vLLM compiles, loads or reuses. finding: see the findings table. graph: another graph of the same function. compile: compiled in one log only. cache: a lookup with another outcome. code: other code of the same graph. time: more or less time. */
      kind: "torch" | "setting" | "backend" | "vllm" | "finding" | "graph" | "compile" | "cache" | "code" | "time";
      /** new and gone: of one log only. worse and better: in both, and not the same. changed: neither. */
      change: "new" | "gone" | "worse" | "better" | "changed";
      /** As of findings. */
      severity: "error" | "warning" | "info";
      /** One sentence, on one line. Plain text, code in backticks. */
      title: string;
      /** What a person needs to understand it; may be empty. */
      text: string;
      /** Function, or null. */
      function: string | null;
      /** Name of its file, or null. */
      file: string | null;
      /** Line, or null. */
      line: number | null;
      /** How many compiles, lookups or occurrences it is about. */
      count: number;
      /** How much longer the compiles that it concerns take, in microseconds; below 0 when they take less. null when unknown or when there is no figure. */
      cost_us: number | null;
      /** Compiles that it concerns: positions in 'compiles', at most 1000. */
      pair_indexes: number[];
      /** Of a finding: its position in the findings table of the base log, or null. */
      base_finding_index: number | null;
      /** The same of the new log. */
      new_finding_index: number | null;
      /** Position of the change that led to this one, or null. */
      because_of: number | null;
      /** What the sentence is made of, by kind. */
      details: Record<string, unknown>;
    }[];
  }[];
}

/** trend.json: the runs of one or more folders of bundles over time, and where their numbers jump. It is made from manifests alone. */
export interface Trend {
  /** Only in what the command prints with --json: true. */
  ok?: true;
  /** What this document is. A reader refuses another name or a higher version. */
  format: {
    /** Always "tlparse-bundle-trend". */
    name: "tlparse-bundle-trend";
    /** Grows when a meaning changes. */
    version: 1;
  };
  /** Address of the page that compares two bundles, relative to this file; null where there is none. */
  compare_url: string | null;
  /** The numbers of a run, in the order in which to show them. */
  metrics: {
    /** Key in 'values'. */
    key: string;
    /** What it is called, in words. */
    title: string;
    /** us: microseconds. count: how many. */
    unit: "us" | "count";
    /** Which way is worse; null where neither is. */
    worse: "more" | "less" | null;
    /** What it is, and which log tells it in a bundle of several. */
    help: string;
    /** Whether runs that end early are part of its line: it may tell why they do. */
    of_the_end: boolean;
  }[];
  /** One row per bundle, in the order of their start; those without a time last. */
  runs: {
    /** Name of the bundle, as in the list of bundles: FOLDER, or FOLDER/BUNDLE. */
    name: string;
    /** Address of the bundle, relative to this file; null where no bundle lies beside it. */
    url: string | null;
    /** Label of the bundle, or null. */
    label: string | null;
    /** Commit of the bundle, or null. */
    commit: string | null;
    /** When the first record of the log that began first was written, in microseconds since 1970-01-01 UTC; null when no log tells. */
    start_epoch_us: number | null;
    /** Number of logs. */
    log_count: number;
    /** Whether a log ends inside a compile: the run did less than the others, and is part of no jump but those of metrics that are of_the_end. */
    ends_early: boolean;
    /** Versions of PyTorch in the logs, sorted; at most 10. */
    torch_versions: string[];
  }[];
  /** The numbers, by the key of the metric: a list with one for each run. null: unknown. */
  values: Record<string, (number | null)[]>;
  /** Runs that are compared over time: those of one label, and those without one that lie in one folder. The largest first. */
  series: {
    /** The label, or the name of the folder. */
    name: string;
    /** Rows of 'runs', in the order of time. */
    run_indexes: number[];
  }[];
  /** Where a level changed for good, most costly first; what saves time comes last. */
  jumps: {
    /** Row of 'series'. */
    series_index: number;
    /** The first run that is different: row of 'runs'. */
    run_index: number;
    /** The run before it, to compare with: row of 'runs'. */
    base_run_index: number;
    /** How many runs of the series there are from it on. */
    run_count: number;
    /** Address of the folder with the comparison of both runs, relative to this file, where a site has one; else null. */
    comparison_url: string | null;
    /** true in 'jumps', false in 'latest'. */
    confirmed: boolean;
    /** What changed there; phases last. */
    changes: {
      /** Key of the metric. */
      metric: string;
      /** The change in words. */
      text: string;
      /** Median of the runs before, at most ten. */
      before: number;
      /** Median of the runs from there on, at most ten. */
      after: number;
      /** Whether it is a change for the worse; null where neither way is. */
      is_worse: boolean | null;
    }[];
  }[];
  /** What differs in the last runs of a series, which are too few to be sure: beyond all that there was since the last jump. */
  latest: {
    /** Row of 'series'. */
    series_index: number;
    /** The first run that is different: row of 'runs'. */
    run_index: number;
    /** The run before it, to compare with: row of 'runs'. */
    base_run_index: number;
    /** How many runs of the series there are from it on. */
    run_count: number;
    /** Address of the folder with the comparison of both runs, relative to this file, where a site has one; else null. */
    comparison_url: string | null;
    /** true in 'jumps', false in 'latest'. */
    confirmed: boolean;
    /** What changed there; phases last. */
    changes: {
      /** Key of the metric. */
      metric: string;
      /** The change in words. */
      text: string;
      /** Median of the runs before, at most ten. */
      before: number;
      /** Median of the runs from there on, at most ten. */
      after: number;
      /** Whether it is a change for the worse; null where neither way is. */
      is_worse: boolean | null;
    }[];
  }[];
  /** What was left out. */
  skipped: {
    /** Name of the bundle. */
    name: string;
    /** What is wrong with it. */
    problem: string;
  }[];
}
