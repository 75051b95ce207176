// What each fix would save, alone and together with others.
import { table } from "../../lib/list/table.js";
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
  const useful = fixes.filter((row) => row.avoided.length > 0 || row.undecided.length > 0);
  const useless = fixes.filter((row) => row.avoided.length === 0 && row.undecided.length === 0);
  if (fixes.length === 0) return null;
  return [
    useful.length > 0 &&
      table(columns(byId), useful, { label: "Compiles and time that each fix would save", class: "fixes" }),
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

/** @param {Map<number, Fix>} byId @returns {import("../../lib/list/table.js").TableColumn<Fix>[]} */
const columns = (byId) => [
  {
    title: "Fix",
    head: true,
    cell: (row) => [row.fix === null && h("span", { class: "dim" }, "together: "), rich(nameOf(row, byId))],
    sort: (row) => nameOf(row, byId),
  },
  {
    title: "Compiles avoided",
    number: true,
    cell: (row) =>
      row.avoided.length === 0
        ? "not known"
        : [
            bar(row.avoided.length, row.compile_count),
            ` ${row.is_minimum ? "at least " : ""}${count(row.avoided.length)} of ${count(row.compile_count)}`,
          ],
    sort: (row) => row.avoided.length,
  },
  {
    title: "Compile time saved",
    number: true,
    cell: (row) =>
      row.saved_us === null || row.total_us === null
        ? "–"
        : [bar(row.saved_us, row.total_us), ` ${time(row.saved_us)} of ${time(row.total_us)}`],
    sort: (row) => row.saved_us,
  },
];

/** @param {number} part @param {number} whole */
const bar = (part, whole) =>
  h(
    "span",
    { "class": "portion-bar", "aria-hidden": "true" },
    h("span", { style: { width: `${whole ? (100 * part) / whole : 0}%` } }),
  );
