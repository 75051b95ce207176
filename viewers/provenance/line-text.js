// The text of a pane: visible rows, wrapping, highlighting, find. line-pane.js adds the meaning of lines.
import { Find } from "../lib/code/find.js";
import { highlighter } from "../lib/code/highlight.js";
import { VirtualList } from "../lib/list/virtual-list.js";
import { characterWidth, h } from "../lib/page/dom.js";
import { lastAtMost, layOut, splitLines } from "../lib/page/text.js";

export const ROW = 18;
const LONGEST_ROW = 2_000; // longer lines always continue in the next row

export class LineText {
  /** @param {string} label */
  constructor(label) {
    this.text = "";
    this.language = "text";
    this.lines = /** @type {string[]} */ ([]);
    /** @type {Int32Array} */
    this.starts = new Int32Array(0);
    this.tokens = highlighter([], "text");
    this.longest = 0;
    this.wrap = false;
    this.columns = 0;
    this.layout = layOut([], LONGEST_ROW);
    /** @type {string[] | null} what the gutter says instead of the number */
    this.labels = null;
    this.list = new VirtualList({
      rowHeight: ROW,
      class: "code",
      allUpTo: 400,
      render: (row) => this.renderRow(row),
    });
    this.body = this.list.element;
    this.body.tabIndex = 0;
    this.body.setAttribute("role", "region");
    this.body.setAttribute("aria-label", label);
    this.found = new Find({
      text: () => this.text,
      onfound: () => this.list.redraw(),
      onstep: (at) => this.showFound(at),
      online: (line) => this.goTo(line),
      onleave: () => this.body.focus(),
      ontell: () => this.ontell(),
    });
    this.found.status.removeAttribute("aria-live"); // the find bar of all panes says it
    this.ontell = () => {};
    this.element = h("div", { class: "code-pane" }, this.body);
    new ResizeObserver(() => this.wrap && this.arrange()).observe(this.body);
  }

  /** @param {string} text @param {string} language @param {string[] | null} labels */
  setText(text, language, labels) {
    this.text = text;
    this.language = language;
    this.labels = labels;
    ({ lines: this.lines, starts: this.starts } = splitLines(text));
    this.tokens = highlighter(this.lines, language);
    this.longest = this.lines.reduce((most, line) => Math.max(most, Math.min(line.length, LONGEST_ROW)), 0);
    this.body.style.setProperty("--gutter", `${Math.max(3, String(this.lines.length).length) + 2}ch`);
    this.body.scrollTop = 0;
    this.found.clear();
    this.columns = 0;
    this.arrange();
  }

  /** @param {boolean} wrap */
  setWrap(wrap) {
    if (wrap === this.wrap) return;
    const at = this.lineOfRow(this.seen().first);
    this.wrap = wrap;
    this.arrange();
    this.align(at, 0);
  }

  /** Compute the characters per row, and lay out the lines. */
  arrange() {
    const columns = this.wrap ? this.roomForColumns() : LONGEST_ROW;
    if (columns === this.columns) return;
    this.columns = columns;
    this.layout = layOut(this.lines, columns);
    this.body.style.setProperty("--widest", `${this.wrap ? 0 : this.longest}ch`);
    this.list.reset(this.layout.length);
  }

  roomForColumns() {
    const gutter = Math.max(3, String(this.lines.length).length) + 4;
    return Math.max(
      20,
      Math.min(LONGEST_ROW, Math.floor(this.body.clientWidth / characterWidth(this.body)) - gutter),
    );
  }

  /** @param {number} row @returns {HTMLElement} */
  renderRow(row) {
    const index = this.layout.line[row];
    const from = this.layout.from[row];
    const number = from > 0 ? "↪" : this.labels ? (this.labels[index] ?? "") : index + 1;
    return h(
      "div",
      { class: "code-line", dataset: { line: index + 1 } },
      h("span", { "class": "gutter", "aria-hidden": "true", "dataset": { number } }),
      h(
        "span",
        { class: "text" },
        this.found.pieces(this.tokensOf(index), this.starts[index], from, from + this.layout.columns),
      ),
    );
  }

  /** @param {number} index of the line @returns {import("../lib/code/highlight.js").Token[]} */
  tokensOf(index) {
    const tokens = this.tokens(index);
    return this.language === "fx" ? withTypes(tokens) : tokens;
  }

  /** @param {number} at place in the text */
  showFound(at) {
    this.reveal(lastAtMost(this.starts, at) + 1);
    this.list.redraw();
    this.body.querySelector("mark.current")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** Return the first row of a line. @param {number} line from 1 */
  rowOf(line) {
    return this.layout.first[Math.max(1, Math.min(line, this.lines.length)) - 1] ?? 0;
  }

  /** @param {number} row */
  lineOfRow(row) {
    return (this.layout.line[Math.max(0, Math.min(row, this.layout.length - 1))] ?? 0) + 1;
  }

  /** Return the number of visible rows. */
  seen() {
    const top = (this.body.scrollTop * this.list.scale) / ROW;
    return { first: Math.ceil(top), last: Math.floor(top + this.body.clientHeight / ROW) - 1 };
  }

  /** Scroll to a line unless it is visible. @param {number} line */
  reveal(line) {
    const { first, last } = this.seen();
    const row = this.rowOf(line);
    if (row < first || row > last) this.list.center(row);
  }

  /** Scroll so that a line is at a height, in pixels from the top. @param {number} line @param {number} height */
  align(line, height) {
    this.body.scrollTop = Math.max(0, this.rowOf(line) * ROW - height) / this.list.scale;
    this.list.update();
  }

  /** @param {number} line from 1 */
  goTo(line) {
    this.reveal(line);
  }
}

const PLACE = /^(# File: )(.*\/)(?=[^/]*:\d+)/;

/**
 * Mark the type annotations of a graph, and the folders of its source files, which can be folded.
 * @param {import("../lib/code/highlight.js").Token[]} tokens @returns {import("../lib/code/highlight.js").Token[]}
 */
function withTypes(tokens) {
  let before = "";
  return tokens.flatMap(([kind, text]) => {
    const folder = kind === "comment" ? PLACE.exec(text) : null;
    const isType = kind === "string" && before.endsWith(": ");
    before = text;
    if (folder)
      return [
        [kind, folder[1]],
        ["folder", folder[2]],
        [kind, text.slice(folder[0].length)],
      ];
    return [[isType ? "type" : kind, text]];
  });
}
