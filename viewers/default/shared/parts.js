// Small page elements that several views use.
import { codeSnippet } from "../../lib/code/snippet.js";
import { cutMiddle } from "../../lib/page/cut-middle.js";
import { h } from "../../lib/page/dom.js";
import { count } from "../../lib/page/format.js";
import { statusInfo } from "../../lib/page/figures.js";
import { placeLink } from "../../lib/page/place-link.js";
import { compileLabel, idText, placeOf } from "./model.js";

const MOST_LINKS = 12;

/** @param {any} model @param {number} index @param {any} state @param {Record<string, string>} [more] */
export function compileLink(model, index, state, more = {}) {
  const compile = model.compiles[index];
  const { sign } = statusInfo(compile.status);
  return h(
    "a",
    {
      "href": state.link({ view: "compile", compile: compile.key, ...more }),
      "class": `compile-link status-${compile.status ?? "none"}`,
      "aria-label": compileLabel(compile),
      "title": compileLabel(compile),
    },
    h("span", { "class": "sign", "aria-hidden": "true" }, sign, " "),
    idText(compile),
  );
}

/** @param {any} model @param {number[]} indexes @param {any} state */
export function compileLinks(model, indexes, state) {
  return h(
    "span",
    { class: "links" },
    indexes
      .slice(0, MOST_LINKS)
      .map((index) => [" ", compileLink(model, index, state)])
      .flat(),
    indexes.length > MOST_LINKS &&
      h("span", { class: "dim" }, ` and ${count(indexes.length - MOST_LINKS)} more`),
  );
}

/** Return a link for a web address, and text for anything else. @param {any} address @param {any} [text] */
export function webLink(address, text = address) {
  const url = String(address ?? "");
  const web = /^https?:\/\//i.test(url) && URL.canParse(url);
  return web
    ? h("a", { href: url, rel: "noopener noreferrer", target: "_blank" }, text)
    : h("code", null, url);
}

/** Return a link to a record. @param {number} index @param {any} state @param {string} [text] */
export const recordLink = (index, state, text = `record ${count(index)}`) =>
  h("a", { href: state.link({ view: "events", event: String(index) }) }, text);

/** Return a list of terms and values, without those that are null or empty. @param {[string, any][]} entries */
export const pairs = (entries) =>
  h(
    "dl",
    { class: "pairs" },
    entries
      .filter(([, value]) => value !== null && value !== undefined && value !== "")
      .map(([term, value]) => [h("dt", null, term), h("dd", null, value)]),
  );

/**
 * Show a source line in a row, cut in its middle where space is short. The row stays one stop of the Tab key.
 * @param {string | null | undefined} file @param {number | null} line @param {string} text @param {string} [title]
 */
export const placeCell = (
  file,
  line,
  text,
  title = file ? `${file}${line === null ? "" : `:${line}`}` : text,
) =>
  file
    ? placeLink(file, line, cutMiddle(text, title), { tabindex: "-1", title })
    : h("span", { class: "dim" }, text || "–");

/** Show where a compiled function is, in a row. @param {any} model @param {any} compile */
export const compilePlace = (model, compile) =>
  placeCell(compile.file, compile.line, placeOf(model, compile));

/** Return a source line under its file and line number. @param {{file: string | null, line: number | null, function?: string | null, source_line?: string | null}} place */
export function sourceLine({ file, line, function: name, source_line: text }) {
  if (file === null) return null;
  return h(
    "figure",
    { class: "source-line" },
    h(
      "figcaption",
      { class: "place" },
      placeLink(file, line, cutMiddle(`${file}:${line ?? "?"}`)),
      name && ` in ${name}`,
    ),
    text && h("pre", null, codeSnippet(text)),
  );
}
