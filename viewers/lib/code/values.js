// The selected name of a text, a value of an FX graph or of generated code: its facts,
// definition and uses.
import { fill, h } from "../page/dom.js";
import { count, plural } from "../page/format.js";
import { lastParts, shortFile } from "../page/paths.js";
import { placeLink } from "../page/place-link.js";

const MOST_CALLS = 12; // calls listed

/** @typedef {import("./names.js").Known} Known */

export class Values {
  /**
   * @param {{names: () => import("./names.js").Names | null, onchange: () => void, ongo: (line: number,
   *   column: number) => void}} options lines and columns from 0
   */
  constructor(options) {
    this.options = options;
    /** @type {Known | null} */
    this.pinned = null;
    this.at = -1; // index of the current use
    /** @type {string | undefined} */
    this.hovered = undefined;
    /** @type {Map<number, Map<number, string>>} line -> column -> class */
    this.marks = new Map();
    this.from = -1; // the use to return to from the definition
    const button = (
      /** @type {string} */ text,
      /** @type {string} */ name,
      /** @type {string} */ key,
      /** @type {() => void} */ run,
    ) =>
      h("button", { "class": "tool", "aria-label": name, "title": `${name} (${key})`, "onclick": run }, text);
    this.info = h("div", { "class": "value-info", "role": "status", "aria-label": "Value" });
    this.place = h("span", { class: "dim" });
    this.controls = h(
      "span",
      { class: "value-controls", hidden: true },
      this.place,
      button("Definition", "Definition", "d", () => this.toDefinition()),
      button("↑", "Previous use", "Shift+n", () => this.step(-1)),
      button("↓", "Next use", "n", () => this.step(1)),
    );
    this.element = h("div", { class: "value-bar" }, this.info, this.controls);
    this.clear();
  }

  clear() {
    this.pinned = null;
    this.at = -1;
    this.from = -1;
    this.marks.clear();
    this.draw(null);
  }

  /** Return the name at a position, with its facts. @param {number} line @param {number} column */
  nameAt(line, column) {
    const names = this.options.names();
    const occurrence = names
      ?.inLine(line)
      .find((value) => value.column <= column && column <= value.column + value.name.length);
    return names && occurrence
      ? { column: occurrence.column, name: occurrence.name, look: () => names.look(occurrence.name, line) }
      : null;
  }

  /** Show the facts about the name under the pointer. @param {number} line @param {number} column */
  hover(line, column) {
    const value = this.nameAt(line, column);
    const place = value ? `${value.name} ${line}` : undefined;
    if (value && place !== this.hovered) this.draw(value.look());
    else if (!value && this.hovered) this.draw(this.pinned);
    this.hovered = place;
  }

  /** @param {number} line @param {number} column @returns {boolean} whether there is a value */
  pin(line, column) {
    const value = this.nameAt(line, column);
    if (!value) return false;
    const described = (this.pinned = value.look());
    this.at = described.uses.findIndex((use) => use.line === line && use.column === value.column);
    this.marks.clear();
    described.uses.forEach((use, i) => {
      const columns = this.marks.get(use.line) ?? new Map();
      this.marks.set(
        use.line,
        columns.set(use.column, `value${use.definition ? " definition" : ""}${i === this.at ? " here" : ""}`),
      );
    });
    this.draw(described);
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

  /** Go to the definition, and from there back to the previous or the first use. */
  toDefinition() {
    const uses = this.pinned?.uses ?? [];
    const definition = uses.findIndex((use) => use.definition);
    if (definition < 0) return;
    const back =
      this.from >= 0 && this.from < uses.length ? this.from : uses.findIndex((use) => !use.definition);
    if (this.at !== definition) {
      this.from = this.at;
      this.go(definition);
    } else if (back >= 0) this.go(back);
  }

  /** Go to the next value in a line. @param {number} line @param {number} by */
  walk(line, by) {
    const values = this.options.names()?.inLine(line) ?? [];
    if (!values.length) return;
    const here = this.pinned?.uses[this.at];
    const at =
      here?.line === line ? values.findIndex((value) => value.column === here.column) : by > 0 ? -1 : 0;
    const next = values[(at + by + values.length) % values.length];
    this.pin(line, next.column);
    this.options.ongo(line, next.column);
  }

  /** @param {Known | null} described */
  draw(described) {
    this.controls.hidden = !this.pinned;
    const total = this.pinned?.uses.length ?? 0;
    fill(this.place, this.at >= 0 ? `${count(this.at + 1)} of ${count(total)}` : "");
    if (!described) {
      fill(this.info, h("span", { class: "value-hint" }, this.options.names()?.hint));
      return;
    }
    const { name, uses, facts, missing, unit, source } = described;
    const others = uses.filter((use) => !use.definition);
    const place = source && `${lastParts(shortFile(source.file), 2)}:${source.fileLine}`;
    fill(
      this.info,
      h("b", { class: "mono" }, name),
      " ",
      facts.map(([title, value]) => [
        title && h("span", { class: "dim" }, `${title} `),
        h("span", { class: "mono" }, value),
        " ",
      ]),
      missing && h("span", { class: "dim" }, `${missing} `),
      h("span", { class: "dim" }, `${plural(others.length, unit)} `),
      unit === "call" && described === this.pinned && this.calls(others),
      source &&
        h(
          "span",
          { title: `${source.file}:${source.fileLine} in ${source.where}` },
          placeLink(source.file, source.fileLine, place),
          " ",
          h("code", null, source.code),
        ),
    );
  }

  /** Build links to the lines that call a kernel. @param {import("./names.js").Use[]} uses */
  calls(uses) {
    if (!uses.length) return null;
    return [
      h("span", { class: "dim" }, uses.length === 1 ? "in line " : "in lines "),
      uses
        .slice(0, MOST_CALLS)
        .map((use) => [
          h(
            "button",
            { class: "link-quiet", onclick: () => this.go(this.pinned?.uses.indexOf(use) ?? -1) },
            count(use.line + 1),
          ),
          " ",
        ]),
      uses.length > MOST_CALLS && h("span", { class: "dim" }, `and ${count(uses.length - MOST_CALLS)} more `),
    ];
  }

  /** Show a definition. @param {string} name @param {number} line */
  show(name, line) {
    const column = this.options
      .names()
      ?.inLine(line)
      .find((value) => value.name === name)?.column;
    if (column === undefined || !this.pin(line, column)) return false;
    this.options.ongo(line, column);
    return true;
  }
}

/**
 * Return the character under the pointer, counted from the start of the element's text; -1 for none.
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
  for (let text = walker.nextNode(); text && text !== node; text = walker.nextNode())
    column += text.textContent?.length ?? 0;
  return column;
}
