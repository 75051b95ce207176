// What can be wrong with a bundle, in words for a person.

/** A failed read. The message says what was asked, what came back and what to try. */
export class BundleError extends Error {
  name = "BundleError";
  /** The file is not there, or is not given. */
  missing = false;
}

/** The bundle is not as the format says. @param {string} file @param {string} what */
export const malformed = (file, what) => new BundleError(`${file} is malformed: ${what}. Try 'tlparse-bundle validate' on the bundle, or build it again from the logs.`);

/** A value, short enough for a sentence. @param {unknown} value */
export function shortly(value) {
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "an array" : "an object";
  if (value === undefined) return "missing";
  const text = JSON.stringify(typeof value === "string" ? value.slice(0, 80) : value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
