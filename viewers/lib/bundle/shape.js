// Checks values against shapes, in the notation of scripts/shapes.py. Fields that a shape does not name are
// ignored, since newer files have more.
/**
 * @typedef {object} Surroundings
 * @property {Record<string, number>} lengths row counts of other tables by name; missing ones are not checked
 * @property {boolean} newer the file has a later format version, which may have new enum values
 * @property {Map<any, Find>} finders cached checks by shape
 * @property {number} [ranks] total number of ranks in all runs so far
 */
/** @typedef {{at: string, what: string}} Problem */
/** @typedef {(value: any) => boolean} Test */
/** @typedef {{test: Test, wanted: () => string}} Leaf */
/** @typedef {(value: any) => Problem | null} Find */

const LEAF = /^(=|ranks$|[sinb]*)(\??)(-?\d+)?(?:<@(.+))?/;
const LARGEST = 2 ** 64;
const MOST_DEPTH = 2_000;
const MOST_RANK = 1_000_000;
const MOST_RANKS = 50_000_000; // in all runs of a table, since pages iterate over them

/**
 * Return the first problem of a value, in words; null if it matches its shape.
 * @param {any} shape @param {any} value @param {{lengths?: Record<string, number>, newer: boolean}} known
 * @returns {string | null}
 */
export function firstProblem(shape, value, { lengths = {}, newer }) {
  const problem = finder(shape, { lengths, newer, finders: new Map() })(value);
  return problem && `${problem.at.replace(/^\./, "") || "it"} is ${problem.what}`;
}

/**
 * Return the function that finds the first problem of a value, cached by shape.
 * @param {any} shape @param {Surroundings} around @returns {Find}
 */
function finder(shape, around) {
  let made = around.finders.get(shape);
  if (!made)
    around.finders.set(
      shape,
      (made = Array.isArray(shape)
        ? inArray(shape, around)
        : typeof shape === "object"
          ? inObject(shape, around)
          : inLeaf(shape, around)),
    );
  return made;
}

/** @param {string} shape @param {Surroundings} around @returns {Find} */
function inLeaf(shape, around) {
  const { test, wanted } = leaf(shape, around);
  return (value) => (test(value) ? null : { at: "", what: `${shortly(value)}, not ${wanted()}` });
}

/** @param {any[]} shape @param {Surroundings} around @returns {Find} */
function inArray([below, length, nullable], around) {
  const find = finder(below, around);
  return (values) => {
    if (values === null && nullable) return null;
    if (!Array.isArray(values)) return { at: "", what: `${shortly(values)}, not an array` };
    if (length && values.length !== length)
      return { at: "", what: `an array of ${values.length} items instead of ${length}` };
    for (let i = 0; i < values.length; i++) {
      const problem = find(values[i]);
      if (problem) return { ...problem, at: `[${i}]${problem.at}` };
    }
    return null;
  };
}

/** @param {Record<string, any>} shape @param {Surroundings} around @returns {Find} */
function inObject(shape, around) {
  const { "?": nullable, "*": others } = shape;
  const free = !others && isFree(shape);
  const fields = Object.keys(shape)
    .filter((key) => !["?", "*"].includes(key))
    .map((key) => {
      const optional = key.endsWith("?");
      return { name: optional ? key.slice(0, -1) : key, optional, find: finder(shape[key], around) };
    });
  const other = others && finder(others, around);
  const names = new Set(fields.map(({ name }) => name));
  return (object) => {
    if (object === null && nullable) return null;
    if (typeof object !== "object" || object === null || Array.isArray(object))
      return { at: "", what: `${shortly(object)}, not an object` };
    for (const { name, optional, find } of fields) {
      const there = Object.hasOwn(object, name);
      if (!there && optional) continue;
      const problem = there ? find(object[name]) : { at: "", what: "missing" };
      if (problem) return { ...problem, at: `.${name}${problem.at}` };
    }
    if (free && isTooDeep(object)) return { at: "", what: `more than ${MOST_DEPTH} levels of nesting` };
    if (!other) return null;
    for (const name in object) {
      if (names.has(name)) continue;
      const problem = other(object[name]);
      if (problem) return { ...problem, at: `.${shortly(name)}${problem.at}` };
    }
    return null;
  };
}

/** Return whether a shape allows any object. @param {Record<string, any>} shape */
function isFree(shape) {
  for (const key in shape) if (key !== "?") return false;
  return true;
}

/** Return whether a value is nested too deeply for recursive functions. @param {any} value */
export function isTooDeep(value) {
  let level = [value];
  for (let depth = 0; level.length; depth++) {
    if (depth > MOST_DEPTH) return true;
    const next = [];
    for (const one of level)
      for (const child of Object.values(one))
        if (typeof child === "object" && child !== null) next.push(child);
    level = next;
  }
  return false;
}

/** @param {string} shape @param {Surroundings} around @returns {Leaf} */
function leaf(shape, around) {
  if (shape === "*") return { test: () => true, wanted: () => "" };
  if (shape === "ranks")
    return { test: (runs) => isRuns(runs, around), wanted: () => "ascending ranges of ranks, [first, last]" };
  if (shape[0] === "/" || shape[0] === "=") return words(shape, around);
  const [, letters, orNull, least, target] = /** @type {RegExpExecArray} */ (LEAF.exec(shape));
  const low = least === undefined ? -LARGEST : Number(least);
  const high = around.lengths[target] ?? LARGEST;
  const nullable = orNull === "?",
    [s, i, n, b] = [..."sinb"].map((letter) => letters.includes(letter));
  /** @type {Test} */
  const number = i
    ? (value) => Number.isInteger(value) && value >= low && value < high
    : (value) => n && Number.isFinite(value) && value >= low;
  /** @type {Test} */
  const test =
    s && !i && !n && !b
      ? (value) => typeof value === "string" || (nullable && value === null)
      : i && !s && !b && !nullable
        ? number
        : (value) =>
            typeof value === "number"
              ? number(value)
              : value === null
                ? nullable
                : typeof value === "string"
                  ? s
                  : typeof value === "boolean" && b;
  const range =
    high < LARGEST ? ` from ${low} to ${high - 1}` : least === undefined ? "" : ` of at least ${low}`;
  const kinds = [
    s && "a text",
    i && `an integer${range}`,
    n && `a number${range}`,
    b && "true or false",
    nullable && "null",
  ];
  return { test, wanted: () => kinds.filter(Boolean).join(" or ") };
}

/**
 * Check for a text of a pattern or an enum value.
 * @param {string} shape @param {Surroundings} around @returns {Leaf}
 */
function words(shape, around) {
  const nullable = shape.endsWith("?");
  const text = nullable ? shape.slice(0, -1) : shape;
  const pattern = text[0] === "/" ? new RegExp(text.slice(1, -1)) : null;
  const choices = new Set(pattern ? [] : text.slice(1).split("|"));
  return {
    test: (value) =>
      value === null
        ? nullable
        : typeof value === "string" && (pattern ? pattern.test(value) : choices.has(value) || around.newer),
    wanted: () => (pattern ? `a string that matches ${pattern.source}` : `one of ${[...choices].join(", ")}`),
  };
}

/** [first, last] of each run, ascending. @param {any} runs @param {Surroundings} around */
function isRuns(runs, around) {
  if (!Array.isArray(runs)) return false;
  let before = -1,
    count = 0;
  for (const run of runs) {
    if (!Array.isArray(run) || run.length !== 2) return false;
    const [first, last] = run;
    if (
      !Number.isInteger(first) ||
      !Number.isInteger(last) ||
      first <= before ||
      last < first ||
      last >= MOST_RANK
    )
      return false;
    before = last;
    count += last - first + 1;
  }
  around.ranks = (around.ranks ?? 0) + count;
  return around.ranks <= MOST_RANKS;
}

// Errors of a bundle, with messages for the user.

/** A failed read. The message has the file, the reason and a remedy. */
export class BundleError extends Error {
  name = "BundleError";
  /** The file is missing or refused. */
  missing = false;
  /** The file is missing because the bundle has grown; the page reads it again. */
  passing = false;
}

/** Build the error for a file that breaks the format. @param {string} file @param {string} what */
export const damaged = (file, what) =>
  new BundleError(
    `${file} is damaged: ${what}. Run 'tlparse-bundle validate' on the bundle, or rebuild it from the logs.`,
  );

/** Shorten a value for a sentence. @param {unknown} value */
export function shortly(value) {
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "an array" : "an object";
  if (value === undefined) return "missing";
  const text = JSON.stringify(typeof value === "string" ? value.slice(0, 80) : value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
