// The value of an FX graph that somebody looks at: what is known about it, its definition and its uses.
import { fill, h } from "../page/dom.js";
import { count, plural, shortFile } from "../page/format.js";
import { factsOf, scopeOf, usesOf, valueAt, valuesIn } from "./fx-graph.js";

/** @typedef {import("./fx-graph.js").Use} Use */
/** @typedef {{name: string, uses: Use[], facts: import("./fx-graph.js").Facts | null}} Known */

export class Values {
  /** @param {{lines: () => string[], onchange: () => void, ongo: (line: number, column: number) => void}} options lines and columns from 0 */
  constructor(options) {
    this.options = options;
    /** @type {Known | null} */
    this.pinned = null;
    this.at = -1; // which of the uses
    /** @type {string | undefined} */
    this.hovered = undefined;
    /** @type {Map<number, Map<number, string>>} line -> column -> class */
    this.marks = new Map();
    /** @type {{first: number, last: number} | null} */
    this.scope = null;
    const button = (/** @type {string} */ text, /** @type {string} */ name, /** @type {string} */ key, /** @type {() => void} */ run) =>
      h("button", { class: "tool", "aria-label": name, title: `${name} (${key})`, onclick: run }, text);
    this.info = h("div", { class: "value-info", role: "status", "aria-label": "Value" });
    this.place = h("span", { class: "dim" });
    this.controls = h("span", { class: "value-controls", hidden: true }, this.place,
      button("Definition", "Definition", "d", () => this.toDefinition()),
      button("↑", "Previous use", "Shift+n", () => this.step(-1)), button("↓", "Next use", "n", () => this.step(1)));
    this.element = h("div", { class: "value-bar" }, this.info, this.controls);
    this.clear();
  }

  clear() {
    this.pinned = null;
    this.at = -1;
    this.scope = null;
    this.marks.clear();
    this.draw(null);
  }

  /** @param {string} name @param {number} line @returns {Known} */
  look(name, line) {
    const lines = this.options.lines();
    if (!this.scope || line < this.scope.first || line > this.scope.last) this.scope = scopeOf(lines, line);
    const uses = usesOf(lines, this.scope, name);
    const definition = uses.find((use) => use.definition);
    return { name, uses, facts: definition ? factsOf(lines, definition.line, name) : null };
  }

  /** Shows what is known about the value under the pointer. @param {number} line @param {number} column */
  hover(line, column) {
    const value = valueAt(this.options.lines()[line] ?? "", column);
    if (value && value.name !== this.hovered) this.draw(this.look(value.name, line));
    else if (!value && this.hovered) this.draw(this.pinned);
    this.hovered = value?.name;
  }

  /** @param {number} line @param {number} column @returns {boolean} whether there is a value */
  pin(line, column) {
    const value = valueAt(this.options.lines()[line] ?? "", column);
    if (!value) return false;
    const known = (this.pinned = this.look(value.name, line));
    this.at = known.uses.findIndex((use) => use.line === line && use.column === value.column);
    this.marks.clear();
    known.uses.forEach((use, i) => {
      const columns = this.marks.get(use.line) ?? new Map();
      this.marks.set(use.line, columns.set(use.column, `value${use.definition ? " definition" : ""}${i === this.at ? " here" : ""}`));
    });
    this.draw(known);
    this.options.onchange();
    return true;
  }

  /** @param {number} index of the uses */
  go(index) {
    const use = this.pinned?.uses[index];
    if (!use) return;
    this.pin(use.line, use.column);
    this.options.ongo(use.line, use.column);
  }

  /** @param {number} by */
  step(by) {
    const total = this.pinned?.uses.length ?? 0;
    if (total) this.go((Math.max(this.at, 0) + by + total) % total);
  }

  toDefinition() {
    this.go(this.pinned?.uses.findIndex((use) => use.definition) ?? -1);
  }

  /** The next value in a line. @param {number} line @param {number} by */
  walk(line, by) {
    const values = valuesIn(this.options.lines()[line] ?? "");
    if (!values.length) return;
    const here = this.pinned?.uses[this.at];
    const at = here?.line === line ? values.findIndex((value) => value.column === here.column) : by > 0 ? -1 : 0;
    const next = values[(at + by + values.length) % values.length];
    this.pin(line, next.column);
    this.options.ongo(line, next.column);
  }

  /** @param {Known | null} known */
  draw(known) {
    this.controls.hidden = !this.pinned;
    const total = this.pinned?.uses.length ?? 0;
    fill(this.place, this.at >= 0 ? `${count(this.at + 1)} of ${count(total)}` : "");
    if (!known) {
      fill(this.info, h("span", { class: "dim" }, "Point at a value to see its shape and source; click it, or press → in a line, to see where it is defined and used."));
      return;
    }
    const { name, uses, facts } = known;
    const fact = (/** @type {string} */ title, /** @type {string} */ value) => value && [h("span", { class: "dim" }, `${title} `), h("span", { class: "mono" }, value), " "];
    const place = facts?.file && `${shortFile(facts.file).split("/").slice(-2).join("/")}:${facts.fileLine}`;
    fill(this.info, h("b", { class: "mono" }, name), " ", facts
      ? [fact("dtype", facts.dtype), fact("shape", facts.shape), fact("stride", facts.stride), fact("device", facts.device), facts.target !== name && fact("from", facts.target)]
      : h("span", { class: "dim" }, "not defined in this function "),
    h("span", { class: "dim" }, `${plural(uses.filter((use) => !use.definition).length, "use")} `),
    facts?.file && h("span", { title: `${facts.file}:${facts.fileLine} in ${facts.where}` }, h("span", { class: "place" }, place), " ", h("code", null, facts.code)));
  }
}

/**
 * Which character the pointer is on, counted from the start of the element's text; -1 when on none.
 * @param {Element} element @param {number} x @param {number} y
 */
export function columnAt(element, x, y) {
  const doc = /** @type {any} */ (document);
  const position = doc.caretPositionFromPoint?.(x, y);
  const range = position ? null : doc.caretRangeFromPoint?.(x, y);
  const node = position?.offsetNode ?? range?.startContainer;
  if (!node || !element.contains(node) || node.nodeType !== Node.TEXT_NODE) return -1;
  let column = position?.offset ?? range.startOffset;
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let text = walker.nextNode(); text && text !== node; text = walker.nextNode()) column += text.textContent?.length ?? 0;
  return column;
}
