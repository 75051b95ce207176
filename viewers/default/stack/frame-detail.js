// Details of a stack frame: file and line, frames grouped in it, and the compiles below.
import { fill, h } from "../../lib/page/dom.js";
import { count, plural } from "../../lib/page/format.js";
import { placeLink } from "../../lib/page/place-link.js";
import { compileLinks } from "../shared/parts.js";
import { compilesBelow } from "./groups.js";
import { sourceLink } from "./sources.js";

const MOST_FRAMES = 40;

/** @param {import("../frame/viewer.js").Context} context @param {any} model @param {any} stacks @param {import("./groups.js").Trie} trie @param {(stack: number) => string} label @param {any} short @param {number} stack */
export function frameDetail(context, model, stacks, trie, label, short, stack) {
  const frame = stacks.frame(stack);
  const below = compilesBelow(model, trie, trie.place(stack));
  const links = [
    h("h3", null, `${plural(below.length, model.counted)} below`),
    compileLinks(model, below, context.state),
  ];
  if (trie.title)
    return [
      h("h2", null, label(stack)),
      h("p", { class: "path" }, frame.file),
      groupedFrames(stacks, trie, short, trie.place(stack)),
      links,
    ];
  const source = h("dd", null, "not recorded");
  const generated = frame.file?.startsWith("<eval_with_key>");
  if (generated)
    sourceLink(context, model, frame, below[0]).then(
      (link) => link && fill(source, link),
      (error) => fill(source, error.message),
    );
  return [
    h("h2", null, frame.function),
    h(
      "dl",
      { class: "pairs" },
      h("dt", null, "Location"),
      h("dd", null, placeLink(frame.file, frame.line)),
      h("dt", null, "Source line"),
      h("dd", null, frame.code ? h("code", null, frame.code) : h("span", { class: "dim" }, "not recorded")),
      generated && [h("dt", null, "Generated code"), source],
    ),
    links,
  ];
}

/** List the frames of a group. @param {any} stacks @param {import("./groups.js").Trie} trie @param {any} short @param {number} node */
function groupedFrames(stacks, trie, short, node) {
  const words = new Set();
  for (let i = node; i < stacks.parent.length; i++) {
    if (trie.place(i) !== node) continue;
    const { function: name, file, line } = stacks.frame(i);
    words.add(`${name} ${short(file)}:${line}`);
  }
  return [
    h("h3", null, plural(words.size, "frame")),
    h(
      "ul",
      { class: "frames" },
      [...words].slice(0, MOST_FRAMES).map((text) => h("li", { class: "mono" }, text)),
    ),
    words.size > MOST_FRAMES && h("p", { class: "dim" }, `and ${count(words.size - MOST_FRAMES)} more`),
  ];
}
