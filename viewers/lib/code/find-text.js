// Where words or an expression stand in a text. No page needed; expressions are looked for in a worker, see find-job.js.

/** @typedef {{word: boolean, pattern: boolean, sameCase: boolean}} How whole words only, a regular expression, upper and lower case as written */
/** @typedef {{starts: number[], ends: number[]}} Found where the matches begin and end in the text, in order */

const SLICE = 2_000_000; // characters that are looked at before others have their turn
const WORD = /[\p{L}\p{N}_]/u;

/** @param {string} text */
export const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** The expression for one line, or why there is none. @param {string} wanted @param {How} how @returns {{expression: RegExp | null, problem: string}} */
export function expressionOf(wanted, { word, sameCase }) {
  const flags = sameCase ? "g" : "gi";
  try {
    const expression = new RegExp(wanted, flags);
    return { expression: word ? new RegExp(`(?<!\\w)(?:${wanted})(?!\\w)`, flags) : expression, problem: "" };
  } catch (error) {
    return { expression: null, problem: /** @type {Error} */ (error).message.replace(/^.*\/[a-z]*: /s, "") };
  }
}

/**
 * Looks for words as they are written, slice by slice; gives way after each. What is found is added to 'found'.
 * @param {string} text @param {string} wanted @param {How} how @param {number} limit @param {Found} found @returns {Generator<void, void>}
 */
export function* findWords(text, wanted, { word, sameCase }, limit, found) {
  const pattern = new RegExp(escaped(wanted), sameCase ? "g" : "gi");
  const { length } = wanted;
  let at = 0; // matches do not overlap, also those over the border of two slices
  for (let from = 0; from < text.length; from += SLICE) {
    if (from > 0) yield;
    const start = Math.max(from, at);
    for (const match of text.slice(start, from + SLICE + length - 1).matchAll(pattern)) {
      const begin = start + match.index;
      if (begin >= from + SLICE || (word && !stands(text, begin, begin + length))) continue;
      found.starts.push(begin);
      found.ends.push((at = begin + length));
      if (found.starts.length >= limit) return;
    }
  }
}

/** No letter or digit goes on at either end. @param {string} text @param {number} begin @param {number} end */
function stands(text, begin, end) {
  const joined = (/** @type {number} */ at) => WORD.test(text[at - 1] ?? " ") && WORD.test(text[at] ?? " ");
  return !joined(begin) && !joined(end);
}

/**
 * The matches of an expression in one line; those of nothing are left out.
 * @param {RegExp} expression @param {string} line @param {number} start where the line begins @param {number} limit @param {Found} found
 */
export function findInLine(expression, line, start, limit, found) {
  for (const match of line.matchAll(expression)) {
    if (!match[0]) continue;
    found.starts.push(start + match.index);
    found.ends.push(start + match.index + match[0].length);
    if (found.starts.length >= limit) return;
  }
}
