// The caches view: lookups and writes of the compile caches, with outcome and reason.
import { emptyPage, listDetail } from "../../lib/list/list-detail.js";
import { cutMiddle } from "../../lib/page/cut-middle.js";
import { h } from "../../lib/page/dom.js";
import { count, plural, time } from "../../lib/page/format.js";
import { cards, shownBy } from "../shared/finding-leads.js";
import { findingsOf, functionName, idText, modelOf, numberOf } from "../shared/model.js";
import { compileLink, pairs, recordLink } from "../shared/parts.js";
import { isNotRecorded, notRecordedPage } from "../shared/not-recorded.js";
import { CACHES, cacheReason, outcomeBadge, outcomeCount } from "./cache-names.js";

/** @param {import("../frame/viewer.js").Context} context @returns {Promise<import("../frame/viewer.js").View>} */
export async function openCaches({ log, state }) {
  const [model, found, table] = await Promise.all([modelOf(log), findingsOf(log), log.table("caches")]);
  const rows = table ?? [];
  if (rows.length === 0) {
    if (isNotRecorded(log, "caches")) return notRecordedPage("Cache lookups", "caches");
    return emptyPage(
      "No cache lookups",
      "torch logs them when Inductor compiles with caches enabled (TORCHINDUCTOR_FORCE_DISABLE_CACHES is not set).",
    );
  }
  const counts = cacheCounts(rows);
  const compile = (/** @type {number} */ i) => model.compiles[numberOf(model, rows[i])];
  const valuesOf = (/** @type {string} */ cell) =>
    /** @type {string[]} */ ([...new Set(rows.map((/** @type {any} */ row) => row[cell]))]);
  return listDetail({
    state,
    name: "caches",
    label: "Caches",
    noun: ["lookup or write", "lookups and writes"],
    length: rows.length,
    above: h(
      "div",
      { class: "intro" },
      h(
        "ul",
        { class: "facts-line" },
        counts.map(([cache, by]) =>
          h(
            "li",
            null,
            h("b", null, CACHES[cache] ?? cache),
            ": ",
            Object.entries(by).map(([outcome, n], at) => [
              at > 0 && ", ",
              h(
                "a",
                { href: state.link({ view: "caches", type: cache, status: outcome }) },
                outcomeCount(outcome, n),
              ),
            ]),
          ),
        ),
      ),
    ),
    id: (i) => String(rows[i].event),
    title: (i) => `${idText(compile(i))} ${CACHES[rows[i].cache] ?? rows[i].cache} ${rows[i].outcome}`,
    text: (i) =>
      [
        idText(compile(i)),
        compile(i).function,
        rows[i].cache,
        rows[i].outcome,
        rows[i].key,
        rows[i].reason,
        rows[i].detail,
        ...rows[i].different,
      ].join("\n"),
    choices: [
      {
        key: "type",
        label: "Cache",
        all: "all caches",
        options: valuesOf("cache").map((id) => [id, CACHES[id] ?? id]),
        fits: (i, value) => rows[i].cache === value,
      },
      {
        key: "status",
        label: "Outcome",
        all: "all outcomes",
        options: valuesOf("outcome").map((id) => [id, id]),
        fits: (i, value) => rows[i].outcome === value,
      },
    ],
    columns: [
      {
        id: "compile",
        title: "Compile",
        class: "mono",
        sort: (i) => numberOf(model, rows[i]),
        cell: (i) => (compile(i).id === null ? "–" : idText(compile(i))),
      },
      {
        id: "function",
        title: "Function",
        least: "6rem",
        sort: (i) => functionName(compile(i)),
        cell: (i) => cutMiddle(functionName(compile(i))),
      },
      {
        id: "cache",
        title: "Cache",
        sort: (i) => rows[i].cache,
        cell: (i) => CACHES[rows[i].cache] ?? rows[i].cache,
      },
      {
        id: "outcome",
        title: "Outcome",
        sort: (i) => rows[i].outcome,
        cell: (i) => outcomeBadge(rows[i].outcome),
      },
      {
        id: "time",
        title: "Time",
        number: true,
        sort: (i) => rows[i].time_saved_us ?? rows[i].time_taken_us,
        help: "Hit: compile time saved. Miss: compile time spent.",
        cell: (i) => {
          const us = rows[i].time_saved_us ?? rows[i].time_taken_us;
          return us === null ? "" : time(us);
        },
      },
      {
        id: "why",
        title: "Reason",
        help: "Reason or failed guard that torch recorded. Otherwise components that differ from the closest earlier key.",
        least: "8rem",
        cell: (i) => h("span", { title: rows[i].reason ?? cacheReason(rows[i]) }, cacheReason(rows[i])),
      },
    ],
    detail: (i) => [cards(model, state, found, shownBy(rows[i].event)), cacheDetail(model, rows[i], state)],
  });
}

/** @param {any} model @param {any} row @param {any} state */
function cacheDetail(model, row, state) {
  const compile = model.compiles[numberOf(model, row)];
  const more = (row.different_count ?? 0) - row.different.length;
  return [
    h("h2", null, CACHES[row.cache] ?? row.cache, " ", outcomeBadge(row.outcome)),
    h("p", null, compileLink(model, numberOf(model, row), state), " ", functionName(compile)),
    row.reason !== null &&
      h("pre", { class: "wrapped message" }, row.exception_type && `${row.exception_type}: `, row.reason),
    row.different.length > 0 && [
      h(
        "h3",
        null,
        `Compared with the closest earlier key: ${count(row.different_count)} of ${plural(row.component_count ?? 0, "component")} differ`,
      ),
      h(
        "ul",
        { class: "parts-list" },
        row.different.map((/** @type {string} */ name) =>
          h("li", null, h("code", null, name), componentHelp(name)),
        ),
      ),
      more > 0 && h("p", { class: "dim" }, `and ${count(more)} more`),
    ],
    pairs([
      ["Failed guard", row.guard && h("code", null, row.guard)],
      [
        "Time saved",
        row.time_saved_us === null
          ? null
          : [
              time(row.time_saved_us),
              h(
                "span",
                { class: "dim" },
                " If several caches hit in one compile, each shows the same saved time.",
              ),
            ],
      ],
      ["Compile time", row.time_taken_us === null ? null : time(row.time_taken_us)],
      ["Key", row.key && h("code", null, row.key)],
      ["Detailed status", row.detail],
      ["Field", row.field],
      ["Components of the key", row.component_count === null ? null : count(row.component_count)],
      ["Remote cache", row.remote === null ? null : row.remote ? "yes" : "no"],
      ["Closest earlier key", row.closest_event === null ? null : recordLink(row.closest_event, state)],
      ["Record", [recordLink(row.event, state), ` ${row.name}`]],
    ]),
  ];
}

/** @param {string} name */
function componentHelp(name) {
  const help =
    name === "gm"
      ? "the graph itself"
      : name.startsWith("example_inputs")
        ? "an input of the graph"
        : name.startsWith("inductor_config")
          ? "an Inductor setting"
          : null;
  return help && h("span", { class: "dim" }, ` ${help}`);
}

/** Count outcomes by cache: [cache, {hit: 1, miss: 2}]. @param {any[]} rows @returns {[string, Record<string, number>][]} */
function cacheCounts(rows) {
  /** @type {Map<string, Record<string, number>>} */
  const caches = new Map();
  for (const { cache, outcome } of rows) {
    const counts = caches.get(cache) ?? {};
    counts[outcome] = (counts[outcome] ?? 0) + 1;
    caches.set(cache, counts);
  }
  return [...caches];
}
