// A name that is cut in its middle where there is no room, so that its end stays: the line number, the number of a kernel.
import { h } from "./dom.js";

const TAIL = 12; // characters of the end that stay, about
const FILE = 28; // a file name that is no longer stays whole
const SHORTEST = 16; // shorter names have no part that could go
const BREAKS = /[\\._:\s-]/g;

/** Where the end of a name begins that stays: its file, or else what is behind the separator nearest to the last twelve characters. @param {string} text */
function tailStart(text) {
  const file = text.lastIndexOf("/") + 1;
  if (file > 0 && file < text.length && text.length - file <= FILE) return file;
  const wanted = text.length - TAIL;
  const around = Math.max(1, wanted - 6);
  let best = wanted;
  let distance = Infinity;
  for (const { index } of text.slice(around, wanted + 6).matchAll(BREAKS)) {
    const away = Math.abs(around + index - wanted);
    if (away < distance) [best, distance] = [around + index, away];
  }
  const code = text.charCodeAt(best);
  return code >= 0xdc00 && code < 0xe000 ? best - 1 : best; // never within a pair of surrogates
}

/**
 * The whole name is in the page once, as one text that is selected, copied, found and read aloud; what is seen of it is
 * drawn over it from two parts, of which the first gives way. The element is as wide as the room there is at most.
 * @param {string} text @param {string} [title] what the pointer shows; the whole name without it @returns {HTMLElement}
 */
export function cutMiddle(text, title = text) {
  if (text.length < SHORTEST) return h("span", { class: "cut-middle", title: title === text ? null : title }, text);
  const at = tailStart(text);
  return h("span", { class: "cut-middle", title }, h("span", { class: "cut-whole" }, text),
    h("span", { class: "cut-seen", "aria-hidden": "true", dataset: { head: text.slice(0, at), tail: text.slice(at) } }));
}
