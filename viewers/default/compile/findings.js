// What was found in one compile, and the rows that its tables have: failures, breaks, guards that failed; caches and guards.
import { fill, h } from "../../lib/page/dom.js";
import { count, plural, time } from "../../lib/page/format.js";
import { CACHES, cacheReason, outcomeBadge } from "../findings/cache-names.js";
import { guardsOf, kindCounts, latency } from "../findings/guards.js";
import { compareLink, reasonParts } from "../findings/recompiles.js";
import { cards } from "../shared/finding-leads.js";
import { findingsOf, numberOf } from "../shared/model.js";
import { compileLink, recordLink, sourceLine } from "../shared/parts.js";

const MOST_KINDS = 6;
const MOST_SHOWN = 20;

/**
 * What went wrong, for the page of a compile; 'instead' is shown when the tables cannot be read.
 * @param {import("../frame/viewer.js").Context} context @param {any} model @param {number} index @param {() => any} instead
 */
export function compileProblems({ log, state }, model, index, instead) {
  const root = h("div", { class: "compile-findings" });
  const attempts = attemptsOf(model, index);
  const of = (/** @type {any[]} */ rows) => (rows ?? []).filter((row) => attempts.has(row.compile_index)).slice(0, MOST_SHOWN);
  Promise.all([findingsOf(log), log.table("failures"), log.table("graph_breaks"), log.table("recompiles")]).then(([found, failures, breaks, recompiles]) => fill(root,
    cards(model, state, found, (finding) => finding.compiles.includes(model.compiles[index].compile), { level: 3, whole: false }),
    records((failures ?? []).filter((/** @type {any} */ row) => attempts.has(numberOf(model, row))).slice(0, MOST_SHOWN).map((/** @type {any} */ row) => failureRow(row, state)), breakRows(breaks?.graph_breaks ?? [], attempts, state), found !== null),
    of(recompiles?.recompiles).map((row) => recompileRow(log, model, recompiles, row, state))),
  (error) => fill(root, instead(), h("p", { class: "dim" }, error.message)));
  return root;
}

/** What its caches and guards did. @param {import("../frame/viewer.js").Context} context @param {any} model @param {number} index */
export function compileCachesAndGuards({ log, state }, model, index) {
  const root = h("div", { class: "compile-findings" });
  const attempts = attemptsOf(model, index);
  Promise.all([log.table("caches"), guardsOf(log)]).then(([caches, guards]) => fill(root, cacheList(model, caches ?? [], attempts, state), guardList(guards, attempts, state)),
    (error) => fill(root, h("p", { class: "dim" }, error.message)));
  return root;
}

/** The attempts of the same compile. @param {any} model @param {number} index @returns {Set<number>} */
function attemptsOf(model, index) {
  const compile = model.compiles[index];
  if (compile.id === null) return new Set([index]);
  const key = compile.compile;
  return new Set(model.frames.find((/** @type {any} */ frame) => frame.last.compile === key)?.rows ?? [index]);
}

/** @param {string} tone @param {string} sign @param {any} title @param {...any} parts */
const box = (tone, sign, title, ...parts) => h("section", { class: `verdict tone-${tone}` }, h("h3", null, h("span", { class: `sign status-${tone}`, "aria-hidden": "true" }, sign), " ", title), parts);

/** What torch wrote of failures and breaks: behind a fold where findings stand above. @param {any[]} failures @param {any[]} breaks @param {boolean} told */
function records(failures, breaks, told) {
  const rows = [...failures, ...breaks];
  return told && rows.length > 0 ? h("details", null, h("summary", null, `What torch wrote (${count(rows.length)})`), rows) : rows;
}

/** What torch wrote of a failure or a restart. @param {any} row of the failure table @param {any} state */
function failureRow(row, state) {
  const [tone, sign] = row.kind === "restart" ? ["break", "↺"] : ["error", "✖"];
  return box(tone, sign, [row.kind.replaceAll("_", " "), row.type && `: ${row.type}`],
    row.reason !== null && h("pre", { class: "wrapped" }, row.reason.trim()), sourceLine(row), h("p", null, recordLink(row.event, state)));
}

/** @param {any[]} breaks @param {Set<number>} attempts @param {any} state */
function breakRows(breaks, attempts, state) {
  return breaks.flatMap((row, i) => (row.occurrences.some((/** @type {any} */ at) => attempts.has(at.compile_index))
    ? [box("break", "✂", ["Graph break: ", h("a", { href: state.link({ view: "breaks", item: String(i) }) }, row.reason)], sourceLine(row))] : [])).slice(0, MOST_SHOWN);
}

/** @param {any} log @param {any} model @param {any} table @param {any} row @param {any} state */
function recompileRow(log, model, { frames, recompiles }, row, state) {
  const compiles = frames[row.frame_index]?.compile_indexes ?? [];
  const previous = compiles[compiles.indexOf(row.compile_index) - 1];
  return box("recompile", "↻", "Guards that failed",
    h("ul", { class: "history" }, row.reasons.slice(0, MOST_SHOWN).map((/** @type {any} */ reason) => h("li", null, reasonParts(model, reason, state)))),
    row.reasons.length > MOST_SHOWN && h("p", { class: "dim" }, `and ${count(row.reasons.length - MOST_SHOWN)} more guards of older compiles`),
    row.text !== null && h("pre", { class: "wrapped" }, row.text),
    row.caused_by !== null && h("p", null, "It followed ", compileLink(model, recompiles[row.caused_by].compile_index, state)),
    h("p", null, row.frame_index !== null && h("a", { href: state.link({ view: "recompiles", by: "function", item: String(row.frame_index) }) }, "All compiles of the function"),
      previous !== undefined && [" · ", compareLink(log, model, previous, row.compile_index, state, "Compare with the previous compile")]));
}

/** @param {any} model @param {any[]} caches @param {Set<number>} attempts @param {any} state */
function cacheList(model, caches, attempts, state) {
  const rows = caches.filter((row) => attempts.has(numberOf(model, row)));
  if (rows.length === 0) return null;
  return h("section", null, h("h3", null, "Caches"), h("ul", null, rows.slice(0, MOST_SHOWN).map((row) => h("li", null,
    h("a", { href: state.link({ view: "caches", item: String(row.event) }) }, CACHES[row.cache] ?? row.cache), " ", outcomeBadge(row.outcome),
    row.time_saved_us !== null && ` saved ${time(row.time_saved_us)}`, " ", h("span", { class: "dim" }, cacheReason(row))))),
  rows.length > MOST_SHOWN && h("p", { class: "dim" }, `and ${count(rows.length - MOST_SHOWN)} more`));
}

/** @param {any} table @param {Set<number>} attempts @param {any} state */
function guardList(table, attempts, state) {
  const trees = (table?.trees ?? []).filter((/** @type {any} */ tree) => attempts.has(tree.compile_index));
  if (trees.length === 0) return null;
  return h("section", null, h("h3", null, "Guards"), h("ul", null, trees.map((/** @type {any} */ tree) => h("li", null,
    h("a", { href: state.link({ view: "guards", item: String(tree.event_index) }) }, `${plural(tree.guard_count, "guard")} in the ${tree.form} dump`), tree.latency_us !== null && `, one check takes ${latency(tree.latency_us)}`, " ",
    h("span", { class: "dim" }, kindCounts(table.lists[tree.list_index]).slice(0, MOST_KINDS).map(([kind, n]) => `${kind} ${count(n)}`).join(", "))))));
}
