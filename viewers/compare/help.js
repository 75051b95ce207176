// The help dialog: keys and terms.
import { FLAME_KEYS } from "../lib/flame/keys.js";
import { h } from "../lib/page/dom.js";
import { helpDialog, helpSection } from "../lib/page/page.js";

const KEYS = [
  ["1 2 3", "open Changes, Compiles, Timeline"],
  ["↑ ↓ Enter", "table: move between rows, open a row"],
  ["n N", "difference: next and previous change"],
  ...FLAME_KEYS,
  ["?", "show this help"],
];
const WORDS = [
  ["base, new", "Base is the reference run, new is the run under test. More time than base is worse."],
  [
    "consequences",
    "Changes below another change follow from it: same function, or code compiled because of it.",
  ],
  [
    "matched",
    "Compiles are matched by function, place, order and graph, not by id: an extra compile shifts all later ids.",
  ],
  ["–", "Not recorded (not the same as 0)."],
  [
    "noise",
    "Time differences within the variation of unchanged compiles. They are not listed. For smaller differences, compare several runs per side: tlparse-bundle compare BASE1 BASE2 -- NEW1 NEW2.",
  ],
];

const ABOUT =
  "What changed between two runs, the most costly changes first. Changes that follow from another change are listed below it.";

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
