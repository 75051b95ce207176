// The recompiles view: causes or functions, guard failures, and all compiles of each function.
import { placeText } from "../../lib/finding/card.js";
import { append, h, plain, rich } from "../../lib/page/dom.js";
import { emptyPage, listDetail } from "../../lib/list/list-detail.js";
import { cutMiddle } from "../../lib/page/cut-middle.js";
import { count, plural, time } from "../../lib/page/format.js";
import { cards } from "../shared/finding-leads.js";
import { findingsOf, idText, modelOf, numberOf, rowOf } from "../shared/model.js";
import { compileLink, recordLink } from "../shared/parts.js";
import { isNotRecorded, notRecordedPage } from "../shared/not-recorded.js";
import { cascadesOf, recompilesOf } from "./recompile-data.js";

/** @typedef {import("../../lib/finding/card.js").Finding} Finding */
/** @typedef {import("./recompile-data.js").Recompile} Recompile */
/** @typedef {import("./recompile-data.js").CodeObject} CodeObject */
/** @typedef {{log: any, model: any, found: import("../shared/finding-leads.js").Findings, recompiles: Recompile[], codeObjects: CodeObject[], state: any, cascades: Map<number, number[]>, at: Map<string | null, Recompile>}} About */

const OF_FINDINGS = ["recompile", "recompile-limit"];
const MOST_SHOWN = 100;
const DEEPEST = 12;

/** @param {import("../frame/viewer.js").Context} context @returns {Promise<import("../frame/viewer.js").View>} */
export async function openRecompiles({ log, state }) {
  const [model, found, table] = await Promise.all([modelOf(log), findingsOf(log), recompilesOf(log)]);
  if (!table?.recompiles.length) {
    if (isNotRecorded(log, "recompile_reasons")) {
      const recompiled = model.frames.filter(({ last }) => last.frame_compile_id > 0);
      return notRecordedPage(
        "Recompile reasons",
        "recompile_reasons",
        recompiled.length > 0 && [
          `${plural(recompiled.length, "recompile")}, according to the compile ids: `,
          recompiled
            .slice(0, MOST_SHOWN)
            .map(({ rows: [first] }, i) => [i > 0 && ", ", compileLink(model, first, state)]),
          recompiled.length > MOST_SHOWN && ` and ${count(recompiled.length - MOST_SHOWN)} more`,
        ],
      );
    }
    return emptyPage("No recompiles", "Nothing to fix.");
  }
  const about = {
    log,
    model,
    found,
    ...table,
    state,
    cascades: cascadesOf(table.recompiles),
    at: new Map(table.recompiles.map((row) => [row.compile, row])),
  };
  const causes = (found?.findings ?? []).filter(({ kind }) => OF_FINDINGS.includes(kind));
  /** The current list. The two lists have different columns. @type {{by: string, view: any} | null} */
  let shown = null;
  const element = h("div", { class: "fill" });
  const open = (/** @type {string} */ by) => {
    const tools =
      causes.length > 0 &&
      h(
        "span",
        { "class": "tool-group", "role": "group", "aria-label": "Group by" },
        [
          ["", "By cause"],
          ["function", "By function"],
        ].map(([value, words]) =>
          h(
            "button",
            {
              "class": "tool",
              "aria-pressed": String(by === value),
              "onclick": () => state.go(state.patched({ by: value, item: "", sort: "" })),
            },
            words,
          ),
        ),
      );
    shown = {
      by,
      view:
        by === "function" || causes.length === 0
          ? functionList(about, tools)
          : causeList(about, causes, tools),
    };
    element.replaceChildren(shown.view.element);
    return shown;
  };
  return {
    element,
    title: "Recompiles",
    search: () => shown?.view.search(),
    update: (current) => (shown && shown.by === current.by ? shown : open(current.by)).view.update(current),
  };
}

/** @param {CodeObject | undefined} code */
const nameOf = (code) => code?.function ?? "(unknown function)";

/** @param {any} model @param {CodeObject} code */
const placeOf = (model, code) => (code.file ? `${model.short(code.file)}:${code.first_line}` : "");

const limitBadge = () =>
  h(
    "span",
    { class: "status status-error" },
    h("span", { "class": "sign", "aria-hidden": "true" }, "✖"),
    " limit",
  );

/** @param {About} about @param {Finding[]} causes @param {any} tools */
function causeList(about, causes, tools) {
  const { model, found, recompiles, codeObjects, state } = about;
  return listDetail({
    state,
    name: "recompiles",
    label: "Causes of recompiles",
    noun: ["finding", "findings"],
    length: causes.length,
    tools,
    id: (i) => causes[i].fingerprint,
    title: (i) => plain(causes[i].title),
    text: (i) =>
      [plain(causes[i].title), causes[i].function, placeText(causes[i]), causes[i].text, causes[i].kind].join(
        "\n",
      ),
    columns: [
      {
        id: "what",
        title: "Cause",
        least: "12rem",
        sort: (i) => causes[i].title,
        cell: (i) =>
          h(
            "span",
            { title: plain(causes[i].title) },
            causes[i].kind === "recompile-limit" && [limitBadge(), " "],
            rich(causes[i].title),
          ),
      },
      {
        id: "place",
        title: "Location",
        least: "7rem",
        class: "mono",
        sort: (i) => placeText(causes[i]),
        cell: (i) => cutMiddle(placeText(causes[i]) ?? "–"),
      },
      {
        id: "times",
        title: "Count",
        number: true,
        sort: (i) => causes[i].count,
        cell: (i) => count(causes[i].count),
      },
      {
        id: "cost",
        title: "Cost",
        number: true,
        sort: (i) => causes[i].cost_us,
        cell: (i) => (causes[i].cost_us === null ? "–" : time(causes[i].cost_us)),
      },
    ],
    detail: (i) => {
      const rows = recompiles.flatMap((row, n) =>
        row.compile !== null && causes[i].compiles.includes(row.compile) ? [n] : [],
      );
      const codes = [...new Set(rows.map((n) => recompiles[n].code_object))].flatMap(
        (id) => codeObjects[id ?? -1] ?? [],
      );
      return [
        cards(model, state, found, (finding) => finding === causes[i]),
        rows.length > 0 && [
          h("h3", null, "Recompiles"),
          capped(rows, (index) => recompileItem(about, index, 0)),
        ],
        codes.map((code) => [h("h3", null, `All compiles of ${nameOf(code)}`), history(about, code)]),
      ];
    },
  });
}

/** @param {About} about @param {any} tools */
function functionList(about, tools) {
  const { model, found, recompiles, codeObjects, state } = about;
  const counts = codeObjects.map(() => 0);
  for (const row of recompiles) if (row.code_object !== null && !row.refused) counts[row.code_object]++;
  const recompiled = new Set(recompiles.map((row) => row.code_object));
  const limited = (/** @type {CodeObject} */ code) => code.limit_compile !== null;
  const codes = codeObjects.filter((code) => recompiled.has(code.id) || limited(code));
  return listDetail({
    state,
    name: "recompiles",
    label: "Recompiled functions",
    noun: ["function", "functions"],
    length: codes.length,
    tools,
    id: (i) => String(codes[i].id),
    title: (i) => nameOf(codes[i]),
    text: (i) => [nameOf(codes[i]), codes[i].file].join("\n"),
    columns: [
      {
        id: "function",
        title: "Function",
        least: "8rem",
        sort: (i) => nameOf(codes[i]),
        cell: (i) => cutMiddle(nameOf(codes[i])),
      },
      {
        id: "place",
        title: "Location",
        least: "8rem",
        class: "mono",
        sort: (i) => placeOf(model, codes[i]),
        cell: (i) => cutMiddle(placeOf(model, codes[i]), codes[i].file ?? undefined),
      },
      {
        id: "times",
        title: "Recompiles",
        number: true,
        sort: (i) => counts[codes[i].id],
        cell: (i) => count(counts[codes[i].id]),
      },
      {
        id: "limit",
        title: "Recompile limit",
        sort: (i) => (limited(codes[i]) ? 0 : 1),
        cell: (i) => (limited(codes[i]) ? limitBadge() : ""),
      },
    ],
    detail: (i) => {
      const compiles = new Set(codes[i].compiles);
      return [
        h("h2", null, nameOf(codes[i]), " ", h("span", { class: "place" }, placeOf(model, codes[i]))),
        cards(
          model,
          state,
          found,
          (finding) =>
            OF_FINDINGS.includes(finding.kind) && finding.compiles.some((compile) => compiles.has(compile)),
          { level: 3, whole: true },
        ),
        h("h3", null, "All compiles"),
        history(about, codes[i]),
      ];
    },
  });
}

/** Return a list of the first 100 items, with a button for the others. @template T @param {T[]} items @param {(item: T) => any} item @param {string} [tag] */
function capped(items, item, tag = "ul") {
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

/** Return one recompile, and below it those that it triggered. @param {About} about @param {number} index @param {number} depth @returns {HTMLElement} */
function recompileItem(about, index, depth) {
  const { model, recompiles, codeObjects, state, cascades } = about;
  const row = recompiles[index];
  const children = depth < DEEPEST ? (cascades.get(index) ?? []) : [];
  return h(
    "li",
    null,
    compileLink(model, numberOf(model, row), state),
    " ",
    depth > 0 && [nameOf(codeObjects[row.code_object ?? -1]), " "],
    row.limit && [limitBadge(), " "],
    reasonLine(about, row),
    children.length > 0 &&
      h(
        "details",
        { open: children.length <= 3 },
        h("summary", null, `triggered ${plural(children.length, "recompile")}`),
        capped(children, (child) => recompileItem(about, child, depth + 1)),
      ),
  );
}

/** Return the first guard failure, and collapsed those of older cache entries. @param {About} about @param {Recompile} row @param {any} [more] shown before the collapsed ones */
function reasonLine({ model, state }, row, more) {
  const [first, ...rest] = row.reasons;
  if (!first)
    return [h("span", { class: "dim" }, "no guard failure in ", recordLink(row.event, state)), more];
  return [
    reasonParts(model, first, state),
    more,
    rest.length > 0 &&
      h(
        "details",
        null,
        h("summary", null, `and ${plural(rest.length, "guard failure")} of older cache entries`),
        h(
          "ul",
          null,
          rest.map((reason) => h("li", null, reasonParts(model, reason, state))),
        ),
      ),
  ];
}

/** Return the failed guard, the compile whose cache entry it belongs to, and its source line. @param {any} model @param {import("./recompile-data.js").Reason} reason @param {any} state */
export function reasonParts(model, { guard, entry, source_line: line, file, line: number }, state) {
  const against = rowOf(model, entry);
  return [
    h("code", null, guard),
    against >= 0 && [h("span", { class: "dim" }, " in cache entry "), compileLink(model, against, state)],
    line && [" ", h("code", { class: "dim", title: `${file}:${number}` }, line)],
  ];
}

/** List all compiles of one function. @param {About} about @param {CodeObject} code */
function history(about, code) {
  const { log, model, state, at } = about;
  const compiles = code.compiles.filter((compile) => rowOf(model, compile) >= 0);
  const before = new Map(compiles.map((compile, i) => [compile, compiles[i - 1]]));
  return capped(
    compiles,
    (compile) => {
      const recompile = at.get(compile),
        previous = before.get(compile),
        index = rowOf(model, compile);
      const cause = rowOf(model, recompile?.caused_by ?? null);
      return h(
        "li",
        null,
        compileLink(model, index, state),
        " ",
        h("span", { class: "dim" }, time(model.compiles[index].total_us)),
        " ",
        recompile?.limit && [limitBadge(), " "],
        recompile
          ? reasonLine(about, recompile, [
              cause >= 0 && [h("span", { class: "dim" }, " triggered by "), compileLink(model, cause, state)],
              previous !== undefined && [" ", compareLink(log, model, rowOf(model, previous), index, state)],
            ])
          : h(
              "span",
              { class: "dim" },
              previous === undefined ? "first compile" : "guard failure not recorded",
            ),
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
