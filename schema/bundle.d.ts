// The tables of a bundle and the documents made of bundles, as TypeScript sees them. Written by scripts/docs from schema/: do not edit.
//
// In JSDoc: @typedef {import("../../schema/bundle.d.ts").Compiles["compiles"][number]} Compile

/** anatomy.json: what the bytes of the log are, to see why logs are big and who writes them. Events and bytes per kind alone are in log.json, per compile alone in compiles.json. Columns of equal length in 'kinds', 'origins' and 'cells'. size_bytes of a log minus the sum of its records is what stands between records. */
export interface Anatomy {
  /** One row per row of 'kinds' in log.json. */
  kinds: {
    /** Bytes of payloads. The rest of the kind's size_bytes in log.json is prefixes, envelopes, and the tab and line end of each payload line. */
    payload_size_bytes: number[];
    /** The same without payloads that were in the log before, of any kind. */
    distinct_payload_size_bytes: number[];
  };
  /** One row per row of 'origins' in log.json: places in the source that wrote records. */
  origins: {
    /** Number of events. */
    event_count: number[];
    /** Bytes that their records take in the log. */
    size_bytes: number[];
    /** Bytes of their payloads. */
    payload_size_bytes: number[];
  };
  /** One row per kind and compile that occur together, ordered by compile, then by kind. */
  cells: {
    /** Position in 'kinds' of log.json. */
    kind_index: number[];
    /** Row of the compile table. */
    compile_index: number[];
    /** Number of events. */
    event_count: number[];
    /** Bytes that their records take in the log. */
    size_bytes: number[];
    /** Bytes of their payloads. */
    payload_size_bytes: number[];
  };
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

/** caches.json: what was asked of the compile caches and what came of it, in the order of the log. Texts are cut behind 20,000 characters; the payload of the event has all. */
export interface Caches {
  /** The rows. */
  caches: {
    /** The event; its payload is what torch wrote. */
    event_index: number;
    /** Row of the compile table. */
    compile_index: number;
    /** fx_graph: Inductor's results. aot_autograd: results of AOTAutograd with those of Inductor. pgo: what is known of dynamic dimensions from earlier runs. precompile: whole compiled functions. */
    cache: "fx_graph" | "aot_autograd" | "pgo" | "precompile";
    /** hit: found. miss: not found. bypass: could not be asked, see reason. disabled: is switched off. get, put: a state was read or written; torch writes no get when nothing was found. error: an entry could not be written or read. key: older torch wrote the key alone. */
    outcome: "hit" | "miss" | "bypass" | "disabled" | "get" | "put" | "error" | "key";
    /** Name of the artifact, or of the chromium event for 'disabled'. An AOTAutograd hit comes with fx_graph hits of its forward and backward. */
    name: string;
    /** Whether the pgo state is kept elsewhere; null for other caches, of which the log does not say it. */
    remote: boolean | null;
    /** Key that was asked for, or null. */
    key: string | null;
    /** torch's cache_status_detailed: 'hit', 'full_miss' (no entry under the key), 'guard_miss' (entries, but their guards on shapes failed); null in older torch. */
    detail: string | null;
    /** Expression of a guard that failed, for a guard_miss, or null. */
    guard: string | null;
    /** Why it was a bypass or an error, or null. */
    reason: string | null;
    /** Type of the exception behind a bypass, or null. */
    exception_type: string | null;
    /** Field of the entry that could not be written, or null. */
    field: string | null;
    /** Of a hit: how long the compile took whose result was found, in microseconds. Hits of different caches inside of one compile save the same time: do not add them up. Else null. */
    time_saved_us: number | null;
    /** Of a miss: how long compiling took, in microseconds, or null. */
    time_taken_us: number | null;
    /** Number of parts that the key is made from, as the payload lists them; of pgo, functions in the state; of a precompile put, entries. null when unknown. */
    component_count: number | null;
    /** Of a miss: the event of an earlier use of this cache in this log whose key has most parts in common with this one, among the last 8 different keys; or an earlier use of the same key. null when there is none, or when the parts are not in the log, as those of AOTAutograd in recent torch. */
    closest_event_index: number | null;
    /** Number of names of parts that the two keys do not have in common, or null. */
    different_count: number | null;
    /** These names, sorted, at most 50: 'gm' is the graph, 'example_inputs[0]' an input, 'inductor_config[max_autotune]' a setting. Empty without a closest event, and when the key is the same. */
    different: string[];
  }[];
}

/** communication.json: what passes over collectives decided and measured, and what ranks told each other. Estimates of run times are in the runtime table, graphs in the graph table. A text of more than 20,000 characters is cut and ends in '…'. */
export interface Communication {
  /** One row per report in words. */
  reports: {
    /** The event whose payload is the report. */
    event_index: number;
    /** Row of the compile table. */
    compile_index: number;
    /** Name of the artifact. */
    name: string;
    /** Lines of the report. */
    line_count: number;
    /** Values that the report names ('group_size=2', 'source: state'), as text; at most 500. */
    values: Record<string, string>;
    /** Kind of collective -> how many there were before and after ('all_gather 4->1'). */
    changes: Record<string, number[]>;
    /** Beginning of the report, at most 2,000 characters. */
    text: string;
  }[];
  /** One row per fx_bucketing_passes_… artifact. */
  buckets: {
    /** The event. */
    event_index: number;
    /** Row of the compile table. */
    compile_index: number;
    /** Name of the artifact. */
    name: string;
    /** Nodes that were put together, a list for each bucket; at most 20,000 nodes. */
    buckets: string[][];
  }[];
  /** One row per pre_bucketing_collective_sizes… artifact. */
  sizes: {
    /** The event. */
    event_index: number;
    /** Row of the compile table. */
    compile_index: number;
    /** Name of the artifact. */
    name: string;
    /** The collectives; at most 20,000. */
    collectives: {
      /** Name of the node. */
      name: string | null;
      /** AG, RS, AR: all-gather, reduce-scatter, all-reduce. */
      type: string | null;
      /** Size in megabytes. */
      size_mb: number | null;
    }[];
  }[];
}

/** compiles.json: one row per compile id and occurrence, in order of first appearance in the log. A record without a compile id belongs to the row whose id is null; that row exists only if there are such records. */
export interface Compiles {
  /** The rows. compile_index, anywhere in a log, is a position in this array. */
  compiles: {
    /** Unique in the log: the id, for the second occurrence '@2' behind it, for the third '@3'; '-' for the row without an id. */
    key: string;
    /** Compile id as torch writes it: 'frame/compile', '_attempt' added when above 0, '!N/' in front for compiled autograd, '!N' alone while compiled autograd captures, '-' for a number that the record lacks; null for the records without an id. */
    id: string | null;
    /** 1 for the first compile with this id; torch._dynamo.reset() restarts the numbering, so that an id can come again with 2, 3 and so on. */
    occurrence: number;
    /** Part of the id, or null. */
    compiled_autograd_id: number | null;
    /** Part of the id: number of the code object, or null. */
    frame_id: number | null;
    /** Part of the id: how many compiles of that code object came before, or null. */
    frame_compile_id: number | null;
    /** Part of the id: 0, or how often this compile was restarted before. */
    attempt: number;
    /** Of the frame compile, the same for all its attempts; the first that fits: 'missing' started but left no compilation metrics (killed, cut off, or loaded from a precompiled package); 'error' failed; 'empty' compiled to a graph without operations; 'break' a graph break was recorded, or the compile was restarted, as it is after most graph breaks; 'ok'. null: neither started nor measured under this id. */
    status: "ok" | "empty" | "break" | "error" | "missing" | null;
    /** Name of the compiled function, from the metrics, the last frame of the stack, or an earlier compile with the same frame id; null when unknown. */
    function: string | null;
    /** File of that function, as written; null when unknown. */
    filename: string | null;
    /** First line of that function; null when unknown. */
    first_line: number | null;
    /** Row of the stack table: who called the compiled function, and last the function itself. Frames of torch's own frame conversion at the end are left off. null when the compile has no dynamo_start. */
    stack_index: number | null;
    /** Start of the compile, microseconds since 1970-01-01 UTC, from the metrics, else from the 'dynamo' span of the timeline; null when unknown. */
    start_epoch_us: number | null;
    /** Time of the whole frame compile in microseconds (all attempts, Dynamo and below), from metrics, span 'dynamo' or what a failure wasted; null when unknown. All attempts of one frame compile have the same value: count it once. */
    compile_time_us: number | null;
    /** Part of compile_time_us spent in the backend (AOTAutograd and below); null when unknown. */
    backend_time_us: number | null;
    /** Part of backend_time_us spent in Inductor; null when unknown. */
    inductor_time_us: number | null;
    /** Time of backward compiles that ran later (bwd_compilation_metrics), not part of compile_time_us; null when there was none. */
    backward_time_us: number | null;
    /** Operations in the last graph; null when unknown. */
    graph_op_count: number | null;
    /** Nodes in the last graph; null when unknown. */
    graph_node_count: number | null;
    /** Inputs of the last graph; null when unknown. */
    graph_input_count: number | null;
    /** Guards by torch's own count; null when unknown, as after a failure. */
    guard_count: number | null;
    /** Number of dynamo_graph_break_reason artifacts of this row. */
    graph_break_count: number;
    /** Why it was compiled again: the text torch wrote (metrics, else the recompile_reasons artifact); null when it was not a recompile. */
    recompile_reason: string | null;
    /** Why attempts were started again, from the metrics; empty when there was no restart. */
    restart_reasons: string[];
    /** The failure that the metrics report, or null. */
    failure: {
      /** Exception type. */
      type: string;
      /** Message; null when torch wrote none. */
      reason: string | null;
      /** User's file where it happened; null when unknown. */
      filename: string | null;
      /** Line in that file; null when unknown. */
      line: number | null;
    } | null;
    /** Event whose metadata is the compilation metrics of this frame compile, or null. */
    metrics_event_index: number | null;
    /** Number of events of this row. */
    event_count: number;
    /** Its first event. */
    first_event_index: number;
    /** Bytes that its records take in the log. */
    size_bytes: number;
    /** Number of its rows in the artifact table. */
    artifact_count: number;
  }[];
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
  /** Rank in the record; null when it has none. */
  rank: number | null;
  /** Line of the record in the log, counted from 1. */
  line: number;
  /** Where the record starts in the (uncompressed) log, in bytes. */
  byte_offset: number;
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

/** export.json: calls of torch.export and torch.export.draft_export; torch writes them only with TORCH_DTRACE. */
export interface Export {
  /** One row for each call that started, and for each program without a start, in the order of the log. A program belongs to the newest call that has none yet. */
  exports: {
    /** The event 'export', or null: draft_export writes a log of its own, without a start. */
    start_event_index: number | null;
    /** The event 'exported_program', whose payload is the program; null when there came none: the export failed, or the log ends. */
    program_event_index: number | null;
    /** Row of the compile table: of the start, else of the program. */
    compile_index: number;
  }[];
  /** What stands in the way of an export, in the order of the log. In a log without exports a guard_evaluated is an ordinary guard. */
  failures: {
    /** 'missing_fake_kernel': an operator cannot be traced, as it has no fake kernel; 'mismatched_fake_kernel': its fake kernel disagrees with the real one; 'data_dependent_error': a condition depends on data; with a result, the data of the example inputs decided it (draft_export), without one the export ended there; 'guard_evaluated': a condition on symbols was decided, which may narrow the dynamic shapes that were asked for. */
    kind: "missing_fake_kernel" | "mismatched_fake_kernel" | "data_dependent_error" | "guard_evaluated";
    /** The event: missing_fake_kernel, mismatched_fake_kernel, propagate_real_tensors_provenance, guard_on_data_dependent_error, or guard_added with the prefix 'eval'. */
    event_index: number;
    /** Row of the compile table. */
    compile_index: number;
    /** The condition, or null. This and the other texts end in '…' where they were cut after 2,000 characters. */
    expr: string | null;
    /** What the condition was decided to be, such as 'False', or null. */
    result: string | null;
    /** The operator, such as 'mylib.my_op.default', or null. */
    op: string | null;
    /** How the fake kernel differs, or null. */
    reason: string | null;
    /** Row of the stack table: torch's stack, or null. */
    stack_index: number | null;
    /** Row of the stack table: the user's code, or null. */
    user_stack_index: number | null;
    /** Event that made the condition, as in event_index of the expressions table; null when the log does not have it. */
    expression_event_index: number | null;
    /** Text of the source lines, or null. */
    loc: string | null;
    /** Local variables in those lines: one text for each leaf of a variable's value, null for a leaf that is neither a tensor nor symbolic. At most 200 variables of at most 200 leaves. */
    locals: Record<string, (string | null)[]>;
    /** Source of each symbol that has one, as a Python expression. */
    symbol_sources: Record<string, string | null>;
  }[];
}

/** expressions.json: the nodes of symbolic expressions, in the order in which torch made them; it writes them only with TORCH_DTRACE. The part expressions is made of columns of equal length: row i is made of element i of each. */
export interface Expressions {
  /** Distinct texts. A text of more than 2,000 characters is cut and ends in '…'; the whole is in the metadata of its event. */
  strings: string[];
  /** The nodes. An unbacked symbol is a row too, a leaf. Arguments point to earlier rows only. */
  expressions: {
    /** The event: expression_created or create_unbacked_symbol. Increases from row to row; expression_event_index of other tables is a value of this column. */
    event_index: number[];
    /** Row of the compile table; an attempt has its own. */
    compile_index: number[];
    /** Index into strings: the operation, such as 'add' or 'gt'; -1 for an unbacked symbol. */
    method: number[];
    /** Index into strings: the expression, or the name of the unbacked symbol; -1 when the record lacks it. */
    result: number[];
    /** Indexes into strings: the arguments, constants included. At most 100. */
    arguments: number[][];
    /** Rows of this part: the nodes of the arguments, in their order; -1 for a node that the log does not define (a backed symbol). Constants are left out, so this can be shorter than arguments. torch names nodes by an address that later nodes can get again; what is meant is the newest node that was made before. */
    argument_rows: number[][];
    /** Row of the stack table: torch's stack; -1 when torch wrote none. */
    stack_index: number[];
    /** Row of the stack table: the user's code that was traced; -1 when torch wrote none. */
    user_stack_index: number[];
  };
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

/** findings.json: what the log says, as data: what went wrong, where, what it cost, what may help. Most important first: errors, beginning with the one that ended the program; then functions at the recompile limit; then by cost. At most 300; a last one tells of the others. Every finding names the rows that show it. */
export interface Findings {
  /** The numbers of the headline and the headline itself, as in the manifest. */
  summary: {
    /** The headline: what was compiled, in what time, and what went wrong. Plain text, code in backticks. */
    text: string;
    /** Compiles: frame_count, ahead_of_time_count and export_count together. */
    compile_count: number;
    /** Frames of functions that torch began to compile. Attempts of one compile count once; tries that the recompile limit refused or error_on_recompile forbade, captures of compiled autograd, and records without a function do not count. */
    frame_count: number;
    /** Compiles by AOTInductor (spans 'compile_fx_aot' that lie in no other), and captures ('fullgraph_capture') in which a backend compiled, as vLLM does ahead of time. */
    ahead_of_time_count: number;
    /** Calls of torch.export, known from their records (with TORCH_DTRACE), or from spans ('fullgraph_capture' without a backend) and failures: without TORCH_DTRACE torch does not log a non-strict export that succeeds. */
    export_count: number;
    /** Functions of the program among the frames; a resumed part belongs to its function, and code that torch generates does not count. */
    function_count: number;
    /** Time of compiling, forward and backward, each attempt once, no overlap twice, in microseconds: the outermost spans of compiles in the timeline; where there are none, the sum of the metrics. A compile that did not end counts up to the last record. null when unknown. */
    compile_time_us: number | null;
    /** From the first to the last moment of compiling, in microseconds; null when the log has no timeline. */
    wall_us: number | null;
    /** Failures: the sum of 'count' of the findings of kind 'failure'. What is nested in a failed compile or export belongs to that failure; what a graph break or the recompile limit is about is not counted. null: this torch does not log failures. */
    failure_count: number | null;
    /** Compiles that were open when the log ended, or that were broken off (Ctrl-C, sys.exit). */
    unfinished_count: number;
    /** Graph breaks: how often. null when this torch does not write them. */
    graph_break_count: number | null;
    /** Graph breaks: at how many places (file and line). null when this torch does not write them. */
    graph_break_place_count: number | null;
    /** Attempts that were started again where no graph break tells why. */
    restart_count: number;
    /** Frames that were compiled again because guards failed; tries that the limit refused do not count. null when this torch does not write why it compiles again. */
    recompile_count: number | null;
    /** Functions that reached the recompile limit. null when this torch does not write it. */
    recompile_limit_count: number | null;
    /** Sizes of functions of the program that became constants. */
    specialization_count: number;
    /** What stood in the way of an export: the sum of 'count' of the findings of kind 'export-failure'. Exports that an exception ended are among the failures. */
    export_failure_count: number;
    /** Conditions that an export took for granted. */
    export_assumption_count: number;
    /** Graphs that run without CUDA graphs although they were asked for. */
    cudagraph_skip_count: number;
    /** When the first record was written, in microseconds since 1970-01-01 UTC; null when the log does not tell the year. */
    start_epoch_us?: number | null;
    /** Time of compiling frames by phase, in microseconds, from the metrics: all attempts, forward and backward. null when a frame has no metrics, or there is no frame. */
    phase_times_us?: {
      /** In Dynamo: compile_time_us without backend_time_us of the compile table. */
      dynamo: number;
      /** In AOTAutograd and another backend: backend_time_us without inductor_time_us. */
      aot: number;
      /** In Inductor. */
      inductor: number;
      /** Backward graphs that were compiled later, in all phases. */
      backward: number;
    } | null;
    /** What came of asking the compile caches, by cache; a cache that was not asked is left out. Each asking counts; hits of the AOTAutograd cache have hits of the FX graph cache inside. */
    cache_counts?: Record<string, {
      /** Found. */
      hit: number;
      /** Not found. */
      miss: number;
      /** Could not be asked. */
      bypass: number;
    }>;
    /** What the torch that wrote the log does not write, so that an empty list of it means nothing (docs/versions.md). */
    untold?: ("failures" | "graph_breaks" | "function_names" | "times" | "recompile_reasons" | "timeline" | "caches" | "symbols")[];
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
  /** The findings. */
  findings: {
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
    /** Rows of the compile table that it is about; at most 1000. */
    compile_indexes: number[];
    /** Events that show it; at most 1000. */
    event_indexes: number[];
    /** Rows of the span table that show it; at most 1000. */
    span_indexes: number[];
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
    /** Position of the finding that caused this one, or null. */
    because_of: number | null;
    /** What the sentences are made of; by kind, as $defs/details has it. */
    details: Record<string, unknown>;
  }[];
}

/** graph_breaks.json: the graph breaks (dynamo_graph_break_reason), each once. Records with equal reason, file, line and gb_id are occurrences of one break: a compile of a resume function, a recompile, an inlined function that is compiled on its own later. Texts of more than 20,000 characters are cut and end in '…'; the payload of the event is whole. */
export interface GraphBreaks {
  /** The breaks, in order of first occurrence. Their cells are those of the first occurrence. */
  graph_breaks: {
    /** What Dynamo could not do: torch's name for this type of graph break where it has one, else the text of the reason. */
    reason: string;
    /** What Dynamo was doing, where torch writes that above the reason ('Encountered graph break when attempting to trace CALL …'); else null. */
    situation: string | null;
    /** The higher-order operator whose body broke, or null. */
    higher_order_operator: string | null;
    /** torch's explanation; null when it wrote none. It can hold addresses, which differ between processes. */
    explanation: string | null;
    /** torch's hints, in its order; at most 100. */
    hints: string[];
    /** What torch calls the developer debug context, or null. */
    debug_context: string | null;
    /** Number of the type in torch's registry of graph breaks, as 'GB0059'; null when the text has no link. */
    gb_id: string | null;
    /** Page about this type of graph break, or null. */
    link: string | null;
    /** Further breaks that occurred while this one was handled, in order; usually empty. */
    followed_by: {
      /** What Dynamo could not do: torch's name for this type of graph break where it has one, else the text of the reason. */
      reason: string;
      /** What Dynamo was doing, where torch writes that above the reason ('Encountered graph break when attempting to trace CALL …'); else null. */
      situation: string | null;
      /** The higher-order operator whose body broke, or null. */
      higher_order_operator: string | null;
      /** torch's explanation; null when it wrote none. It can hold addresses, which differ between processes. */
      explanation: string | null;
      /** torch's hints, in its order; at most 100. */
      hints: string[];
      /** What torch calls the developer debug context, or null. */
      debug_context: string | null;
      /** Number of the type in torch's registry of graph breaks, as 'GB0059'; null when the text has no link. */
      gb_id: string | null;
      /** Page about this type of graph break, or null. */
      link: string | null;
    }[];
    /** User's file, as written; null when unknown. */
    file: string | null;
    /** Line in that file; null when unknown. */
    line: number | null;
    /** Function around that line; null when unknown. */
    function: string | null;
    /** Text of that line; null when unknown. */
    source_line: string | null;
    /** The user's stack, outermost frame first, as Python prints it; null when the record has none. */
    user_traceback: string | null;
    /** The whole text, when it has none of the forms that are known; then its first line is the reason. Else null. */
    text: string | null;
    /** The records of this break, in file order. */
    occurrences: {
      /** The record. */
      event_index: number;
      /** Its compile. After a break Dynamo starts the compile again: the row of the next attempt has the graph. */
      compile_index: number;
      /** true: no graph is made of the whole function, it runs uncompiled; false: what stands before the break is compiled; null: the text does not say. */
      skips_frame: boolean | null;
    }[];
  }[];
}

/** graphs.json: one row per FX graph of the log, in the order torch wrote them: every payload whose language is 'fx'. All of it is counted from the text of the graph; a row without a graph in its text has null counts. A text of more than 20,000 characters is cut and ends in '…'. */
export interface Graphs {
  /** The rows. */
  graphs: {
    /** The event whose payload is the graph; the artifact table has its name and size. */
    event_index: number;
    /** Row of the compile table. */
    compile_index: number;
    /** Part of the compiler that wrote it: 'dynamo' as Dynamo captured it; 'compiled_autograd'; 'ddp_split' by DDPOptimizer; 'export'; 'aot_joint', 'aot_forward', 'aot_backward', 'aot_inference', 'aot_quantization' of AOTAutograd; 'pre_grad', 'joint', 'post_grad' around or between those passes of Inductor; 'communication' around a pass over collectives; 'other'. */
    stage: "dynamo" | "compiled_autograd" | "ddp_split" | "export" | "aot_joint" | "aot_forward" | "aot_backward" | "aot_inference" | "aot_quantization" | "pre_grad" | "joint" | "post_grad" | "communication" | "other";
    /** Whether it shows the graph before or after the passes that its name tells; null when the name does not say. */
    position: "before" | "after" | null;
    /** What the graph computes. Where the name does not say, it is told by the names that AOTAutograd gives to inputs: tangents make it a backward, else primals a forward, else it is an inference graph. null before AOTAutograd. */
    direction: "joint" | "forward" | "backward" | "inference" | null;
    /** The 'subgraph_name' of the record: the region of the graph that Inductor compiles for itself, or null. */
    subgraph_name: string | null;
    /** Name of the outermost class in the text, or 'graph' for a graph written as a list of nodes; null when there is no graph in the text. */
    class_name: string | null;
    /** Number behind '# graph id:', by which the graphs before and after the pre-grad passes belong together; as text, since it is an address. null without one. */
    graph_id: string | null;
    /** Nodes of the outermost graph: inputs, calls, attributes, and one for its output. */
    node_count: number | null;
    /** Inputs of the outermost graph; of a joint graph, the leaves of its input trees. */
    placeholder_count: number | null;
    /** Calls in the outermost graph: operators, functions, methods, modules. A call of a subgraph is one. */
    call_count: number | null;
    /** Attributes that the outermost graph fetches: constants, subgraphs. */
    get_attr_count: number | null;
    /** Values that the outermost graph returns. */
    output_count: number | null;
    /** Operation -> how often it occurs in the whole text, subgraphs included, most frequent first; at most 100. Operators are written as in the text ('torch.ops.aten.mm.default'), Python's as 'operator.add', methods of a value as 'Tensor.sin', called modules as 'self.submod_0', an attribute of a value as 'getattr'. */
    ops: Record<string, number>;
    /** Graphs inside of it, in the order of the text; at most 200. */
    subgraphs: {
      /** Name of its class, by which the graph around it calls it. */
      name: string;
      /** Its inputs. */
      placeholder_count: number;
      /** Its calls. */
      call_count: number;
      /** Values that it returns. */
      output_count: number;
    }[];
  }[];
}

/** guards.json: the guards of each compile: counts, cost, and of each guard its kind, source and place. The text of a guard is a line of the payload. Lists that are equal, as those of one function compiled for other sizes are, are stored once. */
export interface Guards {
  /** The records about guards, in file order. */
  trees: {
    /** The record: dynamo_cpp_guards_str or dynamo_guards. */
    event_index: number;
    /** Its compile. */
    compile_index: number;
    /** 'tree': dynamo_cpp_guards_str; 'list': dynamo_guards, which recent versions of torch write for guards about aliasing only. */
    form: "tree" | "list";
    /** Number of guards. */
    guard_count: number;
    /** Time of one check of all guards in microseconds, as torch measured it; null when it did not. */
    latency_us: number | null;
    /** Row of 'lists'. */
    list_index: number;
  }[];
  /** The distinct lists of guards. */
  lists: {
    /** Its first row in 'guards'. */
    first_guard: number;
    /** Number of its rows there, which follow each other: all its guards, at most 5000. */
    row_count: number;
    /** Number of guard managers: the inner nodes of the tree, one for each object that is looked at. */
    manager_count: number;
    /** Number of guards by kind; empty for the form 'list'. Kinds beyond 256 count as 'OTHER'. */
    counts: Record<string, number>;
  }[];
  /** The guards of the lists, as columns of equal length, in the order of the payload. */
  guards: {
    /** Row of 'kinds'; -1 for the form 'list'. */
    kind_index: number[];
    /** Row of 'sources': the object that the guard manager above it looks at; -1 for none. */
    source_index: number[];
    /** Row of 'places': the user's line that the guard comes from; -1 when unknown. */
    place_index: number[];
    /** Depth in the tree; 0 is the root. */
    depth: number[];
    /** Line of the payload with the guard, counted from 0. */
    payload_line: number[];
  };
  /** Kinds of guards, torch's names: TENSOR_MATCH, TYPE_MATCH and others. */
  kinds: string[];
  /** Sources as torch writes them: L['x'], G['model']._modules and so on. */
  sources: string[];
  /** Places in the user's code, as columns of equal length. */
  places: {
    /** File, which torch shortens to the last parts of its path. */
    file: string[];
    /** Line. */
    line: number[];
    /** Function. */
    function: string[];
  };
}

/** kernels.json: the code that Inductor generated, the kernels in it, and the operations of libraries that it calls. Read from the text of the code, which is never run. A text of more than 20,000 characters is cut and ends in '…'. */
export interface Kernels {
  /** One row per generated code, in log order. code_index is a position in this array. */
  codes: {
    /** The event whose payload is the code. */
    event_index: number;
    /** Row of the compile table. */
    compile_index: number;
    /** 'output': the Python wrapper of inductor_output_code; 'wrapper', 'kernel', 'header': C++ sources of AOTInductor (graph_dump); 'autotuning': code that only times kernels; 'other'. */
    role: "output" | "wrapper" | "kernel" | "header" | "autotuning" | "other";
    /** File that torch wrote the code to; null when it says none. */
    filename: string | null;
    /** The 'subgraph_name' of the record: the region of the graph that Inductor compiles for itself, or null. */
    subgraph_name: string | null;
    /** The 'AOT ID' of the first lines, such as '0_forward': number of the graph and direction; null without one. */
    aot_id: string | null;
    /** Direction in the AOT ID; null without one. */
    direction: "forward" | "backward" | "inference" | null;
    /** Lines of the code. */
    line_count: number;
    /** Its rows in kernels. */
    kernel_count: number;
    /** Whether something was left out because of a limit; the payload of the event has it. */
    cut: boolean;
  }[];
  /** One row per kernel or called operation and code, in order of first appearance. */
  kernels: {
    /** Row of codes. */
    code_index: number;
    /** Name of the kernel; of an operation as the code calls it: 'extern_kernels.mm', 'torch.ops._c10d_functional.all_reduce_.default', 'aoti_torch_cpu_addmm_out'. */
    name: string;
    /** 'triton', 'cpp': a kernel that Inductor generated; 'other': one in another language; 'extern': an operation of a library; 'fallback': an operator called as it is; 'collective': communication between ranks, waiting included. */
    kind: "triton" | "cpp" | "other" | "extern" | "fallback" | "collective";
    /** Line of its definition or declaration, from 1; null for an operation. */
    line: number | null;
    /** Lines that call it; at most 1000. */
    call_lines: number[];
    /** Debug handle of each of these calls, with which provenance records name it ('name:handle'); null without provenance tracking. */
    call_handles: (number | null)[];
    /** Nodes of the graph that became it, from the comments above its definition and its calls; empty when there is no such comment, as for C++ kernels. At most 500. */
    source_nodes: string[];
    /** Operators that these nodes were, from the same comments. */
    aten_ops: string[];
    /** Row of triton_infos with its compile time: the same name, the same compile, the first behind the code; null when there is none. */
    triton_info_index: number | null;
  }[];
  /** What triton_kernel_info says of each Triton kernel. */
  triton_infos: {
    /** The event. */
    event_index: number;
    /** Row of the compile table. */
    compile_index: number;
    /** Name of the kernel. */
    name: string;
    /** Time to compile it, in microseconds. */
    compile_time_us: number | null;
    /** Configurations that autotuning chooses from. */
    config_count: number | null;
    /** Whether the choice was in the autotuning cache: 'hit', 'miss' …, as torch writes it. */
    autotune_cache_state: string | null;
  }[];
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
  /** Path of each table, relative to manifest.json. The key is the name of its schema. More tables may be added; a reader ignores those that it does not know. */
  tables: {
    /** Path of the compile table. */
    compiles: string;
    [other: string]: string;
  };
  /** The tables of rows by name, which is that of their schema: JSON Lines, a row on each line. A table without rows is not listed. */
  row_tables: Record<string, {
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
  /** Places in the source of torch (or of another library) that wrote records. `origin` of the events is path and line. */
  origins: {
    /** Level letter of the record prefix; torch writes V. */
    level: string;
    /** Source file of the logging call, as written. */
    path: string;
    /** Line in that file, counted from 1. */
    line: number;
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
    /** Number of rows of the compile table with an id (the row of the records without an id is not counted). */
    compile_count: number;
    /** How many rows of the compile table have each status; every attempt is a row. Statuses that do not occur are left out. */
    statuses: Record<string, number>;
    /** Sum of the compile times of all compiles, in microseconds, each frame compile counted once. */
    compile_time_us: number;
    /** How many occurrences each diagnostic code has in this log. Codes that do not occur are left out. */
    diagnostics: Record<string, number>;
    /** The numbers of the headline, and as text the headline itself; not in bundles before 1.2. A number that the log cannot tell is null; the schema defines each. */
    summary?: {
      /** The headline: what was compiled, in what time, and what went wrong. Plain text, code in backticks. */
      text: string;
      /** Compiles: frame_count, ahead_of_time_count and export_count together. */
      compile_count: number;
      /** Frames of functions that torch began to compile. Attempts of one compile count once; tries that the recompile limit refused or error_on_recompile forbade, captures of compiled autograd, and records without a function do not count. */
      frame_count: number;
      /** Compiles by AOTInductor (spans 'compile_fx_aot' that lie in no other), and captures ('fullgraph_capture') in which a backend compiled, as vLLM does ahead of time. */
      ahead_of_time_count: number;
      /** Calls of torch.export, as records (TORCH_DTRACE) or spans ('fullgraph_capture' without a backend) tell of them. */
      export_count: number;
      /** Functions of the program among the frames; a resumed part belongs to its function, and code that torch generates does not count. */
      function_count: number;
      /** Time of compiling, forward and backward, each attempt once, no overlap twice, in microseconds: the outermost spans of compiles in the timeline; where there are none, the sum of the metrics. A compile that did not end counts up to the last record. null when unknown. */
      compile_time_us: number | null;
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
      start_epoch_us?: number | null;
      /** Time of compiling frames by phase, in microseconds, from the metrics: all attempts, forward and backward. null when a frame has no metrics, or there is no frame. */
      phase_times_us?: {
        /** In Dynamo: compile_time_us without backend_time_us of the compile table. */
        dynamo: number;
        /** In AOTAutograd and another backend: backend_time_us without inductor_time_us. */
        aot: number;
        /** In Inductor. */
        inductor: number;
        /** Backward graphs that were compiled later, in all phases. */
        backward: number;
      } | null;
      /** What came of asking the compile caches, by cache; a cache that was not asked is left out. Each asking counts; hits of the AOTAutograd cache have hits of the FX graph cache inside. */
      cache_counts?: Record<string, {
        /** Found. */
        hit: number;
        /** Not found. */
        miss: number;
        /** Could not be asked. */
        bypass: number;
      }>;
      /** What the torch that wrote the log does not write, so that an empty list of it means nothing (docs/versions.md). */
      untold?: ("failures" | "graph_breaks" | "function_names" | "times" | "recompile_reasons" | "timeline" | "caches" | "symbols")[];
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
  /** Path of what several ranks together say, by the name of the analysis; the schema of 'findings' is ranks_findings. Only in bundles with logs of two or more ranks. More analyses may be added; a reader ignores those that it does not know. */
  ranks?: Record<string, string>;
  /** Faults of the comparison of ranks: messages by code. */
  diagnostics?: Record<string, string[]>;
  /** Only in a bundle made to be shared: see docs/share.md. */
  redacted?: {
    /** Its name, or null. */
    preset: string | null;
    /** What is not in it, in the words of `redact --drop`. */
    dropped: string[];
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
        /** The compile that it belongs to, as in the compile table. */
        compile_id: string | null;
      } | null;
      /** Compiles that are open now, in the order in which they began. */
      running: {
        /** Row of the compile table. */
        compile_index: number;
        /** Its id; null for records without one. */
        compile_id: string | null;
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

/** metrics.json: every field of the compilation metrics, one row per record, in the order of the log. torch writes a record for each frame compile (not for each attempt), for a backward that is compiled later, and for work at run time. */
export interface Metrics {
  /** The records. */
  metrics: {
    /** The event; its metadata is the record as torch wrote it. */
    event_index: number;
    /** Row of the compile table. Records of run time belong to attempt 0. */
    compile_index: number;
    /** Type of the event: what the record measures. */
    type: "compilation_metrics" | "bwd_compilation_metrics" | "compilation_metrics_runtime" | "bwd_compilation_metrics_runtime" | "aot_autograd_backward_compilation_metrics";
    /** The fields by torch's names, those of other releases included; a field that is null is left out. 'fields' says what they mean. graph_node_shapes and triton_kernel_compile_times_us, Python and JSON in a string, are parsed where that is possible; sizes that are no number stay text (s77). Integers that JavaScript cannot hold are text. */
    values: Record<string, unknown>;
    /** The fields whose names end in _config: position in 'configs' of the table, or null when the log has too many different ones. */
    configs: Record<string, number | null>;
    /** Names of the values that were too long and of which only the first part, some 20,000 characters, is here. */
    cut: string[];
  }[];
  /** The different configurations, in order of first appearance, at most 1000. They are nearly always equal, so that only the first of a field is here in full. */
  configs: {
    /** Name of the field: dynamo_config, inductor_config …. */
    field: string;
    /** First event with it. */
    event_index: number;
    /** Number of records with it. */
    record_count: number;
    /** The first configuration of the same field, from which this one differs; null when it is the first. */
    base_index: number | null;
    /** All settings, when base_index is null; else null. Integers that JavaScript cannot hold are text, and so are NaN and infinities. */
    value: Record<string, unknown> | null;
    /** Settings that differ from those of the base, or that it lacks. */
    changes: Record<string, unknown>;
    /** Settings of the base that this configuration lacks. */
    removed: string[];
    /** What torch wrote, when it is no JSON object (a sentence, when a setting cannot be written as JSON); cut behind 20,000 characters. Else null; when it is not, value is null. */
    text: string | null;
  }[];
  /** What the fields in this log mean: those that this version of the tool knows in a fixed order, then the others in order of appearance. A field that is null in every record is left out. */
  fields: {
    /** Key in 'values' or 'configs' of the records. */
    name: string;
    /** Unit of the numbers; epoch_s and epoch_us are moments, since 1970-01-01 UTC. null for what is no quantity, and for unknown fields. */
    unit: "s" | "ms" | "us" | "epoch_s" | "epoch_us" | "bytes" | "count" | null;
    /** What the field is about; unknown fields are 'other'. */
    group: "frame" | "time" | "counts" | "cache" | "failure" | "config" | "environment" | "other";
    /** One sentence in English; null for unknown fields. */
    meaning: string | null;
  }[];
}

/** partition.json: what AOTAutograd found and decided about a graph: which values are saved for the backward and which are computed again, which inputs are changed, which outputs share memory. A text of more than 20,000 characters is cut and ends in '…'. */
export interface Partition {
  /** One row per min_cut_information (AOT_PARTITIONER_DEBUG=1 and a memory budget below 1). */
  min_cuts: {
    /** The event. */
    event_index: number;
    /** Row of the compile table. */
    compile_index: number;
    /** Nodes of the joint graph. */
    node_count: number | null;
    /** Edges of the joint graph. */
    edge_count: number | null;
    /** Part of the memory for activations that may be used, 0 to 1. */
    memory_budget: number | null;
    /** Run time of what is computed again, as the partitioner estimates it (a number without unit). */
    expected_runtime: number | null;
    /** Size of the activations when as much as possible is computed again, in gigabytes. */
    min_activation_gb: number | null;
    /** Size of the activations when nothing is computed again, in gigabytes. */
    max_activation_gb: number | null;
    /** Size of what is saved, in gigabytes. */
    saved_activation_gb: number | null;
    /** Memory of more aggressive recomputation in relation to the default. */
    more_aggressive_ratio: number | null;
    /** Memory of aggressive recomputation in relation to the default. */
    aggressive_recomputation_ratio: number | null;
    /** Nodes that could be saved or computed again; at most 5,000. */
    candidates: {
      /** Name of the node. */
      node: string;
      /** Its operator. */
      target: string | null;
      /** Memory it takes when saved. */
      memory_bytes: number | null;
      /** Estimated run time to compute it again (without unit). */
      runtime: number | null;
      /** Whether it is saved; null when it is not said. */
      saved: boolean | null;
      /** Whether it is computed again; null when it is not said. */
      recomputed: boolean | null;
    }[];
    /** Names of all values that are saved for the backward, inputs included; at most 5,000. */
    saved_values: string[];
  }[];
  /** One row per min_cut_failed_… artifact: state of a partitioner that found no cut. */
  failed_min_cuts: {
    /** The event. */
    event_index: number;
    /** Row of the compile table. */
    compile_index: number;
    /** What the payload is: 'fx_graph', 'edge_list', 'svg'. */
    what: string;
    /** Its lines. */
    line_count: number;
  }[];
  /** One row per aot_joint_graph_sync_decision_cross_ranks: the ranks took the partition of one of them. */
  rank_decisions: {
    /** The event. */
    event_index: number;
    /** Row of the compile table. */
    compile_index: number;
    /** The rank whose partition was taken; null when the payload does not say. */
    picked_rank: number | null;
    /** What this rank would have saved; at most 5,000. */
    saved: {
      /** Name of the node. */
      node: string;
      /** Its size in bytes. */
      size_bytes: number;
    }[];
    /** Their total size in bytes, as torch writes it. */
    total_size_bytes: number | null;
  }[];
  /** One row per aot_forward_graph_fw_metadata and …_fw_subclass_metadata, counted from their text. */
  aliasing: {
    /** The event. */
    event_index: number;
    /** Row of the compile table. */
    compile_index: number;
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
    /** Values inside of the graph that several outputs are views of. */
    intermediate_base_count: number | null;
    /** Symbolic sizes saved for the backward; null without a backward. */
    saved_symint_count: number | null;
    /** Tokens that order side effects in the backward. */
    backward_token_count: number | null;
    /** States of random number generators that are handed in. */
    rng_state_count: number | null;
  }[];
  /** One row per invoke_subgraph_backward_duplicate: a nested region whose backward was compiled again, for other gradients. */
  duplicate_backwards: {
    /** The event. */
    event_index: number;
    /** Row of the compile table. */
    compile_index: number;
    /** Name of the region's forward. */
    forward_identifier: string | null;
    /** Name of its backward. */
    backward_identifier: string | null;
    /** What tells the new variant from the others. */
    variant_suffix: string | null;
    /** Variants of this backward so far. */
    variant_count: number | null;
    /** Name of the new variant. */
    new_backward_identifier: string | null;
    /** The gradients that the new variant is for; what torch does not say is null. */
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
      /** Type of what is no tensor. */
      type: string | null;
    }[];
    /** Torch's explanation. */
    explanation: string | null;
    /** Torch's guess at the cause. */
    common_cause: string | null;
    /** What torch suggests. */
    suggested_action: string | null;
  }[];
}

/** provenance.json: which line of the source, of the pre-grad graph, of the post-grad graph and of the generated code belong together. Empty for a log without provenance tracking (INDUCTOR_PROVENANCE=1). Lines are counted from 1, in the payload of the event that is named beside them. */
export interface Provenance {
  /** Distinct texts. A text of more than 2,000 characters is cut and ends in '…'. */
  strings: string[];
  /** Distinct lines of the source, in columns of equal length, as the log has them: the program itself is not in it. */
  sources: {
    /** Index into strings. */
    file: number[];
    /** Line in the file. */
    line: number[];
    /** Index into strings: the function; -1 when it is not known. */
    function: number[];
    /** Index into strings: the text of the line; -1 when it is not known. */
    code: number[];
  };
  /** Distinct stacks of kernels: rows of sources, outermost caller first. At most the 200 innermost. */
  stacks: number[][];
  /** The graphs that groups refer to, in the order in which they were read. */
  graphs: {
    /** The event whose payload is the text of the graph. */
    event_index: number;
    /** Nodes that compute something: all but inputs and parameters. */
    node_count: number;
    /** Lines of nodes, ascending. The name of the node is what the line begins with. */
    line: number[];
    /** For each of line its row of sources, from the comment above it; -1 when torch knows none. */
    source: number[];
  }[];
  /** One row per compiled graph with provenance, in log order: a forward and its backward are two. Records belong together by their order: a post-grad graph begins a group, code and mapping join it, and the pre-grad graph is the newest one before. */
  groups: {
    /** Row of the compile table. */
    compile_index: number;
    /** The 'subgraph_name' of the records: the region of the graph that Inductor compiles for itself, or null. */
    subgraph_name: string | null;
    /** Number of the group in its compile and subgraph_name, from 1. */
    number: number;
    /** Version of the mapping: 1 names kernels, 2 single calls of them; null without a mapping. */
    version: number | null;
    /** Direction in the 'AOT ID' of the code; null without one, as in C++ code. */
    direction: "forward" | "backward" | "inference" | null;
    /** Language of the code around the kernels; null without code. 'cpp' can be C++ in a Python string. */
    code_language: "python" | "cpp" | null;
    /** Row of graphs: the pre-grad graph. A backward has that of its forward. Null when the log does not tell which one it is. */
    pre_graph_index: number | null;
    /** Row of graphs: the post-grad graph; null when the log has none. */
    post_graph_index: number | null;
    /** The event whose payload is the generated code: inductor_output_code, or the wrapper of AOTInductor; null when the log has none. */
    code_event_index: number | null;
    /** The event inductor_aot_kernel_code: the bodies of the C++ kernels that the wrapper of AOTInductor calls; null when the log has none. */
    bodies_event_index: number | null;
    /** The event inductor_provenance_tracking_node_mappings, or null. */
    mapping_event_index: number | null;
    /** The event inductor_provenance_tracking_kernel_stack_traces, or null. */
    stacks_event_index: number | null;
    /** How many there are, and how many of them have a counterpart. Nodes: those that compute something. */
    coverage: {
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
      /** Rows of kernels. */
      kernel_count: number;
      /** Those with a post-grad node. */
      kernel_in_post_count: number;
      /** Those of them whose nodes are read off the code alone, as of a backward that is compiled later. */
      kernel_from_code_count: number;
      /** Those with a line in the code. */
      kernel_in_code_count: number;
      /** Those with a stack. */
      kernel_with_source_count: number;
    };
    /** Names of post-grad nodes in the mapping of kernels that the text of the graph lacks. */
    unknown_name_count: number;
    /** Pairs of a line of the pre-grad and a line of the post-grad graph that belong together, in columns of equal length, sorted. */
    pre_post: {
      /** Line of the pre-grad graph. */
      pre_line: number[];
      /** Line of the post-grad graph. */
      post_line: number[];
    };
    /** Kernels, in columns of equal length: those that torch names, then those that only the code has. In version 2 a row is one call, in version 1 all calls of the name. */
    kernels: {
      /** Index into strings: the name without handle. */
      name: number[];
      /** Debug handle: the number behind the last colon in 'name:handle'; null in version 1. */
      handle: (number | null)[];
      /** Lines of the post-grad graph whose nodes became it; empty when torch does not say. */
      post_lines: number[][];
      /** Lines of the code that call it; the comment with its handle when no call follows. */
      call_lines: number[][];
      /** First and last line of its own code, if it stands in the same text; null else. */
      definition: (number[] | null)[];
      /** First and last line in the payload of bodies_event_index; null when it is not there. */
      body: (number[] | null)[];
      /** Whether post_lines are read off the code, since torch wrote no map: its comments, and for kernels of a CPU what flows through it. */
      from_code: boolean[];
      /** Rows of stacks: where in the program its nodes come from. */
      stacks: number[][];
    };
  }[];
}

/** ranks/caches.json: what came of asking the compile caches, by rank. Ranks that share a cache directory differ in who missed first; that is no fault, but says who had to wait. */
export interface RanksCaches {
  /** Ranks with the same number of each outcome. */
  totals: {
    /** The ranks. */
    ranks: number[][];
    /** Cache and outcome ('fx_graph hit') -> how often. */
    counts: Record<string, number>;
  }[];
  /** The columns of matching whose outcomes differ between ranks. */
  columns: {
    /** Row of 'columns' of matching. */
    column_index: number;
    /** Ranks with the same outcomes, most ranks first. */
    groups: {
      /** The ranks. */
      ranks: number[][];
      /** Cache and outcome, in order: 'fx_graph miss'. */
      outcomes: string[];
      /** Reasons of bypasses and errors. */
      reasons: string[];
    }[];
  }[];
}

/** ranks/collectives.json: the collectives of compiled code, from inductor_collective_schedule. A compile has a schedule for each graph with collectives: forward, backward, regions. */
export interface RanksCollectives {
  /** Distinct operations, as torch writes them; 'null' is one without a name. */
  ops: string[];
  /** Distinct schedules: positions in ops. */
  sequences: number[][];
  /** The columns of matching with a schedule on any rank. */
  columns: {
    /** Row of 'columns' of matching. */
    column_index: number;
    /** Ranks with the same schedules, most ranks first. A rank whose results came from a cache, or whose log ends before, has no schedule and is in 'without'. */
    groups: {
      /** The ranks. */
      ranks: number[][];
      /** Position in sequences, for each schedule in order. */
      sequences: number[];
      /** Where it begins to differ from the first group; null for the first group. */
      first_difference: {
        /** Which of the schedules of the compile, from 0. */
        schedule: number;
        /** Position in it, from 0. */
        position: number;
        /** Operation there on these ranks; null when the schedule has ended. */
        here: string | null;
        /** Operation there in the first group; null when the schedule has ended. */
        others: string | null;
      } | null;
    }[];
    /** Ranks that compiled this without a schedule for a reason that is no difference: code from a cache, an unfinished compile. */
    without: number[][];
  }[];
  /** Ranks whose schedules in the order of their compiles are the same from begin to end, most ranks first. */
  groups: {
    /** The ranks. */
    ranks: number[][];
    /** Number of operations, waits included. */
    op_count: number;
    /** Operation -> how often it occurs here and in the first group; only where that differs. */
    counts: Record<string, number[]>;
    /** Where it begins to differ from the first group, counted over all schedules; null for the first group. */
    first_difference: {
      /** Position, from 0, over all schedules of the rank. */
      position: number;
      /** Column of the operation on these ranks, else in the first group. */
      column_index: number;
      /** Operation there on these ranks; null when they have no more. */
      here: string | null;
      /** Operation there in the first group; null when it has no more. */
      others: string | null;
    } | null;
  }[];
  /** Compiles whose code does not have the collectives of the schedules, or does not wait for one that it has. */
  parity: {
    /** The ranks. */
    ranks: number[][];
    /** Row of 'columns' of matching. */
    column_index: number;
    /** Key of the compile, on the lowest of the ranks. */
    compile_key: string;
    /** Kind of collective. */
    op: string;
    /** How many the schedules have. */
    scheduled: number;
    /** How many the generated code calls. */
    in_code: number;
    /** Calls in the code, of any kind, less the waits in it; 0 when all are waited for. */
    missing_waits: number;
  }[];
}

/** ranks/execution.json: in which order the ranks ran their compiled graphs (artifact graph_execution). */
export interface RanksExecution {
  /** Distinct things that ran. */
  steps: {
    /** Row of 'columns' of matching, or null. */
    column_index: number | null;
    /** Compile id as the record has it, on the lowest rank that ran it; null for a graph that was compiled before recording began. */
    compile_id: string | null;
  }[];
  /** Ranks with the same order, most ranks first. */
  groups: {
    /** The ranks. */
    ranks: number[][];
    /** Positions in steps, in order. */
    steps: number[];
    /** Where the order begins to differ from that of the first group; null for the first group. */
    first_difference: {
      /** Position, from 0. */
      position: number;
      /** Position in steps of what ran here; null when these ranks stopped before. */
      here: number | null;
      /** Position in steps of what ran in the first group; null when it stopped before. */
      others: number | null;
    } | null;
  }[];
  /** Positions at which ranks ran the same or other graphs with other collectives, or with other outcomes of the caches; at most 1,000. */
  mismatches: {
    /** Position in the order, from 0. */
    position: number;
    /** What differs. */
    kind: "schedule" | "cache";
    /** The ranks, those that are alike together; most ranks first. */
    groups: {
      /** The ranks. */
      ranks: number[][];
      /** Position in steps. */
      step: number;
      /** Collectives, or outcomes of the caches, separated by ', '; empty for none. */
      value: string;
    }[];
  }[];
  /** Ranks that ran compiled code (have a compile) and have no such record, while others have; empty when none has one. */
  without: number[][];
}

/** ranks/findings.json: what the ranks of a job say together, most important first: rows as in findings, with ranks. What would do most to the job (hang, wrong results, slow, different) comes first, then by position. */
export interface RanksFindings {
  /** The headline and its numbers. */
  summary: {
    /** The headline: what keeps the job from going on, or that the ranks agree. Plain text, code in backticks. */
    text: string;
    /** The ranks that were compared. */
    ranks: number[][];
    /** Ranks that no finding is about, other than that they were slow or left more logs. */
    agreeing: number[][];
    /** Number of ranks of the job, as calls of collectives or estimates tell it; null when nothing does: then no rank is known to be missing behind the highest. */
    world_size: number | null;
    /** Ranks without a log, as far as is known. */
    missing: number[][];
    /** Order of the collectives that compiled code calls, in each process group: 'agrees' on all ranks; 'differs'; 'unknown': not all logs tell; 'none': there are none. */
    collective_order: "agrees" | "differs" | "unknown" | "none";
    /** Number of the run that is compared, from 1. */
    run: number;
    /** Runs that the logs with a rank are of, in the order of their start. A run has each rank once. */
    runs: {
      /** Its ranks. */
      ranks: number[][];
      /** Its logs. */
      log_ids: string[];
      /** First record, microseconds since 1970-01-01 UTC, or null. */
      start_epoch_us: number | null;
      /** As above. */
      world_size: number | null;
      /** Versions of torch. */
      torch_versions: string[];
      /** Whether it is the run that is compared, or another attempt of the same job. */
      attempt: boolean;
    }[];
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
  /** The findings, at most 300. */
  findings: {
    /** What it is about. The job cannot go on: collective-mismatch (calls that cannot meet; 'effect' wrong: they meet, with wrong results), failed-everywhere, failure, unfinished-compile (the ranks are inside of it), never-began (they lack a compile that others have; 'call': a collective that those wait in), missing-rank, empty-log, cut-log, collective-waits (others call what these do not), group-differs, equal-logs. Wrong results: missing-wait, collective-parity, mixed-versions, rank-differs. Slow: straggler, late-start, cached-before. Ranks are not the same: graph-break, restart, recompile, guard (on these ranks only or, with 'lacking', on the others only), compile-order, extra-compile, missing-compile, graph, execution-order, collectives, tensors. Notes: other-run, no-rank (logs that are not compared), stages (ranks that compiled nothing in common). */
    kind: string;
    /** As in findings. */
    fingerprint: string;
    /** 'error': the job cannot go well with it; 'warning': a difference that need not be one; 'info': costs time, or is worth knowing. */
    severity: "error" | "warning" | "info";
    /** One sentence, on one line. Plain text, code in backticks. */
    title: string;
    /** More of it, as in findings; may be empty. */
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
    /** Log that the indexes refer to: of the lowest of the ranks; null without one. */
    log_id: string | null;
    /** As in findings. */
    compile_indexes: number[];
    /** As in findings. */
    event_indexes: number[];
    /** As in findings. */
    span_indexes: number[];
    /** As in findings. */
    count: number;
    /** As in findings. */
    cost_us: number | null;
    /** As in findings. */
    cost_of: string | null;
    /** As in findings. */
    remedies: {
      /** What to do, in words. */
      text: string;
      /** What to paste, or null. */
      code: string | null;
      /** Who says so: 'torch' is its own hint, word for word. */
      source: "torch" | "tlparse-bundle";
    }[];
    /** As in findings. */
    because_of: number | null;
    /** Row of 'columns' of matching, or null. */
    column_index: number | null;
    /** Key of the compile on the lowest of the ranks; null without one. */
    compile_key: string | null;
    /** The same on the lowest of the others. */
    others_compile_key: string | null;
    /** Where the numbers come from. */
    evidence: {
      /** Name of the analysis. */
      analysis: string;
      /** JSON pointer into it. */
      path: string;
    };
    /** What the sentences are made of, by kind; see the analysis that 'evidence' names. */
    details: Record<string, unknown>;
  }[];
}

/** ranks/graphs.json: which compiles are identical across ranks, and where in the compiler the others begin to differ. Compared is the text of graphs and code without what always differs: the number of the rank's own device, graph ids, addresses, paths of cache files. */
export interface RanksGraphs {
  /** Parts of the compiler, in order: 'dynamo' the captured graph; 'joint', 'forward', 'backward', 'inference' graphs of AOTAutograd; 'post_grad' graphs of Inductor behind its passes; 'code' generated. */
  stages: string[];
  /** One row for each column of matching. */
  columns: {
    /** Ranks with the same content in all stages, most ranks first. What a rank lacks because of a cache hit counts as the same. */
    groups: {
      /** The ranks. */
      ranks: number[][];
      /** For each stage a number that stands for its content in this column: equal numbers, equal content; 0 is that of the first group that has any; -1: these ranks have none. */
      contents: number[];
      /** First of the stages whose content is another one than that of the first group; null for the first group. */
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
      /** First line of the first differing stage that is another one (a comment only when nothing else differs), when both have that stage; else null. */
      line: {
        /** Name of the artifact. */
        artifact: string;
        /** Line of these ranks, of the first group when they have ended; from 1. */
        number: number;
        /** The line on these ranks, at most 300 characters; null behind the end. */
        here: string | null;
        /** The line in the first group; null behind the end. */
        others: string | null;
      } | null;
    }[];
  }[];
}

/** ranks/health.json: where each rank stands: whose log is missing, cut or silent, who is inside a compile. */
export interface RanksHealth {
  /** Highest rank with a log. */
  highest_rank: number;
  /** Number of ranks, as the logs say it; null when none does. */
  world_size: number | null;
  /** The problems. */
  problems: {
    /** missing: no log of this rank. empty: a log without records. cut: the log ends within a record. unfinished: the ranks are inside a compile. silent: no compile, while others have some. stopped: the log ends before compiles that most ranks made. other_logs: the rank has more logs, which are not compared. equal_logs: equal byte for byte. */
    kind: "missing" | "empty" | "cut" | "unfinished" | "silent" | "stopped" | "other_logs" | "equal_logs";
    /** The ranks. */
    ranks: number[][];
    /** Ids of their logs; of other_logs, of the others. */
    log_ids: string[];
    /** Column that did not end, or the first that is lacking; else null. */
    column_index: number | null;
    /** Key of the unfinished compile; else null. */
    compile_key: string | null;
    /** Of an unfinished compile: name of the last artifact that was written, or null. */
    phase: string | null;
    /** Time of the last record, microseconds since 1970-01-01 UTC (of several ranks the earliest); null when unknown. */
    last_epoch_us: number | null;
    /** The same of the rank that wrote longest; null when unknown. */
    others_last_epoch_us: number | null;
    /** Of an unfinished compile: the innermost open span, or null. */
    span: string | null;
    /** When the unfinished compile began, or null. */
    since_epoch_us: number | null;
    /** Ranks that finished the column. */
    finished: number[][];
    /** Of an unfinished compile: ranks that never began the column. */
    never_began: number[][];
    /** For how long it was open when the log ended, in microseconds (of several ranks the longest); else null. */
    open_us: number | null;
  }[];
}

/** ranks/matching.json: which compiles of different ranks are the same one. They are matched by what was compiled (function, place, order, graph), not by id: one more compile on a rank shifts the ids behind it. The attempts of a frame compile are one. */
export interface RanksMatching {
  /** The logs that are compared, by rank: of each rank the one with most compiles (a restart or a forked child has a log of its own). */
  members: {
    /** Rank. */
    rank: number;
    /** Id of its log. */
    log_id: string;
  }[];
  /** What was compiled, in the order in which most ranks did. column_index, anywhere in ranks/, is a position here. */
  columns: {
    /** Name of the function; null when unknown. */
    function: string | null;
    /** Its file, as most ranks write it; null when unknown. */
    filename: string | null;
    /** Its first line; null when unknown. */
    first_line: number | null;
    /** Which of the columns of this code it is, from 1: above 1 it is a recompile, or the same code after a reset. */
    number: number;
    /** Its compile id on most of the ranks that have it. */
    compile_id: string;
    /** The ranks that compiled it. */
    ranks: number[][];
  }[];
  /** The ranks, those with the same cells together; the group with most ranks first. */
  rows: {
    /** The ranks of this group. */
    ranks: number[][];
    /** For each column the key of the compile (of its last attempt) in the compile tables of these ranks, null where they did not compile it. */
    compile_keys: (string | null)[];
  }[];
  /** For ranks that differ from most others: the first compile at which they do. */
  divergences: {
    /** The ranks. */
    ranks: number[][];
    /** Row of 'columns' of matching. */
    column_index: number;
    /** extra: compiled here, not by most ranks. missing: compiled by most, not here. order: compiled by all, here before or after something else. graph: another graph of Dynamo. */
    kind: "extra" | "missing" | "order" | "graph";
    /** Of the compiles of these ranks it is this one, from 1; of one that is missing, it would have been. */
    number: number;
    /** Whether later compiles have other ids here than on most ranks, though they are the same. */
    shifted: boolean;
  }[];
}

/** ranks/occurrences.json: what happened on some ranks and not on all: graph breaks, recompiles, restarts, guards; and all failures. */
export interface RanksOccurrences {
  /** The rows: first failures, then graph breaks, restarts, recompiles, guards; in each kind in the order of the columns. Guards are compared within a column and a graph only; at most 1,000. */
  occurrences: {
    /** failure: a compile failed. graph_break: Dynamo ended a graph. restart: an attempt was begun again for another reason than a graph break of this list. recompile: a guard failed. guard: a condition of the compiled code. */
    kind: "failure" | "graph_break" | "restart" | "recompile" | "guard";
    /** Row of 'columns' of matching, or null. */
    column_index: number | null;
    /** The ranks where it happened. */
    ranks: number[][];
    /** The ranks that compiled this column too (of a graph break: all other ranks), where it did not. */
    others: number[][];
    /** Key of the compile on these ranks (on the lowest of them); null without one. */
    compile_key: string | null;
    /** What it was: reason of the break and the line of the program, message of the failure, failed guard, guard; at most 2,000 characters. */
    text: string;
    /** Type of the exception, of a failure; torch's number of a graph break (GB0059); else null. */
    type: string | null;
    /** File in which it happened; null when unknown. */
    file: string | null;
    /** Line in that file; null when unknown. */
    line: number | null;
  }[];
}

/** ranks/order.json: in which order ranks call collectives in compiled code, by process group, and the first calls that cannot meet. Where the order in which graphs ran is not recorded, the order is that of the compiles. */
export interface RanksOrder {
  /** One row per process group. */
  groups: {
    /** Its name, or null. */
    group: string | null;
    /** Number of its ranks, or null. */
    size: number | null;
    /** Ranks that call it. */
    ranks: number[][];
    /** Whether the order in which graphs ran is recorded. */
    recorded: boolean;
    /** Ranks whose calls are in part taken to be those of most, since their logs do not tell (cached code). */
    unknown: number[][];
    /** The first calls that do not fit, or null. 'hang': they cannot meet; 'wrong': they meet, with other reductions or types. */
    mismatch: {
      /** Position in the group, from 0. */
      position: number;
      /** What happens. */
      effect: "hang" | "wrong";
      /** Most ranks first. */
      sides: {
        /** Ranks. */
        ranks: number[][];
        /** Row of 'columns' of matching. */
        column_index: number;
        /** Row of 'calls'. */
        call_index: number;
      }[];
    } | null;
    /** Ranks that call nothing more in the group where others do. */
    short: {
      /** These ranks. */
      ranks: number[][];
      /** Ranks that call. */
      others: number[][];
      /** Row of 'columns' of matching. */
      column_index: number;
      /** Row of 'calls'. */
      call_index: number;
      /** Position in the group, from 0. */
      position: number;
    }[];
  }[];
  /** The first call that ranks make in groups of unequal numbers of callers. */
  split: {
    /** Row of 'columns' of matching. */
    column_index: number;
    /** Position in the group, from 0. */
    position: number;
    /** Most ranks first. */
    sides: {
      /** Ranks. */
      ranks: number[][];
      /** Row of 'columns' of matching. */
      column_index: number;
      /** Row of 'calls'. */
      call_index: number;
    }[];
  }[];
  /** What most ranks call in a column, of those with collectives. */
  columns: {
    /** Row of 'columns' of matching. */
    column_index: number;
    /** Rows of 'calls', in order. */
    call_indexes: number[];
  }[];
  /** The calls that are named above. */
  calls: {
    /** Name, such as all_reduce. */
    op: string;
    /** Such as 'sum', or null. */
    reduce_op: string | null;
    /** Name of the process group, '0' for that of all ranks; the same group has the same name on all ranks. null when unknown. */
    group: string | null;
    /** Its number of ranks, where the call tells; else null. */
    group_size: number | null;
    /** Type of the result as torch prints graphs ('f32'), or null. */
    dtype: string | null;
    /** Sizes of the result; a symbol is a string. null when unknown. */
    shape: (number | string)[] | null;
  }[];
}

/** ranks/runtime.json: estimated run times (LOG_TLPARSE=1), compared across the ranks whose graph has the same number of operations. */
export interface RanksRuntime {
  /** One row for each graph of a column with estimates on two or more ranks. */
  graphs: {
    /** Row of 'columns' of matching. */
    column_index: number;
    /** Which of the graphs of the compile, from 0. */
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
    /** Operations whose estimates differ most between these two ranks, at most 10, largest difference first; empty for all but the 100 graphs with the largest difference. */
    ops: {
      /** Position in the graph, from 0. */
      position: number;
      /** Name; null when it has none. */
      name: string | null;
      /** Estimate on the fastest rank, in nanoseconds. */
      fastest_ns: number | null;
      /** Estimate on the slowest rank, in nanoseconds. */
      slowest_ns: number | null;
    }[];
  }[];
  /** Sum of all estimates of a rank. */
  totals: {
    /** Rank. */
    rank: number;
    /** Nanoseconds. */
    total_ns: number;
    /** Graphs with estimates. */
    graph_count: number;
  }[];
}

/** ranks/skew.json: when each rank compiled, on the clocks of their machines, which are taken for equal. The time lost is estimated from lengths, which need no common clock. */
export interface RanksSkew {
  /** The ranks. */
  ranks: {
    /** Rank. */
    rank: number;
    /** Start of its first compile, microseconds since 1970-01-01 UTC; null when unknown. */
    first_start_epoch_us: number | null;
    /** End of its last compile; null when unknown. */
    last_end_epoch_us: number | null;
    /** Sum of its compile times, in microseconds. */
    compile_time_us: number;
    /** By how much it held up the others: over the columns in which it was the slowest, its length less the median length. */
    held_up_us: number;
    /** By how much its first compile began later than that of half of the ranks; negative when earlier; null when unknown. */
    late_us: number | null;
  }[];
  /** One row for each column of matching. */
  columns: {
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
  }[];
  /** For each of 'ranks' the starts of its compiles, a cell for each column, in microseconds since origin_epoch_us; null when unknown. */
  start_offset_us: ((number | null)[])[];
  /** For each of 'ranks' the lengths of its compiles, a cell for each column, in microseconds; null when unknown. */
  length_us: ((number | null)[])[];
  /** Earliest start of a compile, microseconds since 1970-01-01 UTC; null when no log tells. */
  origin_epoch_us: number | null;
  /** Sum of lost_us over all columns: time that every rank waits for the slowest if all wait for one another after each compile. */
  lost_us: number;
}

/** ranks/tensors.json: which operations of compiled code return other tensors on other ranks (inductor_runtime_and_tensor_meta, written with LOG_TLPARSE=1): shapes, strides, data types. Estimated run times and names of operations are no part of it. */
export interface RanksTensors {
  /** The columns of matching in which tensors differ. */
  columns: {
    /** Row of 'columns' of matching. */
    column_index: number;
    /** Ranks with the same tensors, most ranks first. */
    groups: {
      /** The ranks. */
      ranks: number[][];
      /** Operations of the compile. */
      op_count: number;
      /** First operation that differs from the first group; null for the first group, and behind the first 500. */
      first_difference: {
        /** Which of the graphs of the compile, from 0. */
        graph: number;
        /** Position of the operation in it, from 0. */
        position: number;
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
        /** What it returns in the first group. */
        others: {
          /** Sizes. */
          shape: (number | string | null)[] | null;
          /** Strides. */
          stride: (number | string | null)[] | null;
          /** Data type, or null. */
          dtype: string | null;
        }[] | null;
      } | null;
    }[];
  }[];
  /** Ranks that have tensor metadata. */
  compared: number[][];
}

/** ranks/verdict.json: what is wrong, most important first; no statements when the ranks agree. For readers of 1.1; findings says more, in words. */
export interface RanksVerdict {
  /** The ranks that were compared. */
  ranks: number[][];
  /** Ranks that no statement is about. */
  agreeing: number[][];
  /** The statements. */
  statements: {
    /** missing_rank, empty_log, cut_log, silent_rank, stopped_rank, unfinished_compile: problems of health. failure, graph_break, restart, recompile, guard: happened on these ranks only (or, with 'lacking' in details, on the others only). extra_compile, missing_compile, compile_order: other compiles. graph: another content of the column. collectives: other schedules. missing_wait, parity: within a rank. execution_order: graphs ran in another order. tensors: other tensors inside. straggler: these ranks held up the others. late_start: these ranks began later. */
    kind: "missing_rank" | "empty_log" | "cut_log" | "silent_rank" | "stopped_rank" | "unfinished_compile" | "failure" | "graph_break" | "restart" | "recompile" | "guard" | "extra_compile" | "missing_compile" | "compile_order" | "graph" | "collectives" | "missing_wait" | "parity" | "execution_order" | "tensors" | "straggler" | "late_start";
    /** error: the job cannot go well with it (hangs, wrong results). warning: a difference that need not be one. info: costs time. */
    severity: "error" | "warning" | "info";
    /** The ranks that it is about. */
    ranks: number[][];
    /** The ranks that they differ from, or that wait for them. */
    others: number[][];
    /** Row of 'columns' of matching, or null. */
    column_index: number | null;
    /** Key of the compile on the lowest of the ranks; null without one. */
    compile_key: string | null;
    /** Key of the same compile on the lowest of the others; null without one. */
    others_compile_key: string | null;
    /** The compile is this one of the ranks' compiles, from 1; null without one. */
    number: number | null;
    /** Position of the statement that this one follows from, or null: show it below that one. */
    because_of: number | null;
    /** Where the numbers come from. */
    evidence: {
      /** Name of the analysis. */
      analysis: string;
      /** JSON pointer into it. */
      path: string;
    };
    /** What the analysis says, by kind. graph: stage, inputs, line. graph_break, failure, restart, recompile, guard: text, type, file, line, lacking (it did not happen on these ranks, but on the others). collectives: position, here, others, counts, and position_in_compile. execution_order: position, here, here_column, others, others_column (compile ids and columns). tensors: graph, position, name, here, others. straggler: lost_us, slowest_us, median_us, cache (outcomes there, when others had others). late_start: late_us. missing_wait, parity: op, scheduled, in_code, missing_waits. unfinished_compile, stopped_rank, silent_rank, cut_log: phase, last_epoch_us, others_last_epoch_us. compile_order, extra_compile, missing_compile: shifted. group_count: so many groups are told as one, by the first of them. */
    details: Record<string, unknown>;
  }[];
}

/** recompiles.json: compiles of code that had been compiled before, because guards of all earlier results failed. 'recompiles' has each of them, 'frames' the history of each code object, 'causes' groups those recompiles that no other recompile led to. Texts of more than 20,000 characters are cut and end in '…'. */
export interface Recompiles {
  /** The recompiles, in file order. Numbers in caused_by and recompile_indexes are positions in this array. */
  recompiles: {
    /** The compile that became necessary. */
    compile_index: number;
    /** The record that says why: recompile_reasons, else the compilation metrics. */
    event_index: number;
    /** Row of 'frames'; null when the record has no frame id. */
    frame_index: number | null;
    /** Whether the recompile limit refused it: the function runs uncompiled from there on. Such a compile has no dynamo_start. */
    limit: boolean;
    /** The recompile that led to this one, or null. It is an earlier recompile whose call still ran (its callers are the outer part of this one's), of the function that this one resumes, inlined before a graph break, or was called by; and the guards failed for the same sort of change: any change of shape, else equal expected and actual. */
    caused_by: number | null;
    /** Row of 'causes': that of the first recompile in the chain of caused_by. */
    cause_index: number;
    /** One failed guard for each earlier result in the cache, newest first: only together do they make a recompile. When torch logs the reasons in the metrics only, it is the newest alone. At most 1000. */
    reasons: {
      /** Id of the compile whose guard failed, as written; null when the text has none. */
      failed_compile_id: string | null;
      /** That compile: the newest with this id so far; null when the log has none. */
      failed_compile_index: number | null;
      /** The guard that failed, or torch's words about it. */
      guard: string;
      /** What the guard looks at, as written: 'x', "L['x']", 'self.training', "G['mode']", 'grad_mode'; null when not recognised. Newer versions of torch write x for L['x']. */
      source: string | null;
      /** What changed, as far as the text tells. */
      change: {
        /** 'size', 'stride': of one dimension of a tensor; 'rank', 'dtype', 'device' (its index), 'requires_grad', 'dispatch_keys': of a tensor; 'shape': a condition on dynamic sizes; 'value', 'flag' (True or False): of an object; 'type', 'identity': another type, another object; 'length', 'keys': of a container; 'attribute': there or not; 'aliasing': which inputs are, or overlap, each other; 'global_state': of torch, such as the grad mode; 'backend': another backend; 'other'. */
        kind: "size" | "stride" | "rank" | "dtype" | "device" | "requires_grad" | "dispatch_keys" | "shape" | "value" | "flag" | "type" | "identity" | "length" | "keys" | "attribute" | "aliasing" | "global_state" | "backend" | "other";
        /** Dimension, for size, stride and shape; else null. */
        index: number | null;
        /** What the guard wants; null when the text does not say. Text as torch writes it ('Float', 'False', "'a'"), whole numbers as numbers. */
        expected: number | string | null;
        /** What it found instead; null when the text does not say: torch writes it for tensors only. */
        actual: number | string | null;
      };
      /** What torch writes behind the guard: source line, place, hint, or why a condition on sizes exists; null when there is nothing. */
      comment: string | null;
      /** User's file that the guard comes from: from user_stack, else from the comment, where torch shortens it; null when unknown. */
      file: string | null;
      /** Line in that file; null when unknown. */
      line: number | null;
      /** Function around that line; null when unknown. */
      function: string | null;
      /** Text of that line; null when unknown. */
      source_line: string | null;
      /** The user's stack at the guard as Python prints it; null when torch wrote none. */
      user_stack: string | null;
    }[];
    /** The whole payload, when it was not understood or only in part; else null. */
    text: string | null;
  }[];
  /** The code objects that were compiled, in order of their first compile. After torch._dynamo.reset() an id stands for another code object and gets another row. */
  frames: {
    /** Part of the compile ids, or null. */
    compiled_autograd_id: number | null;
    /** Part of the compile ids: number of the code object. */
    frame_id: number;
    /** Name of the function; null when unknown. Resume functions of two branches have one name and are two frames. */
    function: string | null;
    /** File of that function, as written; null when unknown. */
    file: string | null;
    /** First line of that function; null when unknown. */
    first_line: number | null;
    /** Its compiles in order: of each the first row, whatever the number of attempts. The first may have been followed by others for want of a result, so that not every later one is a recompile. */
    compile_indexes: number[];
    /** The compile that the recompile limit refused, or null. */
    limit_compile_index: number | null;
    /** For a resume function, the frame of the function that it continues; null for others, and when that is not in the log. */
    resumes_frame_index: number | null;
  }[];
  /** The recompiles without caused_by, grouped by frame, source, kind and dimension of their first reason: what changed since the last compile. In order of first appearance. */
  causes: {
    /** Row of 'frames', or null. */
    frame_index: number | null;
    /** As in the reason. */
    source: string | null;
    /** As in the change. */
    kind: "size" | "stride" | "rank" | "dtype" | "device" | "requires_grad" | "dispatch_keys" | "shape" | "value" | "flag" | "type" | "identity" | "length" | "keys" | "attribute" | "aliasing" | "global_state" | "backend" | "other";
    /** As in the change. */
    index: number | null;
    /** Guard of the first of these recompiles; null when it has no reasons. */
    guard: string | null;
    /** Expected and actual values in order, without repetition: 4, 5, 9 means 4 → 5 → 9. What the texts do not say is missing; at most 1000. */
    values: (number | string)[];
    /** Number of these recompiles. */
    count: number;
    /** Number of recompiles that these led to, directly or not. */
    cascade_count: number;
    /** These recompiles. */
    recompile_indexes: number[];
    /** What usually helps: 'mark_dynamic': torch._dynamo.mark_dynamic on that dimension, or dynamic=True; 'same_layout': inputs of one memory layout; 'same_rank', 'same_dtype', 'same_device', 'same_type': inputs of one rank, …; 'same_grad_mode', 'same_global_state': calls under one mode; 'dynamic_int': let the integer be dynamic instead of a constant; 'tensor_argument': pass the number as a tensor; 'few_values': a constant of few different values, else no argument; 'same_object': pass the same object again; 'same_structure': containers of one length, with the same keys; 'no_aliasing': inputs that do not share memory; 'same_backend': one backend object; 'force_parameter_static_shapes': set this option of torch._dynamo.config to False; 'use_duck_shape': set this option of torch.fx.experimental._config to False; 'mark_unbacked': torch._dynamo.decorators.mark_unbacked, so that 0 and 1 are not special. null: nothing in general. */
    remedy: "mark_dynamic" | "same_layout" | "same_rank" | "same_dtype" | "same_device" | "same_grad_mode" | "dynamic_int" | "tensor_argument" | "few_values" | "same_type" | "same_object" | "same_structure" | "no_aliasing" | "same_global_state" | "same_backend" | "force_parameter_static_shapes" | "use_duck_shape" | "mark_unbacked" | null;
  }[];
}

/** runtime.json: what is known or estimated of the run time of compiled code: estimates per operation, collectives in order, which graph ran when, metrics of run time. A text of more than 20,000 characters is cut and ends in '…'. */
export interface Runtime {
  /** Distinct names and types of operations. */
  strings: string[];
  /** Distinct tensors that operations return. */
  tensors: {
    /** Sizes: numbers, or text where torch writes an expression; null when torch wrote none. Empty for collectives that change their input. */
    shape: (number | string | null)[] | null;
    /** Strides, as in shape. */
    stride: (number | string | null)[] | null;
    /** Such as 'float32'; null when unknown. */
    dtype: string | null;
  }[];
  /** One row per inductor_runtime_and_tensor_meta (LOG_TLPARSE=1), that is per graph that Inductor compiled. */
  estimates: {
    /** The event. */
    event_index: number;
    /** Row of the compile table. */
    compile_index: number;
    /** The 'subgraph_name' of the record: the region of the graph that Inductor compiles for itself, or null. */
    subgraph_name: string | null;
    /** Its rows in ops. */
    op_count: number;
    /** Sum of the estimates of its computations, in nanoseconds; 0 on a CPU, for which torch estimates nothing. */
    compute_runtime_ns: number | null;
    /** Sum of the estimates of its collectives, in nanoseconds. */
    collective_runtime_ns: number | null;
    /** Whether something was left out because of a limit; the payload of the event has it. */
    cut: boolean;
  }[];
  /** The operations of all estimates, in order. Columns of equal length: row i is made of element i of each. */
  ops: {
    /** Row of estimates. */
    estimate_index: number[];
    /** Position in strings: kernel or buffer; -1 for none. */
    name: number[];
    /** Position in strings: 'compute' or 'collective'; -1 for none. */
    type: number[];
    /** Estimated run time in nanoseconds, or null. */
    estimated_runtime_ns: (number | null)[];
    /** Positions in tensors: what it returns. */
    outputs: number[][];
  };
  /** One row per inductor_collective_schedule: a graph with collectives. */
  schedules: {
    /** The event. */
    event_index: number;
    /** Row of the compile table. */
    compile_index: number;
    /** Collectives in the order in which the code starts them, waiting included; null for one without a name. */
    collectives: (string | null)[];
    /** Whether something was left out because of a limit; the payload of the event has it. */
    cut: boolean;
  }[];
  /** One row per record of the order in which compiled graphs ran (record_and_log_graph_execution_order of torch._inductor.debug). */
  executions: {
    /** The event. */
    event_index: number;
    /** Row of the compile table. */
    compile_index: number;
    /** Compile ids in the order of execution, forward and backward of one compile alike; null for a graph that was compiled before the recording began. */
    graphs: (string | null)[];
    /** Row of the compile table for each of them: the newest with that id up to here; -1 for none. */
    graph_compile_indexes: number[];
    /** Whether something was left out because of a limit; the payload of the event has it. */
    cut: boolean;
  }[];
  /** One row per record of run-time metrics; all fields are in the metrics table. */
  metrics: {
    /** The event. */
    event_index: number;
    /** Row of the compile table. */
    compile_index: number;
    /** Of the graph that ran. */
    direction: "forward" | "backward";
    /** Time that was measured, in microseconds. */
    duration_us: number | null;
    /** Time of autotuning Triton kernels, in microseconds. */
    triton_autotune_time_us: number | null;
    /** Time of recording a CUDA graph, in microseconds. */
    cudagraphify_time_us: number | null;
  }[];
  /** One row per artifact with estimates as CSV (fx_compute_nodes_runtime_estimation, fx_collectives_…). */
  estimate_tables: {
    /** The event. */
    event_index: number;
    /** Row of the compile table. */
    compile_index: number;
    /** Name of the artifact. */
    name: string;
    /** Number of ranks that the collectives were estimated for; null when it is not said. */
    world_size: number | null;
    /** Head of the columns, with units, as torch writes it. */
    columns: string[];
    /** Rows of cells; a cell that is a number became one. At most 5,000. */
    rows: ((number | string)[])[];
    /** Whether something was left out because of a limit; the payload of the event has it. */
    cut: boolean;
  }[];
  /** One row per pge_profile_vs_analytical: run times of a profile beside those that were estimated. */
  profiles: {
    /** The event. */
    event_index: number;
    /** Row of the compile table. */
    compile_index: number;
    /** Collectives in the profile. */
    collective_count: number | null;
    /** Operations in the profile. */
    op_count: number | null;
    /** Operations in the profile. */
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
    /** Nodes of the graph with their estimates. */
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
  }[];
}

/** sources.json: code and names that other records refer to: dumped sources, generated wrappers, links, graphs that were split, bytecode before and after Dynamo. A text of more than 20,000 characters is cut and ends in '…'. */
export interface Sources {
  /** One row per dump_file. A frame whose file is this name is in this code. Names can come again: what counts for a record is the newest row before its event. */
  dump_files: {
    /** The event whose payload is the source. */
    event_index: number;
    /** Row of the compile table. */
    compile_index: number;
    /** File name that stacks and guards use, such as '<eval_with_key>.5'. */
    name: string | null;
    /** Lines of the source. */
    line_count: number;
    /** Functions that it defines at the left margin; at most 200. */
    functions: string[];
  }[];
  /** One row per artifact of Python code: AOTAutograd's wrappers, scripts that run a graph alone, partial graphs. */
  codes: {
    /** The event whose payload is the code. */
    event_index: number;
    /** Row of the compile table. */
    compile_index: number;
    /** Name of the artifact. */
    name: string;
    /** Lines of the code. */
    line_count: number;
    /** Functions that it defines at the left margin; at most 200. */
    functions: string[];
  }[];
  /** One row per link that the job attached. */
  links: {
    /** The event. */
    event_index: number;
    /** Row of the compile table. */
    compile_index: number;
    /** Its name. */
    name: string | null;
    /** Its address, as text. */
    url: string | null;
    /** Whether the address begins with http:// or https:// and holds no blank or control character. Anything else must not be made clickable. */
    safe: boolean;
  }[];
  /** One row per graph that DDPOptimizer split. */
  ddp_splits: {
    /** The event whose payload is the graph that calls the parts; null when the log lacks it. */
    event_index: number | null;
    /** Row of the compile table. */
    compile_index: number;
    /** The parts, in the order in which they run. */
    parts: {
      /** The event whose payload is the part. */
      event_index: number;
      /** Its name, such as 'submod_0'. */
      name: string | null;
    }[];
  }[];
  /** One row per capture by compiled autograd. */
  autograd_captures: {
    /** The event whose payload is the graph; null when the capture came to none. */
    event_index: number | null;
    /** Row of the compile table. */
    compile_index: number;
    /** The event whose payload is the same graph before its nodes were reordered, or null. */
    pre_reordering_event_index: number | null;
    /** The event with the reasons, which torch writes only with verbose logging of compiled autograd, or null. */
    reasons_event_index: number | null;
    /** Why it captured again; at most 500. */
    reasons: string[];
  }[];
  /** One row per dynamo_side_effects. */
  side_effects: {
    /** The event. */
    event_index: number;
    /** Row of the compile table. */
    compile_index: number;
    /** Mutations that the compiled code replays, with the user's code that makes them; at most 500. */
    messages: string[];
  }[];
  /** One row per resume function whose bytecode Dynamo wrote down. */
  bytecode: {
    /** Row of the compile table. */
    compile_index: number;
    /** Name of the function. */
    function: string;
    /** The event whose payload is its bytecode, or null. */
    original_event_index: number | null;
    /** The event whose payload is what Dynamo put in its place, or null: nothing was compiled. */
    modified_event_index: number | null;
    /** Instructions in it; null when the log lacks it. */
    original_instruction_count: number | null;
    /** Instructions in what replaced it; null when the log lacks it. */
    modified_instruction_count: number | null;
  }[];
  /** One row per torch._functorch.config artifact. */
  configs: {
    /** The event. */
    event_index: number;
    /** Row of the compile table. */
    compile_index: number;
    /** Row of config_values; null when the payload is no configuration. */
    config_index: number | null;
  }[];
  /** Distinct configurations of AOTAutograd, as torch wrote them; at most 200. */
  config_values: Record<string, unknown>[];
}

/** spans.json: the timeline made of spans that nest. torch writes a begin and an end event for each span, all under one thread id although several threads write, so that they may overlap. Ends are matched to begins by name. Columns of equal length in 'spans', in 'instants' and in 'by_name'. The events as torch wrote them are in the blobs that 'timeline' of log.json names. */
export interface Spans {
  /** What the times of this table count from: microseconds since 1970-01-01 UTC, the earliest time in it, rounded down; null when it is empty. 'origin_epoch_us' of log.json, from which the times of events count, is another moment. */
  base_epoch_us: number | null;
  /** Number of lanes. */
  lane_count: number;
  /** Names of spans and instants, in order of first appearance; cut behind 1000 characters. */
  names: string[];
  /** The spans, in the order of their begin events. */
  spans: {
    /** Position in 'names'. */
    name_index: number[];
    /** Begin, in whole microseconds since base_epoch_us, rounded down. */
    start_us: number[];
    /** End minus begin, each rounded down to microseconds; null when the span never ended. */
    duration_us: (number | null)[];
    /** Row of the compile table that the begin event belongs to. The outer spans of a restarted compile begin in its first attempt and end in its last. */
    compile_index: number[];
    /** Row of the smallest span of the same lane that encloses it, or -1. Children of a span do not overlap. */
    parent_index: number[];
    /** 0, or a higher number for a span that overlaps one on each lane below without lying in it: then several threads were at work. Lanes are no threads; which thread wrote a span is not in the log. */
    lane: number[];
    /** 0: as it should be. 1: overlaps a span of another lane, and has no parent. 2: no end was found; a guess, its compile's last event, gave it its place. 3: the end is before the begin; the duration was made 0. */
    repair: (0 | 1 | 2 | 3)[];
    /** The begin event. */
    begin_event_index: number[];
    /** The end event, or -1. Its arguments say more than those of the begin event: what was gathered while the span ran. */
    end_event_index: number[];
  };
  /** Moments without a duration, in the order of the log: cache hits and misses, dimensions that became dynamic. */
  instants: {
    /** Position in 'names'. */
    name_index: number[];
    /** In whole microseconds since base_epoch_us. torch gives those of the FX graph cache the time at which the compile began. */
    time_us: number[];
    /** Row of the compile table. */
    compile_index: number[];
    /** The event. */
    event_index: number[];
  };
  /** Sums over the spans of each name, one row per row of 'names'. */
  by_name: {
    /** Number of spans. */
    count: number[];
    /** Sum of their durations; a span inside of one of the same name counts twice. */
    total_us: number[];
    /** Sum of their durations without those of the spans inside of them on the same lane: adding it up over names counts no time of a lane twice. */
    self_us: number[];
  };
  /** What is not as it should be in the timeline; diagnostics of the codes timeline-misnested and timeline-unended say the same. */
  repairs: {
    /** Spans with repair 1. */
    misnested: number;
    /** Spans without an end. */
    unended: number;
    /** Spans whose end is before their begin. */
    backwards: number;
    /** End events without a begin; they made no span. */
    unbegun: number;
    /** Events at an impossible time, left out. */
    invalid_time: number;
    /** Events of a phase that torch does not write, left out. */
    other_phase: number;
  };
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

/** symbols.json: the symbols of dynamic shapes, and what torch decided about them. Each part is made of columns of equal length, in the order of the log: row i of a part is made of element i of each of its columns. */
export interface Symbols {
  /** Distinct texts. A text of more than 2,000 characters is cut and ends in '…'; the whole is in the metadata of its event. */
  strings: string[];
  /** Distinct places in the user's code where a condition was met; torch writes them only with TORCH_DTRACE. */
  contexts: {
    /** Text of the source lines, or null. */
    loc: string | null;
    /** Local variables in those lines: one text for each leaf of a variable's value, null for a leaf that is neither a tensor nor symbolic. At most 200 variables of at most 200 leaves. */
    locals: Record<string, (string | null)[]>;
    /** Source of each symbol that has one, as a Python expression. */
    symbol_sources: Record<string, string | null>;
  }[];
  /** The symbols, by their create_symbol or create_unbacked_symbol. */
  symbols: {
    /** The event: create_symbol or create_unbacked_symbol. */
    event_index: number[];
    /** Row of the compile table; an attempt has its own. */
    compile_index: number[];
    /** Index into strings: the name, such as 's77' or 'u0'. Every trace has its own s0, s1 …, so that a name comes again. */
    name: number[];
    /** 1 for a symbol whose value is known only when the code runs, else 0. */
    unbacked: number[];
    /** Index into strings: the value that the symbol had while torch traced; -1 for an unbacked symbol. */
    value: number[];
    /** Index into strings: what values are possible, such as '[2, int_oo]'; -1 when torch wrote none. */
    range: number[];
    /** Index into strings: where the value comes from, as a Python expression such as "L['x'].size()[0]"; -1 for an unbacked symbol. */
    source: number[];
    /** Row of the stack table: torch's stack; -1 when torch wrote none. */
    stack_index: number[];
    /** Row of the stack table: the user's code that was traced; -1 when torch wrote none. */
    user_stack_index: number[];
  };
  /** The guards on symbols. With TORCH_DTRACE torch writes two records of a guard, guard_added and guard_added_fast; they are one row. */
  guards: {
    /** The event: guard_added, or guard_added_fast where that stands alone. */
    event_index: number[];
    /** The second event of the same guard (guard_added_fast behind guard_added), or -1. */
    pair_event_index: number[];
    /** Row of the compile table; an attempt has its own. */
    compile_index: number[];
    /** Index into strings: the condition; -1 when the record lacks it. */
    expr: number[];
    /** Index into strings: who asked for it ('eval', 'runtime_assert' …); -1 when torch did not write it (without TORCH_DTRACE). */
    prefix: number[];
    /** Rows of symbols (in this table) whose names occur in expr, in order of first occurrence: of symbols with one name the newest that was made before in the same compile, whichever its attempt. */
    symbol_index: number[][];
    /** Event that made the expression, as in event_index of the expressions table; -1 when the log does not have it. */
    expression_event_index: number[];
    /** Position in contexts, or -1. */
    context_index: number[];
    /** Row of the stack table: torch's stack; -1 when torch wrote none. */
    stack_index: number[];
    /** Row of the stack table: the user's code that was traced; -1 when torch wrote none. */
    user_stack_index: number[];
  };
  /** Conditions on unbacked symbols that the real value of an example input decided. With TORCH_DTRACE torch writes two records of one, propagate_real_tensors and propagate_real_tensors_provenance; they are one row. */
  real_values: {
    /** The event: the first record of it. */
    event_index: number[];
    /** The second event of the same decision, or -1. */
    pair_event_index: number[];
    /** Row of the compile table; an attempt has its own. */
    compile_index: number[];
    /** Index into strings: the condition; -1 when the record lacks it. */
    expr: number[];
    /** Index into strings: what the real value made of it, such as 'True'. */
    result: number[];
    /** Rows of symbols (in this table) whose names occur in expr, in order of first occurrence: of symbols with one name the newest that was made before in the same compile, whichever its attempt. */
    symbol_index: number[][];
    /** Event that made the expression, as in event_index of the expressions table; -1 when the log does not have it. */
    expression_event_index: number[];
    /** Position in contexts, or -1. */
    context_index: number[];
    /** Row of the stack table: torch's stack; -1 when torch wrote none. */
    stack_index: number[];
    /** Row of the stack table: the user's code that was traced; -1 when torch wrote none. */
    user_stack_index: number[];
  };
  /** Conditions on unbacked symbols that torch could not decide: guard_on_data_dependent_error. */
  data_dependent_errors: {
    /** The event: guard_on_data_dependent_error. */
    event_index: number[];
    /** Row of the compile table; an attempt has its own. */
    compile_index: number[];
    /** Index into strings: the condition; -1 when the record lacks it. */
    expr: number[];
    /** Index into strings: the condition without known values put in. */
    unhinted_expr: number[];
    /** Rows of symbols (in this table) whose names occur in expr, in order of first occurrence: of symbols with one name the newest that was made before in the same compile, whichever its attempt. */
    symbol_index: number[][];
    /** Event that made the expression, as in event_index of the expressions table; -1 when the log does not have it. */
    expression_event_index: number[];
    /** Row of the stack table: torch's stack; -1 when torch wrote none. */
    stack_index: number[];
  };
  /** Symbols that became constants: symbolic_shape_specialization. */
  specializations: {
    /** The event: symbolic_shape_specialization. */
    event_index: number[];
    /** Row of the compile table; an attempt has its own. */
    compile_index: number[];
    /** Index into strings: the symbol. */
    name: number[];
    /** Row of symbols (in this table): the newest of that name made before in the same compile; -1 when the log has none. */
    symbol_index: number[];
    /** Index into strings: the constant. */
    value: number[];
    /** Index into strings: why, in torch's words, such as 'range_refined_to_singleton'. */
    reason: number[];
    /** Indexes into strings: where the value comes from. */
    sources: number[][];
    /** Row of the stack table: torch's stack; -1 when torch wrote none. */
    stack_index: number[];
    /** Row of the stack table: the user's code that was traced; -1 when torch wrote none. */
    user_stack_index: number[];
  };
}

/** tensors.json: the inputs of compiles as torch described them (describe_storage, describe_tensor, describe_source), and the sizes in the graphs of Dynamo. Each part with several columns is made of columns of equal length, in the order of the log: row i of a part is made of element i of each of its columns. */
export interface Tensors {
  /** Distinct texts. A text of more than 2,000 characters is cut and ends in '…'; the whole is in the metadata of its event. */
  strings: string[];
  /** Distinct lists of sizes, strides or dimensions. An element is a number, or text: an expression of symbols such as 's77'. (A constant that was a symbol, which torch writes as text, is a number.) At most 100 elements. */
  shapes: ((number | string)[])[];
  /** Distinct objects: the fields of a tensor that are not at their default and have no column, as torch wrote them (layout, base, attrs, storage_offset …). A field that is a tensor is its tensor_id. Left out: view_func, the name of a function with its address. A field of more than 2,000 characters of JSON is cut, as text. */
  others: Record<string, unknown>[];
  /** Storages: two tensors with one storage_index share memory. */
  storages: {
    /** The event: describe_storage. */
    event_index: number[];
    /** Row of the compile table; an attempt has its own. */
    compile_index: number[];
    /** Size in bytes; a text when it is symbolic; null when the record lacks it. */
    size_bytes: (number | string | null)[];
  };
  /** Tensors. torch leaves out what is at its default: a flag that it did not write is false. */
  tensors: {
    /** The event: describe_tensor. */
    event_index: number[];
    /** Row of the compile table; an attempt has its own. */
    compile_index: number[];
    /** Number of the describer: one for each trace of the process. */
    describer_id: number[];
    /** Number that the describer gave the tensor. A log can have a pair of numbers twice; sources and others mean the newest row before them. */
    tensor_id: number[];
    /** Position in shapes, or -1. */
    shape: number[];
    /** Position in shapes; -1 for a tensor without strides (sparse, nested). */
    stride: number[];
    /** Position in shapes: dimensions that the user marked as dynamic; -1 for none. */
    dynamic_dims: number[];
    /** Index into strings: such as 'torch.float32'; -1 when the record lacks it. */
    dtype: number[];
    /** Index into strings: such as 'cpu' or 'cuda:0'; -1 when the record lacks it. */
    device: number[];
    /** Row of storages (in this table), or -1. */
    storage_index: number[];
    /** Position in others; -1 for none. */
    other: number[];
    /** Whether autograd tracks it. */
    requires_grad: boolean[];
    /** Whether it is a torch.nn.Parameter. */
    is_parameter: boolean[];
    /** Whether it is a leaf of the autograd graph. */
    is_leaf: boolean[];
    /** Whether it is a view of another tensor. */
    is_view: boolean[];
    /** Indexes into strings: Python expressions that give the tensor, such as "L['x']". None for a tensor that is only part of another (a base, a gradient). */
    sources: number[][];
  };
  /** The graphs of Dynamo: one row for each dynamo_output_graph with sizes. */
  graphs: {
    /** The event: dynamo_output_graph. */
    event_index: number[];
    /** Row of the compile table; an attempt has its own. */
    compile_index: number[];
    /** How many of the nodes, from the first on, are inputs; -1 when the text of the graph does not say. */
    input_count: number[];
    /** Indexes into strings: names of the nodes that are tensors, in the order of the graph. */
    nodes: number[][];
    /** For each of nodes its position in shapes, or -1. */
    shapes: number[][];
  };
}

/** vllm.json: what vLLM compiled: its backends, the pieces of each (a submodule for a size or a range of sizes), and where their code came from. Empty for other programs. */
export interface Vllm {
  /** A row for each compile backend of vLLM, in the order of the log: the model, a draft model. */
  backends: {
    /** The record of its settings, vllm_compilation_config; null when the log has none, as on a warm start with code that was compiled ahead of time. */
    event_index: number | null;
    /** Row of the compile table. */
    compile_index: number;
    /** Whether its pieces were loaded as they are, by a start that compiles nothing: vLLM then writes neither settings nor the names of pieces. */
    is_loaded: boolean;
    /** What the last vllm_compile_event before it says: 'fresh_compile', 'aot_cache_hit'; null without one, as before vLLM wrote them. */
    compile_event: string | null;
    /** What is compiled: 'backbone', 'draft_model', or another. */
    prefix: string | null;
    /** The model, as vLLM was given it. */
    model: string | null;
    /** The settings by name, as vLLM wrote them: lists are texts with commas. Texts are cut behind 20,000 characters, at most 200 settings. */
    config: Record<string, string | number | boolean | null>;
    /** The graph after its split, vllm_piecewise_split_graph. */
    split_event_index: number | null;
    /** The Python that calls the pieces, vllm_execution_code. */
    code_event_index: number | null;
    /** How many submodules are compiled, as vLLM said at the first piece. */
    submodule_count: number | null;
    /** Whether the log tells that it came to its end, well or not. */
    is_ended: boolean;
    /** When it began to work, in microseconds since 1970: the begin of the span vllm_backend, of loaded ones of the first load. */
    start_epoch_us: number | null;
    /** How long it worked; of loaded ones to the end of the last load. */
    duration_us: number | null;
    /** When Dynamo's capture around it began: the span fullgraph_capture, or dynamo. */
    capture_epoch_us: number | null;
    /** How long that took, the backend's work included. The metrics of a compile ahead of time have another duration, which is wrong. */
    capture_time_us: number | null;
    /** From its begin to that of the first piece. */
    split_time_us: number | null;
    /** What saving compiled pieces took (CompiledArtifact.save), a part of the pieces' time; null when nothing was saved. */
    save_time_us: number | null;
  }[];
  /** The parts of the model that are compiled, each with its graph. */
  submodules: {
    /** Row of backends. */
    backend_index: number;
    /** 'submod_2'. */
    name: string;
    /** Its graph, vllm_submod_2. */
    event_index: number;
    /** The same for graphs that are equal but for names of values, of layers for instance; null for what is no graph. */
    shape_hash: string | null;
    /** The first submodule of the backend with an equal graph, or null when it is that. */
    same_index: number | null;
  }[];
  /** A row for each submodule and size or range. */
  pieces: {
    /** Row of backends. */
    backend_index: number;
    /** Row of the compile table. */
    compile_index: number;
    /** The record vllm_piecewise_compile_start; null for a loaded backend. */
    start_event_index: number | null;
    /** 'submod_2'; null for a loaded backend, whose log does not name them. An earlier start's piece with the same code_hash says it. */
    submodule: string | null;
    /** Number among the submodules that are compiled. */
    piecewise_index: number | null;
    /** First number of tokens that this piece is for, or null. */
    range_start: number | null;
    /** Last number of tokens, or null. */
    range_end: number | null;
    /** Whether it is for one size alone. */
    is_single_size: boolean | null;
    /** compiled: Inductor generated code. inductor_loaded: AOTAutograd traced it, the code was in Inductor's cache. loaded: all of it was in a cache. reused: nothing was compiled or loaded, an equal piece had it. failed: a compile that came to no code. unfinished: the log ends within. null: the log does not tell. */
    outcome: "compiled" | "inductor_loaded" | "loaded" | "reused" | "failed" | "unfinished" | null;
    /** When it began, in microseconds since 1970. */
    start_epoch_us: number | null;
    /** From its begin to the next piece's, or the end of all; of loaded ones the load, which run at the same time in several threads. null where records of loads cannot be told apart. */
    duration_us: number | null;
    /** What Inductor took of it (span inductor_compile). */
    inductor_time_us: number | null;
    /** What the load from the cache took (span AOTAutogradCache.inductor_load). */
    load_time_us: number | null;
    /** Hash of its graph after AOTAutograd, aot_inference_graph. */
    graph_hash: string | null;
    /** Hash of its code, inductor_output_code: the same piece in the log of another start has the same. */
    code_hash: string | null;
    /** The number that AOTAutograd gave it where it was compiled: '4_inference'. It stands in the code. */
    aot_id: string | null;
    /** Earlier pieces of its backend for the same sizes, with an equal graph but for names, that have code of their own; the first 8. */
    equal_indexes: number[];
    /** Of a reused piece: whose code it uses; null where several have an equal graph, or none. vLLM does not write it. */
    reused_index: number | null;
    /** The metrics that say why it failed. */
    failure_event_index: number | null;
    /** Its artifacts. Attributed by what the records say, not by their order alone. */
    event_indexes: number[];
  }[];
  /** The graph after each of vLLM's passes, where the log has it. */
  passes: {
    /** Row of pieces. */
    piece_index: number;
    /** The graph after the pass, vllm_post_grad.*. */
    event_index: number;
    /** The graph that it is compared with: that of the pass before, or before_pre_grad_graph or before_post_grad_graph, after which passes of torch may have run too. */
    base_event_index: number | null;
    /** Place in the order of passes, where the name has it. */
    number: number | null;
    /** 'NoOpEliminationPass'. */
    name: string;
    /** Whether both graphs are the same text; null without a base. */
    is_equal: boolean | null;
    /** Nodes after it; null for what is no graph. */
    node_count: number | null;
    /** Nodes before it. */
    base_node_count: number | null;
    /** Calls that are new, by operation. */
    added: Record<string, number>;
    /** Calls that are gone, by operation. */
    removed: Record<string, number>;
  }[];
  /** What vLLM said of whole compiles. */
  compile_events: {
    /** The event. */
    event_index: number;
    /** 'fresh_compile', 'aot_cache_hit'. */
    type: string | null;
  }[];
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
    compile_time_us?: null | {
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
    compile_time_us: null | {
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
        /** Its key in the compile table. */
        key: string;
        /** Row of the compile table: its last attempt. */
        compile_index: number;
        /** File of the function as torch wrote it, or null. */
        file: string | null;
        /** First line of the function, or null. */
        line: number | null;
      };
      /** In the new log, or null. */
      new: null | {
        /** Its key in the compile table. */
        key: string;
        /** Row of the compile table: its last attempt. */
        compile_index: number;
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
