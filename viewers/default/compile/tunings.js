// The autotunings of one compile, the longest first.
import { shareBar } from "../../lib/page/figures.js";
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
    h(
      "table",
      { class: "plain compact" },
      h(
        "tbody",
        null,
        own
          .slice(0, MOST_SHOWN)
          .map((row) =>
            h(
              "tr",
              null,
              h("td", { class: "number" }, time(tuningUs(row))),
              h("td", { class: "bar-cell" }, shareBar(tuningUs(row), longest)),
              h(
                "td",
                null,
                h(
                  "a",
                  { href: state.link({ view: "autotuning", item: String(row.id) }) },
                  h("code", null, row.operator),
                ),
              ),
              h("td", null, h("code", { class: "cut" }, row.shapes ?? "")),
              h("td", null, row.best && ["→ ", h("code", { class: "cut" }, row.best)]),
            ),
          ),
      ),
    ),
    own.length > MOST_SHOWN && h("p", null, h("a", { href: all }, `all ${count(own.length)}`)),
  );
}
