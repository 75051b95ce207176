// What the forward of a compile saves for its backward, largest first.
import { table } from "../../lib/list/table.js";
import { h } from "../../lib/page/dom.js";
import { percent } from "../../lib/page/figures.js";
import { bytes, count, plural } from "../../lib/page/format.js";
import { lineLink } from "./code-memory.js";
import { placeLink } from "../../lib/page/place-link.js";
import { placeOf, typeOf } from "./data.js";

const MOST_ROWS = 100;

/** @param {import("./code-memory.js").Where} where @param {import("./data.js").Group} group */
export function savedValues(where, group) {
  const rows = group.codes
    .filter(({ code }) => code?.direction === "forward")
    .flatMap(({ row, buffers, inputs }) =>
      [...buffers, ...inputs].filter((buffer) => buffer.saved).map((buffer) => ({ row, buffer })),
    );
  const own = rows
    .filter(({ buffer }) => buffer.role === "saved")
    .sort((a, b) => (b.buffer.bytes ?? 0) - (a.buffer.bytes ?? 0));
  if (rows.length === 0) return null;
  const total = own.reduce((sum, { buffer }) => sum + (buffer.bytes ?? 0), 0);
  const others = rows.length - own.length;
  return h(
    "section",
    { class: "memory-saved" },
    h("h3", null, "Saved for the backward"),
    h(
      "p",
      null,
      h("b", null, bytes(total)),
      ` in ${plural(own.length, "buffer")} that the forward keeps only for its backward`,
      others > 0 &&
        `, and ${plural(others, "input or output", "inputs and outputs")} that the program has anyway`,
      ".",
    ),
    own.length > 0 &&
      h(
        "div",
        { class: "table-box" },
        table(
          [
            {
              title: "Value",
              head: true,
              sort: ({ buffer }) => buffer.node ?? buffer.name,
              cell: ({ row, buffer }) =>
                lineLink(
                  where,
                  row.code_event,
                  h("code", null, buffer.node ?? buffer.name),
                  buffer.first_line,
                ),
            },
            {
              title: "Size",
              number: true,
              sort: ({ buffer }) => buffer.bytes,
              cell: ({ buffer }) => (buffer.bytes === null ? "unknown" : bytes(buffer.bytes)),
            },
            {
              title: "Share",
              number: true,
              cell: ({ buffer }) => (buffer.bytes === null || !total ? "–" : percent(buffer.bytes, total)),
            },
            { title: "Type", cell: ({ buffer }) => h("code", null, typeOf(buffer)) },
            {
              title: "Source line",
              class: "wide",
              sort: ({ buffer }) => placeOf(buffer, where.model.short),
              cell: ({ buffer }) => [
                buffer.file === null
                  ? placeOf(buffer, where.model.short)
                  : placeLink(buffer.file, buffer.line, placeOf(buffer, where.model.short)),
                buffer.source_line && [" ", h("code", { class: "dim" }, buffer.source_line)],
              ],
            },
          ],
          own.slice(0, MOST_ROWS),
        ),
        own.length > MOST_ROWS &&
          h("p", { class: "dim" }, `The ${count(MOST_ROWS)} largest of ${count(own.length)}`),
      ),
  );
}
