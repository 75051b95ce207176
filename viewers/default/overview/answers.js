// The part of the first screen that answers: what failed, broke the graph, was compiled again; each line leads to its place.
import { fill, h } from "../../lib/page/dom.js";
import { count, plural, time } from "../../lib/page/format.js";
import { errorBox } from "../../lib/page/load.js";
import { CACHES, outcomeCount } from "../findings/cache-words.js";
import { breakPlace, cacheCounts, failurePlace, failureText, findingsOf, frameName, grouped, otherRestarts, placesOf, who } from "../findings/findings.js";
import { functionName, kindCount, placeOf } from "../shared/model.js";
import { compileLinks, fact, verdict } from "../shared/parts.js";
import { causeParts, causeText, remedyText, rich, takeApart, usefulHints } from "../shared/words.js";
import { specializedSection, words } from "./specialized.js";

const MOST_LISTED = 8;
const EXPORT_KINDS = [ // what torch.export tells, by the kind of record
  ["export", "export", "exports"], ["guard_on_data_dependent_error", "data-dependent error", "data-dependent errors"],
  ["missing_fake_kernel", "missing fake kernel", "missing fake kernels"], ["mismatched_fake_kernel", "mismatched fake kernel", "mismatched fake kernels"],
];

/** Fills the section once the tables are there; they are small. @param {any} model @param {ReturnType<typeof import("../shared/model.js").facts>} known @param {any} state */
export function answers(model, known, state) {
  const section = h("section", { "aria-label": "What went wrong", class: "verdicts" }, h("p", { class: "dim", role: "status" }, "Reading what happened …"));
  const show = () => findingsOf(model.log).then(
    (found) => {
      fill(section, sentence(model, known, found, state), verdicts(model, known, found, state));
      section.hidden = section.childElementCount === 0;
    },
    (error) => fill(section, errorBox(error, show)));
  show();
  return section;
}

/** @param {any} model @param {any} known @param {any} found @param {any} state */
function sentence(model, known, found, state) {
  const link = (/** @type {Record<string, string>} */ where, /** @type {any[]} */ ...text) => h("a", { href: state.link(where) }, text);
  const restarts = otherRestarts(found);
  const specialized = kindCount(model, "symbolic_shape_specialization");
  const wrong = [
    found.failures.length > 0 && link({ view: "failures" }, plural(found.failures.length, "failure")),
    found.breakCount > 0 && link({ view: "breaks" }, `${plural(found.breakCount, "graph break")} at ${plural(placesOf(found.breaks), "place")}`),
    restarts.length > 0 && link({ view: "failures", type: "restart" }, plural(restarts.length, found.breakCount ? "more restart" : "restart")),
    found.recompiles.length > 0 && recompileWords(found, link),
    known.missing.length > 0 && link({ view: "compiles", status: "missing" }, `${plural(known.missing.length, "compile")} without metrics`),
    specialized > 0 && link({ view: "symbols" }, words(specialized)),
    ...EXPORT_KINDS.map(([type, one, many]) => kindCount(model, type) > 0 && link({ view: "export" }, plural(kindCount(model, type), one, many))),
  ].filter(Boolean);
  if (wrong.length === 0 && model.frames.length === 0) return null; // then there is nothing to be good
  const absent = model.frames.length === 0 ? [] : [!found.failures.length && "no failures", !found.breakCount && !restarts.length && "no graph breaks", !found.recompiles.length && "no recompiles"].filter(Boolean);
  const first = [...wrong, ...absent];
  return h("p", { class: "answer" }, h("span", { class: wrong.length ? null : "good" }, listed(first)), timeWords(known), cacheWords(found, link), ".",
    found.missing.length > 0 && h("span", { class: "note-inline" }, ` This bundle has no table of ${found.missing.join(", ")}: build it again to see them.`));
}

/** "a, b, c" with the first letter large. @param {any[]} parts */
const listed = (parts) => parts.map((part, i) => [i > 0 && ", ", i === 0 && typeof part === "string" ? part[0].toUpperCase() + part.slice(1) : part]);

/** @param {any} found @param {(where: Record<string, string>, ...text: any[]) => any} link */
function recompileWords(found, link) {
  const functions = functionCount(found);
  const most = causeGroups(found)[0]?.cause;
  const name = h("code", null, frameName(found.frames[most?.frame_index]));
  return link({ view: "recompiles" }, `${plural(found.recompiles.length, "recompile")} of `, functions > 1 ? plural(functions, "function") : name,
    most && [functions > 1 && [", mostly ", name.cloneNode(true)], " because ", causeText(most)]);
}

/** Code objects of one function count once. @param {any} frame */
const functionKey = (frame) => (frame ? JSON.stringify([frame.file, frame.first_line, frame.function]) : "");

/** @param {any} found */
const functionCount = ({ recompiles, frames }) => new Set(recompiles.map((/** @type {any} */ row) => functionKey(frames[row.frame_index]))).size;

/**
 * Equal causes of one function are one line, also when its code was made several times.
 * @param {any} found @returns {{first: number, cause: any, causes: any[], count: number, cascades: number}[]} the one with most recompiles first
 */
function causeGroups({ causes, frames }) {
  /** @type {Map<string, any>} */
  const groups = new Map();
  causes.forEach((/** @type {any} */ cause, /** @type {number} */ first) => {
    const key = JSON.stringify([functionKey(frames[cause.frame_index]), cause.source, cause.kind, cause.index, cause.values, cause.kind === "other" && cause.guard]);
    const group = groups.get(key) ?? { first, cause, causes: [], count: 0, cascades: 0 };
    groups.set(key, group);
    group.causes.push(cause);
    group.count += cause.count;
    group.cascades += cause.cascade_count;
  });
  return [...groups.values()].sort((a, b) => b.count + b.cascades - a.count - a.cascades || a.first - b.first);
}

/** @param {any} known */
function timeWords({ total, phases }) {
  if (!total) return null;
  const longest = phases.filter((/** @type {any} */ phase) => phase.id !== "backward").sort((/** @type {any} */ a, /** @type {any} */ b) => b.us - a.us)[0];
  return `; ${time(total)} compiling, ${Math.round((100 * longest.us) / total)} % in ${longest.title}`;
}

/** @param {any} found @param {(where: Record<string, string>, ...text: any[]) => any} link */
function cacheWords({ caches }, link) {
  const asked = caches.filter((/** @type {any} */ row) => ["hit", "miss", "bypass", "error"].includes(row.outcome)).map((/** @type {any} */ row) => ({ ...row, cache: "all" }));
  if (asked.length === 0) return null;
  return ["; caches: ", link({ view: "caches" }, Object.entries(cacheCounts(asked)[0][1]).map(([outcome, n]) => outcomeCount(outcome, n)).join(", "))];
}

/** @param {any} model @param {any} known @param {any} found @param {any} state */
function verdicts(model, known, found, state) {
  const section = (/** @type {string} */ sign, /** @type {string} */ tone, /** @type {Record<string, string>} */ where, /** @type {string} */ title, /** @type {any[]} */ items, /** @type {(item: any) => any} */ row) =>
    items.length > 0 && verdict(sign, tone, h("a", { href: state.link(where) }, title), [...items.slice(0, MOST_LISTED).map(row),
      ...(items.length > MOST_LISTED ? [h("li", null, h("a", { href: state.link(where) }, `all ${count(items.length)}`))] : [])]);
  const { failures, breaks, breakCount, causes, recompiles } = found;
  const restarts = otherRestarts(found);
  return [
    section("✖", "error", { view: "failures" }, plural(failures.length, "failure"), grouped(failures), (group) => failureRow(model, group, state)),
    section("?", "missing", { view: "compiles", status: "missing" }, `${plural(known.missing.length, "compile")} without metrics`, known.missing, (frame) =>
      h("li", null, functionName(frame.last), " ", h("span", { class: "place", title: frame.last.filename }, placeOf(model, frame.last)), compileLinks(model, frame.rows, state),
        h("div", { class: "hint" }, "It began and did not end: the process stopped in it, or the code came from a package."))),
    section("✂", "break", { view: "breaks" }, `${plural(breakCount, "graph break")} at ${plural(placesOf(breaks), "place")}`,
      breaks.map((/** @type {any} */ _, /** @type {number} */ i) => i).sort((/** @type {number} */ a, /** @type {number} */ b) => breaks[b].occurrences.length - breaks[a].occurrences.length || a - b),
      (i) => breakRow(model, breaks[i], i, state)),
    section("↺", "break", { view: "failures", type: "restart" }, plural(restarts.length, breakCount ? "more restart" : "restart"), grouped(restarts), (group) => failureRow(model, group, state)),
    section("↻", "recompile", { view: "recompiles" }, `${plural(recompiles.length, "recompile")} of ${plural(functionCount(found), "function")}, ${plural(causes.length, "root cause")}`,
      causeGroups(found), (group) => causeRow(model, found, group, state)),
    specializedSection(model, state),
  ];
}

/** @param {any[]} compiles indexes */
const distinct = (compiles) => [...new Set(compiles)];

/** @param {any} model @param {import("../findings/findings.js").Failure[]} group @param {any} state */
function failureRow(model, group, state) {
  const [first] = group;
  const { explanation, hints } = takeApart(first.reason);
  const name = who(model, first);
  return h("li", null,
    h("strong", null, name), " ", h("span", { class: "place", title: first.file }, failurePlace(model, first)), " ", first.source_line && [h("code", null, first.source_line), " "],
    h("a", { class: "reason", href: state.link({ view: "failures", item: first.id }), title: first.reason ?? "" }, failureText(first)),
    group.length > 1 && ` ${plural(group.length, "time")}`, compileLinks(model, distinct(group.map((failure) => failure.compile)), state),
    explanation && h("div", { class: "hint", title: explanation }, rich(explanation.split("\n")[0])), hints.length > 0 && hint(hints));
}

/** @param {any} model @param {any} row @param {number} i @param {any} state */
function breakRow(model, row, i, state) {
  const hints = usefulHints(row.hints);
  return h("li", null,
    h("span", { class: "place", title: row.file }, breakPlace(model, row)), " ", row.source_line && [h("code", null, row.source_line), " "],
    h("a", { href: state.link({ view: "breaks", item: String(i) }), title: row.explanation ?? "" }, row.reason),
    ` ${plural(row.occurrences.length, "time")}`, compileLinks(model, distinct(row.occurrences.map((/** @type {any} */ at) => at.compile_index)), state),
    hints.length > 0 ? hint(hints) : row.explanation && hint([row.explanation.split("\n")[0]]));
}

/** @param {any} model @param {any} found @param {ReturnType<typeof causeGroups>[number]} group @param {any} state */
function causeRow(model, { frames, recompiles }, { first, cause, causes, count: times, cascades }, state) {
  const frame = frames[cause.frame_index];
  const remedy = remedyText(cause);
  return h("li", null,
    h("strong", null, frameName(frame)), " ", h("span", { class: "place", title: frame?.file }, frame?.file ? `${model.short(frame.file)}:${frame.first_line}` : ""), " ",
    h("a", { href: state.link({ view: "recompiles", item: String(first) }), title: cause.guard ?? "" }, causeParts(cause)),
    ` ${plural(times, "time")}`, causes.length > 1 && `, ${count(causes.length)} code objects`, cascades > 0 && `, led to ${plural(cascades, "more recompile")}`,
    compileLinks(model, causes.flatMap((each) => each.recompile_indexes).map((/** @type {number} */ at) => recompiles[at].compile_index), state),
    (frame?.limit_compile_index ?? null) !== null && h("span", { class: "status status-error" }, " ", h("span", { class: "sign", "aria-hidden": "true" }, "✖"), " recompile limit reached: runs uncompiled"),
    remedy && h("div", { class: "hint" }, rich(remedy)));
}

/** @param {string[]} hints */
const hint = (hints) => h("div", { class: "hint", title: hints.join("\n") }, rich(hints[0]), hints.length > 1 && h("span", { class: "dim" }, ` (and ${plural(hints.length - 1, "more hint")})`));

/** Hits and misses. @param {any} model @param {any} state */
export function cacheSection(model, state) {
  const section = h("section", { hidden: true });
  findingsOf(model.log).then(({ caches }) => {
    if (caches.length === 0) return;
    section.hidden = false;
    fill(section, h("h2", null, h("a", { href: state.link({ view: "caches" }) }, "Caches")), h("ul", { class: "facts-line" }, cacheCounts(caches).map(([cache, by]) =>
      h("li", null, h("a", { href: state.link({ view: "caches", type: cache }) }, fact(`${CACHES[cache] ?? cache} cache`, Object.entries(by).map(([outcome, n]) => outcomeCount(outcome, n)).join(", ")))))));
  }, () => {}); // the section above tells
  return section;
}
