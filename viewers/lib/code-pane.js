// Shows text of any length: line numbers, wrap, find, copy, download, JSON laid out, colours.
import { fill, h, searchField } from "./dom.js";
import { bytes as showBytes, count, plural } from "./format.js";
import { highlighter } from "./highlight.js";
import { findAll, lastAtMost, layOut, prettyJson, splitLines } from "./text.js";
import { VirtualList } from "./virtual-list.js";

const ROW = 18;
const LONGEST_ROW = 2_000; // longer lines go on in the next row, wrapped or not
const MOST_FOUND = 10_000;

/**
 * @typedef {object} Content
 * @property {string} text
 * @property {Uint8Array | null} [bytes] what is downloaded; without them the text itself
 * @property {string} language
 * @property {string} fileName
 */

export class CodePane {
  /** @param {{label: string, wrap?: boolean, onwrap?: (wrap: boolean) => void, online?: (line: number) => void}} options */
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
    this.line = 0; // the marked line, from 1
    this.found = /** @type {number[]} */ ([]);
    this.foundAt = -1;
    this.list = new VirtualList({ rowHeight: ROW, class: "code", render: (row) => this.renderRow(row) });
    this.body = this.list.element;
    this.body.tabIndex = 0;
    this.body.setAttribute("role", "region");
    this.body.setAttribute("aria-label", options.label);
    this.find = searchField("Find in this text", "Find, or :line", () => this.search(), {
      class: "find", onkeydown: (/** @type {KeyboardEvent} */ event) => this.findKey(event),
    });
    this.status = h("span", { class: "find-status", "aria-live": "polite" });
    this.facts = h("span", { class: "facts" });
    this.tools = h("div", { class: "toolbar" });
    this.element = h("div", { class: "code-pane" }, this.tools, this.body);
    new ResizeObserver(() => this.wrap && this.arrange()).observe(this.body);
    this.prepare();
  }

  /** @param {Content} content */
  set(content) {
    this.content = content;
    this.laidOut = content.language === "json" ? prettyJson(content.text) : null;
    this.pretty = this.laidOut !== null;
    this.line = 0;
    this.find.value = "";
    this.prepare();
  }

  prepare() {
    this.text = this.pretty ? this.laidOut ?? "" : this.content.text;
    ({ lines: this.lines, starts: this.starts } = splitLines(this.text));
    this.tokens = highlighter(this.lines, this.content.language);
    this.longest = this.lines.reduce((most, line) => Math.max(most, Math.min(line.length, LONGEST_ROW)), 0);
    this.body.style.setProperty("--gutter", `${Math.max(3, String(this.lines.length).length) + 2}ch`);
    this.body.scrollTop = 0;
    this.drawTools();
    this.columns = 0;
    this.arrange();
    this.search();
  }

  drawTools() {
    const toggle = (/** @type {string} */ label, /** @type {boolean} */ on, /** @type {() => void} */ run, /** @type {string} */ title) =>
      h("button", { class: "tool", "aria-pressed": String(on), onclick: run, title }, label);
    fill(this.facts, `${plural(this.lines.length, "line")}, ${showBytes(this.content.bytes?.length ?? new Blob([this.content.text]).size)}`);
    fill(this.tools, this.facts, h("span", { class: "spring" }), this.find, this.status,
      h("button", { class: "tool", "aria-label": "Previous match", onclick: () => this.step(-1) }, "↑"),
      h("button", { class: "tool", "aria-label": "Next match", onclick: () => this.step(1) }, "↓"),
      toggle("Wrap", this.wrap, () => this.setWrap(!this.wrap), "Break long lines"),
      this.laidOut !== null && toggle("Pretty", this.pretty, () => { this.pretty = !this.pretty; this.prepare(); }, "Lay the JSON out"),
      h("button", { class: "tool", onclick: (/** @type {Event} */ e) => this.copy(/** @type {HTMLElement} */ (e.currentTarget)) }, "Copy"),
      h("button", { class: "tool", onclick: () => this.download() }, "Download"));
  }

  /** @param {boolean} wrap */
  setWrap(wrap) {
    const line = this.layout.line[Math.floor(this.body.scrollTop * this.list.scale / ROW)] ?? 0;
    this.wrap = wrap;
    this.options.onwrap?.(wrap);
    this.drawTools();
    this.columns = 0;
    this.arrange();
    this.body.scrollTop = this.layout.first[line] * ROW / this.list.scale;
  }

  /** Decides how many characters a row has, and lays the lines out. */
  arrange() {
    const columns = this.wrap ? this.roomForColumns() : LONGEST_ROW;
    if (columns === this.columns) return;
    this.columns = columns;
    this.layout = layOut(this.lines, columns);
    this.body.style.setProperty("--widest", `${this.wrap ? 0 : this.longest}ch`);
    this.list.reset(this.layout.length);
  }

  roomForColumns() {
    const probe = h("span", { class: "code-probe" }, "0".repeat(100));
    this.body.append(probe);
    const width = probe.getBoundingClientRect().width / 100 || 8;
    probe.remove();
    const gutter = Math.max(3, String(this.lines.length).length) + 2;
    return Math.max(20, Math.min(LONGEST_ROW, Math.floor(this.body.clientWidth / width) - gutter - 2));
  }

  /** @param {number} row @returns {HTMLElement} */
  renderRow(row) {
    const index = this.layout.line[row];
    const from = this.layout.from[row];
    const number = index + 1;
    const gutter = h("span", {
      class: "gutter", "aria-hidden": "true", dataset: { line: from === 0 ? number : "↪" },
      onclick: () => this.goTo(number, true),
    });
    const content = h("span", { class: "text" }, this.pieces(index, from, from + this.layout.columns));
    return h("div", { class: `code-line${number === this.line ? " marked" : ""}` }, gutter, content);
  }

  /** Tokens of a part of a line, cut where matches begin and end. @param {number} index @param {number} from @param {number} to */
  pieces(index, from, to) {
    const nodes = [];
    const length = this.find.value.length;
    const start = this.starts[index];
    let next = this.found.length ? lastAtMost(this.found, start + from - length) : 0;
    let at = 0;
    for (const [kind, text] of this.tokens(index)) {
      const stop = Math.min(at + text.length, to);
      for (let i = Math.max(at, from); i < stop;) {
        while (next < this.found.length && this.found[next] + length <= start + i) next++;
        const begin = next < this.found.length ? this.found[next] - start : Infinity;
        const inside = begin <= i;
        const end = Math.min(stop, inside ? begin + length : begin);
        const piece = text.slice(i - at, end - at);
        if (inside) nodes.push(h("mark", { class: next === this.foundAt ? "current" : null }, piece));
        else nodes.push(kind ? h("span", { class: `t-${kind}` }, piece) : piece);
        i = end;
      }
      at += text.length;
      if (at >= to) break;
    }
    return nodes;
  }

  search() {
    const wanted = this.find.value;
    const line = /^:\d+$/.test(wanted) ? Number(wanted.slice(1)) : 0;
    this.found = line ? [] : findAll(this.text, wanted, MOST_FOUND);
    this.foundAt = -1;
    if (line) this.goTo(line, true);
    this.list.redraw();
    if (this.found.length) this.step(1);
    else this.showFound();
  }

  showFound() {
    const total = this.found.length === MOST_FOUND ? `${count(MOST_FOUND)} or more` : count(this.found.length);
    const line = /^:\d+$/.test(this.find.value);
    fill(this.status, !this.find.value || line ? "" : this.found.length ? `${count(this.foundAt + 1)} of ${total}` : "not found");
  }

  /** @param {number} step */
  step(step) {
    if (!this.found.length) return;
    this.foundAt = (this.foundAt + step + this.found.length) % this.found.length;
    const line = lastAtMost(this.starts, this.found[this.foundAt]);
    const column = this.found[this.foundAt] - this.starts[line];
    const row = this.layout.first[line] + Math.floor(column / this.layout.columns);
    const seen = this.body.scrollTop * this.list.scale;
    if (row * ROW < seen || (row + 2) * ROW > seen + this.body.clientHeight) this.list.center(row);
    this.list.redraw();
    this.body.querySelector("mark.current")?.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.showFound();
  }

  /** @param {KeyboardEvent} event */
  findKey(event) {
    if (event.key === "Enter") {
      event.preventDefault();
      this.step(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape") {
      this.find.value = "";
      this.search();
      this.body.focus();
    }
  }

  /** @param {number} line from 1 @param {boolean} tell */
  goTo(line, tell) {
    this.line = Math.max(1, Math.min(line, this.lines.length));
    this.list.redraw();
    this.list.center(this.layout.first[this.line - 1]);
    if (tell) this.options.online?.(this.line);
  }

  /** @param {HTMLElement} button */
  async copy(button) {
    try {
      await navigator.clipboard.writeText(this.text);
      fill(button, "Copied");
    } catch {
      fill(button, "Not allowed"); // no clipboard without https or localhost
    }
    setTimeout(() => fill(button, "Copy"), 1_500);
  }

  download() {
    const data = /** @type {BlobPart} */ (this.content.bytes ?? this.content.text);
    const url = URL.createObjectURL(new Blob([data], { type: "application/octet-stream" }));
    h("a", { href: url, download: this.content.fileName }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  }
}
