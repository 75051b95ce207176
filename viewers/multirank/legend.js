// What the letters and signs of the matrix mean: those that are on the screen, and no others.
import { h } from "../lib/page/dom.js";
import { groupLetter } from "./data.js";
import { MARKS } from "./matrix-data.js";

/** @param {import("./data.js").Model} model @param {import("./matrix-data.js").Group[]} groups @param {Map<number, Map<number, any>>} marks */
export function legend(model, groups, marks) {
  const compiled = model.groupOf.some((numbers) => numbers.some((number) => number >= 0));
  const most = Math.max(0, ...model.groupOf.map((numbers) => numbers.reduce((a, b) => Math.max(a, b), -1)));
  const absent = model.groupOf.some((numbers) => numbers.some((number) => number < 0));
  const kinds = new Set(
    [...marks.values()].flatMap((column) => [...column.values()].map((finding) => finding.kind)),
  );
  /** Kinds with one sign stand together. @type {Map<string, string[]>} */
  const signs = new Map();
  for (const kind of Object.keys(MARKS).filter((known) => kinds.has(known)))
    signs.set(MARKS[kind][0], [...(signs.get(MARKS[kind][0]) ?? []), MARKS[kind][1]]);
  const swatch = (/** @type {string} */ text, /** @type {string} */ kind) =>
    h("span", { class: `swatch matrix-cell ${kind}` }, text);
  return h(
    "ul",
    { "class": "legend", "aria-label": "What letters and signs mean" },
    compiled &&
      h("li", null, swatch("A", "g0"), most === 0 ? " the same on all that compiled it" : " as most ranks"),
    most > 0 &&
      h(
        "li",
        null,
        swatch("B", "g1"),
        most > 1 && [" … ", swatch(groupLetter(most), `g${1 + ((most - 1) % 6)}`)],
        " other graphs or code",
      ),
    most > 0 && h("li", { class: "dim" }, "letters of different columns have nothing to do with each other"),
    absent && h("li", null, swatch("·", "none"), " not compiled"),
    [...signs].map(([sign, words]) =>
      h("li", null, h("span", { class: "swatch" }, sign), ` ${words.join(", ")}`),
    ),
    groups.some((group) => group.members.length > 1) &&
      h(
        "li",
        null,
        h("span", { class: "swatch" }, "▸"),
        " ranks with equal cells, and how many: press to see each",
      ),
  );
}
