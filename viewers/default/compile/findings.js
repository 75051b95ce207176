// What the tables say about one compile: why it failed, broke, was compiled again; its caches and guards.
import { fill, h } from "../../lib/page/dom.js";
import { count, plural, time } from "../../lib/page/format.js";
import { CACHES, cacheWhy, outcomeBadge } from "../findings/cache-words.js";
import { failureBody } from "../findings/failures.js";
import { breakPlace, failureKind, findingsOf } from "../findings/findings.js";
import { guardsOf, kindCounts, latency } from "../findings/guards.js";
import { compareLink, reasonParts } from "../findings/recompiles.js";
import { frameKey } from "../shared/model.js";
import { advice, compileLink, sourceLine } from "../shared/parts.js";
import { remedyText, rich, usefulHints } from "../shared/words.js";

const MOST_KINDS = 6;
const MOST_SHOWN = 20;

/**
 * What went wrong, for the page of a compile; 'instead' is shown when the tables cannot be read.
 * @param {import("../main.js").Context} context @param {any} model @param {number} index @param {() => any} instead
 */
export function compileProblems({ log, state }, model, index, instead) {
  const root = h("div", { class: "compile-findings" });
  const attempts = attemptsOf(model, index);
  findingsOf(log).then((found) => fill(root, failureSections(found, attempts, state), breakSections(model, found, attempts, state),
    restartSections(found, attempts, state), recompileSections(log, model, found, attempts, state)),
  (error) => fill(root, instead(), h("p", { class: "dim" }, error.message)));
  return root;
}

/** What its caches and guards did. @param {import("../main.js").Context} context @param {any} model @param {number} index */
export function compileCachesAndGuards({ log, state }, model, index) {
  const root = h("div", { class: "compile-findings" });
  const attempts = attemptsOf(model, index);
  Promise.all([findingsOf(log), guardsOf(log)]).then(([found, guards]) => fill(root, cacheList(found, attempts, state), guardList(guards, attempts, state)),
    (error) => fill(root, h("p", { class: "dim" }, error.message)));
  return root;
}

/** The attempts of the same compile. @param {any} model @param {number} index @returns {Set<number>} */
function attemptsOf(model, index) {
  const compile = model.compiles[index];
  if (compile.id === null) return new Set([index]);
  const key = frameKey(compile);
  return new Set(model.frames.find((/** @type {any} */ frame) => frameKey(frame.last) === key)?.rows ?? [index]);
}

/** @param {string} tone @param {string} sign @param {any} title @param {...any} parts */
const box = (tone, sign, title, ...parts) => h("section", { class: `verdict tone-${tone}` }, h("h3", null, h("span", { class: `sign status-${tone}`, "aria-hidden": "true" }, sign), " ", title), parts);

/** @param {any} found @param {Set<number>} attempts @param {any} state */
function failureSections({ failures }, attempts, state) {
  return failures.filter((/** @type {any} */ failure) => attempts.has(failure.compile)).slice(0, MOST_SHOWN).map((/** @type {any} */ failure) =>
    box("error", "✖", failure.limit ? "Refused: recompile limit" : `Why it failed: ${failure.type ?? failureKind(failure)}`, failureBody(failure),
      h("p", null, h("a", { href: state.link({ view: "failures", item: failure.id }) }, "Traceback and records"))));
}

/** @param {any} model @param {any} found @param {Set<number>} attempts @param {any} state */
function breakSections(model, { breaks }, attempts, state) {
  return breaks.flatMap((/** @type {any} */ row, /** @type {number} */ i) => {
    if (!row.occurrences.some((/** @type {any} */ at) => attempts.has(at.compile_index))) return [];
    return [box("break", "✂", ["Graph break: ", h("a", { href: state.link({ view: "breaks", item: String(i) }) }, row.reason), row.file === null && ` (${breakPlace(model, row)})`],
      sourceLine(row), advice(usefulHints(row.hints).map(rich)))];
  }).slice(0, MOST_SHOWN);
}

/** Restarts that are no graph breaks of this compile. @param {any} found @param {Set<number>} attempts @param {any} state */
function restartSections({ restarts, breaks }, attempts, state) {
  const reasons = breaks.filter((/** @type {any} */ row) => row.occurrences.some((/** @type {any} */ at) => attempts.has(at.compile_index))).map((/** @type {any} */ row) => row.reason);
  return restarts.filter((/** @type {any} */ restart) => attempts.has(restart.compile) && !reasons.some((/** @type {string} */ reason) => restart.reason?.includes(reason))).slice(0, MOST_SHOWN)
    .map((/** @type {any} */ restart) => box("break", "↺", "Why it was started again", failureBody(restart), h("p", null, h("a", { href: state.link({ view: "failures", item: restart.id }) }, "Among all restarts"))));
}

/** @param {any} log @param {any} model @param {any} found @param {Set<number>} attempts @param {any} state */
function recompileSections(log, model, { recompiles, causes, frames }, attempts, state) {
  return recompiles.filter((/** @type {any} */ row) => attempts.has(row.compile_index)).map((/** @type {any} */ row) => {
    const cause = causes[row.cause_index];
    const remedy = cause && remedyText(cause);
    const compiles = frames[row.frame_index]?.compile_indexes ?? [];
    const previous = compiles[compiles.indexOf(row.compile_index) - 1];
    return box("recompile", "↻", "Why it was compiled again",
      h("ul", { class: "history" }, row.reasons.slice(0, MOST_SHOWN).map((/** @type {any} */ reason) => h("li", null, reasonParts(model, reason, state), h("div", { class: "hint" }, h("code", null, reason.guard))))),
      row.reasons.length > MOST_SHOWN && h("p", { class: "dim" }, `and ${count(row.reasons.length - MOST_SHOWN)} more guards of older compiles`),
      row.text !== null && h("pre", { class: "wrapped" }, row.text),
      row.caused_by !== null && h("p", null, "It followed from ", compileLink(model, recompiles[row.caused_by].compile_index, state)),
      advice(remedy ? [rich(remedy)] : []),
      h("p", null, h("a", { href: state.link({ view: "recompiles", item: String(row.cause_index) }) }, "This cause and the history of the function"),
        previous !== undefined && [" · ", compareLink(log, model, previous, row.compile_index, state, "Compare with the previous compile")]));
  });
}

/** @param {any} found @param {Set<number>} attempts @param {any} state */
function cacheList({ caches }, attempts, state) {
  const rows = caches.filter((/** @type {any} */ row) => attempts.has(row.compile_index));
  if (rows.length === 0) return null;
  return h("section", null, h("h3", null, "Caches"), h("ul", null, rows.slice(0, MOST_SHOWN).map((/** @type {any} */ row) => h("li", null,
    h("a", { href: state.link({ view: "caches", item: String(row.event_index) }) }, CACHES[row.cache] ?? row.cache), " ", outcomeBadge(row.outcome),
    row.time_saved_us !== null && ` saved ${time(row.time_saved_us)}`, " ", h("span", { class: "dim" }, cacheWhy(row))))),
  rows.length > MOST_SHOWN && h("p", { class: "dim" }, `and ${count(rows.length - MOST_SHOWN)} more`));
}

/** @param {any} table @param {Set<number>} attempts @param {any} state */
function guardList(table, attempts, state) {
  const trees = (table?.trees ?? []).filter((/** @type {any} */ tree) => attempts.has(tree.compile_index));
  if (trees.length === 0) return null;
  return h("section", null, h("h3", null, "Guards"), h("ul", null, trees.map((/** @type {any} */ tree) => h("li", null,
    h("a", { href: state.link({ view: "guards", item: String(tree.event_index) }) }, `${plural(tree.guard_count, "guard")} in the tree`), tree.latency_us !== null && `, one check takes ${latency(tree.latency_us)}`, " ",
    h("span", { class: "dim" }, kindCounts(table.lists[tree.list_index]).slice(0, MOST_KINDS).map(([kind, n]) => `${kind} ${count(n)}`).join(", "))))));
}
