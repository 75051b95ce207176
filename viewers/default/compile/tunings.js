// The autotunings of one compile, the longest first.
import { shareBar } from "../../lib/page/figures.js";
import { table } from "../../lib/list/table.js";
import { h } from "../../lib/page/dom.js";
import { count, time } from "../../lib/page/format.js";
import { numberOf } from "../shared/model.js";
import { tuningUs } from "../tables/autotuning.js";

const MOST_SHOWN = 12;

/** @param {any} model @param {any[]} tunings of the log @param {Set<number>} attempts @param {any} state @param {string} q */
export function tuningSection(model, tunings, attempts, state, q) {
  const own = tunings
    .filter((row) => attempts.has(numberOf(model, row)))
    .sort((a, b) => tuningUs(b) - tuningUs(a));
  if (own.length === 0) return null;
  const all = state.link({ view: "autotuning", q });
  const longest = tuningUs(own[0]);
  return h(
    "section",
    null,
    h("h2", null, h("a", { href: all }, `Autotuning ${count(own.length)}`)),
    table(
      [
        {
          title: "Operator",
          cell: (row) =>
            h(
              "a",
              { href: state.link({ view: "autotuning", item: String(row.id) }) },
              h("code", null, row.operator),
            ),
          sort: (row) => row.operator,
        },
        { title: "Time", number: true, cell: (row) => time(tuningUs(row)), sort: tuningUs },
        { title: "Of the longest", class: "bar-cell", cell: (row) => shareBar(tuningUs(row), longest) },
        {
          title: "Shapes",
          cell: (row) => h("code", { class: "cut" }, row.shapes ?? ""),
          sort: (row) => row.shapes,
        },
        {
          title: "Fastest choice",
          cell: (row) => row.best && h("code", { class: "cut" }, row.best),
          sort: (row) => row.best,
        },
      ],
      own.slice(0, MOST_SHOWN),
      { class: "compact" },
    ),
    own.length > MOST_SHOWN && h("p", null, h("a", { href: all }, `all ${count(own.length)}`)),
  );
}
