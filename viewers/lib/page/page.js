// What the pages of all viewers have: the way past the bar, links within the page, help, and words when no bundle opens.
import { fill, h } from "./dom.js";
import { errorBox } from "./load.js";
import { wayHome } from "./page-bundle.js";

/** Shows why there is nothing to see, and the way to the other bundles where there is a list of them. @param {unknown} error */
export function stopped(error) {
  const home = h("p");
  fill(document.body, h("main", { class: "stopped" }, h("h1", null, "The bundle could not be opened"), errorBox(error, () => location.reload()), home));
  void wayHome().then((href) => href && fill(home, h("a", { href, class: "home-link" }, "All bundles")));
}

/** @param {HTMLElement} main where it leads */
export function skipLink(main) {
  const skip = (/** @type {Event} */ event) => {
    event.preventDefault();
    main.focus();
  };
  return h("a", { class: "skip", href: "#main", onclick: skip }, "Skip to the content");
}

/** Links within the page change the state without a new load. @param {import("./hash-state.js").HashState} state */
export function followLinks(state) {
  document.addEventListener("click", (event) => {
    const link = /** @type {Element} */ (event.target).closest?.("a[href^='#v=']");
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    state.go(link.getAttribute("href") ?? "");
  });
}

/** A function that shows the help. @param {() => any[]} content made when it is shown first */
export function helpDialog(content) {
  /** @type {HTMLDialogElement | null} */
  let dialog = null;
  return () => {
    dialog ??= /** @type {HTMLDialogElement} */ (h("dialog", { "aria-labelledby": "help-title", class: "help" },
      h("header", { class: "help-head" }, h("h2", { id: "help-title" }, "Help"), h("button", { class: "tool", onclick: () => dialog?.close() }, "Close")), content()));
    document.body.append(dialog);
    if (!dialog.open) dialog.showModal();
  };
}

/** A part of the help. @param {string} title @param {any[][]} rows terms, and what they mean */
export const helpSection = (title, rows) => [
  h("h3", null, title), h("dl", { class: "pairs" }, rows.map(([term, what]) => [h("dt", null, term), h("dd", null, what)]))];

/** @param {() => void} show */
export const helpButton = (show) => h("button", { class: "tool", onclick: () => show(), title: "Keys and words (?)", "aria-label": "Help" }, "?");
