// Page events for code panes: Ctrl+F opens the find field of the only visible pane, since the browser's
// search finds only drawn rows. Copy uses the text of the pane with the selection.

/** @type {WeakMap<Element, import("./pane.js").CodePane>} */
const panes = new WeakMap();
/** @type {import("./pane.js").CodePane | null} the one with a selection */
let selected = null;
let listening = false;

/** @param {import("./pane.js").CodePane} pane */
export function joinPage(pane) {
  panes.set(pane.element, pane);
  if (listening) return;
  listening = true;
  document.addEventListener("keydown", findKey);
  document.addEventListener("selectionchange", follow);
  document.addEventListener("copy", copy);
  document.addEventListener("focusin", (event) => {
    if (selected?.selection.all && event.target !== selected.body) leave();
  });
}

/** @param {Node | null} node */
function paneAround(node) {
  const element = node instanceof Element ? node : node?.parentElement;
  const around = element?.closest(".code-pane");
  return (around && panes.get(around)) ?? null;
}

/** @param {import("./pane.js").CodePane} pane whose whole text is selected or no longer selected */
export function selectAll(pane) {
  if (selected !== pane) leave();
  selected = pane;
  pane.selection.setAll(true);
}

/** Clear the selection. */
export function leave() {
  selected?.selection.setAll(false);
  selected?.selection.forget();
  selected = null;
}

/** Return the pane with the focus, or the only visible one. */
function paneInSight() {
  const focused = paneAround(document.activeElement);
  if (focused) return focused;
  const seen = [...document.querySelectorAll(".code-pane")].filter((element) => {
    const { top, bottom, width, height } = element.getBoundingClientRect();
    return panes.has(element) && width > 0 && height > 0 && bottom > 0 && top < innerHeight;
  });
  return seen.length === 1 ? (panes.get(seen[0]) ?? null) : null;
}

/** @param {KeyboardEvent} event */
function findKey(event) {
  if (
    event.key.toLowerCase() !== "f" ||
    event.ctrlKey === event.metaKey ||
    event.altKey ||
    event.shiftKey ||
    event.defaultPrevented
  )
    return;
  if (document.querySelector("dialog[open]")) return;
  const pane = paneInSight();
  if (!pane || document.activeElement === pane.find) return; // a second Ctrl+F opens the browser's search
  event.preventDefault();
  follow();
  pane.search.enter();
}

/**
 * Pass the page's selection to its pane. Key handlers also call this, since a key event may precede
 * selectionchange.
 */
function follow() {
  const selection = getSelection();
  if (!selection || selected?.selection.all) return;
  const pane = paneAround(selection.anchorNode);
  const inside = pane?.body.contains(selection.anchorNode);
  if (selected && (selected !== pane || !inside)) leave();
  if (!pane || !inside) return;
  selected = pane;
  pane.selection.follow(selection);
}

/** @param {ClipboardEvent} event */
function copy(event) {
  follow();
  const text = selected?.element.isConnected && !inField() ? selected.selection.text : "";
  if (!text || !event.clipboardData) return;
  event.clipboardData.setData("text/plain", text);
  event.preventDefault();
}

const inField = () => ["INPUT", "TEXTAREA", "SELECT"].includes(document.activeElement?.tagName ?? "");
