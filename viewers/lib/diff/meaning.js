// The result of a comparison by meaning, and its encoding between worker and page. No page needed.
import { count, plural } from "../page/format.js";
import { diffRows, equalRuns, GAP, LEFT, RIGHT } from "./diff.js";

const MOST = 50; // weight of a page of rows: 1 per row, more with lines or long texts
const LINES_OF_ONE = 4,
  LENGTH_OF_ONE = 400; // number of lines or characters that weigh as much as a row
const CONTEXT = 2; // lines around a change
const MOST_LINES = 2_000; // compared per part

/** @typedef {import("./words.js").Range} Range */
/**
 * @typedef {object} Side one side of a row
 * @property {string} text @property {number} line from 0, of the artifact
 * @property {string} [note] additional information, such as the source line
 * @property {Range[]} [marks] parts of the text missing on the other side
 * @property {Range[]} [ignored] parts of the text that are not compared
 */
/**
 * @typedef {{sign: string, line: number, text: string}} Line sign: "−" left, "+" right, " " both, "⋯" omitted
 *   equal lines, whose number is in "line"
 */
/**
 * @typedef {object} Row
 * @property {string} kind @property {string} subject
 * @property {Side | null} left @property {Side | null} right
 * @property {{what: string, left: string, right: string}[]} [changes] differences in short
 * @property {Line[]} [lines] differences by line
 * @property {number} [most] number of lines shown at once
 * @property {string} [language] of the lines, if it differs from the artifact's
 */
/** @typedef {{title: string, sign: string, rows: Row[], folded: boolean}} Section */
/** @typedef {{sections: Section[], notes: string[]}} Meaning */
/**
 * @typedef {{title: string, sign: string, folded: boolean, pages: {count: number, rows: string}[]}}
 *   PackedSection rows: JSON, parsed when shown
 */
/** @typedef {{sections: PackedSection[], notes: string[]}} Packed */

/**
 * Return the usual sections, without empty ones. @param {string} noun
 * @param {{changed: Row[], left: Row[], right: Row[], equal: Row[]}} rows @returns {Section[]}
 */
export function sectionsOf(noun, { changed, left, right, equal }) {
  const title = (/** @type {Row[]} */ { length }, /** @type {string} */ word, /** @type {string} */ after) =>
    `${plural(length, `${word}${noun}`)}${after}`;
  return [
    { title: title(changed, "changed ", ""), sign: "≠", rows: changed, folded: false },
    { title: title(left, "", " only on the left"), sign: "◧", rows: left, folded: false },
    { title: title(right, "", " only on the right"), sign: "◨", rows: right, folded: false },
    { title: title(equal, "equal ", ""), sign: "=", rows: equal, folded: true },
  ].filter(({ rows }) => rows.length > 0);
}

/**
 * Compare two lists of lines.
 * @param {string[]} left @param {string[]} right @param {(line: number) => number} leftAt their numbers
 * @param {(line: number) => number} rightAt @returns {Line[]}
 */
export function linesOf(left, right, leftAt, rightAt) {
  const { rows } = diffRows(equalRuns(left, right), left.length, right.length, {
    unified: true,
    context: CONTEXT,
    opened: new Set(),
  });
  const lines = rows
    .slice(0, MOST_LINES)
    .map(({ kind, left: i, right: j, count: equal }) =>
      kind === GAP
        ? { sign: "⋯", line: equal, text: "" }
        : kind === LEFT
          ? { sign: "−", line: leftAt(i), text: left[i] }
          : { sign: kind === RIGHT ? "+" : " ", line: rightAt(j), text: right[j] },
    );
  return rows.length > MOST_LINES
    ? [
        ...lines,
        {
          sign: "⋯",
          line: 0,
          text: `${count(rows.length - MOST_LINES)} more lines. Compare by line to see them.`,
        },
      ]
    : lines;
}

/** Encode rows as pages, each a text. @param {Meaning | null} meaning @returns {Packed | null} */
export function pack(meaning) {
  return (
    meaning && {
      notes: meaning.notes,
      sections: meaning.sections.map(({ rows, ...section }) => {
        /** @type {{count: number, rows: string}[]} */
        const pages = [];
        /** @type {Row[]} */
        let page = [];
        let weight = 0;
        const end = () => {
          if (page.length) pages.push({ count: page.length, rows: JSON.stringify(page) });
          [page, weight] = [[], 0];
        };
        for (const row of rows) {
          const own =
            1 +
            Math.min(row.lines?.length ?? 0, row.most ?? Infinity) / LINES_OF_ONE +
            ((row.left?.text.length ?? 0) + (row.right?.text.length ?? 0)) / LENGTH_OF_ONE;
          if (weight + own > MOST) end();
          page.push(row);
          weight += own;
        }
        end();
        return { ...section, pages };
      }),
    }
  );
}
