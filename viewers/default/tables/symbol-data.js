// The symbols of a log with their guards, constants and errors. No page needed.
import { modelOf, numberOf } from "../shared/model.js";
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
 * @property {any} row row of its table
 * @property {boolean} isSymbol whether the row is from the table of symbols
 * @property {any[]} guards rows of the tables, as those below
 * @property {any[]} constants
 * @property {any[]} errors
 * @property {any[]} assumed
 * @property {import("../../lib/bundle/stacks.js").Frame | null} frame location in the program
 */

/** @typedef {{symbols: any[], symbol_guards: any[], symbol_values: any[], data_dependent_errors: any[], specializations: any[], symbol_contexts: any[]}} Tables */
const TABLES = /** @type {(keyof Tables)[]} */ ([
  "symbols",
  "symbol_guards",
  "symbol_values",
  "data_dependent_errors",
  "specializations",
  "symbol_contexts",
]);

/** @param {import("../../lib/bundle/log.js").Log} log */
export const symbolsOf = (log) =>
  log.once("symbol items", async () => {
    const [model, stacks, ...rows] = await Promise.all([
      modelOf(log),
      log.stacks(),
      ...TABLES.map((name) => log.table(name)),
    ]);
    const tables = /** @type {Tables} */ (Object.fromEntries(TABLES.map((name, i) => [name, rows[i] ?? []])));
    return { contexts: tables.symbol_contexts, stacks, items: symbolItems(model, tables, stacks) };
  });

/** @param {any} model @param {Tables} tables @param {import("../../lib/bundle/stacks.js").Stacks} stacks @returns {Item[]} in the order of the log */
function symbolItems(model, tables, stacks) {
  /** @param {any} row @param {Item["kind"]} kind @param {Partial<Item>} more @returns {Item} */
  const item = (row, kind, more) => ({
    kind,
    row,
    isSymbol: false,
    event: row.event,
    compile: numberOf(model, row),
    name: "?",
    source: null,
    value: null,
    range: null,
    guards: [],
    constants: [],
    errors: [],
    assumed: [],
    frame: programFrame(stacks, row.user_stack, row.stack),
    ...more,
  });
  const items = tables.symbols.map((row) =>
    item(row, row.unbacked ? "unbacked" : "symbol", {
      isSymbol: true,
      name: row.name ?? "?",
      source: row.source,
      value: row.value,
      range: row.range,
    }),
  );
  const made = new Map(items.map((symbol) => [symbol.event, symbol]));
  /** Add a condition to its symbols. @param {any} row @param {"guards" | "errors" | "assumed"} list */
  const add = (row, list) => {
    for (const event of row.symbol_events) made.get(event)?.[list].push(row);
  };
  for (const row of tables.symbol_guards) {
    add(row, "guards");
    if (row.symbol_events.length === 0)
      items.push(item(row, "guard", { name: row.expr ?? "?", guards: [row] }));
  }
  for (const row of tables.specializations) {
    const symbol = made.get(row.symbol_event);
    if (!symbol) {
      items.push(
        item(row, "constant", {
          name: row.name ?? "?",
          value: row.value,
          source: row.sources.join(", ") || null,
          constants: [row],
        }),
      );
      continue;
    }
    symbol.kind = "constant";
    symbol.constants.push(row);
    symbol.frame = programFrame(stacks, row.user_stack, row.stack) ?? symbol.frame;
  }
  for (const row of tables.data_dependent_errors) {
    add(row, "errors");
    items.push(item(row, "error", { name: row.expr ?? "?", errors: [row] }));
  }
  for (const row of tables.symbol_values) {
    add(row, "assumed");
    items.push(item(row, "assumed", { name: row.expr ?? "?", value: row.result, assumed: [row] }));
  }
  return items.sort((a, b) => a.event - b.event);
}

/**
 * Return a condition as a tree of operations over constants and symbols, with a limited number of nodes.
 * @typedef {{text: string, method: string | null, event: number | null, userStack: number | null, children: Expression[], cut: boolean}} Expression
 * @param {any[]} rows of the table of expressions (see schema/expressions.schema.json) @param {number} event as in expression_event @param {number} [most]
 * @returns {Expression | null}
 */
export function expressionTree(rows, event, most = 200) {
  const nodes = new Map(rows.map((row) => [row.event, row]));
  const root = nodes.get(event);
  let left = most;
  const leaf = (/** @type {string | null} */ text) => ({
    text: text ?? "?",
    method: null,
    event: null,
    userStack: null,
    children: [],
    cut: false,
  });
  /** @param {any} row @param {number} depth @returns {Expression} */
  const node = (row, depth) => {
    left--;
    const made = row.argument_events.map((/** @type {number} */ at) => nodes.get(at)).filter(Boolean);
    const cut = (left <= 0 || depth > 20) && row.arguments.length > 0;
    // Constants have no node, so nodes are matched by their result.
    const children = cut
      ? []
      : row.arguments.map((/** @type {string | null} */ text) => {
          const k = made.findIndex((/** @type {any} */ argument) => argument.result === text);
          return k < 0 ? leaf(text) : node(made.splice(k, 1)[0], depth + 1);
        });
    return {
      text: row.result ?? "?",
      method: row.method,
      event: row.event,
      userStack: row.user_stack,
      children,
      cut,
    };
  };
  return root ? node(root, 0) : null;
}
