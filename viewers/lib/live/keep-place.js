// Keeps the focus, open details and scroll positions when a part of the page is redrawn with newer data.
import { h } from "../page/dom.js";
import { scrollAgain } from "../page/hash-state.js";

const LONG = 80;

/**
 * @param {HTMLElement} root contains the redrawn part
 * @returns {() => void} restores everything after the redraw
 */
export function keepPlace(root) {
  const focus = focused(root);
  const open = new Map(
    [...root.querySelectorAll("details")].map((details) => [nameOf(root, details, "details"), details.open]),
  );
  return () => {
    for (const details of root.querySelectorAll("details")) {
      const was = open.get(nameOf(root, details, "details"));
      if (was !== undefined && was !== details.open) details.open = was;
    }
    focus?.();
    scrollAgain(root);
  };
}

/**
 * Show a note above a view that is expensive or in use, which redraws on a click.
 * @param {HTMLElement} main @param {string} what changed @param {() => void} redraw
 */
export function showAged(main, what, redraw) {
  if (main.querySelector(":scope > .aged")) return;
  main.prepend(
    h(
      "p",
      { class: "aged note", role: "status" },
      `${what} since this view was drawn. `,
      h("button", { class: "tool", onclick: redraw }, "Redraw"),
    ),
  );
}

/** Remember the focused element by its name. @param {HTMLElement} root @returns {(() => void) | null} */
function focused(root) {
  const element = /** @type {HTMLElement | null} */ (document.activeElement);
  if (!element || element === root || !root.contains(element)) return null;
  const { tagName, id } = element,
    role = element.getAttribute("role");
  const kind = role ? `[role="${CSS.escape(role)}"]` : tagName;
  const name = nameOf(root, element, kind);
  const list =
    role && element.closest("[role=grid], [role=tree], [role=listbox]")?.getAttribute("aria-label");
  const field =
    element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement
      ? [element.selectionStart, element.selectionEnd]
      : null;
  return () => {
    if (
      document.activeElement !== document.body &&
      document.activeElement !== root &&
      document.activeElement?.isConnected
    )
      return; // the focus is still there, or has moved
    const alike = /** @type {HTMLElement[]} */ ([...root.querySelectorAll(kind)]);
    const successor =
      (id && document.getElementById(id)) ||
      alike.find((other) => nameOf(root, other, kind) === name) ||
      (list &&
        alike.find((other) => other.tabIndex === 0 && other.closest(`[aria-label="${CSS.escape(list)}"]`)));
    const next = /** @type {HTMLElement} */ (successor || root);
    next.focus({ preventScroll: true });
    if (field && next instanceof HTMLInputElement) next.setSelectionRange(field[0], field[1]);
  };
}

/**
 * Identify an element by its name and its index within the nearest named part.
 * @param {HTMLElement} root @param {Element} element @param {string} kind selector of its kind
 */
function nameOf(root, element, kind) {
  const around = element.parentElement?.closest("[id], [aria-label]") ?? root;
  const part = root.contains(around) && around !== root ? around : root;
  const own = called(element);
  const nth = [...part.querySelectorAll(kind)].filter((other) => called(other) === own).indexOf(element);
  return JSON.stringify([part === root ? "" : part.id || part.getAttribute("aria-label"), own, nth]);
}

/** @param {Element} element */
const called = (element) =>
  element.getAttribute("aria-label") ??
  element.getAttribute("href") ??
  (element.tagName === "DETAILS" ? "" : (element.textContent ?? "").trim().slice(0, LONG));
