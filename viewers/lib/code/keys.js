// The keys of a code pane: lines, folds, values.
import { typing } from "../page/dom.js";
import { leave, selectAll } from "./page-events.js";

/** @param {import("./pane.js").CodePane} pane @param {KeyboardEvent} event */
export function codeKey(pane, event) {
  const all =
    event.key.toLowerCase() === "a" && event.ctrlKey !== event.metaKey && !event.altKey && !event.shiftKey;
  if (all) selectAll(pane);
  else if (typing(event) || !use(pane, event)) return;
  event.preventDefault();
  event.stopPropagation();
}

/** @param {import("./pane.js").CodePane} pane @param {KeyboardEvent} event @returns {boolean} */
function use(pane, { key, shiftKey }) {
  const { values } = pane;
  const line = here(pane);
  if (key === "Escape" && pane.selection.all) leave();
  else if (key === "ArrowDown" || key === "ArrowUp") step(pane, key === "ArrowDown" ? 1 : -1, shiftKey);
  else if (key === "z") {
    const head = pane.fold(line);
    if (head !== undefined) pane.mark(head + 1, head + 1, true);
  } else if (key === "Z") pane.foldAll();
  else if (!pane.hasNames) return false;
  else if (key === "ArrowRight" || key === "ArrowLeft") values.walk(line, key === "ArrowRight" ? 1 : -1);
  else if (!values.pinned) return false;
  else if (key === "d" || key === "Enter") values.toDefinition();
  else if (key === "n" || key === "N") values.step(key === "n" ? 1 : -1);
  else if (key === "Escape") {
    values.clear();
    pane.redraw();
  } else return false;
  return true;
}

/**
 * Return the line that the keys act on, from 0: the marked line, or the first visible one.
 * @param {import("./pane.js").CodePane} pane
 */
function here(pane) {
  if (pane.line) return (pane.cursor === pane.line ? pane.line : pane.lineEnd) - 1;
  return pane.layout.line[Math.ceil((pane.body.scrollTop * pane.list.scale) / pane.list.rowHeight)] ?? 0;
}

/** @param {import("./pane.js").CodePane} pane @param {number} by @param {boolean} extend */
function step(pane, by, extend) {
  const at = here(pane);
  let next = at;
  if (pane.line) {
    const row =
      pane.layout.first[at] +
      (by < 0 ? -1 : Math.max(1, Math.ceil(pane.lines[at].length / pane.layout.columns)));
    next = pane.layout.line[Math.max(0, Math.min(row, pane.layout.length - 1))];
  }
  const other = pane.cursor === pane.line ? pane.lineEnd : pane.line;
  pane.cursor = next + 1;
  pane.mark(extend && pane.line ? other : next + 1, next + 1, true);
  pane.list.reveal(pane.layout.first[next]);
}
