// Whether a decoded table looks as its schema says and agrees with itself, before anybody works with it.
import { firstProblem, malformed, shortly } from "./shape.js";
import { MINOR, SHAPES } from "./shapes.js";

/** Throws when it does not. @param {string} name of the schema; what has none is not checked @param {any} value @param {string} file for the message @param {{lengths?: Record<string, number>, minor?: number}} [known] */
export function check(name, value, file, { lengths = {}, minor = MINOR } = {}) {
  if (!Object.hasOwn(SHAPES, name)) return;
  const problem = firstProblem(SHAPES[name], value, { lengths, newer: minor > MINOR });
  if (problem !== null) throw malformed(file, problem);
}

/** Whether there is a table of rows of this name. @param {string} name */
export const hasRows = (name) => Object.hasOwn(SHAPES, name) && Array.isArray(SHAPES[name]);

// What the shapes of single tables do not say: that the numbers in them agree with one another.

/** @type {Record<string, (table: any) => string | null>} */
const TABLES = {
  spans(/** @type {any[]} */ rows) {
    const odd = rows.findIndex(({ id }, i) => id !== i);
    if (odd >= 0) return `[${odd}].id is ${shortly(rows[odd].id)}, not ${odd}`;
    const lost = rows.findIndex(({ parent }) => parent !== null && parent >= rows.length);
    if (lost >= 0)
      return `[${lost}].parent is ${shortly(rows[lost].parent)}, and there are ${rows.length} spans`;
    const circle = firstInCircle(Int32Array.from(rows, ({ parent }) => parent ?? -1));
    if (circle >= 0)
      return `[${circle}].parent is ${rows[circle].parent}, which leads back to the span itself`;
    const high = rows.findIndex(({ lane }) => lane >= rows.length);
    return high < 0
      ? null
      : `[${high}].lane is ${shortly(rows[high].lane)}, and there are ${rows.length} spans`;
  },
};

/** A row whose parents lead in a circle; -1 when none do. Parents may come after their children. @param {Int32Array} parent */
function firstInCircle(parent) {
  const seen = new Int32Array(parent.length); // in which round
  for (let i = 0; i < parent.length; i++) {
    for (let at = i; at >= 0 && seen[at] !== -1; at = parent[at]) {
      if (seen[at] === i + 1) return at;
      seen[at] = i + 1;
    }
    for (let at = i; at >= 0 && seen[at] !== -1; at = parent[at]) seen[at] = -1; // ends well
  }
  return -1;
}

/** Throws when a table contradicts itself. @param {string} name @param {any} table @param {string} file */
export function checkTable(name, table, file) {
  const wrong = Object.hasOwn(TABLES, name) ? TABLES[name](table) : null;
  if (wrong) throw malformed(file, wrong);
}

/** @param {any} directory of a log @param {string} file */
export function checkDirectory({ tables, event_count: count }, file) {
  for (const name of ["events", "metadata"]) {
    let end = 0;
    (tables[name]?.files ?? []).forEach(
      (
        /** @type {{first_event: number, rows: number}} */ { first_event: first, rows },
        /** @type {number} */ i,
      ) => {
        if (!(first >= end) || (name === "events" && first > end))
          throw malformed(
            file,
            `${name}.files[${i}].first_event is ${shortly(first)}, the files before end at ${end}`,
          );
        end = first + rows;
      },
    );
    if (end > count || (name === "events" && end < count))
      throw malformed(file, `the files of ${name} hold events up to ${end}, event_count is ${count}`);
  }
}

/** @param {"events" | "metadata"} name @param {{event: number}[]} rows @param {{path: string, first_event: number}} file as the directory says */
export function checkEvents(name, rows, { path, first_event: first }) {
  let expected = first;
  rows.forEach(({ event }, i) => {
    if (event < expected || (event > expected && (name === "events" || i === 0)))
      throw malformed(
        path,
        `[${i}].event is ${event}, ${i ? "the row before" : "the directory of the log"} says ${expected}`,
      );
    expected = event + 1;
  });
}
