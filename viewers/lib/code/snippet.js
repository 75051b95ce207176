// Short highlighted code for cards and tables.
import { fill, h } from "../page/dom.js";

const LONGEST = 4_000; // characters; longer text is not highlighted

/**
 * Show the text at once and highlight it when the module has loaded.
 * @param {string} text @param {string} [language] @returns {HTMLElement} a <code>
 */
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
