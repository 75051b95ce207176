// A line for the first visit that explains compile ids and phases. It is shown until it is dismissed.
import { h } from "../../lib/page/dom.js";
import { store, stored } from "../../lib/page/remember.js";

const KEY = "tlparse-bundle.introduced";

/** Return the line, or null for someone who dismissed it. @param {() => void} help */
export function introduction(help) {
  if (stored(KEY) !== null) return null;
  const element = h(
    "aside",
    { "class": "introduction", "aria-label": "Introduction" },
    h(
      "p",
      null,
      h("code", null, "[0/1]"),
      " is a compile id: code object 0, compiled for the second time. Each compile has phases: ",
      h("b", null, "Dynamo"),
      " captures the graph, ",
      h("b", null, "AOTAutograd"),
      " adds the backward, ",
      h("b", null, "Inductor"),
      " generates the kernels.",
    ),
    h("button", { class: "tool", onclick: help }, "More in the help"),
    h(
      "button",
      {
        class: "tool",
        onclick: () => {
          store(KEY, "1");
          element.remove();
        },
      },
      "Dismiss",
    ),
  );
  return element;
}
