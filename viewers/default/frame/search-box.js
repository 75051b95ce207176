// The field in the bar above every view. What is typed leads to the search view at once.
import { h, searchField } from "../../lib/page/dom.js";

/** @type {any} the same element in every view, so that typing goes on when the view changes */
let box = null;
/** @type {() => HTMLElement | null} */
let filterOf = () => null;

/** @param {import("../../lib/page/hash-state.js").HashState} state @param {() => HTMLElement | null} filter the field of the view itself */
export function searchBox(state, filter) {
  filterOf = filter;
  box ??= make(state);
  return h("search", { class: "search-box" }, box);
}

/** The address has changed: the field says what is searched. @param {import("../../lib/page/hash-state.js").HashState} state */
export function syncSearch(state) {
  if (box && document.activeElement !== box) box.value = state.current.view === "search" ? state.current.q : "";
}

export const focusSearch = () => box?.select?.() ?? box?.focus();

/** @param {import("../../lib/page/hash-state.js").HashState} state */
function make(state) {
  const go = (/** @type {string} */ q, /** @type {Record<string, string>} */ more = {}) => {
    if (state.current.view === "search" && state.current.q === q && !more.in) return; // Enter was quicker
    if (state.current.view === "search") state.replace({ q, in: "", ...more }, true);
    else if (q.trim()) state.go(state.link({ view: "search", q, ...more }));
  };
  const key = (/** @type {KeyboardEvent} */ event) => {
    const filter = event.key === "/" && field.value === "" ? filterOf() : null;
    if (event.key === "Enter") go(field.value, { in: "text" });
    else if (event.key === "ArrowDown") /** @type {HTMLElement | null} */ (document.querySelector(".search-names a, .search-list a"))?.focus();
    else if (event.key === "Escape") {
      field.value = "";
      /** @type {HTMLElement | null} */ (document.querySelector("main"))?.focus();
    } else if (filter) filter.focus();
    else return;
    event.preventDefault();
  };
  const field = searchField("Search everywhere", "Search or jump", (q) => go(q), { onkeydown: key, "aria-keyshortcuts": "/" });
  return field;
}
