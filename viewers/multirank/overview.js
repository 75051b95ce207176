// The Summary view: the structure of the job, the findings of all ranks or of one, and the matrix of ranks and
// compiles.
import { each, lowest, toRuns } from "../lib/bundle/ranks.js";
import { fill, h, rich } from "../lib/page/dom.js";
import { plural } from "../lib/page/format.js";
import { LEFT_OUT } from "../lib/page/left-out.js";
import { inViewer } from "../lib/page/page.js";
import { awayLink, majorityRank } from "./data.js";
import { findingsOf, findingTree } from "./findings.js";
import { legend } from "./legend.js";
import { groupRows, marksOf } from "./matrix-data.js";
import { Matrix } from "./matrix.js";
import { runsPart } from "./runs.js";
import { structurePart } from "./structure.js";

/** @typedef {import("./data.js").Model} Model */
/** @typedef {import("../lib/page/hash-state.js").HashState} State */

/** @param {import("./main.js").Context} context @returns {Promise<import("./main.js").View>} */
export async function openOverview({ model, state }) {
  const live = model.bundle.manifest.growing ? await import("../lib/live/running.js") : null;
  const leads = { href: (/** @type {string} */ log) => inViewer(model.bundle, "default", { log }) };
  const running = live?.runningNow(model.bundle, leads);
  await pause();
  let structure = structurePart(model, state);
  await pause();
  let { matrix, section } = matrixPart(model, state);
  const summary = h(
    "section",
    { "class": "verdict", "aria-label": "Summary", "tabindex": "0" },
    running,
    summaryPart(model, state),
  );
  let rank = state.current.rank;
  return {
    element: h("div", { class: "fill overview" }, structure.element, summary, section),
    title: "Summary",
    update: (current) => {
      if (current.rank === rank) return void scrollToFirst(model, matrix);
      rank = current.rank;
      structure.select(rank);
      const focused = summary.contains(document.activeElement);
      fill(summary, model.bundle.manifest.growing && running, summaryPart(model, state));
      if (focused) summary.focus();
    },
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
        if (parts(before) !== parts(model)) {
          const next = structurePart(model, state);
          structure.element.replaceWith(next.element);
          structure = next;
        }
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

/** End the task: a thousand ranks take longer to draw than a task should. */
const pause = () => new Promise((resolve) => setTimeout(resolve));

/** The parts of a model that the picture of the structure shows, to compare. @param {Model} model */
const parts = ({ members, roles, groups, result }) => JSON.stringify([members, roles, groups, result]);

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
  const { job } = model.result;
  const rank = /^\d+$/.test(state.current.rank) ? Number(state.current.rank) : null;
  return [
    h("h1", null, rich(job.text)),
    runsPart(job),
    rank !== null && rankPart(model, state, rank),
    findingsOf(model, rank).length > 0 && findingTree(model, state, rank),
  ];
}

/** Build the line about the selected rank: its number of findings, and links. @param {Model} model @param {State} state @param {number} rank */
function rankPart(model, state, rank) {
  const found = findingsOf(model, rank).length;
  const known = model.place.has(rank);
  return h(
    "div",
    { "class": "of-rank", "role": "group", "aria-label": "Selected rank" },
    h("b", null, `Rank ${rank}`),
    h("span", null, [known ? "" : "no log, ", found ? plural(found, "finding") : "no findings"]),
    awayLink(model, rank, null, "overview ›"),
    known && h("a", { href: state.link({ view: "timeline", rank: String(rank) }) }, "timeline ›"),
    h("a", { href: state.patched({ rank: "" }), class: "all-ranks" }, "show all ranks"),
  );
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
