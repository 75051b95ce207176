// Names in the text of one C++ or Triton kernel, scoped to the block that declares them. No page needed.
import { indentOf } from "./folding.js";
import { blank, namesIn } from "./python-words.js";

/**
 * @typedef {object} Place
 * @property {number} line @property {number} column
 * @property {number} last the last line of the declaration's scope; -1 without a declaration
 */

/**
 * @param {string[]} lines @param {import("./python-outline.js").Block} block @param {string} name
 * @param {number} at @returns {import("./names.js").Known}
 */
export function inKernel(lines, block, name, at) {
  /** @type {Place[]} */
  const places = [];
  for (let i = block.first + 1; i < block.last; i++) {
    if (!lines[i].includes(name)) continue;
    const code = blank(lines[i], true);
    for (const occurrence of namesIn(lines[i], true)) {
      if (occurrence.name === name)
        places.push({
          line: i,
          column: occurrence.column,
          last: reach(lines, block, i, code, occurrence.column, name),
        });
    }
  }
  // The innermost declaration around the line: the last one before it whose scope includes the line.
  const declared = places.filter((place) => place.last >= 0);
  const definition =
    declared.filter((place) => place.line <= at && at <= place.last).pop() ?? declared[0] ?? null;
  // Triton code assigns a name repeatedly: the first assignment counts.
  const first =
    definition && definition.last === block.last
      ? (declared.find((place) => place.last === block.last) ?? definition)
      : definition;
  const mine = !first
    ? places
    : places.filter(
        (place) =>
          place === first ||
          (place.line >= first.line &&
            place.line <= first.last &&
            !declared.some(
              (other) =>
                other !== first &&
                other.last < first.last &&
                other.line <= place.line &&
                place.line <= other.last,
            )),
      );
  return {
    name,
    uses: mine.map((place) => ({ line: place.line, column: place.column, definition: place === first })),
    facts: first ? [["", lines[first.line].trim().slice(0, 200)]] : [],
    missing: first ? "" : "not defined in this kernel",
    unit: "use",
    source: null,
  };
}

/**
 * Return the last line of the scope of a declaration; -1 if it is not a declaration.
 * @param {string[]} lines @param {import("./python-outline.js").Block} block @param {number} line
 * @param {string} code @param {number} column @param {string} name
 */
function reach(lines, block, line, code, column, name) {
  const before = code.slice(0, column),
    after = code.slice(column + name.length);
  if (/^\s*$/.test(before) && /^\s*=(?!=)/.test(after)) return /;\s*$/.test(after) ? -1 : block.last; // 'tmp0 = ' of Triton; in C++ only a new value
  if (/^\s*def\s.*[(,]\s*$/.test(before)) return block.last;
  if (!/(?:^|[\s(,])(?!(?:return|else|new)\b)[A-Za-z_][\w:<>,]*[*&]*\s+$/.test(before)) return -1;
  if (/^\s*[,)]/.test(after)) return block.last; // a parameter
  if (!/^\s*(?:=(?!=)|;|\(|\[|$)/.test(after)) return -1;
  const indent = indentOf(code, false);
  const loop = /^\s*for\s*\(/.test(code);
  for (let i = line + 1; i < block.last; i++) {
    const depth = indentOf(lines[i], false);
    if (depth >= 0 && (depth < indent || (loop && depth === indent && lines[i][depth] === "}"))) return i;
  }
  return block.last;
}
