// The help dialog: keys and terms.
import { h } from "../lib/page/dom.js";
import { helpDialog, helpSection } from "../lib/page/page.js";

const KEYS = [
  ["click, Enter", "pin a line: its counterparts stay marked and the URL stores it; press again to unpin"],
  ["n N", "next and previous counterpart of the pinned line, in all panes"],
  ["m M", "next and previous line with a counterpart in this pane"],
  ["↑ ↓ PgUp PgDn Home End", "move in a pane; the other panes mark the counterparts of the line"],
  ["Tab", "next pane"],
  ["1 2 3 4 5", "show or hide a pane"],
  ["k", "show or hide the kernel list"],
  ["c", "Show or hide the color of each source line"],
  ["w", "wrap long lines"],
  ["t", "Show or fold the types of values and the folders of files"],
  ["s", "turn synchronized scrolling on or off"],
  ["[ ]", "previous and next graph"],
  ["/, Ctrl+F in a pane", "find in all panes; ':120' goes to line 120 of the active pane"],
  ["Enter, F3; with Shift", "next match, pane by pane; previous match"],
  ["Esc", "unpin"],
  ["?", "show this help"],
];
const WORDS = [
  ["pre-grad graph", "the graph that Dynamo captured, before Inductor's passes"],
  [
    "post-grad graph",
    "the graph of ATen operations that Inductor compiles to kernels, one each for forward and backward",
  ],
  ["kernel name:3", "a kernel and its debug handle, here the third generated call"],
  ["colors", "lines of one color came from one source line; stripes: a kernel of several"],
  ["dimmed line", "no recorded counterpart"],
  ["kernel bodies", "the kernels that the AOTInductor wrapper calls, in a separate file"],
  ["dashed mark", "matched by source line only: torch did not map the nodes"],
];

const ABOUT =
  "Which kernel came from which line: your source, the graphs and the generated code side by side. Select a line to mark its counterparts in every pane.";

export const showHelp = helpDialog(() => [
  h("h3", null, "About this viewer"),
  h("p", null, ABOUT),
  helpSection(
    "Keys",
    KEYS.map(([key, what]) => [h("kbd", null, key), what]),
  ),
  helpSection(
    "Words",
    WORDS.map(([word, what]) => [h("b", null, word), what]),
  ),
]);
