// Checks of a decoded table against its schema and itself, before it is used. Messages: see bundle/checks.py.
import { firstProblem, damaged, shortly } from "./shape.js";
import { MINOR, SHAPES } from "./shapes.js";

/**
 * Throw unless a value follows its schema.
 * @param {string} name of the schema; without one nothing is checked @param {any} value
 * @param {string} file for the message @param {{lengths?: Record<string, number>, minor?: number}} [known]
 */
export function check(name, value, file, { lengths = {}, minor = MINOR } = {}) {
  if (!Object.hasOwn(SHAPES, name)) return;
  const problem = firstProblem(SHAPES[name], value, { lengths, newer: minor > MINOR });
  if (problem !== null) throw damaged(file, problem);
}

/** Return whether a table of rows has this name. @param {string} name */
export const hasRows = (name) => Object.hasOwn(SHAPES, name) && Array.isArray(SHAPES[name]);

// Checks that shapes cannot express: the numbers of a table are consistent.

/** @type {Record<string, (table: any) => string | null>} */
const TABLES = {
  spans(/** @type {any[]} */ rows) {
    const odd = rows.findIndex(({ id }, i) => id !== i);
    if (odd >= 0) return `row ${odd}.id: ${shortly(rows[odd].id)} instead of ${odd}`;
    const highest = rows.reduce((most, { parent }) => Math.max(most, parent ?? -1), -1);
    if (highest >= rows.length) return `parent: refers to row ${highest}, but has only ${rows.length} rows`;
    const circle = firstInCircle(Int32Array.from(rows, ({ parent }) => parent ?? -1));
    if (circle >= 0) return `parent: row ${circle} is its own ancestor`;
    const high = rows.findIndex(({ lane }) => lane >= rows.length);
    return high < 0
      ? null
      : `row ${high}.lane: ${shortly(rows[high].lane)}, but has only ${rows.length} rows`;
  },
};

/**
 * Return a row that is its own ancestor, or -1. Parents may follow their children.
 * @param {Int32Array} parent
 */
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

/** Throw when a table contradicts itself. @param {string} name @param {any} table @param {string} file */
export function checkTable(name, table, file) {
  const wrong = Object.hasOwn(TABLES, name) ? TABLES[name](table) : null;
  if (wrong) throw damaged(file, wrong);
}

/**
 * Throw unless the files of events and metadata are consecutive.
 * @param {any} directory of a log @param {string} file
 */
export function checkDirectory({ tables, event_count: count }, file) {
  for (const name of ["events", "metadata"]) {
    let end = 0;
    (tables[name]?.files ?? []).forEach(
      (
        /** @type {{first_event: number, rows: number}} */ { first_event: first, rows },
        /** @type {number} */ i,
      ) => {
        if (!(first >= end) || (name === "events" && first > end))
          throw damaged(
            file,
            `file ${i} of ${name} begins with event ${shortly(first)}, but the file before it ends with ${end - 1}`,
          );
        end = first + rows;
      },
    );
    if (end > count || (name === "events" && end < count))
      throw damaged(
        file,
        `the files of ${name} have events up to ${end - 1}, but the log has ${count} events`,
      );
  }
}

/**
 * @param {"events" | "metadata"} name @param {{event: number}[]} rows
 * @param {{path: string, first_event: number}} file of the log directory
 */
export function checkEvents(name, rows, { path, first_event: first }) {
  if (rows.length > 0 && rows[0].event !== first)
    throw damaged(path, `it begins with event ${rows[0].event}, but log.json has ${first}`);
  for (let i = 1; i < rows.length; i++) {
    const [before, event] = [rows[i - 1].event, rows[i].event];
    if (event <= before || (name === "events" && event !== before + 1))
      throw damaged(path, `event ${before} is followed by event ${event}`);
  }
}
