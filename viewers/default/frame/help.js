// Every key, and the words that the log uses.
import { FLAME_KEYS } from "../../lib/flame/keys.js";
import { h } from "../../lib/page/dom.js";
import { helpDialog, helpSection } from "../../lib/page/page.js";
import { STATUSES, statusBadge } from "../../lib/page/figures.js";

const KEYS = [
  ["/", "search everywhere; ↓ from there to what was found, Enter searches the text of artifacts too"],
  ["f, or / twice", "go to the view's own filter or find box"],
  ["?", "this help"],
  ["[ and ]", "previous and next compile (compile page; also the buttons above it)"],
  ["↑ ↓", "previous and next row of a list, a table or the tree"],
  ["← →", "close and open a branch of the tree, or go to its parent or first child; move a panel's edge"],
  ["Home, End, Page up, Page down", "first and last row, one page"],
  ["*", "open all branches beside this one"],
  ["Ctrl K, or ⌘ K", "go to a view, a compile, an artifact or a setting"],
  ["↓ ↑", "in the list of views: walk; ↓ in a filter goes into the list below it"],
  ["letters", "in the tree: go to the next row that begins so"],
  ["↑ ↓, Shift ↑ ↓", "in code: mark a line, several lines"],
  [
    "z, Z",
    "in code: fold or unfold the block around the marked line; fold the outermost blocks, or unfold all",
  ],
  ["← →", "in a graph: previous and next value of the marked line"],
  ["d or Enter, n, N", "in a graph: definition of the value, its next and previous use (Esc: no value)"],
  ["n, N", "in a comparison: next and previous change"],
  ["Enter", "open the selected compile; in the find box: next match (with Shift: previous)"],
  ...FLAME_KEYS.map((key) => /** @type {[string, string]} */ (key)),
  ["g", "guards: go to the filter of the guards of the selected compile"],
  ["Esc", "close this help; leave the find box"],
];

const WORDS = [
  [
    "[0/1]",
    "the compile with frame id 0 and frame compile id 1: code object number 0, compiled for the second time. A second number above 0 is a recompile.",
  ],
  [
    "[0/1_2]",
    "its attempt 2: the compile was restarted twice, for instance after a graph break, and this is what the last try did.",
  ],
  ["[!3/0/1]", "the same inside compiled autograd graph 3."],
  ["[0/1@2]", "the id came again after torch._dynamo.reset(): the second compile with that id."],
  ["no compile id", "records that torch wrote outside of a compile."],
];

export const showHelp = helpDialog(() => [
  helpSection(
    "Keys",
    KEYS.map(([key, what]) => [h("kbd", null, key), what]),
  ),
  helpSection(
    "Compile ids",
    WORDS.map(([word, what]) => [h("code", null, word), what]),
  ),
  helpSection(
    "Statuses",
    Object.entries(STATUSES).map(([status, { help }]) => [statusBadge(status), help]),
  ),
  h(
    "p",
    { class: "dim" },
    "Attempts of one compile share its status and its time. The address of this page keeps what you look at: copy it to show somebody.",
  ),
]);
