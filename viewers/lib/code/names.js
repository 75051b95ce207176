// The names of a text: definition, uses and facts. No page needed.
//
// There are two providers: values of FX graphs (fx-names.js) and names of generated Python code
// (python-names.js).
import { fxNames } from "./fx-names.js";
import { pythonNames } from "./python-names.js";

/** @typedef {{line: number, column: number, definition: boolean}} Use line and column from 0 */
/**
 * @typedef {{file: string, fileLine: number, where: string, code: string}} Source the source line of the
 *   program
 */
/**
 * @typedef {object} Known
 * @property {string} name
 * @property {Use[]} uses including the definition, in order
 * @property {[string, string][]} facts titles and values
 * @property {string} missing why there is no definition, or ""
 * @property {"use" | "call"} unit what a use is
 * @property {Source | null} source
 */
/**
 * @typedef {object} Names
 * @property {string} hint hint shown while no name is selected
 * @property {(line: number) => {name: string, column: number}[]} inLine
 * @property {(name: string, line: number) => Known} look returns the facts about a name in a line
 * @property {Item[]} [outline]
 */
/** @typedef {{name: string, kind: string, line: number, last: number, depth: number}} Item lines from 0 */

/** @param {string[]} lines @param {string} language @returns {Names | null} */
export function namesOf(lines, language) {
  if (language === "fx") return fxNames(lines);
  return language === "python" ? pythonNames(lines) : null;
}
