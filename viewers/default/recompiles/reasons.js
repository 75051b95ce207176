// Guard failures as torch logs them, in lists of compiles.
import { append, h } from "../../lib/page/dom.js";
import { count, plural, time } from "../../lib/page/format.js";
import { placeLink } from "../../lib/page/place-link.js";
import { idText, numberOf, rowOf } from "../shared/model.js";
import { compileLink, recordLink } from "../shared/parts.js";

/** @typedef {import("./data.js").Recompile} Recompile */
/** @typedef {import("./data.js").CodeObject} CodeObject */
/** @typedef {{log: any, model: any, found: import("../shared/finding-leads.js").Findings, recompiles: Recompile[], codeObjects: CodeObject[], state: any, followers: Map<number, number[]>, at: Map<string | null, Recompile>}} About */

const MOST_SHOWN = 100;
const DEEPEST = 12;

/** @param {CodeObject | undefined} code */
export const nameOf = (code) => code?.function ?? "(unknown function)";

export const limitBadge = () =>
  h(
    "span",
    { class: "status status-error" },
    h("span", { "class": "sign", "aria-hidden": "true" }, "✖"),
    " limit",
  );

/** Return a list of the first 100 items, with a button for the others. @template T @param {T[]} items @param {(item: T) => any} item @param {string} [tag] */
export function capped(items, item, tag = "ul") {
  const list = h(tag, { class: "history" }, items.slice(0, MOST_SHOWN).map(item));
  if (items.length > MOST_SHOWN) {
    const more = h(
      "li",
      null,
      h(
        "button",
        {
          class: "tool",
          onclick: () => {
            more.remove();
            append(list, items.slice(MOST_SHOWN).map(item));
          },
        },
        `Show all ${count(items.length)}`,
      ),
    );
    list.append(more);
  }
  return list;
}

/** Return one recompile, and below it those that follow it. @param {About} about @param {number} index @param {number} depth @returns {HTMLElement} */
export function recompileItem(about, index, depth) {
  const { model, recompiles, codeObjects, state, followers } = about;
  const row = recompiles[index];
  const children = depth < DEEPEST ? (followers.get(index) ?? []) : [];
  return h(
    "li",
    null,
    compileLink(model, numberOf(model, row), state),
    " ",
    depth > 0 && [nameOf(codeObjects[row.code_object ?? -1]), " "],
    row.limit && [limitBadge(), " "],
    decidingReason(about, row),
    children.length > 0 &&
      h(
        "details",
        { open: children.length <= 3 },
        h("summary", null, `followed by ${plural(children.length, "recompile")} in the same call`),
        capped(children, (child) => recompileItem(about, child, depth + 1)),
      ),
  );
}

/** Return the guard failure that the cause of a recompile names. @param {About} about @param {Recompile} row */
function decidingReason({ model, state }, row) {
  return row.reason
    ? reasonParts(model, row.reason, state)
    : [h("span", { class: "dim" }, "no guard failure in ", recordLink(row.event, state))];
}

/** Return the failed guard, the compile whose cache entry it belongs to, and its source line. @param {any} model @param {import("./data.js").Reason} reason @param {any} state */
export function reasonParts(model, { guard, entry, source_line: line, file, line: number }, state) {
  const against = rowOf(model, entry);
  return [
    h("code", null, guard),
    against >= 0 && [h("span", { class: "dim" }, " in cache entry "), compileLink(model, against, state)],
    line && [" ", placeLink(file, number, h("code", { class: "dim" }, line))],
  ];
}

/** List all compiles of one function. @param {About} about @param {CodeObject} code */
export function compileList(about, code) {
  const { log, model, state, at } = about;
  const compiles = code.compiles.filter((compile) => rowOf(model, compile) >= 0);
  const before = new Map(compiles.map((compile, i) => [compile, compiles[i - 1]]));
  return capped(
    compiles,
    (compile) => {
      const recompile = at.get(compile),
        previous = before.get(compile),
        index = rowOf(model, compile);
      const cause = rowOf(model, recompile?.follows ?? null);
      const unknown = previous === undefined ? "first compile" : "guard failure not recorded";
      return h(
        "li",
        null,
        compileLink(model, index, state),
        " ",
        h("span", { class: "dim" }, time(model.compiles[index].total_us)),
        " ",
        recompile?.limit && [limitBadge(), " "],
        recompile ? decidingReason(about, recompile) : h("span", { class: "dim" }, unknown),
        cause >= 0 && [h("span", { class: "dim" }, " follows "), compileLink(model, cause, state)],
        recompile &&
          previous !== undefined && [" ", compareLink(log, model, rowOf(model, previous), index, state)],
      );
    },
    "ol",
  );
}

/** @param {any} log @param {any} model @param {number} left @param {number} right @param {any} state @param {string} [text] */
export function compareLink(log, model, left, right, state, text = "compare with the previous compile") {
  const [a, b] = [left, right].map((index) => `${log.id}/${model.compiles[index].key}`);
  return h(
    "a",
    {
      href: state.link({ view: "compare", left: a, right: b }),
      title: `Compare ${idText(model.compiles[left])} with ${idText(model.compiles[right])}`,
    },
    text,
  );
}
