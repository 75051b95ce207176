// What each view shows, in two sentences: the question that it answers, and how to read it.

/** By view. @type {Record<string, string>} */
export const ABOUT = {
  overview:
    "The findings of the run, the most important first, each with its cause, cost and fix. The tiles count what happened, and each leads to its view.",
  failures:
    "Compiles that raised an exception or never ended. Select one to see the exception as the program printed it, the frames of your program and what to try.",
  breaks:
    "Places where Dynamo had to end a graph, and the line of your program for each. Select one to see the reason, what torch suggests and the time that restarts took.",
  recompiles:
    "Why functions were compiled more than once. Select a cause to see which guard decided each recompile and what each fix would save.",
  guards:
    "The checks that run before compiled code, for each compile. Select a compile to list its guards by kind, source and location.",
  export:
    "Calls of torch.export and the assumptions that it made. Select one to see what failed and how to correct it.",
  timeline:
    "What the compiler did and when, as nested spans. A box is as wide as its time and has the color of its phase.",
  runtime:
    "Time that compiled code took when it ran, measured by torch.profiler. Kernels and source lines are sorted by time.",
  caches:
    "Lookups in the caches of the compiler, with hits, misses and bypasses. Select one to see its key and why it missed.",
  autotuning:
    "Choices that Inductor made by measuring candidates. Select one to compare the times of its candidates.",
  workers: "Processes that compile kernels for Inductor. A job that takes long is reported until it ends.",
  stack:
    "The calls that led to each compile, as a tree or a flame graph. Select a frame to see the compiles below it.",
  compiles:
    "All compiles with their status, time, size and guards. Open one to see its graphs, code and artifacts.",
  compile:
    "One compile: why it happened, how long its phases took and what came of it. Its artifacts are on the left, in the order of the phases.",
  artifacts:
    "Every artifact of every compile in one list. Equal artifacts are marked, and the browser's search finds all rows.",
  kernels:
    "Kernels in the generated code and calls of libraries. Select one to see the operators that it fuses and where it is defined and called.",
  memory:
    "Memory that generated code allocates, computed from the code. The curve leads to the buffers at each line.",
  cudagraphs:
    "Graphs for which CUDA graphs are on: recorded, not recorded, or skipped with torch's reason. Select one to see its recordings.",
  symbols:
    "Sizes and values that are variables of the compiled code. Select one to see where it comes from and which guards it got.",
  tensors:
    "Tensors that Dynamo and export saw, with shapes and strides. Select one to see its source, its storage and the graph inputs.",
  compare: "Two compiles side by side. Graphs, guards and code are compared by meaning, then line by line.",
  search:
    "Names, places and texts of the whole bundle that match the search field. Press Enter in the field to search the text of artifacts too.",
  events: "Every record of the log in file order. Select one to see its metadata, its stack and its payload.",
  anatomy:
    "How many records and bytes each kind of record takes. Sort it by origin or by compile to see who wrote them.",
  diagnostics:
    "Damaged or unusual records of the log, and how they were read. A log without entries was read completely.",
};
