// The starts of a bundle side by side: ranks, cold and warm.
import { h } from "../lib/page/dom.js";
import { plural, time } from "../lib/page/format.js";
import { outcomesOf, totalOf } from "./data.js";
import { countsText } from "./outcome.js";

/** @typedef {import("./data.js").Start} Start */

/** "rank 0 · rank_0_abc" @param {import("../lib/bundle/log.js").Log} log */
export const logText = ({ id, rank }) => (rank === null ? id : `rank ${rank} · ${id}`);

/** @param {Start[]} starts @param {Start} here @param {Start | null} other @param {number} left logs that were not read @param {import("../lib/page/hash-state.js").HashState} state */
export function startsTable(starts, here, other, left, state) {
  if (starts.length < 2) return null;
  return h(
    "section",
    { "aria-labelledby": "starts" },
    h("h2", { id: "starts" }, "Starts and ranks"),
    h(
      "div",
      { class: "table-box" },
      h(
        "table",
        { "class": "plain starts", "aria-label": "Starts" },
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            ["Log", "Start", "Time", "Pieces", ""].map((title) =>
              h("th", { scope: "col" }, title || h("span", { class: "visually-hidden" }, "Compare")),
            ),
          ),
        ),
        h(
          "tbody",
          null,
          starts.map((start) =>
            h(
              "tr",
              { class: start === here ? "here" : null },
              h(
                "th",
                { scope: "row" },
                h(
                  "a",
                  {
                    "href": state.patched({ log: start.log.id, piece: "", beside: "" }),
                    "aria-current": start === here ? "true" : null,
                  },
                  logText(start.log),
                ),
              ),
              h("td", null, kindOf(start)),
              h("td", { class: "number" }, time(totalOf(start))),
              h("td", null, countsText(outcomesOf(start.pieces))),
              h(
                "td",
                null,
                start !== here &&
                  h(
                    "a",
                    { href: state.patched({ beside: start === other ? "" : start.log.id }) },
                    start === other ? "stop comparing" : "compare ›",
                  ),
              ),
            ),
          ),
        ),
      ),
    ),
    left > 0 && h("p", { class: "dim" }, `${plural(left, "more log")} in the list above.`),
  );
}

/** @param {Start} start */
function kindOf({ tables, pieces }) {
  if (tables.backends.length && tables.backends.every((backend) => backend.is_loaded))
    return "warm, precompiled";
  return pieces.some(({ row }) => row.outcome === "loaded") ? "warm" : "cold";
}
