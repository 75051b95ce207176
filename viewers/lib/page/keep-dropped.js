// Files dropped on a page that shows one bundle: builds logs and stores the bundle in the browser.
import { keep } from "../local/keep.js";
import { thingsOf } from "../local/dropped.js";
import { working } from "./working.js";

/** @typedef {import("../local/dropped.js").Thing} Thing */

/**
 * Return the only bundle or run that was dropped.
 * @param {Element} place shows the progress @param {import("../local/dropped.js").Dropped[]} dropped
 * @param {string} label @returns {Promise<Thing>}
 */
export async function onlyOne(place, dropped, label) {
  const [thing, another] = await working(place, `Reading ${label}`, () => thingsOf(dropped));
  if (!thing) throw new Error(`${label} has no files.`);
  if (another)
    throw new Error(
      "These are two bundles or runs, and this page opens one. To compare two, use the page that opens logs.",
    );
  return thing;
}

/**
 * Build or store the bundle.
 * @param {Element} place shows the progress @param {Thing} thing
 * @returns {Promise<import("../local/keep.js").Made>}
 */
export async function kept(place, thing) {
  const { Python } = await import("../local/python.js");
  const python = new Python();
  try {
    return await working(place, `${thing.kind === "logs" ? "Building" : "Storing"} ${thing.name}`, (work) =>
      keep(thing, python, work),
    );
  } catch (error) {
    const { code, message, hint } = /** @type {import("../local/python.js").PythonError} */ (error);
    throw code === "no-python" || code === "no-workers"
      ? Object.assign(new Error(`${thing.name} is not a bundle (it has no manifest.json), and ${message}`), {
          hint,
        })
      : error;
  } finally {
    python.end();
  }
}
