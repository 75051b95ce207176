// Source lines of the user's program, taken from stacks, and links to the artifacts of records.
import { compileArtifacts } from "../../lib/bundle/artifacts.js";
import { frameText, isTorch } from "../../lib/bundle/stacks.js";
import { fill, h } from "../../lib/page/dom.js";
import { lastParts } from "../../lib/page/paths.js";
import { placeLink } from "../../lib/page/place-link.js";
import { sourceLine } from "./parts.js";

/** @typedef {import("../../lib/bundle/stacks.js").Stacks} Stacks */
/** @typedef {import("../../lib/bundle/stacks.js").Frame} Frame */

/**
 * Return the innermost frame outside torch, from the first stack that has one.
 * @param {Stacks} stacks @param {...(number | null | undefined)} indexes stack ids, -1 or null for none @returns {Frame | null}
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

/** "program.py:11" @param {any} model @param {Pick<Frame, "file" | "line"> | null} frame */
export function framePlace(model, frame) {
  if (!frame) return "";
  const short = model.short(frame.file); // shortens only folders of compiled functions
  return `${short.startsWith("/") ? lastParts(short) : short}:${frame.line}`;
}

/** Show a frame's place. @param {any} model @param {Frame} frame */
export const frameLink = (model, frame) => placeLink(frame.file, frame.line, framePlace(model, frame));

/** @param {Frame | null} frame */
export const frameTitle = (frame) => (frame ? frameText(frame) : "");

/** Return a frame's source line. @param {Frame | null} frame @param {string | null} [text] used when the frame has no code */
export const frameLine = (frame, text = null) =>
  frame &&
  sourceLine({
    file: frame.file ?? "(unknown file)",
    line: frame.line,
    function: frame.function,
    source_line: frame.code ?? text,
  });

/** Remove the location at the end of a guard or reason: "x == 4  # return x  # program.py:11 in f" becomes "x == 4  # return x". @param {string} text */
export const withoutPlace = (text) => text.replace(/ *# \S+:\d+ in .*$/, "").replace(/ {2,}#/, "  #");

/** Return a collapsed stack, with torch's frames dimmed, or null. @param {Stacks} stacks @param {number | null} index @param {string} title */
export function stackFold(stacks, index, title) {
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
            placeLink(frame.file, frame.line),
            frame.code && h("div", null, h("code", null, frame.code)),
          ),
        ),
    );
  return h("details", { ontoggle: show }, h("summary", null, title), list);
}

/**
 * Return a link to the artifact of a record. It leads to the record until the artifact's address is loaded.
 * @param {any} log @param {any} model @param {any} state @param {number} compileIndex @param {number} eventIndex @param {any} text @param {number | null} [line]
 */
export function artifactLink(log, model, state, compileIndex, eventIndex, text, line = null) {
  const link = h("a", { href: state.link({ view: "events", event: String(eventIndex) }) }, text);
  artifactState(log, model, compileIndex, eventIndex, line).then(
    (address) => {
      if (address) link.setAttribute("href", state.link(address));
    },
    () => {},
  ); // on an error the link stays on the record
  return link;
}

/** Return the state that shows a record's artifact, or null. @param {any} log @param {any} model @param {number} compileIndex @param {number} eventIndex @param {number | null} [line] */
export async function artifactState(log, model, compileIndex, eventIndex, line = null) {
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

/** Return a badge: a sign and a word in a tone. @param {string} tone @param {string} sign @param {string} word @param {string} [help] */
export const badge = (tone, sign, word, help) =>
  h(
    "span",
    { class: `status status-${tone}`, title: help },
    h("span", { "class": "sign", "aria-hidden": "true" }, sign),
    " ",
    word,
  );
