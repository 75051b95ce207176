// Lines of the program, out of the stacks that torch wrote; and links to the artifacts that records became.
import { compileArtifacts } from "../../lib/bundle/artifacts.js";
import { frameText, isTorch } from "../../lib/bundle/stacks.js";
import { fill, h } from "../../lib/page/dom.js";
import { lastParts } from "../../lib/page/paths.js";
import { sourceLine } from "./parts.js";

/** @typedef {import("../../lib/bundle/stacks.js").Stacks} Stacks */
/** @typedef {import("../../lib/bundle/stacks.js").Frame} Frame */

/**
 * The line of the program: the innermost frame outside of torch, of the first stack that has one.
 * @param {Stacks} stacks @param {...(number | null | undefined)} indexes ids of stacks, -1 or null for none @returns {Frame | null}
 */
export function programFrame(stacks, ...indexes) {
  for (const index of indexes) {
    for (let i = index ?? -1; i >= 0; i = stacks.parent[i]) {
      const frame = stacks.frame(i);
      if (!isTorch(frame.file)) return frame;
    }
  }
  const any = indexes.find((index) => (index ?? -1) >= 0);
  return any === undefined || any === null ? null : stacks.frame(any);
}

/** "program.py:11" @param {any} model @param {Frame | null} frame */
export function framePlace(model, frame) {
  if (!frame) return "";
  const short = model.short(frame.file); // knows the folders of compiled functions; other files go by their names
  return `${short.startsWith("/") ? lastParts(short) : short}:${frame.line}`;
}

/** @param {Frame | null} frame */
export const frameTitle = (frame) => (frame ? frameText(frame) : "");

/** The line with its text. @param {Frame | null} frame @param {string | null} [text] instead of the frame's own */
export const frameLine = (frame, text = null) =>
  frame &&
  sourceLine({
    file: frame.file ?? "(unknown file)",
    line: frame.line,
    function: frame.function,
    source_line: frame.code ?? text,
  });

/** A guard or a reason as torch writes it, without the place at its end, which an own column or the compile's page shows: "x == 4  # return x" of "x == 4  # return x  # program.py:11 in f". @param {string} text */
export const withoutPlace = (text) => text.replace(/ *# \S+:\d+ in .*$/, "").replace(/ {2,}#/, "  #");

/** A stack behind a click; frames of torch are dim. @param {Stacks} stacks @param {number | null} index @param {string} words */
export function stackFold(stacks, index, words) {
  if (index === null || index < 0) return null;
  const list = h("ol", { class: "frames" });
  const show = () =>
    list.childElementCount === 0 &&
    fill(
      list,
      stacks
        .stack(index)
        .map((frame) =>
          h(
            "li",
            { title: frameText(frame), class: isTorch(frame.file) ? "dim" : null },
            h("b", null, frame.function),
            " ",
            h("span", { class: "place" }, `${frame.file ?? "(unknown file)"}:${frame.line}`),
            frame.code && h("div", null, h("code", null, frame.code)),
          ),
        ),
    );
  return h("details", { ontoggle: show }, h("summary", null, words), list);
}

/**
 * A link to what a record holds: its artifact, and the record until that is found.
 * @param {any} log @param {any} model @param {any} state @param {number} compileIndex @param {number} eventIndex @param {any} text @param {number | null} [line]
 */
export function artifactLink(log, model, state, compileIndex, eventIndex, text, line = null) {
  const link = h("a", { href: state.link({ view: "events", event: String(eventIndex) }) }, text);
  artifactState(log, model, compileIndex, eventIndex, line).then(
    (found) => {
      if (found) link.setAttribute("href", state.link(found));
    },
    () => {},
  ); // the record stays
  return link;
}

/** Where the artifact of a record is shown, or null. @param {any} log @param {any} model @param {number} compileIndex @param {number} eventIndex @param {number | null} [line] */
async function artifactState(log, model, compileIndex, eventIndex, line = null) {
  const artifact = (await compileArtifacts(log, model.compiles[compileIndex])).find(
    (row) => row.event === eventIndex,
  );
  return artifact
    ? {
        view: "compile",
        compile: model.compiles[compileIndex].key,
        artifact: artifact.address,
        line: line === null ? "" : String(line),
      }
    : null;
}

/** Why something is as it is: a sign, a tone, a word. @param {string} tone @param {string} sign @param {string} word @param {string} [help] */
export const badge = (tone, sign, word, help) =>
  h(
    "span",
    { class: `status status-${tone}`, title: help },
    h("span", { "class": "sign", "aria-hidden": "true" }, sign),
    " ",
    word,
  );
