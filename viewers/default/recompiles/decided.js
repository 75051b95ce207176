// A table of calls that compiled × cache entries: which guard decided that the entry did not fit.
import { fill, h } from "../../lib/page/dom.js";
import { count, plural, time } from "../../lib/page/format.js";
import { placeLink } from "../../lib/page/place-link.js";
import { idText, rowOf } from "../shared/model.js";
import { compileLink } from "../shared/parts.js";
import { pairOf } from "./history.js";
import { limitBadge } from "./reasons.js";
import { GROUPS, guardParts, shortReason } from "./short.js";

/** @typedef {import("./history.js").History} History */
/** @typedef {import("./reasons.js").About} About */
/** @typedef {import("./data.js").Recompile} Recompile */
/** @typedef {import("./data.js").Reason} Reason */

const MOST_ROWS = 30; // the newest calls and entries
const MOST_GUARDS = 50; // of one cell
const STEPS = /** @type {Record<string, [number, number]>} */ ({
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
});

/**
 * Build the table; null when no recompile names a cache entry.
 * @param {About} about @param {import("./data.js").CodeObject} code @param {History | null} history
 */
export function decidedTable(about, code, history) {
  const { model, at } = about;
  const calls = code.compiles.filter(
    (compile) => rowOf(model, compile) >= 0 && at.get(compile)?.reasons.length,
  );
  if (calls.length === 0) return null;
  const rows = calls.slice(-MOST_ROWS);
  const named = new Set(calls.flatMap((call) => at.get(call)?.reasons.map(({ entry }) => entry) ?? []));
  const all = code.compiles.filter((compile) => named.has(compile));
  const columns = all.slice(-MOST_ROWS);
  const used = new Set();
  const details = h("div", { class: "decided-detail", role: "status" });
  /** @type {(HTMLElement | null)[][]} */
  const cells = rows.map((call) =>
    columns.map((entry) => {
      const reason = reasonOf(at.get(call), entry);
      if (!reason) return null;
      const failure = history?.failures.get(pairOf(call, entry));
      const guard = failure && failure.guard !== null && history ? history.guard(failure.guard) : null;
      const { what, values, group } = shortReason(reason, guard, history?.inputs.get(call));
      used.add(group);
      const more = (failure?.guards.length ?? 1) - 1;
      return h(
        "td",
        {
          class: `decided group-${group}`,
          tabindex: "-1",
          onfocus: () => fill(details, cellDetails(about, history, call, entry, reason)),
        },
        h("code", null, what),
        h("span", null, values, more > 0 && h("span", { class: "dim" }, ` +${count(more)}`)),
      );
    }),
  );
  const table = h(
    "table",
    {
      "class": "decided-table",
      "role": "grid",
      "aria-label": "Guard that decided, per call and cache entry",
      "onkeydown": (/** @type {KeyboardEvent} */ event) => move(cells, event),
      "onfocusin": (/** @type {FocusEvent} */ event) => keepPlace(cells, event.target),
    },
    h(
      "thead",
      null,
      h(
        "tr",
        null,
        h("th", { scope: "col" }, "Call"),
        columns.map((entry) => h("th", { scope: "col" }, idText(model.compiles[rowOf(model, entry)]))),
      ),
    ),
    h(
      "tbody",
      null,
      rows.map((call, i) =>
        h(
          "tr",
          null,
          callHeader(about, call),
          cells[i].map((cell) => cell ?? h("td", null)),
        ),
      ),
    ),
  );
  const newest = cells.at(-1)?.findLast((cell) => cell !== null);
  if (newest) {
    newest.tabIndex = 0;
    const place = cells.at(-1)?.indexOf(newest) ?? 0;
    const [call, entry] = [rows[rows.length - 1], columns[place]];
    fill(
      details,
      cellDetails(about, history, call, entry, /** @type {Reason} */ (reasonOf(at.get(call), entry))),
    );
  }
  return [
    h(
      "p",
      { class: "dim" },
      "Each row is a call that compiled, each column a cache entry. A cell has the first guard that the call failed, with the value expected and the value passed; +2 means two more guards failed.",
    ),
    legend(used),
    h("div", { class: "wide-table" }, table),
    (rows.length < calls.length || columns.length < all.length) &&
      h(
        "p",
        { class: "dim" },
        `The newest ${count(rows.length)} of ${plural(calls.length, "call")} and ${count(columns.length)} of ${plural(all.length, "cache entry", "cache entries")}. The table guard_failures has all of them.`,
      ),
    details,
  ];
}

/** @param {Recompile | undefined} recompile @param {string} entry @returns {Reason | undefined} */
const reasonOf = (recompile, entry) => recompile?.reasons.find((reason) => reason.entry === entry);

/** @param {About} about @param {string} call */
function callHeader({ model, state, at }, call) {
  const index = rowOf(model, call);
  return h(
    "th",
    { scope: "row" },
    compileLink(model, index, state),
    h("span", { class: "dim" }, at.get(call)?.limit ? limitBadge() : time(model.compiles[index].total_us)),
  );
}

/** @param {Set<string>} used */
const legend = (used) =>
  h(
    "p",
    { class: "legend" },
    GROUPS.filter(([id]) => used.has(id)).map(([id, title]) =>
      h("span", null, h("span", { "class": `swatch group-${id}`, "aria-hidden": "true" }), ` ${title} `),
    ),
  );

/** Move the focus to the next cell in the direction of an arrow key. @param {(HTMLElement | null)[][]} cells @param {KeyboardEvent} event */
function move(cells, event) {
  const step = STEPS[event.key];
  if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
  const from = /** @type {HTMLElement} */ (event.target);
  const row = cells.findIndex((one) => one.includes(from));
  if (row < 0) return;
  event.preventDefault();
  const target = next(cells, row, cells[row].indexOf(from), step);
  target?.focus();
}

/** Let Tab lead to the cell that has the focus. @param {(HTMLElement | null)[][]} cells @param {EventTarget | null} focused */
function keepPlace(cells, focused) {
  if (!cells.flat().includes(/** @type {HTMLElement} */ (focused))) return;
  for (const cell of cells.flat()) if (cell) cell.tabIndex = cell === focused ? 0 : -1;
}

/** Return the next cell that is not empty; above and below, the nearest of a row. @param {(HTMLElement | null)[][]} cells @param {number} row @param {number} column @param {[number, number]} step */
function next(cells, row, column, [down, right]) {
  if (down !== 0) {
    const filled = cells[row + down]?.flatMap((cell, i) => (cell ? [i] : [])) ?? [];
    const nearest = filled.reduce(
      (best, i) => (Math.abs(i - column) < Math.abs(best - column) ? i : best),
      filled[0],
    );
    return cells[row + down]?.[nearest];
  }
  const along = right > 0 ? cells[row].slice(column + 1) : cells[row].slice(0, column).reverse();
  return along.find((cell) => cell !== null);
}

/** Return all guards of an entry that a call fails. @param {About} about @param {History | null} history @param {string} call @param {string} entry @param {Reason} reason */
function cellDetails({ model, state }, history, call, entry, reason) {
  const failure = history?.failures.get(pairOf(call, entry));
  const input = history?.inputs.get(call);
  const [callLink, entryLink] = [call, entry].map((compile) =>
    compileLink(model, rowOf(model, compile), state),
  );
  const item = (/** @type {number} */ id) => {
    const guard = /** @type {History} */ (history).guard(id);
    const { text, values } = guardParts(guard, input);
    return h(
      "li",
      null,
      h("code", null, text),
      values && ` ${values}`,
      id === failure?.guard && h("span", { class: "dim" }, " (named by torch)"),
    );
  };
  const list = (/** @type {number[]} */ ids) =>
    h(
      "ul",
      null,
      ids.slice(0, MOST_GUARDS).map(item),
      ids.length > MOST_GUARDS && h("li", { class: "dim" }, `and ${count(ids.length - MOST_GUARDS)} more`),
    );
  return [
    h(
      "p",
      null,
      "Call of ",
      callLink,
      " against cache entry ",
      entryLink,
      ": ",
      failure && failure.guards.length > 0
        ? `${plural(failure.guards.length, "guard")} failed`
        : h("code", null, reason.guard),
    ),
    failure && list(failure.guards),
    reason.source_line &&
      h(
        "p",
        { class: "dim" },
        "Used in ",
        placeLink(reason.file, reason.line, h("code", null, reason.source_line)),
      ),
    failure &&
      failure.not_evaluated.length > 0 && [
        h("p", null, "These may have failed too. The log does not record their values:"),
        list(failure.not_evaluated),
      ],
    failure &&
      !failure.is_input_known &&
      h(
        "p",
        { class: "dim" },
        failure.not_evaluated.length > 0
          ? "The compile of this call failed, so the log records only a part of its input."
          : "The log does not record the input of this call, so only the guard that torch names is known.",
      ),
  ];
}
