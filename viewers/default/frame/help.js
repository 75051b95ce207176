// The help dialog: what the view shows, keyboard shortcuts, compile ids, statuses, words.
import { FLAME_KEYS } from "../../lib/flame/keys.js";
import { h } from "../../lib/page/dom.js";
import { helpDialog, helpSection } from "../../lib/page/page.js";
import { STATUSES, statusBadge } from "../../lib/page/figures.js";
import { ABOUT } from "./about.js";
import { GLOSSARY } from "./glossary.js";

const KEYS = [
  ["/", "Search everywhere. ↓ moves to the results, Enter also searches the text of artifacts."],
  ["f, or / twice", "Go to the filter or find box of the view"],
  ["?", "Show this help"],
  ["[ and ]", "On a compile's page: previous and next compile"],
  ["↑ ↓", "Previous and next row of a list, table or tree"],
  ["← →", "Collapse and expand a branch of a tree, or go to its parent or first child. Resize a panel."],
  ["Home, End, Page up, Page down", "First and last row, one page up or down"],
  ["*", "In a tree: expand all branches at this level"],
  ["Ctrl K, or ⌘ K", "Go to a view, compile, artifact or setting"],
  ["↓ ↑", "In the list of views: next and previous view. In a filter: ↓ moves to the list below."],
  ["letters", "In a tree: go to the next row that starts with these letters"],
  ["↑ ↓, Shift ↑ ↓", "In code: select a line, extend the selection"],
  [
    "z, Z",
    "In code: fold or unfold the block around the selected line; fold the outermost blocks, or unfold all",
  ],
  ["← →", "In a graph: previous and next value in the selected line"],
  [
    "d or Enter, n, N",
    "In a graph: go to the value's definition, its next use, its previous use. Esc deselects it.",
  ],
  ["n, N", "In a comparison: next and previous change"],
  ["Enter", "Open the selected compile. In a find box: next match (Shift: previous)."],
  ...FLAME_KEYS.map((key) => /** @type {[string, string]} */ (key)),
  ["g", "In Guards: go to the filter for the guards of the selected compile"],
  ["Esc", "Close this help, or leave the find box"],
];

const COMPILE_IDS = [
  [
    "[0/1]",
    "Frame id 0, frame compile id 1: the second compile of code object 0. If the second number isn't 0, it's a recompile.",
  ],
  ["[0/1_2]", "Attempt 2 of [0/1]: Dynamo restarted the compile twice, for example after a graph break."],
  ["[!3/0/1]", "[0/1] inside compiled autograd graph 3."],
  ["[0/1@2]", "The second compile with the id [0/1]: torch._dynamo.reset() restarts the numbering."],
  ["no compile id", "Records that torch logged outside a compile."],
];

export const showHelp = helpDialog(() => [
  aboutView(),
  helpSection(
    "Keys",
    KEYS.map(([key, action]) => [h("kbd", null, key), action]),
  ),
  helpSection(
    "Compile ids",
    COMPILE_IDS.map(([id, meaning]) => [h("code", null, id), meaning]),
  ),
  helpSection(
    "Statuses",
    Object.entries(STATUSES).map(([status, { help }]) => [statusBadge(status), help]),
  ),
  helpSection("Words", GLOSSARY),
  h(
    "p",
    { class: "dim" },
    "All attempts of a compile share its status and time. The address of this page holds what you see: copy it to share the view.",
  ),
]);

/** Build the section about the view in the address. */
function aboutView() {
  const view = new URLSearchParams(location.hash.slice(1)).get("view") ?? "overview";
  return Object.hasOwn(ABOUT, view) && [h("h3", null, "About this view"), h("p", null, ABOUT[view])];
}
