// Finding words in the text of a code pane: the field, the count, and where the matches are.
import { fill, h, searchField } from "../page/dom.js";
import { count } from "../page/format.js";
import { findAll, lastAtMost } from "../page/text.js";

const MOST_FOUND = 10_000;

export class Find {
  /** @param {{text: () => string, onfound: () => void, onstep: (at: number) => void, online: (line: number) => void, onleave: () => void}} options */
  constructor(options) {
    this.options = options;
    /** @type {number[]} where the matches begin in the text */
    this.found = [];
    this.at = -1;
    this.field = searchField("Find in this text", "Find, or :line", () => this.search(), {
      class: "find", onkeydown: (/** @type {KeyboardEvent} */ event) => this.key(event),
    });
    this.status = h("span", { class: "find-status", "aria-live": "polite" });
    this.elements = [this.field, this.status,
      h("button", { class: "tool", "aria-label": "Previous match", onclick: () => this.step(-1) }, "↑"),
      h("button", { class: "tool", "aria-label": "Next match", onclick: () => this.step(1) }, "↓")];
  }

  get length() {
    return this.field.value.length;
  }

  clear() {
    this.field.value = "";
    this.found = [];
    this.at = -1;
  }

  search() {
    const wanted = this.field.value;
    const line = /^:\d+$/.test(wanted) ? Number(wanted.slice(1)) : 0;
    this.found = line ? [] : findAll(this.options.text(), wanted, MOST_FOUND);
    this.at = -1;
    if (line) this.options.online(line);
    this.options.onfound();
    if (this.found.length) this.step(1);
    else this.tell();
  }

  tell() {
    const total = this.found.length === MOST_FOUND ? `${count(MOST_FOUND)} or more` : count(this.found.length);
    const line = /^:\d+$/.test(this.field.value);
    fill(this.status, !this.field.value || line ? "" : this.found.length ? `${count(this.at + 1)} of ${total}` : "not found");
  }

  /** @param {number} by */
  step(by) {
    if (!this.found.length) return;
    this.at = (this.at + by + this.found.length) % this.found.length;
    this.options.onstep(this.found[this.at]);
    this.tell();
  }

  /**
   * What to show of a part of a line: its tokens, cut where matches begin and end.
   * @param {[string, string][]} tokens kind and text @param {number} start where the line begins in the text
   * @param {number} from @param {number} to columns @param {Map<number, string>} [styles] classes of some columns, in place of those of the kinds
   */
  pieces(tokens, start, from, to, styles) {
    const { found, length } = this;
    const nodes = [];
    let next = found.length ? lastAtMost(found, start + from - length) : 0;
    let at = 0;
    for (const [kind, text] of tokens) {
      const stop = Math.min(at + text.length, to);
      const style = styles?.get(at) ?? (kind && `t-${kind}`);
      for (let i = Math.max(at, from); i < stop;) {
        while (next < found.length && found[next] + length <= start + i) next++;
        const begin = next < found.length ? found[next] - start : Infinity;
        const inside = begin <= i;
        const end = Math.min(stop, inside ? begin + length : begin);
        const piece = text.slice(i - at, end - at);
        if (inside) nodes.push(h("mark", { class: next === this.at ? "current" : null }, piece));
        else nodes.push(style ? h("span", { class: style }, piece) : piece);
        i = end;
      }
      at += text.length;
      if (at >= to) break;
    }
    return nodes;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key === "Enter") {
      event.preventDefault();
      this.step(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape") {
      this.clear();
      this.search();
      this.options.onleave();
    }
  }
}
