// A few lines of code in colour, for cards and tables.
import { h } from "../page/dom.js";
import { highlighter } from "./highlight.js";

const LONGEST = 4_000; // characters; more is no snippet

/** @param {string} text @param {string} [language] @returns {any[]} what goes into a <code> */
export function coloured(text, language = "python") {
  if (text.length > LONGEST) return [text];
  const lines = text.split("\n");
  const tokens = highlighter(lines, language);
  return lines.flatMap((_, i) => [i > 0 && "\n", ...tokens(i).map(([kind, piece]) => (kind ? h("span", { class: `t-${kind}` }, piece) : piece))]);
}
