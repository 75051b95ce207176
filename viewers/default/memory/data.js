// Rows of the memory tables, joined: the codes of each compile, and which buffers are alive at a step.

/** Words and help of the roles of buffers. @type {Record<string, [string, string]>} */
export const ROLES = {
  intermediate: ["intermediate", "Freed by the code after its last use"],
  output: ["output", "Returned to the program"],
  saved: ["saved", "Returned only to be saved for the backward"],
  input: ["input", "Allocated before the code runs; not part of the peak"],
};

/** Why a peak is unknown. @type {Record<string, string>} */
export const REASONS = {
  operator: "An operator may allocate more than the code shows.",
  size: "A size is decided at run time, or the log has no hint of it.",
  dtype: "The log does not record the type of a result.",
  statement: "The code has statements of an unknown form.",
  branch: "The code has branches or loops.",
  language: "The code is in a form that is not read.",
  limit: "The code is too large.",
};

/**
 * @typedef {{row: any, code: any, buffers: any[], inputs: any[], measured: any[], title: string}} CodeMemory a row of
 *   memory, its row of generated_code, its buffers on this device, and its rows of measured_memory
 * @typedef {{key: string, row: any, codes: CodeMemory[]}} Group the codes of one compile
 */

/**
 * Add the source lines of kernels, from the provenance that the log records, to buffers without one.
 * @param {import("../../lib/bundle/log.js").Log} log @param {any[]} buffers
 */
async function addSources(log, buffers) {
  if (!buffers.some((buffer) => buffer.file === null && buffer.kernel_line !== null)) return;
  const [groups, kernels, sources] = await Promise.all(
    ["provenance_groups", "provenance_kernels", "provenance_sources"].map(
      async (name) => (await log.table(name)) ?? [],
    ),
  );
  const codeOf = new Map(groups.map((/** @type {any} */ group) => [group.id, group.code_event]));
  const sourceOf = new Map(sources.map((/** @type {any} */ source) => [source.id, source]));
  const at = new Map(/** @type {[string, any][]} */ ([]));
  for (const kernel of kernels) {
    const source = sourceOf.get(kernel.sources[0]?.at(-1)); // the innermost frame
    if (source) for (const line of kernel.call_lines) at.set(`${codeOf.get(kernel.group)} ${line}`, source);
  }
  for (const buffer of buffers) {
    const source = buffer.file === null && at.get(`${buffer.code_event} ${buffer.kernel_line}`);
    if (source)
      Object.assign(buffer, {
        file: source.file,
        line: source.line,
        function: source.function,
        source_line: source.code,
      });
  }
}

/** Return the groups of a log in its order; empty if a redacted bundle leaves the tables out. @param {import("../../lib/bundle/log.js").Log} log @returns {Promise<Group[]>} */
export async function groupsOf(log) {
  const [rows, buffers, codes, measured] = await Promise.all(
    ["memory", "memory_buffers", "generated_code", "measured_memory"].map(
      async (name) => (await log.table(name)) ?? [],
    ),
  );
  await addSources(log, buffers);
  const codeOf = new Map(codes.map((/** @type {any} */ code) => [code.event, code]));
  const buffersOf = new Map(/** @type {[number, any[]][]} */ ([]));
  for (const buffer of buffers) {
    const list = buffersOf.get(buffer.code_event);
    if (list) list.push(buffer);
    else buffersOf.set(buffer.code_event, [buffer]);
  }
  const groups = new Map(/** @type {[string, Group][]} */ ([]));
  for (const row of rows) {
    // Codes outside any compile do not belong together.
    const key = row.compile ?? `record ${row.code_event}`;
    const own = (buffersOf.get(row.code_event) ?? []).filter(
      (/** @type {any} */ buffer) => buffer.device === row.device || buffer.device === null,
    );
    const code = codeOf.get(row.code_event) ?? null;
    const group = groups.get(key) ?? /** @type {Group} */ ({ key, row, codes: [] });
    groups.set(key, group);
    group.codes.push({
      row,
      code,
      buffers: own.filter((/** @type {any} */ buffer) => buffer.role !== "input"),
      inputs: own.filter((/** @type {any} */ buffer) => buffer.role === "input"),
      measured: measured.filter(
        (/** @type {any} */ one) => one.code_event === row.code_event && one.device === row.device,
      ),
      title: [code?.direction ?? "code", code?.subgraph_name].filter(Boolean).join(" of "),
    });
  }
  return [...groups.values()];
}

/** The most that a code of a group needs: bytes, and whether that is only a lower bound. @param {Group} group */
export function peakOf({ codes }) {
  const most = codes.reduce((a, b) => (b.row.known_peak_bytes > a.row.known_peak_bytes ? b : a));
  return { ...most, bytes: most.row.known_peak_bytes, exact: most.row.peak_bytes !== null };
}

/** Whether a buffer is alive after a step. @param {any} buffer @param {number} step */
export const isLive = (buffer, step) =>
  buffer.first_step <= step && (buffer.last_step === null || buffer.last_step > step);

/** Return the buffers of known size that are alive after a step, largest first. @param {any[]} buffers @param {number} step */
export const liveAt = (buffers, step) =>
  buffers.filter((buffer) => buffer.bytes && isLive(buffer, step)).sort((a, b) => b.bytes - a.bytes);

/**
 * Return the steps of a code at which memory changes: bytes of its buffers, and of `held`, such as what the forward
 * saved and the code lets go of.
 * @param {any[]} buffers @param {any[]} held
 * @returns {{step: number, line: number, own: number, held: number}[]}
 */
export function curveOf(buffers, held) {
  const changes = new Map(/** @type {[number, {line: number, own: number, held: number}][]} */ ([]));
  const add = (
    /** @type {number} */ step,
    /** @type {number} */ line,
    /** @type {"own" | "held"} */ part,
    /** @type {number} */ bytes,
  ) => {
    const change = changes.get(step) ?? { line, own: 0, held: 0 };
    change[part] += bytes;
    changes.set(step, change);
  };
  for (const [part, list] of /** @type {["own" | "held", any[]][]} */ ([
    ["own", buffers],
    ["held", held],
  ]))
    for (const buffer of list) {
      if (buffer.bytes === null) continue;
      add(buffer.first_step, buffer.first_line, part, buffer.bytes);
      if (buffer.last_step !== null) add(buffer.last_step, buffer.last_line, part, -buffer.bytes);
    }
  let own = 0,
    other = 0;
  return [...changes]
    .sort(([a], [b]) => a - b)
    .map(([step, change]) => {
      own += change.own;
      other += change.held;
      return { step, line: change.line, own, held: other };
    });
}

/** Return the inputs of a backward that its forward saved only for it: it lets go of them after their last use. @param {Group} group @param {CodeMemory} code */
export function heldBy(group, code) {
  if (code.code?.direction !== "backward") return [];
  const saved = new Set(
    group.codes
      .filter((other) => other.code?.direction === "forward")
      .flatMap((other) => other.buffers)
      .filter((buffer) => buffer.role === "saved" && buffer.node !== null)
      .map((buffer) => buffer.node),
  );
  return code.inputs.filter((input) => saved.has(input.name));
}

/** "train.py:12", the kernel, or the role: what a buffer is grouped by. @param {any} buffer @param {(file: string) => string} short */
export const placeOf = (buffer, short) =>
  buffer.file !== null ? `${short(buffer.file)}:${buffer.line ?? "?"}` : (buffer.kernel ?? "no source line");

/** "float32 [512, 256]" @param {any} buffer */
export const typeOf = (buffer) =>
  [buffer.dtype ?? "unknown type", buffer.shape && `[${buffer.shape.join(", ")}]`].filter(Boolean).join(" ");
