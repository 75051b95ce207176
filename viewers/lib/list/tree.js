// A tree with the keys of the ARIA Authoring Practices: one tab stop, arrows, Home, End, Enter, *,
// type-ahead.
//
// The caller gives the visible rows as a flat list (parents before children), so nothing here is recursive.
import { h, typing } from "../page/dom.js";
import { VirtualList } from "./virtual-list.js";

/**
 * @typedef {object} TreeRow
 * @property {string} id stable between redraws
 * @property {string | null} parent id of the parent row
 * @property {number} level from 1
 * @property {boolean | null} expanded null for a leaf
 * @property {number} position among its siblings, from 1
 * @property {number} siblings
 * @property {string} label text for type-ahead; the accessible name is the row's content
 */

const ROW = 22;

/** @template {TreeRow} R */
export class Tree {
  /**
   * @param {{label: string, render: (row: R) => any[], toggle: (rows: R[], open: boolean) => void,
   *   onselect: (row: R) => void, onopen: (row: R) => void, rowClass?: (row: R) => string}} options
   */
  constructor(options) {
    this.options = options;
    /** @type {R[]} */
    this.rows = [];
    /** @type {Map<string, number>} */
    this.at = new Map();
    this.typed = "";
    this.typedAt = 0;
    this.list = new VirtualList({
      rowHeight: ROW,
      role: "tree",
      label: options.label,
      class: "tree",
      render: (index) => this.renderRow(index),
    });
    this.element = this.list.element;
    this.element.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.key(event));
  }

  /** @param {R[]} rows @param {string} [active] id of the active row */
  show(rows, active = this.rows[this.list.active]?.id) {
    this.rows = rows;
    this.at = new Map(rows.map((row, index) => [row.id, index]));
    this.list.reset(rows.length, this.at.get(active ?? "") ?? -1);
  }

  /** @param {number} index @returns {HTMLElement} */
  renderRow(index) {
    const row = this.rows[index];
    const active = index === this.list.active;
    const toggle =
      row.expanded === null
        ? null
        : (/** @type {MouseEvent} */ event) => {
            event.stopPropagation();
            this.options.toggle([row], !row.expanded);
          };
    return h(
      "div",
      {
        "role": "treeitem",
        "class": `tree-row ${this.options.rowClass?.(row) ?? ""}`,
        "tabindex": active || (this.list.active < 0 && index === 0) ? "0" : "-1",
        "aria-level": row.level,
        "aria-posinset": row.position,
        "aria-setsize": row.siblings,
        "aria-expanded": row.expanded === null ? null : String(row.expanded),
        "aria-selected": String(active),
        "onclick": () => this.select(index),
        "ondblclick": toggle,
      },
      h(
        "span",
        { "class": "twist", "aria-hidden": "true", "onclick": toggle },
        row.expanded === null ? "" : row.expanded ? "▾" : "▸",
      ),
      this.options.render(row),
    );
  }

  /** @param {number} index */
  select(index) {
    this.list.activate(index, true);
    this.options.onselect(this.rows[index]);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (typing(event) || !this.rows.length) return;
    const here = Math.max(0, this.list.active);
    const row = this.rows[here];
    const vertical = this.list.target(event.key);
    if (vertical !== null) this.select(vertical);
    else if (event.key === "ArrowRight") this.right(here, row);
    else if (event.key === "ArrowLeft") this.left(row);
    else if (event.key === "Enter") this.options.onopen(row);
    else if (event.key === " " && row.expanded !== null) this.options.toggle([row], !row.expanded);
    else if (event.key === "*")
      this.options.toggle(
        this.rows.filter((r) => r.parent === row.parent && r.expanded === false),
        true,
      );
    else if (event.key.length !== 1 || event.key === " " || "[]{}/?".includes(event.key)) return;
    else this.typeAhead(event.key, here);
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {number} here @param {R} row */
  right(here, row) {
    if (row.expanded === false) this.options.toggle([row], true);
    else if (row.expanded) this.select(here + 1);
  }

  /** @param {R} row */
  left(row) {
    if (row.expanded) this.options.toggle([row], false);
    else if (row.parent !== null) this.select(this.at.get(row.parent) ?? 0);
  }

  /** @param {string} key @param {number} here */
  typeAhead(key, here) {
    const now = performance.now();
    this.typed = now - this.typedAt > 700 ? key : this.typed + key;
    this.typedAt = now;
    const wanted = this.typed.toLowerCase();
    const start = this.typed.length === 1 ? here + 1 : here; // a later letter may match the same row
    for (let step = 0; step < this.rows.length; step++) {
      const index = (start + step) % this.rows.length;
      if (this.rows[index].label.toLowerCase().startsWith(wanted)) return this.select(index);
    }
  }
}
