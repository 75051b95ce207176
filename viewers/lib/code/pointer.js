// The pointer in a code pane: marks lines, folds blocks, shows names.
import { leave } from "./page-events.js";
import { columnAt } from "./values.js";

const HOVER_MS = 60;

/** @param {import("./pane.js").CodePane} pane */
export function listenToPointer(pane) {
  let timer = 0;
  pane.body.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
    if (event.button === 0 && pane.selection.all) leave();
  });
  pane.body.addEventListener("click", (/** @type {MouseEvent} */ event) => click(pane, event));
  pane.body.addEventListener("mousemove", (/** @type {MouseEvent} */ event) => {
    if (!pane.hasNames) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      const { line, column } = placeOf(pane, event);
      if (line >= 0) pane.values.hover(line, column);
    }, HOVER_MS);
  });
}

/** @param {import("./pane.js").CodePane} pane @param {MouseEvent} event */
function placeOf(pane, event) {
  const target = /** @type {Element} */ (event.target);
  const element = /** @type {HTMLElement | null} */ (target.closest(".code-line"));
  const row = Number(element?.dataset.row ?? -1);
  const text = target.closest(".text");
  const column = text ? columnAt(text, event.clientX, event.clientY) : -1;
  return {
    target,
    row,
    line: pane.layout.line[row] ?? -1,
    column: column < 0 ? -1 : pane.layout.from[row] + column,
  };
}

/** @param {import("./pane.js").CodePane} pane @param {MouseEvent} event */
function click(pane, event) {
  const { target, line, column } = placeOf(pane, event);
  if (line < 0) return;
  if (target.matches(".gutter"))
    pane.mark(event.shiftKey && pane.line ? pane.line : line + 1, line + 1, true);
  else if (target.matches(".fold, .folded") && pane.folds()[line]) pane.fold(line);
  else if (
    pane.hasNames &&
    column >= 0 &&
    String(getSelection() ?? "") === "" &&
    pane.values.pin(line, column) &&
    (event.ctrlKey || event.metaKey)
  )
    pane.values.toDefinition();
}
