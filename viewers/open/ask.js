// Asks what to do with two dropped items: one run, or a comparison.
import { fill, h } from "../lib/page/dom.js";
import { bytes, plural } from "../lib/page/format.js";

/** @typedef {import("../lib/local/dropped.js").Thing} Thing */

/** @param {Element} place @param {Thing[]} things two @param {{pair: (things: Thing[]) => unknown, all: (things: Thing[]) => unknown}} answers pair gets them in the order before, after */
export function ask(place, things, { pair, all }) {
  const logs = things.every(({ kind }) => kind === "logs");
  const draw = (/** @type {Thing[]} */ [before, after]) => {
    const compare = h("button", { class: "tool main-tool", onclick: () => pair([before, after]) }, "Compare");
    fill(
      place,
      h(
        "section",
        { "class": "ask", "aria-label": "Two things to open" },
        h("h2", null, "Compare these two?"),
        h("dl", { class: "sides" }, side("before", before), side("after", after)),
        h(
          "p",
          { class: "answers" },
          compare,
          h("button", { class: "tool", onclick: () => draw([after, before]) }, "⇄ Swap"),
          h(
            "button",
            { class: "tool", onclick: () => all([before, after]) },
            logs ? "Open as one run" : "Keep both",
          ),
          h("button", { class: "tool", onclick: () => fill(place) }, "Cancel"),
        ),
      ),
    );
    compare.focus();
  };
  draw([...things].sort((a, b) => modified(a) - modified(b)));
}

/** @param {string} which @param {Thing} thing */
const side = (which, { name, kind, files }) =>
  h(
    "div",
    null,
    h("dt", null, which),
    h(
      "dd",
      null,
      h("strong", null, name),
      " ",
      h(
        "span",
        { class: "dim" },
        kind === "bundle" ? "bundle" : plural(files.size, "file"),
        ", ",
        bytes([...files.values()].reduce((sum, { size }) => sum + size, 0)),
      ),
    ),
  );

/** Return the time of the newest file in milliseconds; 0 when unknown. @param {Thing} thing */
const modified = ({ files }) =>
  Math.max(0, ...[...files.values()].map((file) => (file instanceof File ? file.lastModified : 0)));
