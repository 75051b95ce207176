// Finds words or regular expressions in a text. No page needed; expressions run in a worker, see find-job.js.

/**
 * @typedef {{word: boolean, pattern: boolean, sameCase: boolean}} How whole words, regular expression, match
 *   case
 */
/** @typedef {{starts: number[], ends: number[]}} Found start and end offsets of the matches, in order */

const SLICE = 2_000_000; // characters searched before yielding
const WORD = /[\p{L}\p{N}_]/u;

/** @param {string} text */
export const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/**
 * Return the expression for one line, or the problem with it.
 * @param {string} wanted @param {How} how @returns {{expression: RegExp | null, problem: string}}
 */
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
 * Search for literal text slice by slice, yielding after each, and add the matches to 'found'.
 * @param {string} text @param {string} wanted @param {How} how @param {number} limit @param {Found} found
 * @returns {Generator<void, void>}
 */
export function* findWords(text, wanted, { word, sameCase }, limit, found) {
  const pattern = new RegExp(escaped(wanted), sameCase ? "g" : "gi");
  const { length } = wanted;
  let at = 0; // matches do not overlap, even across slices
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

/** Return whether a match is a whole word. @param {string} text @param {number} begin @param {number} end */
function stands(text, begin, end) {
  const joined = (/** @type {number} */ at) => WORD.test(text[at - 1] ?? " ") && WORD.test(text[at] ?? " ");
  return !joined(begin) && !joined(end);
}

/**
 * Add the matches of an expression in one line, without empty matches.
 * @param {RegExp} expression @param {string} line @param {number} start offset of the line
 * @param {number} limit @param {Found} found
 */
export function findInLine(expression, line, start, limit, found) {
  for (const match of line.matchAll(expression)) {
    if (!match[0]) continue;
    found.starts.push(start + match.index);
    found.ends.push(start + match.index + match[0].length);
    if (found.starts.length >= limit) return;
  }
}
