// What the keys do and what the words mean.
import { h } from "../lib/page/dom.js";
import { helpDialog, helpSection } from "../lib/page/page.js";

const KEYS = [
  ["1 … 6", "the views, in the order of the bar"],
  ["↑ ↓ ← →", "in the matrix: from cell to cell"],
  ["Enter", "in the matrix: compare a cell with most other ranks, or take a group of ranks apart"],
  ["[ ]", "in a comparison: previous and next compile"],
  ["n N", "next and previous cell of the matrix that is not as on most ranks; in a comparison: change"],
  ["+ − 0", "in the timelines: closer, farther, all of it"],
  ["?", "this help"],
];
const WORDS = [
  [
    "same",
    "Compiles are matched by what was compiled (function, place, order, graph), not by id: one more compile on one rank shifts the ids behind it.",
  ],
  [
    "A, B, C …",
    "Ranks with the same letter in a column have the same graphs and code there; A is what most ranks have. Letters of different columns have nothing to do with each other.",
  ],
  ["position", "Positions in schedules and orders count from 0, the first."],
  [
    "waits",
    "Time lost is estimated from lengths: what the slowest rank takes longer than the median, as if all waited for one another after each compile.",
  ],
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
