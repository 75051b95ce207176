// The help: keys and words.
import { fill, h } from "../lib/dom.js";

const KEYS = [
  ["click, Enter", "pin a line: what belongs to it stays marked, and the address leads here again; once more unpins"],
  ["n N", "next and previous counterpart of the pin, through all panes"],
  ["m M", "next and previous line with a counterpart in this pane"],
  ["↑ ↓ PgUp PgDn Home End", "move in a pane; the other panes show what belongs to the line"],
  ["Tab", "next pane"],
  ["1 2 3 4", "show or hide a pane"],
  ["k", "show or hide the list of kernels"],
  ["s", "scroll the panes together, or not"],
  ["[ ]", "previous and next graph"],
  ["/", "find in the pane in use; ':120' goes to a line"],
  ["Esc", "unpin"],
  ["?", "this help"],
];
const WORDS = [
  ["pre-grad graph", "what Dynamo captured, before Inductor changes anything"],
  ["post-grad graph", "the graph of ATen operations from which Inductor makes kernels; forward and backward have one each"],
  ["kernel name:3", "the third call that was generated: a kernel with its debug handle"],
  ["dimmed line", "nothing is known to belong to it"],
  ["dashed mark", "belongs to it by the source line only; torch mapped no nodes"],
];

/** @type {HTMLDialogElement | null} */
let dialog = null;

export function showHelp() {
  if (!dialog) {
    dialog = /** @type {HTMLDialogElement} */ (h("dialog", { "aria-labelledby": "help-title", class: "help" }));
    fill(dialog, h("h2", { id: "help-title" }, "Help"),
      h("h3", null, "Keys"), pairs(KEYS.map(([key, what]) => [h("kbd", null, key), what])),
      h("h3", null, "Words"), pairs(WORDS.map(([word, what]) => [h("b", null, word), what])),
      h("button", { class: "tool", onclick: () => dialog?.close() }, "Close"));
  }
  document.body.append(dialog);
  if (!dialog.open) dialog.showModal();
}

/** @param {any[][]} rows */
const pairs = (rows) => h("dl", { class: "pairs" }, rows.map(([term, what]) => [h("dt", null, term), h("dd", null, what)]).flat());
