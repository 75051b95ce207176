// Two texts side by side or unified, with their differences. Long lines continue in the next row, so both
// sides stay aligned; equal runs are folded. Only visible rows are in the page.
import { highlighter } from "../code/highlight.js";
import { VirtualList } from "../list/virtual-list.js";
import { characterWidth, fill, h, typing } from "../page/dom.js";
import { count, plural } from "../page/format.js";
import { CHANGED, diffRows, EQUAL, GAP, LEFT, RIGHT } from "./diff.js";
import { compareTexts } from "./job.js";

const ROW = 18;
const CONTEXT = 3;
/** @type {Record<number, [string, string]>} sign and word: never by color alone */
const SIGNS = {
  [EQUAL]: [" ", "same"],
  [CHANGED]: ["~", "changed"],
  [LEFT]: ["−", "only left"],
  [RIGHT]: ["+", "only right"],
};

export class DiffPane {
  /** @param {{label: string, unified: boolean, onunified: (unified: boolean) => void}} options */
  constructor(options) {
    this.options = options;
    this.unified = options.unified;
    this.left = this.right = /** @type {string[]} */ ([]);
    /** @type {Int32Array} */
    this.runs = new Int32Array(0);
    /** @type {Set<number>} */
    this.opened = new Set();
    this.rows = /** @type {ReturnType<typeof diffRows>["rows"]} */ ([]);
    this.changes = /** @type {number[]} */ ([]);
    this.change = -1;
    this.columns = 80;
    this.rowOf = this.partOf = new Int32Array(0);
    this.firstOf = new Int32Array(0);
    this.list = new VirtualList({
      rowHeight: ROW,
      class: "code diff",
      render: (index) => this.renderRow(index),
    });
    this.body = this.list.element;
    this.body.tabIndex = 0;
    this.body.setAttribute("role", "region");
    this.body.setAttribute("aria-label", options.label);
    this.status = h("span", { class: "dim", role: "status" });
    this.modes = h("span", { "role": "group", "aria-label": "Layout" });
    this.tools = h(
      "div",
      { class: "toolbar" },
      this.status,
      h("span", { class: "spring" }),
      h(
        "button",
        {
          "class": "tool",
          "aria-label": "Previous change",
          "title": "Previous change (Shift+n)",
          "onclick": () => this.step(-1),
        },
        "↑",
      ),
      h(
        "button",
        {
          "class": "tool",
          "aria-label": "Next change",
          "title": "Next change (n)",
          "onclick": () => this.step(1),
        },
        "↓",
      ),
      this.modes,
    );
    this.element = h("div", { class: "code-pane" }, this.tools, this.body);
    new ResizeObserver(() => this.arrange()).observe(this.body);
    this.drawModes();
  }

  /** @param {string} left @param {string} right @param {string} language */
  async set(left, right, language) {
    fill(this.status, "Comparing …");
    const runs = await compareTexts(left, right);
    this.left = left.split("\n");
    this.right = right.split("\n");
    this.colors = [highlighter(this.left, language), highlighter(this.right, language)];
    this.runs = runs;
    this.opened.clear();
    this.change = -1;
    this.build();
    this.tell();
  }

  build() {
    ({ rows: this.rows, changes: this.changes } = diffRows(this.runs, this.left.length, this.right.length, {
      unified: this.unified,
      context: CONTEXT,
      opened: this.opened,
    }));
    this.columns = 0;
    this.arrange();
  }

  tell() {
    const { length } = this.changes;
    fill(
      this.status,
      length === 0
        ? "No difference"
        : this.change < 0
          ? plural(length, "change")
          : `change ${count(this.change + 1)} of ${count(length)}`,
    );
  }

  drawModes() {
    const button = (/** @type {string} */ text, /** @type {boolean} */ unified) =>
      h(
        "button",
        {
          "class": "tool",
          "aria-pressed": String(this.unified === unified),
          "onclick": () => {
            this.unified = unified;
            this.options.onunified(unified);
            this.drawModes();
            this.build();
            /** @type {HTMLElement | null} */ (this.modes.querySelector("[aria-pressed=true]"))?.focus();
          },
        },
        text,
      );
    fill(this.modes, button("Side by side", false), button("Unified", true));
  }

  /** Compute the characters per side and the layout of row parts. */
  arrange() {
    const digits = Math.max(3, String(Math.max(this.left.length, this.right.length)).length);
    this.body.style.setProperty("--gutter", `${digits + 1}ch`);
    const room = this.body.clientWidth / characterWidth(this.body);
    const columns = Math.max(
      20,
      Math.floor(this.unified ? room - 2 * (digits + 1) - 5 : room / 2 - digits - 5),
    );
    if (columns === this.columns) return;
    this.columns = columns;
    const heights = this.rows.map((row) =>
      row.kind === GAP
        ? 1
        : Math.max(
            1,
            Math.ceil(
              Math.max(this.left[row.left]?.length ?? 0, this.right[row.right]?.length ?? 0) / columns,
            ),
          ),
    );
    const total = heights.reduce((sum, height) => sum + height, 0);
    this.rowOf = new Int32Array(total);
    this.partOf = new Int32Array(total);
    this.firstOf = new Int32Array(this.rows.length);
    let at = 0;
    heights.forEach((height, row) => {
      this.firstOf[row] = at;
      for (let part = 0; part < height; part++, at++) [this.rowOf[at], this.partOf[at]] = [row, part];
    });
    this.list.reset(total);
  }

  /** @param {number} index @returns {HTMLElement} */
  renderRow(index) {
    const at = this.rowOf[index];
    const row = this.rows[at];
    if (row.kind === GAP) {
      return h(
        "div",
        { class: "code-line diff-gap" },
        h(
          "button",
          { class: "link", onclick: () => this.open(row.left) },
          `⋯ ${plural(row.count, "equal line")}`,
        ),
      );
    }
    const part = this.partOf[index];
    const here = this.change >= 0 && at >= this.changes[this.change] && this.sameChange(at);
    const sign = h(
      "span",
      { class: "diff-sign", title: SIGNS[row.kind][1] },
      part === 0 ? SIGNS[row.kind][0] : " ",
    );
    const kind = ["equal", "changed", "left", "right"][row.kind];
    if (this.unified) {
      const right = row.left < 0;
      return h(
        "div",
        { class: `code-line diff-${kind}${here ? " here" : ""}` },
        this.number(row.left, part),
        this.number(row.right, part),
        sign,
        this.text(right ? 1 : 0, right ? row.right : row.left, part, row),
      );
    }
    return h(
      "div",
      { class: `code-line diff-${kind}${here ? " here" : ""}` },
      this.number(row.left, part),
      this.text(0, row.left, part, row),
      sign,
      this.number(row.right, part),
      this.text(1, row.right, part, row),
    );
  }

  /** @param {number} at */
  sameChange(at) {
    return this.changes[this.change + 1] === undefined
      ? this.rows[at].kind !== EQUAL &&
          this.rows.slice(this.changes[this.change], at).every((row) => row.kind !== EQUAL)
      : at < this.changes[this.change + 1] && this.rows[at].kind !== EQUAL;
  }

  /** @param {number} line @param {number} part */
  number(line, part) {
    return h("span", {
      "class": "gutter",
      "aria-hidden": "true",
      "dataset": { line: line < 0 ? "" : part === 0 ? line + 1 : "↪" },
    });
  }

  /**
   * @param {0 | 1} side @param {number} line @param {number} part
   * @param {{kind: number, left: number, right: number}} row
   */
  text(side, line, part, row) {
    const element = h("span", { class: `text side${line < 0 ? " none" : ""}` });
    if (line < 0) return element;
    const from = part * this.columns;
    const to = from + this.columns;
    const [start, end] =
      row.kind === CHANGED ? inner(this.left[row.left], this.right[row.right], side) : [0, 0];
    let at = 0;
    for (const [kind, text] of this.colors?.[side](line) ?? []) {
      for (let i = Math.max(at, from); i < Math.min(at + text.length, to);) {
        const inside = i >= start && i < end;
        const stop = Math.min(at + text.length, to, inside ? end : i < start ? start : Infinity);
        element.append(
          h(
            "span",
            { class: [kind && `t-${kind}`, inside && "differs"].filter(Boolean).join(" ") || null },
            text.slice(i - at, stop - at),
          ),
        );
        i = stop;
      }
      at += text.length;
      if (at >= to) break;
    }
    return element;
  }

  /** @param {number} gap its first line on the left */
  open(gap) {
    const top = this.body.scrollTop;
    this.opened.add(gap);
    this.build();
    this.body.scrollTop = top;
    this.body.focus();
  }

  /** @param {number} by */
  step(by) {
    if (!this.changes.length) return;
    this.change =
      this.change < 0
        ? by > 0
          ? 0
          : this.changes.length - 1
        : (this.change + by + this.changes.length) % this.changes.length;
    this.list.redraw();
    this.list.center(this.firstOf[this.changes[this.change]]);
    this.tell();
  }

  /** @param {KeyboardEvent} event @returns {boolean} */
  key(event) {
    if (typing(event) || (event.key !== "n" && event.key !== "N")) return false;
    this.step(event.key === "n" ? 1 : -1);
    return true;
  }
}

/**
 * Return the changed part of a line, between its common start and end.
 * @param {string} left @param {string} right @param {0 | 1} side
 */
function inner(left, right, side) {
  const shorter = Math.min(left.length, right.length);
  let start = 0;
  while (start < shorter && left[start] === right[start]) start++;
  let end = 0;
  while (end < shorter - start && left[left.length - 1 - end] === right[right.length - 1 - end]) end++;
  return [start, (side ? right : left).length - end];
}
