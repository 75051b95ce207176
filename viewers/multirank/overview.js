// The first screen: what the ranks together say; below it every rank and every compile.
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
  const verdict = h(
    "section",
    { "class": "verdict", "aria-label": "Verdict", "tabindex": "0" },
    running,
    verdictPart(model, state),
  );
  return {
    element: h("div", { class: "fill overview" }, verdict, section),
    title: "Verdict",
    update: () => lookAtFirst(model, matrix),
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
        patch(verdict, h("div", null, model.bundle.manifest.growing && running, verdictPart(model, state)));
        if (
          JSON.stringify([before.columns, before.keys, before.graphs, before.found]) ===
          JSON.stringify([model.columns, model.keys, model.graphs, model.found])
        )
          return;
        const at = { column: matrix.column, row: matrix.list.active };
        const next = matrixPart(model, state);
        section.replaceWith(next.section);
        ({ matrix, section } = next);
        matrix.list.update(); // it has its size only now
        if (at.row >= 0 && at.row < matrix.rows.length)
          matrix.activate(at.row, Math.min(at.column, matrix.columns.length - 1));
      };
    },
  };
}

/** Every rank and every compile. @param {Model} model @param {State} state */
function matrixPart(model, state) {
  const marks = marksOf(model);
  const groups = groupRows(model, marks);
  const matrix = new Matrix(model, groups, marks, {
    open: new Set(state.current.open.split(",").filter(Boolean).map(Number)),
    onopen: (opened) => state.replace({ open: [...opened].join(",") }),
    oncell: (column, rank) => pick(model, state, column, rank),
  });
  const section = h(
    "section",
    {
      "class": "matrix-section",
      "aria-label": "Ranks and compiles",
      "style": { "--least": `${matrix.least}px` },
    },
    h("h2", null, "What each rank compiled ", h("span", { class: "dim" }, matrix.summary)),
    legend(model, groups, marks),
    matrix.element,
  );
  return { matrix, section };
}

/** @param {Model} model @param {Matrix} matrix */
function lookAtFirst(model, matrix) {
  const marks = marksOf(model);
  const first =
    model.found?.findings.find((finding) => marks.has(finding.rank_compile ?? -1))?.rank_compile ?? -1;
  if (first >= 0) matrix.look(first);
}

/** @param {Model} model @param {State} state */
function verdictPart(model, state) {
  if (!model.found)
    return [h("h1", null, plural(model.members.length, "rank")), h("p", { class: "note" }, LEFT_OUT)];
  const { job, findings } = model.found;
  return [h("h1", null, rich(job.text)), runsPart(job), findings.length > 0 && findingTree(model, state)];
}

/** A cell leads to the comparison with most others. @param {Model} model @param {State} state @param {number} column @param {number} rank */
function pick(model, state, column, rank) {
  let left = majorityRank(model, column);
  if (left === rank) {
    const group = model.graphs?.[column]?.[1] ?? {
      ranks: toRuns([...each(model.columns[column].ranks)].filter((other) => other !== rank)),
    };
    left = lowest(group.ranks);
  }
  state.go(state.link({ view: "compare", column: String(column), left: String(left), right: String(rank) }));
}
