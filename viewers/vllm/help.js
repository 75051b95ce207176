// The help dialog: keys and terms.
import { h } from "../lib/page/dom.js";
import { helpDialog, helpSection } from "../lib/page/page.js";

const KEYS = [
  ["Tab, Enter", "select a piece to see its artifacts; the URL stores the selection"],
  ["c", "color by time or by outcome"],
  ["Esc", "clear the selection"],
  ["?", "show this help"],
];
const WORDS = [
  ["piece", "a submodule, compiled for one number of tokens or a range"],
  ["submodule", "the part of the model between two attention layers"],
  ["reused", "vLLM used the code of an equal piece (not logged)"],
  ["loaded", "the code came from a cache"],
  ["compared log", "a second log, with pieces matched by name or by code"],
];

const ABOUT =
  "The pieces that vLLM compiled or loaded when it started, by submodule and size. Select a piece to see its artifacts.";

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
