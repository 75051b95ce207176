// What each fix would save, alone and together with others.
import { h, rich } from "../../lib/page/dom.js";
import { count, plural, time } from "../../lib/page/format.js";
import { localName } from "./history.js";

/** @typedef {import("./history.js").Fix} Fix */

/** @type {Record<string, string>} */
const ASPECTS = {
  layout: "memory layout",
  rank: "number of dimensions",
  structure: "length",
  global_state: "global state",
};
/** @type {Record<string, (name: string) => string>} */
const FORMS = {
  dynamic_true: () => "`dynamic=True`",
  tensor_argument: (name) => `\`${name}\` as a tensor`,
  few_values: (name) => `a single value of \`${name}\``,
};

/** Return a single fix in a few words: "`x.size(0)` dynamic", "one dtype of `x`". @param {string} fix @param {Fix} row */
function short(fix, { source, dimension }) {
  const name = localName(source ?? "").replaceAll("`", "'");
  if (Object.hasOwn(FORMS, fix)) return FORMS[fix](name);
  const [kind, ...rest] = fix.split("_");
  const aspect = rest.join("_");
  if (kind === "mark") return `\`${name}.size(${dimension})\` ${aspect}`;
  return `one ${ASPECTS[aspect] ?? aspect}${name && ` of \`${name}\``}`;
}

/** @param {Fix} row @param {Map<number, Fix>} byId @returns {string} */
function nameOf(row, byId) {
  if (row.fix === null) {
    return row.combines
      .flatMap((id) => (byId.has(id) ? [nameOf(/** @type {Fix} */ (byId.get(id)), byId)] : []))
      .join(" and ");
  }
  return short(row.fix, row);
}

/** Return a table of fixes with their savings; null without any. @param {Fix[]} fixes */
export function fixTable(fixes) {
  const byId = new Map(fixes.map((row) => [row.id, row]));
  const useful = fixes.filter((row) => row.avoided.length > 0);
  const useless = fixes.filter((row) => row.avoided.length === 0);
  if (fixes.length === 0) return null;
  return [
    useful.length > 0 &&
      h(
        "table",
        { class: "plain fixes" },
        h("caption", { class: "visually-hidden" }, "Compiles and time that each fix would save"),
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            ["Fix", "Compiles avoided", "Compile time saved"].map((title) =>
              h("th", { scope: "col" }, title),
            ),
          ),
        ),
        h(
          "tbody",
          null,
          useful.map((row) => fixRow(row, byId)),
        ),
      ),
    useless.length > 0 &&
      h(
        "details",
        null,
        h(
          "summary",
          null,
          useful.length > 0
            ? `${plural(useless.length, "fix", "fixes")} that would avoid no compile alone`
            : `No single fix avoids a compile: ${count(useless.length)} tried`,
        ),
        h(
          "ul",
          null,
          useless.map((row) => h("li", null, rich(nameOf(row, byId)))),
        ),
      ),
  ];
}

/** @param {Fix} row @param {Map<number, Fix>} byId */
function fixRow(row, byId) {
  const isKnown = row.saved_us !== null && row.total_us !== null;
  return h(
    "tr",
    null,
    h(
      "th",
      { scope: "row" },
      row.fix === null && h("span", { class: "dim" }, "together: "),
      rich(nameOf(row, byId)),
    ),
    h(
      "td",
      null,
      bar(row.avoided.length, row.compile_count),
      ` ${count(row.avoided.length)} of ${count(row.compile_count)}`,
    ),
    h(
      "td",
      null,
      isKnown
        ? [bar(row.saved_us ?? 0, row.total_us ?? 0), ` ${time(row.saved_us)} of ${time(row.total_us)}`]
        : "–",
    ),
  );
}

/** @param {number} part @param {number} whole */
const bar = (part, whole) =>
  h(
    "span",
    { "class": "portion-bar", "aria-hidden": "true" },
    h("span", { style: { width: `${whole ? (100 * part) / whole : 0}%` } }),
  );
