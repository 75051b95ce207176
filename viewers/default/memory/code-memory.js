// Memory of one generated code: its peak, the curve, the buffers at the selected line, and a table of all of them.
import { tableBox } from "../../lib/list/table.js";
import { fill, h } from "../../lib/page/dom.js";
import { bytes, count, plural } from "../../lib/page/format.js";
import { placeLink } from "../../lib/page/place-link.js";
import { pairs } from "../shared/parts.js";
import { artifactLink, artifactState } from "../shared/program-line.js";
import { memoryCurve } from "./curve.js";
import { isLive, liveAt, placeOf, REASONS, ROLES, typeOf } from "./data.js";
import { treemap } from "./treemap.js";

const MOST_ROWS = 200;

/** @typedef {{log: any, state: any, model: any, number: number}} Where */

/** @typedef {{code: import("./data.js").CodeMemory, held: any[], points: import("./curve.js").Point[]}} Curve held: inputs that the code lets go of */

/** @param {Where} where @param {Curve} curve @param {number} most bytes at the top of the curve */
export function codeMemory(where, curve, most) {
  const { code: memory, held, points } = curve;
  const { row, inputs, title } = memory;
  const line = (/** @type {number} */ at, text = `line ${count(at)}`) =>
    lineLink(where, row.code_event, text, at);
  const all = points.reduce(
    (best, point) => (point.own + point.held > best.own + best.held ? point : best),
    points[0],
  );
  return h(
    "section",
    { class: "memory-code", style: { "flex-grow": Math.max(4, points.length) } },
    h(
      "h3",
      null,
      `${title.charAt(0).toUpperCase()}${title.slice(1)}`,
      row.device && h("span", { class: "dim" }, ` on ${row.device}`),
    ),
    h(
      "p",
      null,
      "Peak ",
      h("b", null, `${row.peak_bytes === null ? "at least " : ""}${bytes(row.known_peak_bytes)}`),
      row.peak_line !== null && [" at ", line(row.peak_line)],
      ".",
      held.length > 0 && [
        " With what the forward saved: ",
        h("b", null, bytes(all.own + all.held)),
        " at ",
        line(all.line),
        ".",
      ],
    ),
    row.unknown.length > 0 && unknown(row),
    points.length > 0 && moments(where, curve, most),
    pairs([
      [
        "Measured by the profiler",
        memory.measured.length ? memory.measured.map((one) => h("div", null, measuredText(one))) : null,
      ],
      [
        "Inputs",
        row.input_bytes === null ? null : `${bytes(row.input_bytes)} in ${plural(inputs.length, "tensor")}`,
      ],
      ["Outputs", row.output_bytes === null ? null : bytes(row.output_bytes)],
      ["Saved for the backward", memory.code?.direction === "forward" ? savedText(row) : null],
    ]),
  );
}

/** "4.33 MB in 3 calls, as computed" @param {any} row of measured_memory */
function measuredText({
  peak_bytes: peak,
  least_bytes: least,
  most_bytes: most,
  computed_bytes: computed,
  count: calls,
}) {
  const range = least < most ? ` (${bytes(least)} to ${bytes(most)})` : "";
  const difference = computed === null ? 0 : peak - computed;
  const compared =
    computed === null
      ? ""
      : difference === 0
        ? ", as computed"
        : `, ${bytes(Math.abs(difference))} ${difference > 0 ? "more" : "less"} than computed`;
  return `${bytes(peak)}${range} in ${plural(calls, "call")}${compared}`;
}

/** @param {any} row */
const savedText = (row) =>
  row.saved_bytes === null ? "not known: the log lacks the backward graph" : bytes(row.saved_bytes);

/** @param {any} row */
const unknown = (row) =>
  h(
    "details",
    { class: "memory-unknown" },
    h("summary", null, "The exact peak is not known"),
    h(
      "ul",
      null,
      row.unknown.map((/** @type {string} */ reason) =>
        h(
          "li",
          null,
          REASONS[reason] ?? reason,
          reason === "operator" &&
            row.operators.map((/** @type {string} */ name) => [" ", h("code", null, name)]),
        ),
      ),
    ),
  );

/** Build curve, treemap and table, which follow the selected point. @param {Where} where @param {Curve} curve @param {number} most */
function moments(where, { code: { row, buffers, title }, held, points }, most) {
  const peak = Math.max(
    0,
    points.findIndex(({ step }) => step === row.peak_step),
  );
  const readout = h("p", { class: "memory-readout", role: "status" });
  const map = h("div");
  const listed = largest(buffers);
  const box = tableBox("Buffers", bufferColumns(where, row), listed, {
    row: (buffer) => ({ dataset: { at: listed.indexOf(buffer) } }),
  });
  const plot = memoryCurve(points, {
    most,
    title: `Live bytes of the ${title}`,
    start: peak,
    onmove: (point) => {
      const live = liveAt(buffers, point.step);
      fill(
        readout,
        lineLink(where, row.code_event, `Line ${count(point.line)}`, point.line),
        `: ${bytes(point.own)} in ${plural(live.length, "buffer")}`,
        held.length > 0 && `, ${bytes(point.held)} saved by the forward`,
        point.step === row.peak_step && h("b", null, " ▲ peak"),
      );
      fill(
        map,
        treemap(live, {
          groupOf: (buffer) => placeOf(buffer, where.model.short),
          describe: (buffer) =>
            `${buffer.name}: ${bytes(buffer.bytes)}, ${typeOf(buffer)}, ${ROLES[buffer.role]?.[0] ?? buffer.role}`,
          onopen: (buffer) => void openLine(where, row.code_event, buffer.first_line),
        }),
      );
      for (const element of box.querySelectorAll("tbody tr"))
        element.classList.toggle(
          "here",
          isLive(listed[Number(/** @type {HTMLElement} */ (element).dataset.at)], point.step),
        );
    },
  });
  return [
    plot,
    readout,
    map,
    h(
      "details",
      { class: "memory-buffers" },
      h("summary", null, `${plural(buffers.length, "buffer")} as a table`),
      box,
      buffers.length > MOST_ROWS &&
        h("p", { class: "dim" }, `The ${count(MOST_ROWS)} largest of ${count(buffers.length)} buffers`),
    ),
  ];
}

/** @param {any[]} buffers */
const largest = (buffers) => [...buffers].sort((a, b) => (b.bytes ?? 0) - (a.bytes ?? 0)).slice(0, MOST_ROWS);

/** @param {Where} where @param {any} row @returns {import("../../lib/list/table.js").TableColumn<any>[]} */
const bufferColumns = (where, row) => [
  {
    title: "Buffer",
    head: true,
    cell: ({ name, aliases }) => h("code", null, [name || "(no name)", ...aliases].slice(0, 4).join(" → ")),
    sort: ({ name }) => name,
  },
  {
    title: "Size",
    number: true,
    cell: (buffer) => [
      buffer.bytes === null ? h("span", { title: REASONS[buffer.unknown] }, "unknown") : bytes(buffer.bytes),
      buffer.is_hint && h("span", { class: "dim", title: "For the hints of dynamic dimensions" }, " (hint)"),
    ],
    sort: (buffer) => buffer.bytes,
  },
  {
    title: "Role",
    cell: ({ role }) => h("span", { title: ROLES[role]?.[1] }, ROLES[role]?.[0] ?? role),
    sort: ({ role }) => ROLES[role]?.[0] ?? role,
  },
  { title: "Type", cell: (buffer) => h("code", null, typeOf(buffer)), sort: typeOf },
  {
    title: "Lines",
    cell: ({ first_line: first, last_line: last }) => [
      lineLink(where, row.code_event, count(first), first),
      " – ",
      last === null ? "returned" : lineLink(where, row.code_event, count(last), last),
    ],
    sort: (buffer) => buffer.first_line,
  },
  {
    title: "Written by",
    cell: ({ kernel }) => (kernel === null ? "–" : h("code", { class: "cut", title: kernel }, kernel)),
    sort: ({ kernel }) => kernel,
  },
  {
    title: "Source line",
    class: "wide",
    cell: (buffer) =>
      buffer.file === null
        ? (buffer.node && h("code", null, buffer.node)) || "–"
        : [
            placeLink(buffer.file, buffer.line, placeOf(buffer, where.model.short)),
            buffer.source_line && [" ", h("code", { class: "dim" }, buffer.source_line)],
          ],
    sort: (buffer) => (buffer.file === null ? null : placeOf(buffer, where.model.short)),
  },
];

/** Show a line of the generated code. @param {Where} where @param {number} event @param {number} at */
async function openLine({ log, state, model, number }, event, at) {
  const address = await artifactState(log, model, number, event, at);
  state.go(state.link(address ?? { view: "events", event: String(event) }));
}

/** @param {Where} where @param {number} event @param {any} text @param {number} at */
export const lineLink = ({ log, state, model, number }, event, text, at) =>
  artifactLink(log, model, state, number, event, text, at);
