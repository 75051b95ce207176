// Shows text of any length: line numbers, wrap, folding, find, copy, download, formatted JSON, highlighting;
// in FX graphs also the definition and uses of a value. Only visible rows are in the page.
import { VirtualList } from "../list/virtual-list.js";
import { characterWidth, h } from "../page/dom.js";
import { plural } from "../page/format.js";
import { lastAtMost, layOut, prettyJson, splitLines } from "../page/text.js";
import { Find } from "./find.js";
import { foldEnds, foldLevel, hiddenLines } from "./folding.js";
import { highlighter } from "./highlight.js";
import { codeKey } from "./keys.js";
import { namesOf } from "./names.js";
import { Outline } from "./outline.js";
import { joinPage } from "./page-events.js";
import { listenToPointer } from "./pointer.js";
import { scrollAside } from "./scroll.js";
import { TextSelection } from "./selection.js";
import { drawFacts, drawTools } from "./tools.js";
import { Values } from "./values.js";

const ROW = 18;
const LONGEST_ROW = 2_000; // longer lines continue in the next row, wrapped or not

/**
 * @typedef {object} Content
 * @property {string} text
 * @property {Uint8Array | null} [bytes] bytes to download; default: the text
 * @property {string} language
 * @property {string} fileName
 */
/**
 * @typedef {{label: string, wrap?: boolean, onwrap?: (wrap: boolean) => void, online?: (lines: string) =>
 *   void, tools?: any[]}} Options online: '40' or '40-52'
 */

export class CodePane {
  /** @param {Options} options */
  constructor(options) {
    this.options = options;
    this.wrap = options.wrap ?? false;
    /** @type {Content} */
    this.content = { text: "", language: "text", fileName: "text.txt" };
    this.text = "";
    this.pretty = false;
    /** @type {string | null} */
    this.laidOut = null;
    this.lines = /** @type {string[]} */ ([]);
    /** @type {Int32Array} */
    this.starts = new Int32Array(0);
    this.tokens = highlighter([], "text");
    this.longest = 0;
    this.columns = 0;
    this.layout = layOut([], LONGEST_ROW);
    this.line = this.lineEnd = 0; // the marked lines, from 1; 0 for none
    this.cursor = 0; // the marked line that the keys move
    /** @type {Int32Array | null} */
    this.ends = null;
    /** @type {Set<number>} lines with a folded block */
    this.closed = new Set();
    this.list = new VirtualList({
      rowHeight: ROW,
      class: "code",
      allUpTo: 200,
      render: (row) => this.renderRow(row),
    });
    this.body = this.list.element;
    this.body.tabIndex = 0;
    this.body.setAttribute("role", "region");
    this.body.setAttribute("aria-label", options.label);
    this.selection = new TextSelection(this);
    /** @type {import("./names.js").Names | null} */
    this.names = null;
    this.search = new Find({
      text: () => this.text,
      onfound: () => this.redraw(),
      onstep: (at) => this.reveal(at),
      online: (line) => this.goTo(line, true),
      onleave: () => this.body.focus(),
      place: () => this.placeToLookFrom(),
      selected: () => (this.selection.all || this.selection.text.includes("\n") ? "" : this.selection.text),
    });
    this.find = this.search.field;
    this.values = new Values({
      names: () => this.names,
      onchange: () => this.redraw(),
      ongo: (line, column) => {
        this.mark(line + 1, line + 1, true);
        this.reveal(this.starts[line] + column, ".here");
      },
    });
    this.facts = h("span", { class: "facts", role: "status" });
    this.tools = h("div", { class: "toolbar" });
    this.outline = new Outline({
      line: () => this.lineInSight(),
      onpick: (item) => {
        this.body.focus({ preventScroll: true });
        if (!this.values.show(item.name, item.line)) this.goTo(item.line + 1, true);
      },
      ontoggle: () => this.drawTools(),
    });
    this.element = h(
      "div",
      { class: "code-pane" },
      this.tools,
      this.values.element,
      h("div", { class: "code-beside" }, this.body, this.outline.element),
    );
    this.body.addEventListener("scroll", () => this.outline.follow(), { passive: true });
    this.element.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "F3") this.search.again(event);
    });
    this.body.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => codeKey(this, event));
    listenToPointer(this);
    new ResizeObserver(() => this.wrap && this.arrange()).observe(this.body);
    joinPage(this);
    this.prepare();
  }

  /** @param {Content} content */
  set(content) {
    this.content = content;
    this.laidOut = content.language === "json" ? prettyJson(content.text) : null;
    this.pretty = this.laidOut !== null;
    this.line = this.lineEnd = 0;
    this.search.clear();
    this.prepare();
  }

  /** Read the names of the text. */
  get hasNames() {
    return this.names !== null;
  }

  prepare() {
    this.selection.setAll(false);
    this.selection.forget();
    this.text = this.pretty ? (this.laidOut ?? "") : this.content.text;
    ({ lines: this.lines, starts: this.starts } = splitLines(this.text));
    this.tokens = highlighter(this.lines, this.content.language);
    this.longest = this.lines.reduce((most, line) => Math.max(most, Math.min(line.length, LONGEST_ROW)), 0);
    this.ends = null;
    this.closed.clear();
    this.names = namesOf(this.lines, this.content.language);
    this.values.clear();
    this.values.element.hidden = !this.hasNames;
    this.outline.set(this.names?.outline ?? []);
    this.body.style.setProperty("--gutter", `${Math.max(3, String(this.lines.length).length) + 2}ch`);
    this.body.scrollTop = 0;
    this.drawTools();
    this.arrange(true);
    this.search.search();
  }

  drawTools() {
    drawTools(this);
    this.drawFacts();
  }

  drawFacts() {
    drawFacts(this);
  }

  redraw() {
    this.list.redraw();
    this.selection.restore();
  }

  /** @param {boolean} wrap */
  setWrap(wrap) {
    this.keepPlace(() => {
      this.wrap = wrap;
      this.options.onwrap?.(wrap);
      this.drawTools();
      this.arrange();
    });
  }

  /** Run a change and keep the top line in place. @param {() => void} change */
  keepPlace(change) {
    const line = this.lineInSight();
    change();
    this.body.scrollTop = (Math.max(0, this.layout.first[line]) * ROW) / this.list.scale;
  }

  /** Return the top line, from 0. */
  lineInSight() {
    return this.layout.line[Math.floor((this.body.scrollTop * this.list.scale) / ROW)] ?? 0;
  }

  /** Compute the characters per row and lay out the lines. @param {boolean} [force] */
  arrange(force = false) {
    const columns = this.wrap ? this.roomForColumns() : LONGEST_ROW;
    if (columns === this.columns && !force) return;
    this.columns = columns;
    this.layout = layOut(
      this.lines,
      columns,
      this.ends && hiddenLines(this.lines.length, this.ends, this.closed),
    );
    this.body.style.setProperty("--widest", `${this.wrap ? 0 : this.longest}ch`);
    this.list.reset(this.layout.length);
    this.selection.restore();
  }

  roomForColumns() {
    const gutter = Math.max(3, String(this.lines.length).length) + 4;
    return Math.max(
      20,
      Math.min(LONGEST_ROW, Math.floor(this.body.clientWidth / characterWidth(this.body)) - gutter - 2),
    );
  }

  /** @param {number} row @returns {HTMLElement} */
  renderRow(row) {
    const index = this.layout.line[row];
    const from = this.layout.from[row];
    const number = index + 1;
    const end = this.folds()[index];
    const closed = this.closed.has(index);
    const lastRow = from + this.layout.columns >= this.lines[index].length;
    return h(
      "div",
      {
        class: `code-line${this.line <= number && number <= this.lineEnd ? " marked" : ""}`,
        dataset: { row },
      },
      h("span", { "class": "gutter", "aria-hidden": "true", "dataset": { line: from === 0 ? number : "↪" } }),
      h("span", {
        "class": "fold",
        "aria-hidden": "true",
        "dataset": { sign: from === 0 && end ? (closed ? "▸" : "▾") : "" },
      }),
      h(
        "span",
        { class: "text" },
        this.search.pieces(
          this.tokens(index),
          this.starts[index],
          from,
          from + this.layout.columns,
          this.values.marks.get(index),
        ),
      ),
      closed &&
        lastRow &&
        h("span", { class: "folded", dataset: { note: `⋯ ${plural(end - index, "line")}` } }),
    );
  }

  /** Scroll to an offset of the text. @param {number} at @param {string} [selector] of the element there */
  reveal(at, selector = "mark.current") {
    const line = lastAtMost(this.starts, at);
    this.unfold(line);
    const row = this.layout.first[line] + Math.floor((at - this.starts[line]) / this.layout.columns);
    const seen = this.body.scrollTop * this.list.scale;
    if (row * ROW < seen || (row + 2) * ROW > seen + this.body.clientHeight) this.list.center(row);
    this.redraw();
    scrollAside(this.body, this.body.querySelector(selector));
  }

  /** Return the current offset: the selection, or the first visible line. */
  placeToLookFrom() {
    const { selection, body, list, layout } = this;
    if (selection.some) return Math.min(selection.anchor, selection.focus);
    const row = Math.ceil((body.scrollTop * list.scale) / ROW);
    return body.scrollTop > 0 ? this.starts[layout.line[row] ?? 0] + (layout.from[row] ?? 0) : 0;
  }

  folds() {
    return (this.ends ??= foldEnds(this.lines, this.content.language === "guards"));
  }

  /** @param {number} line from 0; the first line of a block, or a line inside it */
  fold(line) {
    const ends = this.folds();
    while (line > 0 && !ends[line]) line--;
    if (!ends[line]) return;
    if (!this.closed.delete(line)) this.closed.add(line);
    this.keepPlace(() => this.arrange(true));
    this.drawTools();
    return line;
  }

  foldAll() {
    this.closed =
      this.closed.size > 0
        ? new Set()
        : foldLevel(this.lines, this.folds(), this.content.language === "guards");
    this.keepPlace(() => this.arrange(true));
    this.drawTools();
  }

  /** Open the folds around a line. @param {number} line from 0 */
  unfold(line) {
    const around = [...this.closed].filter((head) => head < line && line <= this.folds()[head]);
    if (!around.length) return;
    for (const head of around) this.closed.delete(head);
    this.arrange(true);
    this.drawTools();
  }

  /** @param {number} from lines, from 1 @param {number} to @param {boolean} tell */
  mark(from, to, tell) {
    const clamp = (/** @type {number} */ line) => Math.max(1, Math.min(line, this.lines.length));
    const several = this.lineEnd > this.line;
    this.line = clamp(Math.min(from, to));
    this.lineEnd = clamp(Math.max(from, to));
    if (several || this.lineEnd > this.line) this.drawTools();
    this.redraw();
    if (tell) this.options.online?.(this.marked);
  }

  /** Return the marked lines as in an address. */
  get marked() {
    return this.line === this.lineEnd ? String(this.line || "") : `${this.line}-${this.lineEnd}`;
  }

  /** @param {number | string} lines '40', '40-52' @param {boolean} tell */
  goTo(lines, tell) {
    const [from, to] = String(lines).split("-").map(Number);
    if (!(from > 0)) return;
    this.unfold(Math.min(from, this.lines.length) - 1);
    this.mark(from, to > 0 ? to : from, tell);
    this.list.center(this.layout.first[this.line - 1]);
    if (this.body.scrollLeft > 0) scrollAside(this.body, this.body.querySelector(".marked .text"));
  }

  /** Return the text to copy: several marked lines, or everything. */
  chosenText() {
    return this.lineEnd > this.line ? this.lines.slice(this.line - 1, this.lineEnd).join("\n") : this.text;
  }
}
