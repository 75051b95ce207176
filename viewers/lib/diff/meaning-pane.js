// Lists the differences of two texts: changed items with the parts that differ, items on one side only, and,
// folded, equal items. Rows are built when shown.
import { highlighter } from "../code/highlight.js";
import { cutMiddle } from "../page/cut-middle.js";
import { append, fill, h, typing } from "../page/dom.js";
import { count, plural } from "../page/format.js";

const MOST_LINES = 120; // lines of a part shown at once
const LONGEST = 2_000; // characters of a line

/** @typedef {import("./meaning.js").Row} Row */
/** @typedef {import("./meaning.js").Side} Side */
/** @typedef {import("./meaning.js").PackedSection} Section */
/**
 * @typedef {(side: "left" | "right", line: number) => string | null} Link address of a line in its artifact,
 *   from 1; null for none
 */

export class MeaningPane {
  /**
   * @param {import("./meaning.js").Packed} meaning
   * @param {{label: string, language: string, link: Link}} options
   */
  constructor({ sections, notes }, options) {
    this.options = options;
    const same = sections.every(({ folded }) => folded);
    this.element = h(
      "div",
      { "class": "meaning", "tabindex": "0", "role": "region", "aria-label": options.label },
      same && h("p", null, h("b", null, "No differences.")),
      sections
        .filter(({ folded }) => !folded)
        .map((section) => h("section", null, h("h3", null, heading(section)), this.list(section))),
      h(
        "p",
        { class: "dim meaning-notes" },
        notes.map((note) => [note, " "]),
      ),
      sections.filter(({ folded }) => folded).map((section) => this.folded(section)),
    );
  }

  /** Move between differences with n and Shift+n. @param {KeyboardEvent} event @returns {boolean} */
  key(event) {
    if (typing(event) || (event.key !== "n" && event.key !== "N")) return false;
    const rows = /** @type {HTMLElement[]} */ ([
      ...this.element.querySelectorAll(":scope > section .meaning-row"),
    ]);
    const at = rows.findIndex((row) => row.contains(document.activeElement));
    const next = event.key === "n" ? at + 1 : at < 0 ? rows.length - 1 : at - 1;
    const row = rows[(next + rows.length) % rows.length];
    row?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: "nearest" });
    return rows.length > 0;
  }

  /** @param {Section} section */
  folded(section) {
    let made = false;
    const details = h(
      "details",
      {
        ontoggle: () => {
          if (!made) details.append(this.list(section));
          made = true;
        },
      },
      h("summary", null, heading(section)),
    );
    return details;
  }

  /** @param {Section} section */
  list({ pages }) {
    const element = h("ul", { class: "meaning-list" });
    const show = (/** @type {number} */ page) => {
      if (page >= pages.length) return;
      append(
        element,
        JSON.parse(pages[page].rows).map((/** @type {Row} */ row) => this.item(row)),
      );
      if (page + 1 === pages.length) return;
      const more = h(
        "li",
        null,
        h(
          "button",
          {
            class: "tool",
            onclick: () => {
              const last = /** @type {HTMLElement | null} */ (more.previousElementSibling);
              more.remove();
              show(page + 1);
              /** @type {HTMLElement | null} */ (last?.nextElementSibling)?.focus({ preventScroll: true });
            },
          },
          `Show ${count(pages[page + 1].count)} more`,
        ),
      );
      element.append(more);
    };
    show(0);
    return element;
  }

  /** @param {Row} row */
  item({ kind, subject, left, right, changes = [], lines, most, language = this.options.language }) {
    const same = left && right && !changes.length && !lines && !left.marks;
    const shown = lines
      ? this.lines(lines, language, most)
      : same
        ? this.line(" ", "right", right)
        : [left && this.line("−", "left", left), right && this.line("+", "right", right)];
    return h(
      "li",
      { class: "meaning-row", tabindex: "-1" },
      h(
        "div",
        { class: "meaning-head" },
        h("b", { class: "mono" }, kind),
        subject && h("span", { class: "mono" }, cutMiddle(subject)),
        changes.map(change),
      ),
      h("div", { class: "meaning-lines" }, shown),
    );
  }

  /** @param {import("./meaning.js").Line[]} lines @param {string} language @param {number} [first] */
  lines(lines, language, first = MOST_LINES) {
    const element = h("div");
    const one = (/** @type {import("./meaning.js").Line} */ { sign, line, text }) =>
      sign === "⋯"
        ? h("div", { class: "meaning-gap" }, "⋯ ", text || plural(line, "equal line"))
        : this.line(sign, sign === "−" ? "left" : "right", { text, line }, language);
    const show = (/** @type {number} */ most) =>
      fill(
        element,
        lines.slice(0, most).map(one),
        lines.length > most &&
          h(
            "button",
            { class: "tool", onclick: () => show(lines.length) },
            `Show ${plural(lines.length - most, "more line", "more lines")}`,
          ),
      );
    show(first);
    return element;
  }

  /** @param {string} sign @param {"left" | "right"} side @param {Side} one @param {string} [language] */
  line(sign, side, { text, line, note, marks = [], ignored = [] }, language = this.options.language) {
    const { link } = this.options;
    const number = String(line + 1),
      href = link(side, line + 1);
    const shown = text.slice(0, LONGEST);
    return h(
      "div",
      { class: `meaning-line${sign === " " ? "" : ` meaning-${side}`}` },
      h("span", { class: "diff-sign" }, sign),
      href
        ? h(
            "a",
            {
              "class": "meaning-number",
              href,
              "title": `Line ${count(line + 1)} on the ${side}`,
              "aria-label": `line ${number} on the ${side}`,
            },
            number,
          )
        : h("span", { class: "meaning-number" }, number),
      h(
        "code",
        null,
        pieces(highlighter([shown], language)(0), marks, ignored),
        text.length > LONGEST && "…",
      ),
      note && h("span", { class: "meaning-note" }, cutMiddle(note)),
    );
  }
}

/** @param {Section} section */
const heading = ({ title, sign }) => [
  h("span", { "class": "meaning-sign", "aria-hidden": "true" }, sign),
  ` ${title}`,
];

/** @param {{what: string, left: string, right: string}} change */
function change({ what, left, right }) {
  const short = shortened(left, right);
  return h(
    "span",
    { class: "meaning-change" },
    what,
    left !== right && [
      short ? `=${short[0]}` : " ",
      h("code", null, short ? short[1] : left),
      " → ",
      h("code", null, short ? short[2] : right),
      short && short[3],
    ],
  );
}

/**
 * Split "[4, 2]" and "[None, 2]" at the commas into the common and the different parts.
 * @param {string} left @param {string} right
 */
function shortened(left, right) {
  if (!/^\[.*\]$/.test(left) || !/^\[.*\]$/.test(right)) return null;
  const [a, b] = [left, right].map((list) => list.slice(1, -1).split(", "));
  if (a.length !== b.length) return null;
  const differs = a.flatMap((part, i) => (part === b[i] ? [] : [i]));
  if (differs.length !== 1) return null;
  const [i] = differs;
  return [
    `[${a
      .slice(0, i)
      .map((part) => `${part}, `)
      .join("")}`,
    a[i],
    b[i],
    `${a
      .slice(i + 1)
      .map((part) => `, ${part}`)
      .join("")}]`,
  ];
}

/**
 * Build a highlighted text that marks the parts that differ or are not compared.
 * @param {[string, string][]} tokens @param {import("./words.js").Range[]} marks
 * @param {import("./words.js").Range[]} ignored
 */
function pieces(tokens, marks, ignored) {
  const cuts = [...marks, ...ignored].flat().sort((a, b) => a - b);
  const within = (/** @type {number} */ at, /** @type {import("./words.js").Range[]} */ ranges) =>
    ranges.some(([start, end]) => start <= at && at < end);
  const nodes = [];
  let at = 0,
    cut = 0;
  for (const [kind, text] of tokens) {
    for (let from = at; from < at + text.length;) {
      while (cut < cuts.length && cuts[cut] <= from) cut++;
      const to = Math.min(at + text.length, cuts[cut] ?? Infinity);
      const part = text.slice(from - at, to - at);
      const style = within(from, ignored)
        ? "ignored"
        : [kind && `t-${kind}`, within(from, marks) && "differs"].filter(Boolean).join(" ");
      nodes.push(
        style ? h("span", { class: style, title: style === "ignored" ? "Not compared" : null }, part) : part,
      );
      from = to;
    }
    at += text.length;
  }
  return nodes;
}
