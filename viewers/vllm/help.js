// The help: keys and words.
import { h } from "../lib/page/dom.js";
import { helpDialog, helpSection } from "../lib/page/page.js";

const KEYS = [
  ["Tab, Enter", "go to a piece and choose it: its artifacts are shown, and the address leads here again"],
  ["c", "colour by time or by outcome"],
  ["Esc", "choose no piece"],
  ["?", "this help"],
];
const WORDS = [
  ["piece", "a submodule, compiled for one number of tokens or a range of them"],
  ["submodule", "what lies between two attention layers of the model"],
  ["reused", "vLLM used the code of an equal piece; it writes no record of that"],
  ["loaded", "the code came from a cache"],
  ["beside", "another log whose pieces stand beside these: the same by name, or by code"],
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
