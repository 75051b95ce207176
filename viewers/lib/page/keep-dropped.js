// What was dropped on a page that shows one thing: a log is built, and the browser keeps it.
import { keep } from "../local/keep.js";
import { thingsOf } from "../local/dropped.js";
import { working } from "./working.js";

/** @typedef {import("../local/dropped.js").Thing} Thing */

/** The only thing that was dropped. @param {Element} place where it is told meanwhile @param {import("../local/dropped.js").Dropped[]} dropped @param {string} label @returns {Promise<Thing>} */
export async function onlyOne(place, dropped, label) {
  const [thing, another] = await working(place, `Reading ${label}`, () => thingsOf(dropped));
  if (!thing) throw new Error(`${label} holds no file.`);
  if (another)
    throw new Error(
      "These are two, and this page opens one at a time. The page that opens logs compares two.",
    );
  return thing;
}

/** @param {Element} place @param {Thing} thing @returns {Promise<import("../local/keep.js").Made>} */
export async function kept(place, thing) {
  const { Python } = await import("../local/python.js");
  const python = new Python();
  try {
    return await working(place, `${thing.kind === "logs" ? "Building" : "Keeping"} ${thing.name}`, (work) =>
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
