// The legend of the matrix: only the letters and signs that the matrix shows.
import { h } from "../lib/page/dom.js";
import { groupLetter } from "./data.js";
import { MARKS } from "./matrix-data.js";

/** Build the legend. @param {import("./data.js").Model} model @param {import("./matrix-data.js").Group[]} groups @param {Map<number, Map<number, any>>} marks */
export function legend(model, groups, marks) {
  const compiled = model.groupOf.some((numbers) => numbers.some((number) => number >= 0));
  const most = Math.max(0, ...model.groupOf.map((numbers) => numbers.reduce((a, b) => Math.max(a, b), -1)));
  const absent = model.groupOf.some((numbers) => numbers.some((number) => number < 0));
  const kinds = new Set(
    [...marks.values()].flatMap((column) => [...column.values()].map((finding) => finding.kind)),
  );
  /** Meanings by sign: several kinds share a sign. @type {Map<string, string[]>} */
  const signs = new Map();
  for (const kind of Object.keys(MARKS).filter((name) => kinds.has(name)))
    signs.set(MARKS[kind][0], [...(signs.get(MARKS[kind][0]) ?? []), MARKS[kind][1]]);
  const swatch = (/** @type {string} */ text, /** @type {string} */ kind) =>
    h("span", { class: `swatch matrix-cell ${kind}` }, text);
  return h(
    "ul",
    { "class": "legend", "aria-label": "Legend" },
    compiled &&
      h(
        "li",
        null,
        swatch("A", "g0"),
        most === 0 ? " same on all ranks that compiled it" : " same as most ranks",
      ),
    most > 0 &&
      h(
        "li",
        null,
        swatch("B", "g1"),
        most > 1 && [" … ", swatch(groupLetter(most), `g${1 + ((most - 1) % 6)}`)],
        " different graphs or code",
      ),
    most > 0 && h("li", { class: "dim" }, "letters in different columns are unrelated"),
    absent && h("li", null, swatch("·", "none"), " not compiled"),
    [...signs].map(([sign, words]) =>
      h("li", null, h("span", { class: "swatch" }, sign), ` ${words.join(", ")}`),
    ),
    groups.some((group) => group.members.length > 1) &&
      h(
        "li",
        null,
        h("span", { class: "swatch" }, "▸"),
        " ranks with equal cells, with their number: click to expand",
      ),
  );
}
