// Why functions were compiled again: the root causes with what they led to, and the history of each function.
import { emptyPage, listDetail } from "../../lib/list/list-detail.js";
import { append, h } from "../../lib/page/dom.js";
import { count, plural, time } from "../../lib/page/format.js";
import { idText, modelOf } from "../shared/model.js";
import { advice, compileLink, pairs, recordLink, sourceLine } from "../shared/parts.js";
import { causeParts, causeText, remedyText, rich, subject, valuesText } from "../shared/words.js";
import { cascadesOf, findingsOf, frameName } from "./findings.js";

const MOST_SHOWN = 100;
const DEEPEST = 12;

/** @param {import("../main.js").Context} context @returns {Promise<import("../main.js").View>} */
export async function openRecompiles({ log, state }) {
  const [model, found] = await Promise.all([modelOf(log), findingsOf(log)]);
  if (found.recompiles.length === 0) {
    return emptyPage("No recompiles", "Compiles that were made again because a guard failed would be here: which guard, what changed, and what usually helps. No function of this log was compiled again.");
  }
  const about = { log, model, found, state, cascades: cascadesOf(found.recompiles), at: new Map(found.recompiles.map((/** @type {any} */ row, /** @type {number} */ i) => [row.compile_index, i])) };
  /** Opened anew for the other list: they have other columns. @type {{by: string, view: any} | null} */
  let shown = null;
  const element = h("div", { class: "fill" });
  const open = (/** @type {string} */ by) => {
    const tools = h("span", { class: "tool-group", role: "group", "aria-label": "List" }, [["", "By cause"], ["function", "By function"]].map(([value, words]) =>
      h("button", { class: "tool", "aria-pressed": String(by === value), onclick: () => state.go(state.patched({ by: value, item: "", sort: "" })) }, words)));
    shown = { by, view: by === "function" ? functionList(about, tools) : causeList(about, tools) };
    element.replaceChildren(shown.view.element);
    return shown;
  };
  return {
    element, title: "Recompiles", search: () => shown?.view.search(),
    update: (current) => (shown && shown.by === current.by ? shown : open(current.by)).view.update(current),
  };
}

/** @typedef {{log: any, model: any, found: import("./findings.js").Findings, state: any, cascades: Map<number, number[]>, at: Map<any, any>}} About */

/** @param {any} model @param {any} frame */
const framePlace = (model, frame) => (frame?.file ? `${model.short(frame.file)}:${frame.first_line}` : "");

/** @param {any} frame */
const limitBadge = (frame) => (frame?.limit_compile_index ?? null) !== null &&
  h("span", { class: "status status-error", title: "The recompile limit was reached: the function runs uncompiled from there on" }, h("span", { class: "sign", "aria-hidden": "true" }, "✖"), " limit");

/** @param {About} about @param {any} tools */
function causeList(about, tools) {
  const { model, found: { causes, frames }, state } = about;
  const frameOf = (/** @type {number} */ i) => frames[causes[i].frame_index];
  return listDetail({
    state, name: "recompiles", label: "Causes of recompiles", noun: ["cause", "causes"], length: causes.length, minWidth: "36rem", tools, id: String,
    title: (i) => `${frameName(frameOf(i))} ${causeText(causes[i])}`,
    text: (i) => [frameName(frameOf(i)), frameOf(i)?.file, causeText(causes[i]), causes[i].guard, causes[i].kind].join("\n"),
    columns: [
      { id: "function", title: "Function", width: "minmax(7rem, 1fr)", sort: (i) => frameName(frameOf(i)), cell: (i) => h("span", { title: framePlace(model, frameOf(i)) }, frameName(frameOf(i))) },
      { id: "what", title: "What changed", width: "minmax(10rem, 2fr)", sort: (i) => causeText(causes[i]), cell: (i) => h("span", null, causeParts(causes[i])) },
      { id: "times", title: "Recompiles", width: "5.4rem", number: true, sort: (i) => causes[i].count, cell: (i) => count(causes[i].count) },
      { id: "led", title: "Led to", width: "4rem", number: true, sort: (i) => causes[i].cascade_count, cell: (i) => (causes[i].cascade_count ? count(causes[i].cascade_count) : ""), help: "Recompiles of other functions that followed from these" },
      { id: "limit", title: "Limit", width: "4.4rem", sort: (i) => (frameOf(i)?.limit_compile_index ?? null) !== null ? 0 : 1, cell: (i) => limitBadge(frameOf(i)) || "" },
    ],
    detail: (i) => causeDetail(about, causes[i]),
  });
}

/** @param {About} about @param {any} tools */
function functionList(about, tools) {
  const { model, found: { frames, recompiles }, state } = about;
  const counts = frames.map(() => 0);
  for (const row of recompiles) if (row.frame_index !== null) counts[row.frame_index]++;
  const again = frames.flatMap((/** @type {any} */ _, /** @type {number} */ i) => (counts[i] ? [i] : []));
  const frame = (/** @type {number} */ i) => frames[again[i]];
  return listDetail({
    state, name: "recompiles", label: "Functions that were compiled again", noun: ["function", "functions"], length: again.length, minWidth: "30rem", tools,
    id: (i) => String(again[i]), title: (i) => frameName(frame(i)), text: (i) => [frameName(frame(i)), frame(i).file].join("\n"),
    columns: [
      { id: "function", title: "Function", width: "minmax(8rem, 1fr)", sort: (i) => frameName(frame(i)), cell: (i) => frameName(frame(i)) },
      { id: "place", title: "File", width: "minmax(8rem, 1fr)", class: "mono", sort: (i) => framePlace(model, frame(i)), cell: (i) => h("span", { title: frame(i).file ?? "" }, framePlace(model, frame(i))) },
      { id: "compiles", title: "Compiles", width: "5rem", number: true, sort: (i) => frame(i).compile_indexes.length, cell: (i) => count(frame(i).compile_indexes.length) },
      { id: "times", title: "Recompiles", width: "5.4rem", number: true, sort: (i) => counts[again[i]], cell: (i) => count(counts[again[i]]) },
      { id: "limit", title: "Limit", width: "4.4rem", sort: (i) => (frame(i).limit_compile_index === null ? 1 : 0), cell: (i) => limitBadge(frame(i)) || "" },
    ],
    detail: (i) => [h("h2", null, frameName(frame(i)), " ", h("span", { class: "place" }, framePlace(model, frame(i)))), limitNote(about, frame(i)), history(about, frame(i))],
  });
}

/** @param {About} about @param {any} frame */
function limitNote({ model, state }, frame) {
  if ((frame?.limit_compile_index ?? null) === null) return null;
  return h("p", { class: "note tone-error" }, limitBadge(frame), " reached at ", compileLink(model, frame.limit_compile_index, state), ": ", h("code", null, frameName(frame)), " runs uncompiled from there on.");
}

/** @param {About} about @param {any} cause */
function causeDetail(about, cause) {
  const { model, found: { frames, recompiles } } = about;
  const frame = frames[cause.frame_index];
  const remedy = remedyText(cause);
  const first = recompiles[cause.recompile_indexes[0]]?.reasons[0];
  return [
    h("h2", null, h("span", { class: "sign tone-sign", "aria-hidden": "true" }, "↻"), " ", causeParts(cause)),
    h("p", null, h("strong", null, frameName(frame)), " ", h("span", { class: "place" }, framePlace(model, frame)), ` was compiled again ${plural(cause.count, "time")}`,
      cause.cascade_count > 0 && `, which led to ${plural(cause.cascade_count, "more recompile")}`, "."),
    limitNote(about, frame),
    first && sourceLine(first),
    advice(remedy ? [rich(remedy)] : []),
    h("h3", null, "Recompiles"), capped(cause.recompile_indexes, (index) => recompileItem(about, index, 0)),
    cause.values.length > 5 && [h("h3", null, "Values"), h("p", { class: "mono" }, cause.values.join(" → "))],
    frame && [h("h3", null, `All compiles of ${frameName(frame)}`), history(about, frame)],
  ];
}

/** A list of which the first hundred are shown. @param {number[]} items @param {(item: number) => any} item @param {string} [tag] */
function capped(items, item, tag = "ul") {
  const list = h(tag, { class: "history" }, items.slice(0, MOST_SHOWN).map(item));
  if (items.length > MOST_SHOWN) {
    const more = h("li", null, h("button", { class: "tool", onclick: () => { more.remove(); append(list, items.slice(MOST_SHOWN).map(item)); } }, `Show all ${count(items.length)}`));
    list.append(more);
  }
  return list;
}

/** One recompile, and under it those that it led to. @param {About} about @param {number} index @param {number} depth @returns {HTMLElement} */
function recompileItem(about, index, depth) {
  const { model, found: { recompiles, frames }, state, cascades } = about;
  const row = recompiles[index];
  const children = depth < DEEPEST ? cascades.get(index) ?? [] : [];
  return h("li", null, compileLink(model, row.compile_index, state), " ", depth > 0 && [frameName(frames[row.frame_index]), " "],
    row.limit && [h("span", { class: "status status-error" }, h("span", { class: "sign", "aria-hidden": "true" }, "✖"), " limit"), " "],
    reasonLine(about, row),
    children.length > 0 && h("details", { open: children.length <= 3 }, h("summary", null, `led to ${plural(children.length, "recompile")}`), capped(children, (child) => recompileItem(about, child, depth + 1))));
}

/** What failed first, and behind a fold what failed for the older results. @param {About} about @param {any} row a recompile @param {any} [more] stands before the fold */
function reasonLine({ model, state }, row, more) {
  const [first, ...rest] = row.reasons;
  if (!first) return [h("span", { class: "dim" }, "torch gave no reason. ", recordLink(row.event_index, state)), more];
  return [reasonParts(model, first, state), more,
    rest.length > 0 && h("details", null, h("summary", null, `and ${plural(rest.length, "guard")} of older compiles`), h("ul", null, rest.map((/** @type {any} */ reason) => h("li", null, reasonParts(model, reason, state)))))];
}

/** @param {any} model @param {any} reason @param {any} state */
export function reasonParts(model, reason, state) {
  const { change, guard, failed_compile_index: failed } = reason;
  const values = [change.expected, change.actual].filter((value) => value !== null);
  const vague = change.kind === "other" || change.kind === "shape";
  return [
    vague ? h("code", null, guard) : [h("code", { title: guard }, subject({ ...change, source: reason.source })), values.length > 0 ? ` ${valuesText(values)}` : change.kind === "identity" && " is another object"],
    failed !== null && [h("span", { class: "dim" }, " against "), compileLink(model, failed, state)],
    reason.source_line && [" ", h("code", { class: "dim", title: `${reason.file}:${reason.line}` }, reason.source_line)],
  ];
}

/** All compiles of one function. @param {About} about @param {any} frame */
function history(about, frame) {
  const { log, model, found: { recompiles }, state, at } = about;
  const compiles = frame.compile_indexes;
  const before = new Map(compiles.map((/** @type {number} */ index, /** @type {number} */ i) => [index, compiles[i - 1]]));
  return [
    frame.compile_indexes.length > 1 && pairs([["Compile time, together", time(compiles.reduce((/** @type {number} */ sum, /** @type {number} */ i) => sum + (model.compiles[i].compile_time_us ?? 0), 0))]]),
    capped(compiles, (index) => {
      const recompile = recompiles[at.get(index)];
      const previous = before.get(index);
      return h("li", null, compileLink(model, index, state), " ", h("span", { class: "dim" }, time(model.compiles[index].compile_time_us)), " ",
        recompile?.limit && [h("span", { class: "status status-error" }, h("span", { class: "sign", "aria-hidden": "true" }, "✖"), " limit"), " "],
        recompile ? reasonLine(about, recompile, [
          recompile.caused_by !== null && [h("span", { class: "dim" }, " because of "), compileLink(model, recompiles[recompile.caused_by].compile_index, state)],
          previous !== undefined && [" ", compareLink(log, model, previous, index, state)],
        ]) : h("span", { class: "dim" }, previous === undefined ? "the first compile" : "compiled again, for want of a result before"));
    }, "ol"),
  ];
}

/** @param {any} log @param {any} model @param {number} left @param {number} right @param {any} state @param {string} [words] */
export function compareLink(log, model, left, right, state, words = "compare with the one before") {
  const [a, b] = [left, right].map((index) => `${log.id}/${model.compiles[index].key}`);
  return h("a", { href: state.link({ view: "compare", left: a, right: b }), title: `${idText(model.compiles[left])} beside ${idText(model.compiles[right])}` }, words);
}
