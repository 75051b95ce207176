// The starts of a bundle side by side: ranks, cold and warm.
import { tableBox } from "../lib/list/table.js";
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
    tableBox(
      "Starts",
      [
        {
          title: "Log",
          head: true,
          cell: (start) =>
            h(
              "a",
              {
                "href": state.patched({ log: start.log.id, piece: "", beside: "" }),
                "aria-current": start === here ? "true" : null,
              },
              logText(start.log),
            ),
          sort: ({ log }) => logText(log),
        },
        { title: "Start", cell: kindOf, sort: kindOf },
        { title: "Time", number: true, cell: (start) => time(totalOf(start)), sort: totalOf },
        { title: "Pieces", cell: (start) => countsText(outcomesOf(start.pieces)) },
        {
          title: "Compare",
          cell: (start) =>
            start !== here &&
            h(
              "a",
              { href: state.patched({ beside: start === other ? "" : start.log.id }) },
              start === other ? "stop comparing" : "compare ›",
            ),
        },
      ],
      starts,
      { label: "Starts", class: "starts", row: (start) => ({ class: start === here ? "here" : null }) },
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
