// The help dialog: keys and terms.
import { h } from "../lib/page/dom.js";
import { helpDialog, helpSection } from "../lib/page/page.js";

const KEYS = [
  ["1 … 6", "open a view, in the order of the sidebar"],
  ["↑ ↓ ← →", "matrix and picture of the structure: move between cells"],
  ["Enter", "matrix: compare the cell with most ranks, or expand a group of ranks"],
  ["Enter, Esc", "picture of the structure: select a rank to see only its findings, or show all ranks"],
  ["[ ]", "Compare: previous and next compile"],
  ["n N", "matrix: next and previous cell that differs from most ranks; Compare: next and previous change"],
  ["+ − 0", "Timelines: zoom in, zoom out, show everything"],
  ["?", "show this help"],
];
const TERMS = [
  [
    "role",
    "Ranks that should compile the same code, such as a stage of a pipeline. Only ranks of one role are compared.",
  ],
  ["axis", "Process groups of the same shape that share no rank, as along one dimension of a mesh."],
  [
    "same compile",
    "Compiles are matched by function, place, order and graph, not by id: an extra compile on one rank shifts all later ids.",
  ],
  [
    "A, B, C …",
    "Ranks with the same letter in a column have the same graphs and code. A is the largest group. Letters in different columns are unrelated.",
  ],
  ["position", "Positions in schedules and execution orders start at 0."],
  [
    "time lost to waiting",
    "Estimate: time of the slowest rank minus the median, as if all ranks waited for each other after each compile.",
  ],
];

const ABOUT =
  "What the ranks of a job did differently, the differences that matter first. Only ranks of the same role are compared, and their compiles are matched by function, place and order.";

export const showHelp = helpDialog(() => [
  h("h3", null, "About this viewer"),
  h("p", null, ABOUT),
  helpSection(
    "Keys",
    KEYS.map(([key, what]) => [h("kbd", null, key), what]),
  ),
  helpSection(
    "Terms",
    TERMS.map(([word, what]) => [h("b", null, word), what]),
  ),
]);
