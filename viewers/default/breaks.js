// Graph breaks and restarts, grouped: the same reason at the same place is one line.
import { append, h } from "../lib/dom.js";
import { count, plural } from "../lib/format.js";
import { artifactsOf, idText, parseBreak } from "./model.js";
import { compileLinks, verdict } from "./parts.js";

const MOST_READ = 2_000;
const MOST_SHOWN = 30;

/** @param {any} model @param {ReturnType<typeof import("./model.js").facts>} known @param {any} state */
export function breakSection(model, known, state) {
  const { breakCount, restarts } = known;
  const title = breakCount > 0 ? plural(breakCount, "graph break") : "Restarts";
  const section = verdict("✂", "break", title, []);
  const list = section.querySelector("ul");
  append(list, [breakCount === 0 && h("li", { class: "dim" }, "The log has no dynamo_graph_break_reason; these are the restart reasons from the metrics.")]);
  if (breakCount === 0) append(list, restarts.map(([reason, frames]) => restartRow(model, reason, frames, state)));
  else fillIn(model, section, list, state);
  return section;
}

/** @param {any} model @param {string} reason @param {any[]} frames @param {any} state */
function restartRow(model, reason, frames, state) {
  return h("li", null, h("span", { class: "reason", title: reason }, reason), ` ${plural(frames.length, "time")}`,
    compileLinks(model, frames.map((frame) => frame.rows[frame.rows.length - 1]), state));
}

/** The reasons are payloads: they come after the first screen. @param {any} model @param {any} section @param {Element} list @param {any} state */
async function fillIn(model, section, list, state) {
  const waiting = h("li", { class: "dim", role: "status" }, "Reading the reasons …");
  list.append(waiting);
  try {
    const { groups, read, total } = await breakGroups(model.log);
    waiting.remove();
    section.querySelector("h2").append(` at ${plural(groups.length, "place")}`);
    append(list, groups.slice(0, MOST_SHOWN).map((group) => breakRow(model, group, state)));
    if (groups.length > MOST_SHOWN) {
      const more = h("button", { class: "tool", onclick: () => {
        more.parentElement.remove();
        append(list, groups.slice(MOST_SHOWN).map((group) => breakRow(model, group, state)));
      } }, `Show all ${count(groups.length)} places`);
      append(list, [h("li", null, more)]);
    }
    if (read < total) append(list, [h("li", { class: "dim" }, `The first ${count(read)} of ${count(total)} were read.`)]);
  } catch (error) {
    waiting.textContent = `The reasons could not be read. ${/** @type {Error} */ (error).message}`;
  }
}

/** @param {any} log */
export async function breakGroups(log) {
  const { table } = await artifactsOf(log);
  const rows = [];
  for (let i = 0; i < table.length; i++) if (table.columns.name[i] === "dynamo_graph_break_reason") rows.push(i);
  /** @type {Map<string, any>} */
  const groups = new Map();
  for (const row of rows.slice(0, MOST_READ)) {
    const artifact = table.row(row);
    const found = parseBreak((await log.text(artifact)) ?? "");
    const key = JSON.stringify([found.file, found.line, found.reason]);
    const group = groups.get(key) ?? { ...found, count: 0, compiles: new Set() };
    groups.set(key, group);
    group.count++;
    group.compiles.add(artifact.compile_index);
  }
  return { groups: [...groups.values()].sort((a, b) => b.count - a.count), read: Math.min(rows.length, MOST_READ), total: rows.length };
}

/** @param {any} model @param {any} group @param {any} state */
function breakRow(model, group, state) {
  const place = group.file ? `${model.short(group.file)}:${group.line}` : "place unknown";
  const first = [...group.compiles][0];
  const advice = group.hints.length ? group.hints : group.explanation ? [group.explanation] : [];
  return h("li", null,
    h("span", { class: "place", title: group.file }, place), " ", group.code && h("code", null, group.code), " ",
    h("a", { href: state.link({ view: "compile", compile: model.compiles[first].key, artifact: "dynamo_graph_break_reason" }),
      title: `What torch wrote in ${idText(model.compiles[first])}` }, group.reason),
    ` ${plural(group.count, "time")}`, compileLinks(model, [...group.compiles], state),
    advice.length > 0 && h("div", { class: "hint", title: advice.join("\n") }, advice[0], advice.length > 1 && h("span", { class: "dim" }, ` (and ${plural(advice.length - 1, "more hint")})`)));
}
