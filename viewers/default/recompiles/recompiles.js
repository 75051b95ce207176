// The recompiles view: a list of causes or functions, with what is known of each function.
import { placeText } from "../../lib/finding/card.js";
import { h, plain, rich } from "../../lib/page/dom.js";
import { emptyPage, listDetail } from "../../lib/list/list-detail.js";
import { cutMiddle } from "../../lib/page/cut-middle.js";
import { count, plural, time } from "../../lib/page/format.js";
import { placeLink } from "../../lib/page/place-link.js";
import { cards } from "../shared/finding-leads.js";
import { findingsOf, modelOf } from "../shared/model.js";
import { compileLink, placeCell } from "../shared/parts.js";
import { isNotRecorded, notRecordedPage } from "../shared/not-recorded.js";
import { followersOf, recompilesOf } from "./data.js";
import { functionParts } from "./function.js";
import { capped, limitBadge, nameOf, recompileItem } from "./reasons.js";

/** @typedef {import("../../lib/finding/card.js").Finding} Finding */
/** @typedef {import("./data.js").CodeObject} CodeObject */
/** @typedef {import("./reasons.js").About} About */

const OF_FINDINGS = ["recompile", "recompile-limit"];
const MOST_SHOWN = 100;
const MOST_FUNCTIONS = 3; // of one cause that are shown in full

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
    followers: followersOf(table.recompiles),
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

/** @param {any} model @param {CodeObject} code */
const placeOf = (model, code) => (code.file ? `${model.short(code.file)}:${code.first_line}` : "");

/** @param {About} about @param {Finding[]} causes @param {any} tools */
function causeList(about, causes, tools) {
  const { model, found, recompiles, codeObjects, state } = about;
  return listDetail({
    state,
    name: "recompiles",
    share: 0.42,
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
        cell: (i) => placeCell(causes[i].file, causes[i].line, placeText(causes[i]) ?? ""),
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
        codes
          .slice(0, MOST_FUNCTIONS)
          .map((code) => [
            codes.length > 1 && h("h2", null, nameOf(code)),
            functionParts(about, code, `All compiles of ${nameOf(code)}`),
          ]),
        codes.length > MOST_FUNCTIONS &&
          h(
            "p",
            null,
            "More functions: ",
            codes
              .slice(MOST_FUNCTIONS)
              .map((code) => [
                h(
                  "a",
                  { href: state.link({ view: "recompiles", by: "function", item: String(code.id) }) },
                  nameOf(code),
                ),
                " ",
              ]),
          ),
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
    share: 0.42,
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
        cell: (i) => placeCell(codes[i].file, codes[i].first_line, placeOf(model, codes[i])),
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
      const isOwn = (/** @type {Finding} */ finding) =>
        OF_FINDINGS.includes(finding.kind) && finding.compiles.some((compile) => compiles.has(compile));
      return [
        h(
          "h2",
          null,
          nameOf(codes[i]),
          " ",
          placeLink(codes[i].file, codes[i].first_line, placeOf(model, codes[i])),
        ),
        functionParts(
          about,
          codes[i],
          "All compiles",
          h(
            "section",
            { "aria-label": "Causes" },
            h("h3", null, "Causes"),
            cards(model, state, found, isOwn, { level: 3, whole: true }),
          ),
        ),
      ];
    },
  });
}
