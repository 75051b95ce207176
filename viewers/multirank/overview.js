// The first screen: what differs, in words; below it every rank and every compile.
import { each, lowest, size, toRuns, Words } from "../lib/bundle/ranks.js";
import { h } from "../lib/page/dom.js";
import { count, plural } from "../lib/page/format.js";
import { awayLink, compileKey, groupLetter, majorityRank } from "./data.js";
import { groupRows, MARKS, marksOf } from "./matrix-data.js";
import { Matrix } from "./matrix.js";
import { headline, predicate } from "./verdict.js";

/** @typedef {import("./data.js").Model} Model */
/** @typedef {import("../lib/page/hash-state.js").HashState} State */
/** @typedef {import("./verdict.js").Statement} Statement */

const RANKING = ["error", "warning", "info"];
const MOST = 12, MOST_FOLLOWING = 6; // statements shown at once
/** @type {Record<string, [string, string]>} */
const SEVERITIES = { error: ["✖", "error"], warning: ["▲", "difference"], info: ["◷", "costs time"] };

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
    h("section", { class: "verdict", "aria-label": "Verdict" }, ...verdictPart(model, state)),
    h("section", { class: "matrix-section", "aria-label": "Ranks and compiles" },
      h("h2", null, "What each rank compiled ", h("span", { class: "dim" }, matrix.summary)),
      legend(model, marks), matrix.element));
  const first = Math.min(...marks.keys());
  return {
    element, title: "Verdict",
    update: () => { if (first < Infinity) matrix.look(first); },
    key: (event) => {
      if (event.key !== "n" && event.key !== "N") return false;
      matrix.step(event.key === "n" ? 1 : -1);
      return true;
    },
  };
}

/** @param {Model} model @param {State} state */
function verdictPart(model, state) {
  if (!model.verdict) return [h("h1", null, `${plural(model.members.length, "rank")}`), h("p", { class: "note" }, "This bundle has no verdict on them.")];
  const { statements } = model.verdict;
  const title = h("h1", null, headline(model.verdict, model.matching));
  if (!statements.length) {
    return [title, h("p", { class: "dim" }, "No rank is missing, none compiled anything that the others did not, and none held the others up.")];
  }
  // What follows from a statement stands below it.
  const shown = statements.map((/** @type {any} */ st, /** @type {number} */ i) => ({ st, i, children: statements.flatMap((/** @type {any} */ s, /** @type {number} */ n) => (s.because_of === i ? [n] : [])) }));
  /** @type {(i: number) => string} the severity of a statement or of what follows from it */
  const worst = (i) => RANKING[Math.min(RANKING.indexOf(statements[i].severity), ...shown[i].children.map((/** @type {number} */ n) => RANKING.indexOf(worst(n))))] ?? "warning";
  const item = (/** @type {any} */ { st, i, children }) => h("li", { class: `statement severity-${worst(i)}` }, sentence(model, state, st, worst(i), st.because_of !== null && String(st.ranks) === String(statements[st.because_of].ranks)),
    children.length > 0 && foldedList(children.map((/** @type {number} */ n) => shown[n]), item, MOST_FOLLOWING, ""));
  const roots = shown.filter((/** @type {any} */ { st }) => st.because_of === null);
  return [title, foldedList(roots, item, MOST, "statements")];
}

/** The first of a list, and a button for the others. @param {any[]} items @param {(one: any) => HTMLElement} render @param {number} most @param {string} kind */
function foldedList(items, render, most, kind) {
  const list = h("ul", { class: kind || null }, items.slice(0, most).map(render));
  if (items.length > most) {
    const all = () => list.replaceChildren(...items.map(render));
    list.append(h("li", null, h("button", { class: "tool", onclick: all }, `${count(items.length - most)} more`)));
  }
  return list;
}

/** @param {Model} model @param {State} state @param {Statement} st @param {string} severity its own, or that of what follows from it @param {boolean} goesOn it is about the ranks of the line above */
function sentence(model, state, st, severity, goesOn) {
  const [sign, word] = SEVERITIES[severity] ?? ["·", severity];
  const parts = predicate(st, model.columns).map((part) => (typeof part === "string" ? part : h("code", null, part.code)));
  return h("p", null, h("span", { class: "sign", title: word }, h("span", { "aria-hidden": "true" }, sign), h("span", { class: "visually-hidden" }, `${word}: `)),
    " ", goesOn ? (size(st.ranks) === 1 ? "It" : "They") : h("b", null, Words(st.ranks)), " ", parts, ". ", actions(model, state, st));
}

/** Where one goes from a statement. @param {Model} model @param {State} state @param {Statement} st */
function actions(model, state, st) {
  const here = lowest(st.ranks), other = lowest(st.others);
  const column = st.column_index;
  const links = [];
  const own = (/** @type {string} */ text, /** @type {Record<string, string>} */ to) => links.push(h("a", { href: state.link(to) }, text));
  const sides = { column: String(column), left: String(other), right: String(here) };
  const both = column !== null && other >= 0 && compileKey(model, other, column) !== null && compileKey(model, here, column) !== null;
  if (st.kind === "collectives") own("align ›", { view: "collectives", column: column === null ? "" : String(column) });
  if (st.kind === "execution_order") own("order ›", { view: "execution" });
  if (["straggler", "late_start", "stopped_rank", "silent_rank", "cut_log", "unfinished_compile"].includes(st.kind)) own("timeline ›", { view: "timeline", rank: String(here) });
  if (both && !["straggler", "late_start", "execution_order"].includes(st.kind)) own("compare ›", { view: "compare", ...sides, artifact: artifactOf(st) });
  links.push(awayLink(model, here, st.compile_key, st.compile_key === null ? `rank ${here} ›` : `[${st.compile_key}] of rank ${here} ›`));
  return h("span", { class: "actions" }, links.flatMap((link) => [link, " "]));
}

/** The artifact that shows a difference best. @param {Statement} st */
function artifactOf(st) {
  const details = /** @type {any} */ (st.details);
  if (details.line?.artifact) return details.line.artifact;
  if (st.kind === "collectives") return "inductor_collective_schedule";
  if (st.kind === "tensors") return "inductor_runtime_and_tensor_meta";
  if (st.kind === "guard") return "dynamo_cpp_guards_str";
  return details.stage === "dynamo" ? "dynamo_output_graph" : "";
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

/** @param {Model} model @param {Map<number, Map<number, any>>} marks */
function legend(model, marks) {
  const most = Math.max(1, ...(model.graphs?.columns ?? []).map((/** @type {any} */ column) => column.groups.length));
  const kinds = new Set([...marks.values()].flatMap((column) => [...column.values()].map((st) => st.kind)));
  const cells = Array.from({ length: Math.min(most, 4) }, (_, i) => h("li", null, h("span", { class: `swatch matrix-cell g${i}` }, groupLetter(i)), i === 0 ? (most === 1 ? " the same on every rank" : " as most ranks") : i === 3 && most > 4 ? " and so on" : " another graph or code"));
  return h("ul", { class: "legend" }, cells, h("li", null, h("span", { class: "swatch matrix-cell none" }, "·"), " not compiled"),
    [...kinds].filter((kind) => kind !== "graph").map((kind) => h("li", null, h("span", { class: "swatch" }, MARKS[kind][0]), ` ${MARKS[kind][1]}`)));
}
