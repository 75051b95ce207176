// Functions that were compiled again: what was found, the guards that failed, and the history of each function.
import { placeText } from "../../lib/finding/card.js";
import { append, h, plain, rich } from "../../lib/page/dom.js";
import { emptyPage, listDetail } from "../../lib/list/list-detail.js";
import { cutMiddle } from "../../lib/page/cut-middle.js";
import { count, plural, time } from "../../lib/page/format.js";
import { cards } from "../shared/finding-leads.js";
import { idText, modelOf } from "../shared/model.js";
import { compileLink, recordLink } from "../shared/parts.js";
import { isUntold, untoldPage } from "../shared/untold.js";

/** @typedef {import("../../lib/finding/card.js").Finding} Finding */
/** @typedef {{log: any, model: any, found: import("../shared/finding-leads.js").Findings, table: any, state: any, cascades: Map<number, number[]>, at: Map<any, any>}} About */

const OF_FINDINGS = ["recompile", "recompile-limit"];
const MOST_SHOWN = 100;
const DEEPEST = 12;

/** @param {import("../frame/viewer.js").Context} context @returns {Promise<import("../frame/viewer.js").View>} */
export async function openRecompiles({ log, state }) {
  const [model, found, table] = await Promise.all([modelOf(log), log.findings(), log.table("recompiles")]);
  if (!table?.recompiles.length) {
    if (isUntold(log, "recompile_reasons")) {
      const again = model.frames.filter(({ last }) => last.frame_compile_id > 0);
      return untoldPage("Reasons of recompiles", "recompile_reasons", again.length > 0 && [`Ids of compiles tell that ${plural(again.length, "compile was", "compiles were")} made again: `,
        again.slice(0, MOST_SHOWN).map(({ rows: [first] }, i) => [i > 0 && ", ", compileLink(model, first, state)]), again.length > MOST_SHOWN && ` and ${count(again.length - MOST_SHOWN)} more`]);
    }
    return emptyPage("No recompiles", "Compiles that were made again when a guard failed would be here, with the guard and the line of the program.");
  }
  const at = new Map(table.recompiles.map((/** @type {any} */ row, /** @type {number} */ i) => [row.compile_index, i]));
  const about = { log, model, found, table, state, cascades: cascadesOf(table.recompiles), at };
  const told = (found?.findings ?? []).filter(({ kind }) => OF_FINDINGS.includes(kind));
  /** Opened anew for the other list: they have other columns. @type {{by: string, view: any} | null} */
  let shown = null;
  const element = h("div", { class: "fill" });
  const open = (/** @type {string} */ by) => {
    const tools = told.length > 0 && h("span", { class: "tool-group", role: "group", "aria-label": "List" }, [["", "By cause"], ["function", "By function"]].map(([value, words]) =>
      h("button", { class: "tool", "aria-pressed": String(by === value), onclick: () => state.go(state.patched({ by: value, item: "", sort: "" })) }, words)));
    shown = { by, view: by === "function" || told.length === 0 ? functionList(about, tools) : causeList(about, told, tools) };
    element.replaceChildren(shown.view.element);
    return shown;
  };
  return {
    element, title: "Recompiles", search: () => shown?.view.search(),
    update: (current) => (shown && shown.by === current.by ? shown : open(current.by)).view.update(current),
  };
}

/** Recompiles that one led to, directly. @param {any[]} recompiles @returns {Map<number, number[]>} */
function cascadesOf(recompiles) {
  /** @type {Map<number, number[]>} */
  const children = new Map();
  recompiles.forEach((row, index) => {
    if (row.caused_by === null) return;
    const known = children.get(row.caused_by);
    if (known) known.push(index);
    else children.set(row.caused_by, [index]);
  });
  return children;
}

/** @param {any} frame */
const frameName = (frame) => frame?.function ?? "(unknown function)";

/** @param {any} model @param {any} frame */
const framePlace = (model, frame) => (frame?.file ? `${model.short(frame.file)}:${frame.first_line}` : "");

const limitBadge = () => h("span", { class: "status status-error" }, h("span", { class: "sign", "aria-hidden": "true" }, "✖"), " limit");

/** @param {About} about @param {Finding[]} told @param {any} tools */
function causeList(about, told, tools) {
  const { model, found, table, state } = about;
  return listDetail({
    state, name: "recompiles", label: "Causes of recompiles", noun: ["cause", "causes"], length: told.length, tools,
    id: (i) => told[i].fingerprint, title: (i) => plain(told[i].title),
    text: (i) => [plain(told[i].title), told[i].function, placeText(told[i]), told[i].text, told[i].kind].join("\n"),
    columns: [
      { id: "what", title: "What", least: "12rem", sort: (i) => told[i].title, cell: (i) => h("span", { title: plain(told[i].title) }, told[i].kind === "recompile-limit" && [limitBadge(), " "], rich(told[i].title)) },
      { id: "place", title: "Line", least: "7rem", class: "mono", sort: (i) => placeText(told[i]), cell: (i) => cutMiddle(placeText(told[i]) ?? "–") },
      { id: "times", title: "Times", number: true, sort: (i) => told[i].count, cell: (i) => count(told[i].count) },
      { id: "cost", title: "Cost", number: true, sort: (i) => told[i].cost_us, cell: (i) => (told[i].cost_us === null ? "–" : time(told[i].cost_us)) },
    ],
    detail: (i) => {
      const events = new Set(told[i].events);
      const rows = table.recompiles.flatMap((/** @type {any} */ row, /** @type {number} */ n) => (events.has(row.event_index) ? [n] : []));
      const frames = [...new Set(rows.map((/** @type {number} */ n) => table.recompiles[n].frame_index))].filter((n) => n !== null);
      return [
        cards(model, state, found, (finding) => finding === told[i]),
        rows.length > 0 && [h("h3", null, "Recompiles"), capped(rows, (index) => recompileItem(about, index, 0))],
        frames.map((n) => [h("h3", null, `All compiles of ${frameName(table.frames[n])}`), history(about, table.frames[n])]),
      ];
    },
  });
}

/** @param {About} about @param {any} tools */
function functionList(about, tools) {
  const { model, found, table: { frames, recompiles }, state } = about;
  const counts = frames.map(() => 0);
  for (const row of recompiles) if (row.frame_index !== null && !row.limit) counts[row.frame_index]++;
  const again = frames.flatMap((/** @type {any} */ row, /** @type {number} */ i) => (counts[i] || row.limit_compile_index !== null ? [i] : []));
  const frame = (/** @type {number} */ i) => frames[again[i]];
  const limited = (/** @type {number} */ i) => frame(i).limit_compile_index !== null;
  return listDetail({
    state, name: "recompiles", label: "Functions that were compiled again", noun: ["function", "functions"], length: again.length, tools,
    id: (i) => String(again[i]), title: (i) => frameName(frame(i)), text: (i) => [frameName(frame(i)), frame(i).file].join("\n"),
    columns: [
      { id: "function", title: "Function", least: "8rem", sort: (i) => frameName(frame(i)), cell: (i) => cutMiddle(frameName(frame(i))) },
      { id: "place", title: "File", least: "8rem", class: "mono", sort: (i) => framePlace(model, frame(i)), cell: (i) => cutMiddle(framePlace(model, frame(i)), frame(i).file ?? undefined) },
      { id: "times", title: "Recompiles", number: true, sort: (i) => counts[again[i]], cell: (i) => count(counts[again[i]]) },
      { id: "limit", title: "Limit", sort: (i) => (limited(i) ? 0 : 1), cell: (i) => (limited(i) ? limitBadge() : "") },
    ],
    detail: (i) => {
      const compiles = new Set([...frame(i).compile_indexes, frame(i).limit_compile_index]);
      return [
        h("h2", null, frameName(frame(i)), " ", h("span", { class: "place" }, framePlace(model, frame(i)))),
        cards(model, state, found, (finding) => OF_FINDINGS.includes(finding.kind) && finding.compile_indexes.some((index) => compiles.has(index)), { level: 3, whole: true }),
        h("h3", null, "All compiles"), history(about, frame(i)),
      ];
    },
  });
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
  const { model, table: { recompiles, frames }, state, cascades } = about;
  const row = recompiles[index];
  const children = depth < DEEPEST ? cascades.get(index) ?? [] : [];
  return h("li", null, compileLink(model, row.compile_index, state), " ", depth > 0 && [frameName(frames[row.frame_index]), " "],
    row.limit && [limitBadge(), " "],
    reasonLine(about, row),
    children.length > 0 && h("details", { open: children.length <= 3 }, h("summary", null, `led to ${plural(children.length, "recompile")}`), capped(children, (child) => recompileItem(about, child, depth + 1))));
}

/** What failed first, and behind a fold what failed for the older results. @param {About} about @param {any} row a recompile @param {any} [more] stands before the fold */
function reasonLine({ model, state }, row, more) {
  const [first, ...rest] = row.reasons;
  if (!first) return [h("span", { class: "dim" }, "no guard in the record ", recordLink(row.event_index, state)), more];
  return [reasonParts(model, first, state), more,
    rest.length > 0 && h("details", null, h("summary", null, `and ${plural(rest.length, "guard")} of older compiles`), h("ul", null, rest.map((/** @type {any} */ reason) => h("li", null, reasonParts(model, reason, state)))))];
}

/** The guard as torch writes it, against which compile, and the line of the program that it is from. @param {any} model @param {any} reason @param {any} state */
export function reasonParts(model, { guard, failed_compile_index: failed, source_line: line, file, line: number }, state) {
  return [
    h("code", null, guard),
    failed !== null && [h("span", { class: "dim" }, " against "), compileLink(model, failed, state)],
    line && [" ", h("code", { class: "dim", title: `${file}:${number}` }, line)],
  ];
}

/** All compiles of one function. @param {About} about @param {any} frame */
function history(about, frame) {
  const { log, model, table: { recompiles }, state, at } = about;
  const compiles = frame.compile_indexes;
  const before = new Map(compiles.map((/** @type {number} */ index, /** @type {number} */ i) => [index, compiles[i - 1]]));
  return capped(compiles, (index) => {
    const recompile = recompiles[at.get(index)];
    const previous = before.get(index);
    return h("li", null, compileLink(model, index, state), " ", h("span", { class: "dim" }, time(model.compiles[index].total_us)), " ",
      recompile?.limit && [limitBadge(), " "],
      recompile ? reasonLine(about, recompile, [
        recompile.caused_by !== null && [h("span", { class: "dim" }, " followed "), compileLink(model, recompiles[recompile.caused_by].compile_index, state)],
        previous !== undefined && [" ", compareLink(log, model, previous, index, state)],
      ]) : h("span", { class: "dim" }, previous === undefined ? "the first compile" : "no guard in the log"));
  }, "ol");
}

/** @param {any} log @param {any} model @param {number} left @param {number} right @param {any} state @param {string} [words] */
export function compareLink(log, model, left, right, state, words = "compare with the one before") {
  const [a, b] = [left, right].map((index) => `${log.id}/${model.compiles[index].key}`);
  return h("a", { href: state.link({ view: "compare", left: a, right: b }), title: `${idText(model.compiles[left])} beside ${idText(model.compiles[right])}` }, words);
}
