// The help: keys and words.
import { h } from "../lib/page/dom.js";
import { helpDialog, helpSection } from "../lib/page/page.js";

const KEYS = [
  [
    "click, Enter",
    "pin a line: what belongs to it stays marked, and the address leads here again; once more unpins",
  ],
  ["n N", "next and previous counterpart of the pin, through all panes"],
  ["m M", "next and previous line with a counterpart in this pane"],
  ["↑ ↓ PgUp PgDn Home End", "move in a pane; the other panes show what belongs to the line"],
  ["Tab", "next pane"],
  ["1 2 3 4 5", "show or hide a pane"],
  ["k", "show or hide the list of kernels"],
  ["s", "scroll the panes together, or not"],
  ["[ ]", "previous and next graph"],
  ["/", "find in the pane in use; ':120' goes to a line"],
  ["Esc", "unpin"],
  ["?", "this help"],
];
const WORDS = [
  ["pre-grad graph", "what Dynamo captured, before Inductor changes anything"],
  [
    "post-grad graph",
    "the graph of ATen operations from which Inductor makes kernels; forward and backward have one each",
  ],
  ["kernel name:3", "the third call that was generated: a kernel with its debug handle"],
  ["dimmed line", "nothing is known to belong to it"],
  ["kernel bodies", "what the wrapper of AOTInductor calls; torch writes them into a file of their own"],
  ["dashed mark", "belongs to it by the source line only; torch mapped no nodes"],
];

export const showHelp = helpDialog(() => [
  helpSection(
    "Keys",
    KEYS.map(([key, what]) => [h("kbd", null, key), what]),
  ),
  helpSection(
    "Words",
    WORDS.map(([word, what]) => [h("b", null, word), what]),
  ),
]);
