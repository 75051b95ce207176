// Shows Python tracebacks: the exception first, then the frames, with torch's frames folded.
import { isTorch } from "../bundle/stacks.js";
import { fill, h } from "../page/dom.js";
import { plural } from "../page/format.js";
import { placeLink } from "../page/place-link.js";
import { codeSnippet } from "./snippet.js";

/** @typedef {{file: string | null, line: number | string | null, name: string, code: string | null}} Frame */
/** @typedef {{frames: Frame[]} | {text: string} | {link: string}} Part link: how two exceptions are connected */

const FRAME = /^\s*File "(.*)", line (\d+)(?:, in (.*))?$/;
const HEADER = /^\s*Traceback \(most recent call last\):$/;
const LINK =
  /^\s*(The above exception was the direct cause|During handling of the above exception).*exception.*:$/;
const MARKS = /^[\s^~]*$/; // Python's markers under a line
const MOST_FRAMES = 2_000;

/** @param {string} line */
const indentOf = (line) => line.length - line.trimStart().length;

/**
 * Split a traceback into frames and messages, in order. Frames start after Python's header, or with the text, and end
 * where the message starts; a message can quote code and files.
 * @param {string} text @returns {Part[]}
 */
function tracebackParts(text) {
  /** @type {Part[]} */
  const parts = [];
  const lines = text.split("\n");
  /** Indentation of the header; null in a message. @type {number | null} */
  let base = FRAME.test(lines.find((line) => line.trim()) ?? "") ? -1 : null;
  /** @type {Frame | null} the frame whose code may follow */
  let open = null;
  for (const line of lines) {
    const match = base === null ? null : FRAME.exec(line);
    const last = parts.at(-1);
    if (HEADER.test(line)) [base, open] = [indentOf(line), null];
    else if (LINK.test(line)) {
      base = null;
      parts.push({ link: line.trim() });
    } else if (match) {
      open = { file: match[1], line: Number(match[2]), name: match[3] ?? "", code: null };
      if (last && "frames" in last) last.frames.push(open);
      else parts.push({ frames: [open] });
      if (base === -1) base = Math.max(0, indentOf(line) - 2);
    } else if (base !== null && open && (indentOf(line) > base || !line.trim())) {
      if (!MARKS.test(line)) open.code = open.code === null ? line.trim() : `${open.code}\n${line.trim()}`;
    } else {
      base = null;
      if (last && "text" in last) last.text += `\n${line}`;
      else if (line.trim()) parts.push({ text: line });
    }
  }
  return parts.map((part) => ("text" in part ? { text: part.text.trimEnd() } : part));
}

/**
 * Show a traceback. The last text is the exception, which is shown first unless it repeats 'message'.
 * @param {string} text @param {string} [message] the message already shown above
 */
export function tracebackView(text, message = "") {
  const parts = tracebackParts(text);
  const last = parts.at(-1);
  const exception = last && "text" in last ? last.text : null;
  const repeated = exception !== null && message !== "" && words(exception).includes(words(message));
  return h(
    "div",
    { class: "traceback" },
    exception !== null && !repeated && h("pre", { class: "wrapped message" }, exception),
    (exception === null ? parts : parts.slice(0, -1)).map((part) =>
      "frames" in part
        ? frameList(part.frames)
        : "text" in part
          ? h("pre", { class: "wrapped message" }, part.text)
          : h("p", { class: "dim" }, part.link),
    ),
  );
}

/** @param {string} text */
const words = (text) => text.replace(/\s+/g, " ").trim();

/** List frames, outermost first, with runs of torch frames folded. @param {Frame[]} frames */
export function frameList(frames) {
  const items = [];
  for (let i = 0; i < Math.min(frames.length, MOST_FRAMES);) {
    let end = i;
    while (end < frames.length && isTorch(frames[end].file)) end++;
    if (end > i) items.push(torchFrames(frames.slice(i, end)));
    else items.push(frameItem(frames[i]));
    i = Math.max(end, i + 1);
  }
  if (frames.length > MOST_FRAMES)
    items.push(h("li", { class: "dim" }, `and ${plural(frames.length - MOST_FRAMES, "frame")} more`));
  return h("ol", { class: "frames" }, items);
}

/** @param {Frame[]} frames */
function torchFrames(frames) {
  const list = h("ol", { class: "frames" });
  const show = () => list.childElementCount === 0 && fill(list, frames.map(frameItem));
  return h(
    "li",
    { class: "torch-frames" },
    h("details", { ontoggle: show }, h("summary", null, `${plural(frames.length, "frame")} of torch`), list),
  );
}

/** @param {Frame} frame */
function frameItem({ file, line, name, code }) {
  return h(
    "li",
    { class: isTorch(file) ? "torch" : null },
    h("b", null, name),
    " ",
    placeLink(file, line === null ? null : Number(line)),
    code && h("pre", { class: "frame-code" }, codeSnippet(code)),
  );
}
