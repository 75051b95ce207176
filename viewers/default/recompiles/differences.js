// A picture of what differs between the cache entries: entries as columns, guards as rows.
import { h } from "../../lib/page/dom.js";
import { count, plural } from "../../lib/page/format.js";
import { conditionOf } from "../../lib/guards/predict.js";
import { idText, rowOf } from "../shared/model.js";
import { compileLink } from "../shared/parts.js";
import { localName } from "./history.js";

/** @typedef {import("./history.js").Guard} Guard */
/** @typedef {import("./history.js").History} History */
/** @typedef {import("./reasons.js").About} About */

const MOST_ENTRIES = 30;
const MOST_ROWS = 60;
const ASPECTS = /** @type {const} */ (["dtype", "size", "stride", "device", "requires_grad"]);
const COMPARISON = / (?:==|is) $/;
const WITH_NUMBERS = /, \d+\)(?:, type=.*)?$/; // the id of an object, such as ___check_obj_id(L['f'], 94)
const BUILTINS = /(__builtins_dict__)_\d+/g; // numbered per compile

/** Return what a guard asks for, as pairs of a row and a cell. @param {Guard} guard @returns {[string, string][]} */
function asked(guard) {
  const { kind, source, expected } = guard;
  const [name, text] = [localName(source ?? ""), guard.text].map((one) => one.replace(BUILTINS, "$1"));
  const condition = conditionOf(guard);
  if (kind === "TENSOR_MATCH" && condition?.[0] === "tensor") {
    return ASPECTS.map((aspect) => [`${name}.${aspect}`, aspectText(condition[2][aspect])]);
  }
  if (kind === "TYPE_MATCH") return [[`type(${name})`, expected ?? text]];
  if (kind === "LENGTH_CHECK" || kind === "DICT_LENGTH")
    return [[`len(${name})`, expected ?? localName(text)]];
  if (expected !== null)
    return [[name || localName(text.slice(0, -expected.length)).replace(COMPARISON, ""), expected]];
  if (WITH_NUMBERS.test(text)) return [[`${name} ${kind}`.trim(), text]];
  return [[localName(text) || kind, "✓"]];
}

/** @param {any} value */
function aspectText(value) {
  if (Array.isArray(value)) return `[${value.map((number) => number ?? "any").join(", ")}]`;
  if (typeof value === "boolean") return value ? "True" : "False";
  return String(value ?? "any").replace("torch.", "");
}

/**
 * Build the picture; null when no guards differ.
 * @param {About} about @param {History} history
 */
export function differencesPicture({ model, state }, history) {
  const entries = history.entries.slice(-MOST_ENTRIES);
  const rows = differentRows(entries);
  if (entries.length < 2 || rows.length === 0) return null;
  return [
    h(
      "p",
      { class: "dim" },
      "What each cache entry asks for, for the guards that differ. A coloured cell differs from the entry before it; “any” is a dynamic dimension, ✓ a condition that has to hold, – no guard.",
    ),
    h(
      "div",
      { class: "wide-table" },
      h(
        "table",
        { "class": "differences", "aria-label": "Differences between cache entries" },
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            h("th", { scope: "col" }, "Guard"),
            entries.map(({ compile }) => h("th", { scope: "col" }, entryLink(model, compile, state))),
          ),
        ),
        h(
          "tbody",
          null,
          rows.slice(0, MOST_ROWS).map(([row, texts]) =>
            h(
              "tr",
              null,
              h("th", { scope: "row", title: row }, h("code", null, row)),
              texts.map((text, column) => cell(text, column > 0 && text !== texts[column - 1])),
            ),
          ),
        ),
      ),
    ),
    (history.entries.length > entries.length || rows.length > MOST_ROWS) &&
      h(
        "p",
        { class: "dim" },
        `The newest ${count(entries.length)} of ${plural(history.entries.length, "cache entry", "cache entries")}, and ${count(Math.min(rows.length, MOST_ROWS))} of ${plural(rows.length, "guard")} that differ.`,
      ),
  ];
}

/**
 * Return the rows that differ, each with a text per entry. Rows that only come and go with the same source are
 * one: the guards of an argument that some calls lack.
 * @param {import("./history.js").Entry[]} entries @returns {[string, (string | null)[]][]}
 */
function differentRows(entries) {
  /** @type {Map<string, {source: string | null, cells: Map<number, Set<string>>}>} */
  const table = new Map();
  entries.forEach(({ guards }, column) => {
    for (const guard of guards) {
      for (const [name, text] of asked(guard)) {
        const row = table.get(name) ?? { source: guard.source, cells: new Map() };
        table.set(name, row);
        row.cells.set(column, (row.cells.get(column) ?? new Set()).add(text));
      }
    }
  });
  const seen = new Set();
  return [...table].flatMap(([name, { source, cells }]) => {
    const texts = entries.map((_, column) =>
      cells.has(column) ? [...(cells.get(column) ?? [])].join("\n") : null,
    );
    if (texts.every((text) => text === texts[0])) return [];
    const values = new Set(texts.filter((text) => text !== null));
    if (source !== null && values.size === 1) {
      const presence = `${source} ${texts.map((text) => (text === null ? 0 : 1)).join("")}`;
      if (seen.has(presence)) return [];
      seen.add(presence);
    }
    return [/** @type {[string, (string | null)[]]} */ ([name, named(texts)])];
  });
}

/** @param {any} model @param {string} compile @param {any} state */
const entryLink = (model, compile, state) => {
  const index = rowOf(model, compile);
  return index < 0
    ? compile
    : h("a", { href: compileLink(model, index, state).getAttribute("href") }, idText(model.compiles[index]));
};

/** Replace texts that only differ in the number of an object. @param {(string | null)[]} texts @returns {(string | null)[]} */
function named(texts) {
  if (!texts.every((text) => text === null || WITH_NUMBERS.test(text))) return texts;
  const different = [...new Set(texts.filter((text) => text !== null))];
  return texts.map((text) => (text === null ? null : `no. ${different.indexOf(text) + 1}`));
}

/** @param {string | null} text @param {boolean} isChanged */
const cell = (text, isChanged) =>
  h(
    "td",
    { class: isChanged ? "differs" : null, title: text },
    text === null ? h("span", { class: "dim" }, "–") : h("code", null, text),
    isChanged && h("span", { class: "visually-hidden" }, " (changed)"),
  );
