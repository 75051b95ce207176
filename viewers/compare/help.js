// What the keys do and what the words mean.
import { FLAME_KEYS } from "../lib/flame/keys.js";
import { h } from "../lib/page/dom.js";
import { helpDialog, helpSection } from "../lib/page/page.js";

const KEYS = [
  ["1 2 3", "changes, compiles, timeline"],
  ["↑ ↓ Enter", "in a table: from row to row, open it"],
  ["n N", "in a difference: next and previous change"],
  ...FLAME_KEYS,
  ["?", "this help"],
];
const WORDS = [
  [
    "base, new",
    "The run that is compared with, and the one that is compared. More time than in base is worse.",
  ],
  [
    "led to",
    "A change under another one follows from it: of the same function, or of what is compiled because of it.",
  ],
  [
    "matched",
    "Compiles are matched by what was compiled (function, place, order, graph), not by id: one more compile shifts the ids behind it.",
  ],
  ["–", "Unknown, or not recorded. It is not 0."],
  [
    "noise",
    "Differences of time within what unchanged compiles vary by; they are not listed. Several runs per side show more: tlparse-bundle compare BASE1 BASE2 -- NEW1 NEW2.",
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
