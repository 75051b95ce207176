// The selection in a code pane: all text, or the text between two offsets. Offsets refer to the
// text, so copy includes rows that are not in the page. The rows at both ends stay in the page.
import { lastAtMost } from "../page/text.js";

export class TextSelection {
  /** @param {import("./pane.js").CodePane} pane */
  constructor(pane) {
    this.pane = pane;
    this.all = false;
    this.anchor = this.focus = -1; // -1: nothing is selected
  }

  get some() {
    return this.anchor >= 0 && this.focus >= 0 && this.anchor !== this.focus;
  }

  /** Return the selected text. */
  get text() {
    const { anchor, focus, pane } = this;
    if (this.all) return pane.text;
    return this.some ? pane.text.slice(Math.min(anchor, focus), Math.max(anchor, focus)) : "";
  }

  /** @param {boolean} all */
  setAll(all) {
    if (all === this.all) return;
    this.all = all;
    this.forget();
    getSelection()?.removeAllRanges();
    this.pane.body.classList.toggle("all-selected", all);
    this.pane.drawFacts();
  }

  forget() {
    this.anchor = this.focus = -1;
    this.keep();
  }

  /**
   * Take over the page's selection. Ends whose rows left the page keep their offsets.
   * @param {Selection} selection
   */
  follow({ anchorNode, anchorOffset, focusNode, focusOffset }) {
    const anchor = this.offsetOf(anchorNode, anchorOffset);
    const focus = this.offsetOf(focusNode, focusOffset);
    if (anchor < 0 && focus < 0) return;
    if (anchor >= 0) this.anchor = anchor;
    if (focus >= 0) this.focus = focus;
    this.keep();
  }

  keep() {
    const rows = this.some ? [this.anchor, this.focus].map((at) => this.rowOf(at)) : [];
    this.pane.list.keep(rows);
  }

  /** Restore the selection after a redraw. */
  restore() {
    if (!this.some) return;
    this.keep();
    this.pane.list.update();
    const [anchor, focus] = [this.anchor, this.focus].map((at) => this.pointAt(at));
    if (anchor && focus)
      getSelection()?.setBaseAndExtent(anchor.node, anchor.offset, focus.node, focus.offset);
  }

  /** @param {number} at offset in the text */
  rowOf(at) {
    const { layout, starts, lines } = this.pane;
    const line = lastAtMost(starts, at);
    const last = Math.max(0, Math.ceil(lines[line].length / layout.columns) - 1);
    return Math.max(0, layout.first[line] + Math.min(last, Math.floor((at - starts[line]) / layout.columns)));
  }

  /** @param {number} at */
  pointAt(at) {
    const { layout, starts, list } = this.pane;
    const row = this.rowOf(at);
    const text = list.shown.get(row)?.querySelector(".text");
    if (!text) return null;
    let left = at - starts[layout.line[row]] - layout.from[row];
    const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
    let node = /** @type {Node} */ (text);
    while (walker.nextNode()) {
      node = walker.currentNode;
      const { length } = node.textContent ?? "";
      if (left <= length) return { node, offset: left };
      left -= length;
    }
    return { node, offset: node === text ? 0 : (node.textContent?.length ?? 0) };
  }

  /**
   * Return the text offset of a position in the page; -1 outside rows.
   * @param {Node | null} node @param {number} offset
   */
  offsetOf(node, offset) {
    const element = node && (node instanceof Element ? node : node.parentElement);
    const line = /** @type {HTMLElement | null | undefined} */ (element?.closest(".code-line"));
    if (!node || !line || !this.pane.body.contains(line)) return -1;
    const { layout, starts, lines } = this.pane;
    const row = Number(line.dataset.row);
    const from = layout.from[row];
    const text = /** @type {Element} */ (line.querySelector(".text"));
    const before = document.createRange();
    before.selectNodeContents(text);
    const side = before.comparePoint(node, offset);
    if (side === 0) before.setEnd(node, offset);
    const column = side < 0 ? 0 : before.toString().length;
    const index = layout.line[row];
    return starts[index] + Math.min(from + column, lines[index].length);
  }
}
