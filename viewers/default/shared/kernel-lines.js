// Source lines of kernels: those that torch records with provenance tracking, else those that the generated code states.
import { copyable, RECORD_PROVENANCE } from "../../lib/page/hand-over.js";
import { h } from "../../lib/page/dom.js";
import { placeCell } from "./parts.js";
import { framePlace } from "./program-line.js";
import { hasProvenance } from "./finding-leads.js";

/** @typedef {{file: string, line: number, function: string | null, source_line: string | null}} Place */

/**
 * Return the source lines of each kernel, by kernelKey(); empty if a redacted bundle leaves the tables out.
 * @param {import("../../lib/bundle/log.js").Log} log @returns {Promise<Map<string, Place[]>>}
 */
export async function kernelLinesOf(log) {
  const [lines, groups, kernels, sources] = await Promise.all(
    ["kernel_lines", "provenance_groups", "provenance_kernels", "provenance_sources"].map(
      async (name) => (await log.table(name)) ?? [],
    ),
  );
  const recorded = new Map(/** @type {[string, Map<number, Place>][]} */ ([]));
  const codeOf = new Map(groups.map((/** @type {any} */ group) => [group.id, group.code_event]));
  const sourceOf = new Map(sources.map((/** @type {any} */ source) => [source.id, source]));
  for (const kernel of kernels) {
    const key = kernelKey(codeOf.get(kernel.group), kernel.name);
    for (const stack of kernel.sources) {
      const { id, file, line, function: name, code } = sourceOf.get(stack.at(-1)); // the innermost frame
      const places = recorded.get(key) ?? new Map();
      recorded.set(key, places.set(id, { file, line, function: name, source_line: code }));
    }
  }
  const places = new Map([...recorded].map(([key, known]) => [key, [...known.values()]]));
  for (const row of lines) {
    const key = kernelKey(row.code_event, row.kernel);
    if (!recorded.has(key)) places.set(key, [...(places.get(key) ?? []), row]);
  }
  return places;
}

/** @param {number} codeEvent @param {string} name */
export const kernelKey = (codeEvent, name) => `${codeEvent} ${name}`;

/** "train.py:12 +2" @param {any} model @param {Place[]} places */
export const placesText = (model, places) =>
  places.length === 0
    ? ""
    : framePlace(model, places[0]) + (places.length > 1 ? ` and ${places.length - 1} more` : "");

/** Show the same in a row: a link to the first line. @param {any} model @param {Place[]} places */
export const placesCell = (model, places) =>
  placeCell(places[0]?.file, places[0]?.line ?? null, placesText(model, places));

/** Return how to record the source lines of all kernels, or null when torch recorded them. @param {any} model @param {boolean} some whether the code states some */
export const recordProvenance = (model, some) =>
  hasProvenance(model)
    ? null
    : h(
        "p",
        { class: "dim" },
        some
          ? "These source lines are from the generated code and can be incomplete. To record all: "
          : "The log does not record which source line a kernel came from. To record it: ",
        copyable(RECORD_PROVENANCE),
      );
