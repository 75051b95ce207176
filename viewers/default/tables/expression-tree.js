// A condition as a tree of operations, each with its location in the program.
import { fill, h } from "../../lib/page/dom.js";
import { errorBox } from "../../lib/page/load.js";
import { recordLink } from "../shared/parts.js";
import { frameLink, programFrame } from "../shared/program-line.js";
import { expressionTree } from "./symbol-data.js";

const SIGNS = /** @type {Record<string, string>} */ ({
  add: "+",
  sub: "−",
  mul: "×",
  floordiv: "//",
  int_floordiv: "//",
  mod: "%",
  pow: "**",
  gt: ">",
  ge: "≥",
  lt: "<",
  le: "≤",
  eq: "=",
  ne: "≠",
  and: "and",
  or: "or",
  sym_max: "max",
  sym_min: "min",
});

/** Build a fold that loads the table of expressions when opened; null if the log has none. @param {{log: any, state: any}} context @param {any} model @param {any} stacks @param {number | null} event */
export function expressionFold({ log, state }, model, stacks, event) {
  if (event === null) return null;
  const box = h("div");
  let asked = false;
  const show = () => {
    if (asked) return;
    asked = true;
    log.table("expressions").then(
      (/** @type {any[] | null} */ rows) => {
        const tree = rows && expressionTree(rows, event);
        fill(
          box,
          tree
            ? h(
                "ul",
                { "class": "expression", "aria-label": "Expression" },
                branch(tree, model, stacks, state),
              )
            : h("p", { class: "dim" }, "Not recorded."),
        );
      },
      (/** @type {unknown} */ error) => fill(box, errorBox(error)),
    );
  };
  return h("details", { ontoggle: show }, h("summary", null, "Origin of the condition"), box);
}

/** @param {import("./symbol-data.js").Expression} node @param {any} model @param {any} stacks @param {any} state @returns {HTMLElement} */
function branch(node, model, stacks, state) {
  const frame = programFrame(stacks, node.userStack);
  return h(
    "li",
    null,
    h("code", null, node.text),
    node.method && [
      " ",
      h("span", { class: "operation", title: node.method }, SIGNS[node.method] ?? node.method),
    ],
    node.event !== null && [
      " ",
      h("span", { class: "dim" }, frame && [frameLink(model, frame), " "], recordLink(node.event, state)),
    ],
    node.cut && h("span", { class: "dim" }, " … (cut)"),
    node.children.length > 0 &&
      h(
        "ul",
        null,
        node.children.map((child) => branch(child, model, stacks, state)),
      ),
  );
}
