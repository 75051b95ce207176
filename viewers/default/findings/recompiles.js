// Functions that were compiled again: what was found, the guards that failed, and the history of each function.
import { placeText } from "../../lib/finding/card.js";
import { append, h, plain, rich } from "../../lib/page/dom.js";
import { emptyPage, listDetail } from "../../lib/list/list-detail.js";
import { cutMiddle } from "../../lib/page/cut-middle.js";
import { count, plural, time } from "../../lib/page/format.js";
import { cards } from "../shared/finding-leads.js";
import { findingsOf, idText, modelOf, numberOf, rowOf } from "../shared/model.js";
import { compileLink, recordLink } from "../shared/parts.js";
import { isUntold, untoldPage } from "../shared/untold.js";
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
    if (isUntold(log, "recompile_reasons")) {
      const again = model.frames.filter(({ last }) => last.frame_compile_id > 0);
      return untoldPage(
        "Reasons of recompiles",
        "recompile_reasons",
        again.length > 0 && [
          `Ids of compiles tell that ${plural(again.length, "compile was", "compiles were")} made again: `,
          again
            .slice(0, MOST_SHOWN)
            .map(({ rows: [first] }, i) => [i > 0 && ", ", compileLink(model, first, state)]),
          again.length > MOST_SHOWN && ` and ${count(again.length - MOST_SHOWN)} more`,
        ],
      );
    }
    return emptyPage(
      "No recompiles",
      "Compiles that were made again when a guard failed would be here, with the guard and the line of the program.",
    );
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
  const told = (found?.findings ?? []).filter(({ kind }) => OF_FINDINGS.includes(kind));
  /** Opened anew for the other list: they have other columns. @type {{by: string, view: any} | null} */
  let shown = null;
  const element = h("div", { class: "fill" });
  const open = (/** @type {string} */ by) => {
    const tools =
      told.length > 0 &&
      h(
        "span",
        { "class": "tool-group", "role": "group", "aria-label": "List" },
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
        by === "function" || told.length === 0 ? functionList(about, tools) : causeList(about, told, tools),
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

/** @param {About} about @param {Finding[]} told @param {any} tools */
function causeList(about, told, tools) {
  const { model, found, recompiles, codeObjects, state } = about;
  return listDetail({
    state,
    name: "recompiles",
    label: "Causes of recompiles",
    noun: ["row", "rows"],
    length: told.length,
    tools,
    id: (i) => told[i].fingerprint,
    title: (i) => plain(told[i].title),
    text: (i) =>
      [plain(told[i].title), told[i].function, placeText(told[i]), told[i].text, told[i].kind].join("\n"),
    columns: [
      {
        id: "what",
        title: "What",
        least: "12rem",
        sort: (i) => told[i].title,
        cell: (i) =>
          h(
            "span",
            { title: plain(told[i].title) },
            told[i].kind === "recompile-limit" && [limitBadge(), " "],
            rich(told[i].title),
          ),
      },
      {
        id: "place",
        title: "Line",
        least: "7rem",
        class: "mono",
        sort: (i) => placeText(told[i]),
        cell: (i) => cutMiddle(placeText(told[i]) ?? "–"),
      },
      {
        id: "times",
        title: "Times",
        number: true,
        sort: (i) => told[i].count,
        cell: (i) => count(told[i].count),
      },
      {
        id: "cost",
        title: "Cost",
        number: true,
        sort: (i) => told[i].cost_us,
        cell: (i) => (told[i].cost_us === null ? "–" : time(told[i].cost_us)),
      },
    ],
    detail: (i) => {
      const rows = recompiles.flatMap((row, n) =>
        row.compile !== null && told[i].compiles.includes(row.compile) ? [n] : [],
      );
      const codes = [...new Set(rows.map((n) => recompiles[n].code_object))].flatMap(
        (id) => codeObjects[id ?? -1] ?? [],
      );
      return [
        cards(model, state, found, (finding) => finding === told[i]),
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
  const asked = new Set(recompiles.map((row) => row.code_object));
  const limited = (/** @type {CodeObject} */ code) => code.limit_compile !== null;
  const again = codeObjects.filter((code) => asked.has(code.id) || limited(code));
  return listDetail({
    state,
    name: "recompiles",
    label: "Functions that were compiled again",
    noun: ["function", "functions"],
    length: again.length,
    tools,
    id: (i) => String(again[i].id),
    title: (i) => nameOf(again[i]),
    text: (i) => [nameOf(again[i]), again[i].file].join("\n"),
    columns: [
      {
        id: "function",
        title: "Function",
        least: "8rem",
        sort: (i) => nameOf(again[i]),
        cell: (i) => cutMiddle(nameOf(again[i])),
      },
      {
        id: "place",
        title: "File",
        least: "8rem",
        class: "mono",
        sort: (i) => placeOf(model, again[i]),
        cell: (i) => cutMiddle(placeOf(model, again[i]), again[i].file ?? undefined),
      },
      {
        id: "times",
        title: "Recompiles",
        number: true,
        sort: (i) => counts[again[i].id],
        cell: (i) => count(counts[again[i].id]),
      },
      {
        id: "limit",
        title: "Limit",
        sort: (i) => (limited(again[i]) ? 0 : 1),
        cell: (i) => (limited(again[i]) ? limitBadge() : ""),
      },
    ],
    detail: (i) => {
      const compiles = new Set(again[i].compiles);
      return [
        h("h2", null, nameOf(again[i]), " ", h("span", { class: "place" }, placeOf(model, again[i]))),
        cards(
          model,
          state,
          found,
          (finding) =>
            OF_FINDINGS.includes(finding.kind) && finding.compiles.some((compile) => compiles.has(compile)),
          { level: 3, whole: true },
        ),
        h("h3", null, "All compiles"),
        history(about, again[i]),
      ];
    },
  });
}

/** A list of which the first hundred are shown. @template T @param {T[]} items @param {(item: T) => any} item @param {string} [tag] */
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

/** One recompile, and under it those that it led to. @param {About} about @param {number} index @param {number} depth @returns {HTMLElement} */
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
        h("summary", null, `led to ${plural(children.length, "recompile")}`),
        capped(children, (child) => recompileItem(about, child, depth + 1)),
      ),
  );
}

/** What failed first, and behind a fold what failed for the older results. @param {About} about @param {Recompile} row @param {any} [more] stands before the fold */
function reasonLine({ model, state }, row, more) {
  const [first, ...rest] = row.reasons;
  if (!first)
    return [h("span", { class: "dim" }, "no guard in the record ", recordLink(row.event, state)), more];
  return [
    reasonParts(model, first, state),
    more,
    rest.length > 0 &&
      h(
        "details",
        null,
        h("summary", null, `and ${plural(rest.length, "guard")} of older compiles`),
        h(
          "ul",
          null,
          rest.map((reason) => h("li", null, reasonParts(model, reason, state))),
        ),
      ),
  ];
}

/** The guard as torch writes it, against which compile, and the line of the program that it is from. @param {any} model @param {import("./recompile-data.js").Reason} reason @param {any} state */
export function reasonParts(model, { guard, entry, source_line: line, file, line: number }, state) {
  const against = rowOf(model, entry);
  return [
    h("code", null, guard),
    against >= 0 && [h("span", { class: "dim" }, " against "), compileLink(model, against, state)],
    line && [" ", h("code", { class: "dim", title: `${file}:${number}` }, line)],
  ];
}

/** All compiles of one function. @param {About} about @param {CodeObject} code */
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
      const leader = rowOf(model, recompile?.caused_by ?? null);
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
              leader >= 0 && [h("span", { class: "dim" }, " followed "), compileLink(model, leader, state)],
              previous !== undefined && [" ", compareLink(log, model, rowOf(model, previous), index, state)],
            ])
          : h("span", { class: "dim" }, previous === undefined ? "the first compile" : "no guard in the log"),
      );
    },
    "ol",
  );
}

/** @param {any} log @param {any} model @param {number} left @param {number} right @param {any} state @param {string} [words] */
export function compareLink(log, model, left, right, state, words = "compare with the one before") {
  const [a, b] = [left, right].map((index) => `${log.id}/${model.compiles[index].key}`);
  return h(
    "a",
    {
      href: state.link({ view: "compare", left: a, right: b }),
      title: `${idText(model.compiles[left])} beside ${idText(model.compiles[right])}`,
    },
    words,
  );
}
