// The parts of a compile's time, which add up to it, in the order in which they run.

/** Words of the legend, and what the part is. @type {[id: string, column: string, title: string, help: string][]} */
const PHASES = [
  ["dynamo", "dynamo_us", "Dynamo", "Reads the Python bytecode and captures the graph"],
  ["restart", "restart_us", "Restarts", "Attempts that Dynamo discarded, for example at a graph break"],
  ["aot", "aot_us", "AOTAutograd", "Traces the backward and splits the graph into forward and backward"],
  ["inductor", "inductor_us", "Inductor", "Generates and compiles the kernels"],
  ["backward", "backward_us", "Lazy backward", "Compiles the backward graph when it first runs"],
];

/** @param {string} id @param {boolean} inductor whether Inductor ran; otherwise a different backend did */
const titleOf = (id, inductor) =>
  id === "aot" && !inductor ? "Backend" : /** @type {any} */ (PHASES.find(([of]) => of === id))[2];

/**
 * Return the parts with a time.
 * @param {Record<string, any>} times the columns of a compile @returns {{id: string, title: string, help: string, us: number}[]}
 */
export const phasesOf = (times) =>
  PHASES.map(([id, column, , help]) => ({
    id,
    title: titleOf(id, Boolean(times.inductor_us)),
    help,
    us: times[column] ?? 0,
  })).filter(({ us }) => us > 0);

/** Spans with which a part begins; the spans inside belong to it. */
const BEGINS = new Map([
  ["dynamo", "dynamo"],
  ["entire_frame_compile", "dynamo"],
  ["backend_compile", "aot"],
  ["create_aot_dispatcher_function", "aot"],
  ["inductor_compile", "inductor"],
  ["entire_backward_compile", "backward"],
]);

/** Parts in the order of their colors in a chart. */
export const CHARTED = ["dynamo", "aot", "inductor", "backward"];

/**
 * Return the part that a span begins or continues.
 * @param {string} name @param {string | null} outer part of the span around @returns {string | null} null outside any part
 */
export const phaseOfSpan = (name, outer) => (outer === "backward" ? outer : (BEGINS.get(name) ?? outer));

/** @param {string[]} shown ids @returns {[id: string, title: string, help: string][]} */
export const legendOf = (shown) =>
  PHASES.filter(([id]) => shown.includes(id)).map(([id, , , help]) => [
    id,
    titleOf(id, shown.includes("inductor") || id !== "aot"),
    help,
  ]);
