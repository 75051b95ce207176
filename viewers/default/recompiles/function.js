// The parts of one function: fixes, the guards that decided, differences of its cache entries, and the next call.
import { fill, h } from "../../lib/page/dom.js";
import { errorBox } from "../../lib/page/load.js";
import { decidedTable } from "./decided.js";
import { differencesPicture } from "./differences.js";
import { fixTable } from "./fixes.js";
import { historyOf } from "./history.js";
import { predictor } from "./predictor.js";
import { compileList } from "./reasons.js";

/** @typedef {import("./reasons.js").About} About */
/** @typedef {import("./data.js").CodeObject} CodeObject */

/**
 * Build the parts of a function. They appear when its tables are loaded.
 * @param {About} about @param {CodeObject} code @param {string} heading of the list of its compiles
 * @param {any} [findings] shown before that list
 */
export function functionParts(about, code, heading, findings) {
  const element = h("div", { class: "function-parts" }, h("p", { class: "loading" }, "Loading the guards …"));
  historyOf(about.log, code).then(
    (history) =>
      fill(
        element,
        history && part("What each fix would save", fixTable(history.fixes)),
        part("Which guard decided", decidedTable(about, code, history)),
        history && part("What differs between the cache entries", differencesPicture(about, history)),
        history && part("Would the next call recompile?", predictor(about, history)),
        findings,
        part(heading, compileList(about, code)),
      ),
    (error) => fill(element, errorBox(error)),
  );
  return element;
}

/** @param {string} title @param {any} content null or false leaves the part out */
const part = (title, content) =>
  content && h("section", { "aria-label": title }, h("h3", null, title), content);
