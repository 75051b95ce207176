// The symbols of a log, and what belongs to each: guards, constants, errors. No page needed.
import { programFrame } from "../shared/program-line.js";

/**
 * @typedef {object} Item one row of the view
 * @property {"symbol" | "constant" | "unbacked" | "error" | "assumed" | "guard"} kind
 * @property {number} event
 * @property {number} compile
 * @property {string} name the symbol, or the condition
 * @property {string | null} source
 * @property {string | null} value
 * @property {string | null} range
 * @property {any} part the part of the table that it is a row of
 * @property {number} at row of that part
 * @property {number[]} guards
 * @property {number[]} constants
 * @property {number[]} errors
 * @property {number[]} assumed
 * @property {import("../../lib/bundle/stacks.js").Frame | null} frame the line of the program
 */

/** @param {import("../../lib/bundle/log.js").Log} log */
export const symbolsOf = (log) => log.once("symbol items", async () => {
  const [table, stacks] = await Promise.all([log.table("symbols"), log.stacks()]);
  return { table, stacks, items: table === null ? [] : symbolItems(table, stacks) };
});

/** @param {any} table see schema/symbols.schema.json @param {import("../../lib/bundle/stacks.js").Stacks} stacks @returns {Item[]} in the order of the log */
function symbolItems(table, stacks) {
  const { symbols, guards, real_values: real, data_dependent_errors: errors, specializations: constants } = table;
  const text = (/** @type {number} */ i) => (i < 0 ? null : table.strings[i]);
  /** @param {any} part @param {number} at @param {Item["kind"]} kind @param {Partial<Item>} more @returns {Item} */
  const item = (part, at, kind, more) => ({
    kind, part, at, event: part.event_index[at], compile: part.compile_index[at], name: "?", source: null, value: null, range: null, guards: [], constants: [], errors: [], assumed: [],
    frame: programFrame(stacks, part.user_stack_index?.[at], part.stack_index[at]), ...more,
  });
  /** @type {Item[]} */
  const items = symbols.event_index.map((/** @type {number} */ _, /** @type {number} */ i) => item(symbols, i, symbols.unbacked[i] ? "unbacked" : "symbol", {
    name: text(symbols.name[i]) ?? "?", source: text(symbols.source[i]), value: text(symbols.value[i]), range: text(symbols.range[i]),
  }));
  const made = items.slice(); // by row of 'symbols'
  const each = (/** @type {any} */ part, /** @type {(i: number) => void} */ run) => part.event_index.forEach((/** @type {number} */ _, /** @type {number} */ i) => run(i));
  each(guards, (i) => {
    for (const symbol of guards.symbol_index[i]) made[symbol].guards.push(i);
    if (guards.symbol_index[i].length === 0) items.push(item(guards, i, "guard", { name: text(guards.expr[i]) ?? "?", guards: [i] }));
  });
  each(constants, (i) => {
    const symbol = made[constants.symbol_index[i]];
    if (!symbol) return void items.push(item(constants, i, "constant", { name: text(constants.name[i]) ?? "?", value: text(constants.value[i]), source: sources(table, i), constants: [i] }));
    symbol.kind = "constant";
    symbol.constants.push(i);
    symbol.frame = programFrame(stacks, constants.user_stack_index[i], constants.stack_index[i]) ?? symbol.frame;
  });
  each(errors, (i) => {
    for (const symbol of errors.symbol_index[i]) made[symbol].errors.push(i);
    items.push(item(errors, i, "error", { name: text(errors.expr[i]) ?? "?", errors: [i] }));
  });
  each(real, (i) => {
    for (const symbol of real.symbol_index[i]) made[symbol].assumed.push(i);
    items.push(item(real, i, "assumed", { name: text(real.expr[i]) ?? "?", value: text(real.result[i]), assumed: [i] }));
  });
  return items.sort((a, b) => a.event - b.event);
}

/** @param {any} table @param {number} i row of specializations */
const sources = (table, i) => table.specializations.sources[i].map((/** @type {number} */ s) => table.strings[s]).join(", ") || null;

/**
 * How torch made a condition: a tree of operations over constants and symbols, at most so many nodes.
 * @typedef {{text: string, method: string | null, event: number | null, userStack: number, children: Expression[], cut: boolean}} Expression
 * @param {any} table see schema/expressions.schema.json @param {number} event as in expression_event_index @param {number} [most]
 * @returns {Expression | null}
 */
export function expressionTree(table, event, most = 200) {
  const { strings } = table;
  const e = table.expressions;
  const row = e.event_index.indexOf(event);
  let left = most;
  const leaf = (/** @type {number} */ s) => ({ text: strings[s] ?? "?", method: null, event: null, userStack: -1, children: [], cut: false });
  /** @param {number} at @param {number} depth @returns {Expression} */
  const node = (at, depth) => {
    left--;
    const rows = e.argument_rows[at].filter((/** @type {number} */ r) => r >= 0);
    const cut = (left <= 0 || depth > 20) && e.arguments[at].length > 0;
    // Constants have no node, so that the nodes are found by what they stand for.
    const children = cut ? [] : e.arguments[at].map((/** @type {number} */ s) => {
      const k = rows.findIndex((/** @type {number} */ r) => e.result[r] === s);
      return k < 0 ? leaf(s) : node(rows.splice(k, 1)[0], depth + 1);
    });
    return { text: strings[e.result[at]] ?? "?", method: strings[e.method[at]] ?? null, event: e.event_index[at], userStack: e.user_stack_index[at], children, cut };
  };
  return row < 0 ? null : node(row, 0);
}
