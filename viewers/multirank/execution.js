// The Execution order view: the order in which the ranks ran their compiled graphs, aligned across ranks.
import { size, Words, words } from "../lib/bundle/ranks.js";
import { tableBox } from "../lib/list/table.js";
import { h } from "../lib/page/dom.js";
import { plural } from "../lib/page/format.js";
import { align, allEqual } from "./align.js";
import { functionName } from "./names.js";

/** @typedef {import("../../schema/bundle.d.ts").RankSteps} Step */
/** @typedef {import("../../schema/bundle.d.ts").RankExecutions} Execution */
/** @typedef {import("../../schema/bundle.d.ts").RankExecutionMismatches} Mismatch */

const MOST_ROWS = 1_000,
  MOST_GROUPS = 8;

/** @param {import("./main.js").Context} context @returns {Promise<import("./main.js").View>} */
export async function openExecution({ model }) {
  const [steps, executions, mismatches] = /** @type {[Step[], Execution[], Mismatch[]]} */ (
    await Promise.all(
      ["rank_steps", "rank_executions", "rank_execution_mismatches"].map((name) =>
        model.bundle.rankTable(name),
      ),
    )
  );
  const recorded = executions.flatMap(({ rank_steps: order, ...row }) =>
    order === null ? [] : [{ ...row, order }],
  );
  const element = h("div", { class: "page" }, h("h1", null, "Execution order"));
  const view = { element, title: "Execution order" };
  if (!recorded.length) {
    element.append(
      h("p", null, "Execution order not recorded. To record it, wrap the training loop:"),
      h(
        "pre",
        { class: "padded" },
        "from torch._inductor.debug import record_and_log_graph_execution_order\nwith record_and_log_graph_execution_order():\n    train()",
      ),
    );
    return view;
  }
  const name = (/** @type {number} */ step) => {
    const { rank_compile: column, compile_id: id } = steps[step];
    const compile = column === null ? null : model.columns[column];
    return `${id === null && !compile ? "graph compiled earlier" : functionName(compile?.function ?? null)}${id === null ? "" : ` [${compile?.compile ?? id}]`}`;
  };
  const groups = recorded.slice(0, MOST_GROUPS);
  const rows = align(groups.map((group) => group.order.map(name)));
  const first = rows.findIndex((row) => !allEqual(row));
  const line = (/** @type {any[]} */ row, /** @type {number} */ i) =>
    h(
      "tr",
      { class: i === first ? "first" : null },
      row.map((cell, k) =>
        cell === null
          ? [h("td", { class: "number absent" }), h("td", { class: "absent" }, "–")]
          : [
              h("td", { class: "number" }, cell.position),
              h("td", { class: k && row[0]?.name !== cell.name ? "other" : null }, cell.name),
            ],
      ),
    );
  element.append(
    h(
      "p",
      null,
      groups.length === 1
        ? `${Words(groups[0].ranks)} ran ${size(groups[0].ranks) === 1 ? "" : "the same "}${plural(groups[0].order.length, "graph")}${size(groups[0].ranks) === 1 ? "" : " in the same order"}.`
        : groups
            .slice(1)
            .map(
              (group) =>
                `${Words(group.ranks)} ${size(group.ranks) === 1 ? "differs" : "differ"} from position ${group.position ?? 0}. `,
            ),
    ),
    h("p", { class: "dim" }, "Graphs are labeled with the compile id that they have on most ranks."),
    h(
      "div",
      { "class": "table-box", "tabindex": "0", "role": "region", "aria-label": "Execution order" },
      h(
        "table",
        { class: "aligned" },
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            groups.map((group) => h("th", { scope: "col", colspan: 2 }, words(group.ranks))),
          ),
        ),
        h("tbody", null, rows.slice(0, MOST_ROWS).map(line)),
      ),
    ),
  );
  if (rows.length > MOST_ROWS)
    element.append(h("p", { class: "note" }, `First ${MOST_ROWS} of ${rows.length} rows.`));
  for (const { ranks } of executions.filter(({ rank_steps: order }) => order === null))
    element.append(h("p", { class: "note" }, `${Words(ranks)}: execution order not recorded.`));
  if (mismatches.length) element.append(mismatchTable(mismatches, name));
  return view;
}

/** Build the table of graphs that run at the same position but differ. @param {Mismatch[]} mismatches @param {(step: number) => string} name */
function mismatchTable(mismatches, name) {
  const firsts = new Set(
    mismatches.filter(
      (one, i) =>
        i === 0 || mismatches[i - 1].position !== one.position || mismatches[i - 1].kind !== one.kind,
    ),
  );
  return h(
    "section",
    null,
    h("h2", null, "Differences at the same position"),
    tableBox(
      "Mismatches",
      [
        { title: "Position", number: true, cell: (one) => (firsts.has(one) ? one.position : "") },
        {
          title: "Difference",
          cell: (one) => (!firsts.has(one) ? "" : one.kind === "schedule" ? "collectives" : "caches"),
        },
        { title: "Ranks", cell: ({ ranks }) => words(ranks) },
        { title: "Graph", cell: ({ rank_step: step }) => h("code", null, name(step)) },
        { title: "Value", cell: ({ value }) => value || "none" },
      ],
      mismatches,
    ),
  );
}
