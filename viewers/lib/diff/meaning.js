// What two texts say differently: the form in which it is told, and how it gets from the worker to the page. No page needed.
import { count, plural } from "../page/format.js";
import { diffRows, equalRuns, GAP, LEFT, RIGHT } from "./diff.js";

const MOST = 50; // what a page of rows may weigh: a row is one, with lines or long texts more
const LINES_OF_ONE = 4,
  LENGTH_OF_ONE = 400; // lines, and characters, that weigh as much as a row
const CONTEXT = 2; // lines around a change
const MOST_LINES = 2_000; // of a part that is compared line by line

/** @typedef {import("./words.js").Range} Range */
/**
 * @typedef {object} Side one side of a row
 * @property {string} text @property {number} line from 0, of the artifact
 * @property {string} [note] what is known of it besides, such as the line of the program
 * @property {Range[]} [marks] what of the text the other side does not have
 * @property {Range[]} [ignored] what of the text is not compared
 */
/** @typedef {{sign: string, line: number, text: string}} Line sign: "−" left, "+" right, " " both, "⋯" equal ones that are left out, as many as "line" says */
/**
 * @typedef {object} Row
 * @property {string} kind @property {string} subject
 * @property {Side | null} left @property {Side | null} right
 * @property {{what: string, left: string, right: string}[]} [changes] in short what differs
 * @property {Line[]} [lines] line by line what differs
 * @property {number} [most] how many of the lines are shown at once
 * @property {string} [language] of the lines, when it is not that of the artifact
 */
/** @typedef {{title: string, sign: string, rows: Row[], folded: boolean}} Section */
/** @typedef {{sections: Section[], notes: string[]}} Meaning */
/** @typedef {{title: string, sign: string, folded: boolean, pages: {count: number, rows: string}[]}} PackedSection rows: as JSON, that is read when they are shown */
/** @typedef {{sections: PackedSection[], notes: string[]}} Packed */

/**
 * The usual sections. Those without rows are left out. @param {string} noun
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

/** What differs between two lists of lines. @param {string[]} left @param {string[]} right @param {(line: number) => number} leftAt their numbers @param {(line: number) => number} rightAt @returns {Line[]} */
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
        { sign: "⋯", line: 0, text: `${count(rows.length - MOST_LINES)} more lines: see them by line` },
      ]
    : lines;
}

/** Rows in pages, each a text. @param {Meaning | null} meaning @returns {Packed | null} */
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
