// The first screen: what the ranks together say; below it every rank and every compile.
import { each, lowest, toRuns } from "../lib/bundle/ranks.js";
import { h, rich } from "../lib/page/dom.js";
import { plural } from "../lib/page/format.js";
import { majorityRank } from "./data.js";
import { findingTree } from "./findings.js";
import { legend } from "./legend.js";
import { groupRows, marksOf } from "./matrix-data.js";
import { Matrix } from "./matrix.js";
import { runsPart } from "./runs.js";

/** @typedef {import("./data.js").Model} Model */
/** @typedef {import("../lib/page/hash-state.js").HashState} State */

/** @param {import("./main.js").Context} context @returns {Promise<import("./main.js").View>} */
export async function openOverview({ model, state }) {
  const marks = marksOf(model);
  const groups = groupRows(model, marks);
  const open = new Set(state.current.open.split(",").filter(Boolean).map(Number));
  const matrix = new Matrix(model, groups, marks, {
    open,
    onopen: (opened) => state.replace({ open: [...opened].join(",") }),
    oncell: (column, rank) => pick(model, state, column, rank),
  });
  const element = h("div", { class: "fill overview" },
    h("section", { class: "verdict", "aria-label": "Verdict", tabindex: "0" }, verdictPart(model, state)),
    h("section", { class: "matrix-section", "aria-label": "Ranks and compiles", style: { "--least": `${matrix.least}px` } },
      h("h2", null, "What each rank compiled ", h("span", { class: "dim" }, matrix.summary)),
      legend(model, groups, marks), matrix.element));
  const first = model.found?.findings.find((finding) => marks.has(finding.column_index ?? -1))?.column_index ?? -1;
  return {
    element, title: "Verdict",
    update: () => { if (first >= 0) matrix.look(first); },
    key: (event) => {
      if (event.key !== "n" && event.key !== "N") return false;
      matrix.step(event.key === "n" ? 1 : -1);
      return true;
    },
  };
}

/** @param {Model} model @param {State} state */
function verdictPart(model, state) {
  if (!model.found) {
    return [h("h1", null, plural(model.members.length, "rank")),
      h("p", { class: "note" }, "This bundle is of an older version and has no findings over its ranks: build it again with ", h("code", null, "tlparse-bundle LOGS OUT --overwrite"), ".")];
  }
  const { summary, findings } = model.found;
  return [h("h1", null, rich(summary.text)), runsPart(summary), findings.length > 0 && findingTree(model, state)];
}

/** A cell leads to the comparison with most others. @param {Model} model @param {State} state @param {number} column @param {number} rank */
function pick(model, state, column, rank) {
  let left = majorityRank(model, column);
  if (left === rank) {
    const group = model.graphs?.columns[column]?.groups[1] ?? { ranks: toRuns([...each(model.columns[column].ranks)].filter((other) => other !== rank)) };
    left = lowest(group.ranks);
  }
  state.go(state.link({ view: "compare", column: String(column), left: String(left), right: String(rank) }));
}
