// The symbols view: symbols of dynamic shapes with source, guards, and the location of their specialization.
import { emptyPage, listDetail } from "../../lib/list/list-detail.js";
import { cutMiddle } from "../../lib/page/cut-middle.js";
import { h } from "../../lib/page/dom.js";
import { count, plural } from "../../lib/page/format.js";
import { cards, shownBy } from "../shared/finding-leads.js";
import { findingsOf, functionName, idText, modelOf } from "../shared/model.js";
import { compileLink, pairs, placeCell, recordLink } from "../shared/parts.js";
import { badge, frameLine, framePlace, frameTitle, programFrame, stackFold } from "../shared/program-line.js";
import { sourceName } from "../shared/source-name.js";
import { isNotRecorded, notRecordedPage } from "../shared/not-recorded.js";
import { expressionFold } from "./expression-tree.js";
import { symbolsOf } from "./symbol-data.js";

/** @typedef {import("./symbol-data.js").Item} Item */
/** @typedef {{log: any, state: any, model: any, contexts: any[], stacks: any, found: import("../shared/finding-leads.js").Findings}} About */

const MOST_SHOWN = 200;

/** Tone, sign, word, help. @type {Record<Item["kind"], [string, string, string, string]>} */
const SYMBOL_KINDS = {
  symbol: ["none", "s", "backed", "A backed symbol: a size or number that can differ between calls"],
  constant: ["break", "◆", "specialized", "A symbol specialized to one value"],
  unbacked: ["missing", "?", "unbacked", "An unbacked symbol: its value is known only at run time"],
  error: ["error", "✖", "undecided", "A data-dependent condition that torch couldn't evaluate while tracing"],
  assumed: ["break", "!", "assumed", "A data-dependent condition evaluated with the example inputs"],
  guard: ["none", "·", "guard", "A guard whose symbols are not recorded"],
};

/** "range refined to singleton" @param {string} reason */
export const reasonWords = (reason) => reason.replaceAll("_", " ");

/** @param {Item} item */
export const symbolBadge = (item) => badge(...SYMBOL_KINDS[item.kind]);

/** @param {import("../frame/viewer.js").Context} context @returns {Promise<import("../frame/viewer.js").View>} */
export async function openSymbols({ log, state }) {
  const [model, { contexts, stacks, items }, found] = await Promise.all([
    modelOf(log),
    symbolsOf(log),
    findingsOf(log),
  ]);
  if (items.length === 0) {
    if (isNotRecorded(log, "symbols")) return notRecordedPage("Symbols", "symbols");
    return emptyPage(
      "No symbols",
      "No dynamic shapes in this log. To use them, call torch.compile(dynamic=True) or mark dimensions as dynamic.",
    );
  }
  const about = { log, state, model, contexts, stacks, found };
  const compile = (/** @type {number} */ i) => model.compiles[items[i].compile];
  const kinds = /** @type {Item["kind"][]} */ (Object.keys(SYMBOL_KINDS)).filter((kind) =>
    items.some((item) => item.kind === kind),
  );
  const place = (/** @type {number} */ i) => framePlace(model, items[i].frame);
  const view = listDetail({
    state,
    name: "symbols",
    label: "Symbols",
    noun: ["row", "rows"],
    length: items.length,
    share: 0.6,
    id: (i) => String(items[i].event),
    title: (i) => `${idText(compile(i))} ${items[i].name} ${SYMBOL_KINDS[items[i].kind][2]}`,
    text: (i) =>
      [
        idText(compile(i)),
        compile(i).function,
        SYMBOL_KINDS[items[i].kind][2],
        items[i].name,
        items[i].source,
        items[i].value,
        place(i),
        items[i].frame?.code,
        ...items[i].guards.map((guard) => guard.expr),
      ].join("\n"),
    choices:
      kinds.length > 1
        ? [
            {
              key: "type",
              label: "Kind",
              all: "all kinds",
              options: kinds.map((kind) => [kind, SYMBOL_KINDS[kind][2]]),
              fits: (i, value) => items[i].kind === value,
            },
          ]
        : [],
    above: h(
      "div",
      { class: "intro" },
      h(
        "ul",
        { class: "facts-line" },
        kinds.map((kind) =>
          h(
            "li",
            null,
            h(
              "a",
              { href: state.link({ view: "symbols", type: kind }), title: SYMBOL_KINDS[kind][3] },
              `${SYMBOL_KINDS[kind][2]} ${count(items.filter((item) => item.kind === kind).length)}`,
            ),
          ),
        ),
      ),
    ),
    columns: [
      { id: "kind", title: "Kind", sort: (i) => items[i].kind, cell: (i) => symbolBadge(items[i]) },
      {
        id: "compile",
        title: "Compile",
        class: "mono",
        sort: (i) => items[i].compile,
        cell: (i) => (compile(i).id === null ? "–" : idText(compile(i))),
      },
      {
        id: "name",
        title: "Symbol",
        help: "Symbol or condition",
        least: "5rem",
        class: "mono",
        sort: (i) => items[i].name,
        cell: (i) => cutMiddle(items[i].name),
      },
      {
        id: "source",
        title: "Source",
        least: "5rem",
        class: "mono",
        sort: (i) => items[i].source,
        cell: (i) => cutMiddle(sourceName(items[i].source) ?? "–", items[i].source ?? undefined),
      },
      {
        id: "value",
        title: "Value",
        number: true,
        help: "Value while tracing (hint). A specialized symbol always has it.",
        sort: (i) => items[i].value,
        cell: (i) => items[i].value ?? "–",
      },
      {
        id: "guards",
        title: "Guards",
        number: true,
        sort: (i) => items[i].guards.length,
        cell: (i) => count(items[i].guards.length),
      },
      {
        id: "place",
        title: "Location",
        least: "6rem",
        class: "mono",
        sort: (i) => place(i) || null,
        cell: (i) =>
          placeCell(items[i].frame?.file, items[i].frame?.line ?? null, place(i), frameTitle(items[i].frame)),
      },
    ],
    detail: (i) => symbolDetail(about, items[i]),
  });
  return { ...view, title: "Symbols" };
}

/** @param {About} about @param {Item} item */
function symbolDetail(about, item) {
  const { model, state, stacks } = about;
  const { isSymbol, row } = item;
  const made = isSymbol ? programFrame(stacks, row.user_stack, row.stack) : null;
  const last = item.constants[item.constants.length - 1];
  return [
    h("h2", null, symbolBadge(item), " ", h("code", null, item.name)),
    h("p", null, compileLink(model, item.compile, state), " ", functionName(model.compiles[item.compile])),
    item.constants.map((constant) => constantSection(about, constant)),
    item.kind !== "error" &&
      item.kind !== "assumed" &&
      pairs([
        [
          "Source",
          item.source === null
            ? null
            : [
                h("code", null, sourceName(item.source)),
                sourceName(item.source) !== item.source &&
                  h("span", { class: "dim mono" }, `  ${item.source}`),
              ],
        ],
        ["Value while tracing", item.value],
        [
          "Range",
          item.range === null
            ? null
            : last === undefined
              ? h("code", null, item.range)
              : [h("code", null, item.range), `, then specialized to ${last.value}`],
        ],
      ]),
    item.kind === "unbacked" &&
      h(
        "p",
        { class: "prose" },
        "The value comes from data, for example from item() or nonzero(), and isn't known while tracing.",
      ),
    made &&
      (item.constants.length > 0 || item.kind === "unbacked" || item.guards.length === 0) && [
        h("h3", null, "Created at"),
        frameLine(made),
      ],
    item.errors.map((error) => errorSection(about, error, item.kind === "error")),
    item.assumed.map((assumed) => assumedSection(about, assumed, item.kind === "assumed")),
    item.guards.length > 0 && guardList(about, item),
    item.kind !== "constant" &&
      item.guards.length === 0 &&
      isSymbol &&
      h("p", { class: "dim" }, "No guards: all its values can use the same compiled code."),
    pairs([["Record", recordLink(item.event, state)]]),
    isSymbol && stackFold(stacks, row.stack, "Full stack"),
  ];
}

/** Return the cards of findings that name a record. @param {About} about @param {number} event */
const cardsOf = ({ model, state, found }, event) =>
  cards(model, state, found, shownBy(event), { level: 3, whole: true });

/** @param {About} about @param {any} row of specializations */
function constantSection(about, row) {
  const { state, stacks } = about;
  const names = row.sources.map(sourceName);
  return h(
    "section",
    { class: "verdict tone-break" },
    cardsOf(about, row.event),
    h("h3", null, "Specialized to ", row.value ?? "?"),
    pairs([
      ["Reason", reasonWords(row.reason ?? "")],
      [
        "Sources",
        names.map((/** @type {string} */ name, /** @type {number} */ k) => [
          k > 0 && ", ",
          h("code", null, name),
        ]),
      ],
      ["Record", recordLink(row.event, state)],
    ]),
    frameLine(programFrame(stacks, row.user_stack, row.stack)),
    stackFold(stacks, row.stack, "Full stack"),
  );
}

/** @param {About} about @param {any} row of data_dependent_errors @param {boolean} full */
function errorSection(about, row, full) {
  const { log, state, model, stacks } = about;
  const expr = row.expr ?? "?",
    free = row.unhinted_expr;
  return h(
    "section",
    { class: "verdict tone-error" },
    full && cardsOf(about, row.event),
    h("h3", null, "Data-dependent: ", h("code", null, expr)),
    frameLine(programFrame(stacks, row.stack)),
    free !== null && free !== expr && h("p", null, "Without hints: ", h("code", null, free)),
    h("p", null, recordLink(row.event, state)),
    expressionFold({ log, state }, model, stacks, row.expression_event),
    full && stackFold(stacks, row.stack, "Full stack"),
  );
}

/** @param {About} about @param {any} row of symbol_values @param {boolean} full */
function assumedSection(about, row, full) {
  const { log, state, model, contexts, stacks } = about;
  const context = contexts[row.context];
  return h(
    "section",
    { class: "verdict tone-break" },
    full && cardsOf(about, row.event),
    h("h3", null, "Assumed: ", h("code", null, row.expr ?? "?"), ` is ${row.result ?? "?"}`),
    frameLine(programFrame(stacks, row.user_stack, row.stack), context?.loc),
    contextPairs(context),
    h("p", null, recordLink(row.event, state)),
    expressionFold({ log, state }, model, stacks, row.expression_event),
  );
}

/** Build the locals and sources where a condition was evaluated. @param {any} context */
export function contextPairs(context) {
  const locals = Object.entries(context?.locals ?? {});
  const from = Object.entries(context?.symbol_sources ?? {}).filter(([, source]) => source !== null);
  return [
    locals.length > 0 && [
      h("h3", null, "Local variables"),
      pairs(
        locals.map(([name, leaves]) => [
          name,
          h("code", null, /** @type {any[]} */ (leaves).map((leaf) => leaf ?? "(no tensor)").join(", ")),
        ]),
      ),
    ],
    from.length > 0 && [
      h("h3", null, "Symbols"),
      pairs(
        from.map(([name, source]) => [name, h("code", null, sourceName(/** @type {string} */ (source)))]),
      ),
    ],
  ];
}

/** @param {About} about @param {Item} item */
function guardList({ log, state, model, contexts, stacks }, item) {
  return h(
    "section",
    null,
    h("h3", null, plural(item.guards.length, "guard")),
    h(
      "ul",
      { class: "symbol-guards" },
      item.guards.slice(0, MOST_SHOWN).map((row) => {
        const context = contexts[row.context];
        return h(
          "li",
          null,
          h(
            "div",
            null,
            h("code", null, row.expr ?? "?"),
            " ",
            row.prefix !== null && h("span", { class: "dim" }, `${row.prefix.replaceAll("_", " ")} `),
            recordLink(row.event, state),
          ),
          frameLine(programFrame(stacks, row.user_stack, row.stack), context?.loc),
          contextPairs(context),
          expressionFold({ log, state }, model, stacks, row.expression_event),
        );
      }),
    ),
    item.guards.length > MOST_SHOWN &&
      h("p", { class: "dim" }, `and ${count(item.guards.length - MOST_SHOWN)} more`),
  );
}
