// Other attempts of a compile, and other compiles of its function.
import { h } from "../../lib/page/dom.js";
import { count } from "../../lib/page/format.js";
import { idText } from "../shared/model.js";
import { compileLink } from "../shared/parts.js";

const MOST_SHOWN = 40;

/** Return whether two compiles have the same function. @param {any} a @param {any} b */
export const sameFunction = (a, b) =>
  a.compile === b.compile ||
  (a.file !== null && a.file === b.file && a.line === b.line && a.function === b.function);

/** @param {any} model @param {number} index @param {any} state */
export function relatives(model, index, state) {
  const compile = model.compiles[index];
  if (compile.id === null) return null;
  const { attempts, same } = relativesOf(model, index);
  const row = (/** @type {string} */ title, /** @type {number[]} */ list) => [
    h("dt", null, title),
    h(
      "dd",
      null,
      list
        .slice(0, MOST_SHOWN)
        .map((i) =>
          i === index
            ? h("strong", { class: "mono" }, idText(compile), " ")
            : [compileLink(model, i, state), " "],
        ),
      list.length > MOST_SHOWN && ` and ${count(list.length - MOST_SHOWN)} more`,
    ),
  ];
  if (attempts.length < 2 && same.length === 0) return null;
  return h(
    "dl",
    { class: "pairs" },
    attempts.length > 1 && row("Attempts", attempts),
    same.length > 0 && row("Same function", same),
  );
}

/** @param {any} model @param {number} index @returns {{attempts: number[], same: number[]}} */
function relativesOf(model, index) {
  const own = model.compiles[index];
  /** @type {number[]} */
  const attempts = [],
    /** @type {number[]} */ same = [];
  model.compiles.forEach((/** @type {any} */ other, /** @type {number} */ i) => {
    if (other.id === null) return;
    if (other.compile === own.compile) attempts.push(i);
    else if (sameFunction(own, other)) same.push(i);
  });
  return { attempts, same };
}
