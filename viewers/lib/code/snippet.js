// A few lines of code in color, for cards and tables.
import { fill, h } from "../page/dom.js";

const LONGEST = 4_000; // characters; more is no snippet

/** The text at once, its colors as soon as what knows the language is there. @param {string} text @param {string} [language] @returns {HTMLElement} a <code> */
export function codeSnippet(text, language = "python") {
  const code = h("code", null, text);
  if (text.length <= LONGEST) color(code, text.split("\n"), language).catch(() => {});
  return code;
}

/** @param {HTMLElement} code @param {string[]} lines @param {string} language */
async function color(code, lines, language) {
  const { highlighter } = await import("./highlight.js");
  const tokens = highlighter(lines, language);
  fill(
    code,
    lines.flatMap((_, i) => [
      i > 0 && "\n",
      ...tokens(i).map(([kind, piece]) => (kind ? h("span", { class: `t-${kind}` }, piece) : piece)),
    ]),
  );
}
