// Names shortened in the middle when space is short, which keeps their end: a line number or a kernel's
// number.
import { h } from "./dom.js";

const TAIL = 12; // about the number of characters kept at the end of a name without a line number
const SHORTEST = 16; // shorter names without a line number are cut at the end
const BREAKS = /[\\._:\s-]/g;
const PLACE = /(\.\w{1,4})?:\d+(, \d+)*( and \d+ more)?$/; // ".py:41", ".py:41, 43 and 2 more"

/**
 * Return where the kept end of a name without a line number starts: its file, or after the separator nearest
 * to the last TAIL characters.
 * @param {string} text
 */
function tailStart(text) {
  const file = text.lastIndexOf("/") + 1;
  const wanted = text.length - TAIL;
  if (file >= wanted && file < text.length) return file;
  const around = Math.max(1, wanted - 6);
  let best = wanted;
  let distance = Infinity;
  for (const { index } of text.slice(around, wanted + 6).matchAll(BREAKS)) {
    const away = Math.abs(around + index - wanted);
    if (away < distance) [best, distance] = [around + index, away];
  }
  const code = text.charCodeAt(best);
  return code >= 0xdc00 && code < 0xe000 ? best - 1 : best; // never between the halves of a surrogate pair
}

/**
 * Split a name into parts, in the order in which they are cut.
 * @param {string} text @returns {{head: string, name: string, end: string} | null} null for a short name
 */
function partsOf(text) {
  const end = PLACE.exec(text)?.index;
  if (end === undefined && text.length < SHORTEST) return null;
  if (end === undefined)
    return { head: text.slice(0, tailStart(text)), name: "", end: text.slice(tailStart(text)) };
  const name = Math.max(text.lastIndexOf("/", end), text.lastIndexOf(" ", end)) + 1;
  return { head: text.slice(0, name), name: text.slice(name, end), end: text.slice(end) };
}

/**
 * Show a name. The page has the full text once, for selection, copy, search and screen readers. The visible
 * text is drawn over it from up to three parts: the head is cut first, then the file name, and never the end.
 * The element never exceeds its container.
 * @param {string} text @param {string} [title] tooltip; default: the full name @returns {HTMLElement}
 */
export function cutMiddle(text, title = text) {
  const parts = partsOf(text);
  if (!parts) return h("span", { class: "cut-middle", title: title || null }, h("span", null, text));
  const { head, name, end } = parts;
  return h(
    "span",
    { class: "cut-middle", title },
    h("span", { class: "cut-whole" }, text),
    h(
      "span",
      { "class": "cut-seen", "aria-hidden": "true", "dataset": head ? { head } : {} },
      h("span", { class: "cut-end", dataset: name ? { name, end } : { end } }),
    ),
  );
}

/**
 * Return how many characters at the end of the place in a cell are never cut; 0 without a place.
 * @param {Element} cell
 */
export const endLength = (cell) =>
  /** @type {HTMLElement | null} */ (cell.querySelector(".cut-end[data-name]"))?.dataset.end?.length ?? 0;
