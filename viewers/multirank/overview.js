// The Summary view: the findings of all ranks, and the matrix of ranks and compiles.
import { each, lowest, toRuns } from "../lib/bundle/ranks.js";
import { h, rich } from "../lib/page/dom.js";
import { plural } from "../lib/page/format.js";
import { LEFT_OUT } from "../lib/page/left-out.js";
import { inViewer } from "../lib/page/page.js";
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
  const live = model.bundle.manifest.growing ? await import("../lib/live/running.js") : null;
  const leads = { href: (/** @type {string} */ log) => inViewer(model.bundle, "default", { log }) };
  const running = live?.runningNow(model.bundle, leads);
  let { matrix, section } = matrixPart(model, state);
  const summary = h(
    "section",
    { "class": "verdict", "aria-label": "Summary", "tabindex": "0" },
    running,
    summaryPart(model, state),
  );
  return {
    element: h("div", { class: "fill overview" }, summary, section),
    title: "Summary",
    update: () => scrollToFirst(model, matrix),
    key: (event) => {
      if (event.key !== "n" && event.key !== "N") return false;
      matrix.step(event.key === "n" ? 1 : -1);
      return true;
    },
    grown: async (newer) => {
      const { patch } = await import("../lib/live/patch.js");
      return () => {
        const before = model;
        model = newer.model;
        if (live && running && model.bundle.manifest.growing) live.drawRunning(running, model.bundle, leads);
        patch(summary, h("div", null, model.bundle.manifest.growing && running, summaryPart(model, state)));
        if (
          JSON.stringify([before.columns, before.keys, before.graphs, before.result]) ===
          JSON.stringify([model.columns, model.keys, model.graphs, model.result])
        )
          return;
        const at = { column: matrix.column, row: matrix.list.active };
        const next = matrixPart(model, state);
        section.replaceWith(next.section);
        ({ matrix, section } = next);
        matrix.list.update(); // the list has a size only once it is in the page
        if (at.row >= 0 && at.row < matrix.rows.length)
          matrix.activate(at.row, Math.min(at.column, matrix.columns.length - 1));
      };
    },
  };
}

/** Build the matrix of ranks and compiles. @param {Model} model @param {State} state */
function matrixPart(model, state) {
  const marks = marksOf(model);
  const groups = groupRows(model, marks);
  const matrix = new Matrix(model, groups, marks, {
    open: new Set(state.current.open.split(",").filter(Boolean).map(Number)),
    onopen: (opened) => state.replace({ open: [...opened].join(",") }),
    oncell: (column, rank) => compareCell(model, state, column, rank),
  });
  const section = h(
    "section",
    {
      "class": "matrix-section",
      "aria-label": "Ranks and compiles",
      "style": { "--least": `${matrix.least}px` },
    },
    h("h2", null, "Compiles by rank ", h("span", { class: "dim" }, matrix.summary)),
    legend(model, groups, marks),
    matrix.element,
  );
  return { matrix, section };
}

/** Scroll to the compile of the first finding. @param {Model} model @param {Matrix} matrix */
function scrollToFirst(model, matrix) {
  const marks = marksOf(model);
  const first =
    model.result?.findings.find((finding) => marks.has(finding.rank_compile ?? -1))?.rank_compile ?? -1;
  if (first >= 0) matrix.scrollTo(first);
}

/** Build the headline, the runs and the findings. @param {Model} model @param {State} state */
function summaryPart(model, state) {
  if (!model.result)
    return [h("h1", null, plural(model.members.length, "rank")), h("p", { class: "note" }, LEFT_OUT)];
  const { job, findings } = model.result;
  return [h("h1", null, rich(job.text)), runsPart(job), findings.length > 0 && findingTree(model, state)];
}

/** Open the comparison of a cell with most ranks. @param {Model} model @param {State} state @param {number} column @param {number} rank */
function compareCell(model, state, column, rank) {
  let left = majorityRank(model, column);
  if (left === rank) {
    const group = model.graphs?.[column]?.[1] ?? {
      ranks: toRuns([...each(model.columns[column].ranks)].filter((other) => other !== rank)),
    };
    left = lowest(group.ranks);
  }
  state.go(state.link({ view: "compare", column: String(column), left: String(left), right: String(rank) }));
}
