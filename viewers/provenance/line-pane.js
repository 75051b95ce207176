// One pane of lines that can be hovered, focused and pinned.
import { fill, h, typing } from "../lib/page/dom.js";
import { HEAT_COLUMNS, heatCell } from "./heat.js";
import { LineText, ROW } from "./line-text.js";

const MOST_TICKS = 300;
const TOUCH_MS = 600; // a scroll within this time after user input is the user's

/**
 * @typedef {object} Marks which lines stand out, from 1
 * @property {Set<number>} pinned
 * @property {Set<number>} preview
 * @property {boolean} loose they belong together by source line only
 */
/**
 * @typedef {object} Options
 * @property {string} name @property {string} title
 * @property {(line: number | null) => void} onpreview
 * @property {(line: number) => void} onpin
 * @property {() => void} onscroll the person scrolled this pane
 * @property {() => void} onhide
 */

export class LinePane extends LineText {
  /** @param {Options} options */
  constructor(options) {
    super(`${options.title}: text`);
    this.options = options;
    /** @type {Marks} */
    this.marks = { pinned: new Set(), preview: new Set(), loose: false };
    this.cursor = 0;
    /** @type {import("./heat.js").Heat | null} measured times */
    this.heat = null;
    /** @type {(line: number) => boolean} */
    this.mapped = () => true;
    /** @type {(line: number) => string | null} background of a line */
    this.tint = () => null;
    this.touched = -Infinity;
    this.note = h("span", { class: "dim pane-note" });
    this.ticks = h("div", { "class": "ticks", "aria-hidden": "true" });
    this.element.append(this.ticks);
    this.empty = h("p", { class: "padded dim" });
    const hide = h(
      "button",
      {
        "class": "tool",
        "title": "Hide this pane",
        "aria-label": `Hide ${options.title}`,
        "onclick": () => options.onhide(),
      },
      "×",
    );
    this.section = h(
      "section",
      { "class": `prov-pane pane-${options.name}`, "aria-label": options.title },
      h(
        "header",
        { class: "pane-head" },
        h("h2", null, options.title),
        this.note,
        h("span", { class: "spring" }),
        this.found.status,
        hide,
      ),
      this.empty,
      this.element,
    );
    this.listen();
  }

  listen() {
    const { body, options } = this;
    const lineAt = (/** @type {Event} */ event) =>
      Number(/** @type {Element} */ (event.target).closest?.(".code-line")?.getAttribute("data-line")) ||
      null;
    let over = /** @type {number | null} */ (null);
    body.addEventListener("pointermove", (/** @type {Event} */ event) => {
      const line = lineAt(event);
      if (line !== over) options.onpreview((over = line));
    });
    body.addEventListener("pointerleave", () => {
      over = null;
      options.onpreview(null);
    });
    body.addEventListener("click", (/** @type {Event} */ event) => {
      const line = lineAt(event);
      if (!line || String(getSelection() ?? "")) return; // selecting text is not a click
      this.cursor = line;
      options.onpin(line);
    });
    for (const type of ["wheel", "pointerdown", "touchmove", "keydown"]) {
      body.addEventListener(
        type,
        () => {
          this.touched = performance.now();
        },
        { passive: true },
      );
    }
    body.addEventListener(
      "scroll",
      () => {
        if (performance.now() - this.touched < TOUCH_MS) options.onscroll();
      },
      { passive: true },
    );
    body.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.keys(event));
    body.addEventListener("blur", () => options.onpreview(null));
  }

  /**
   * @param {string | null} text null: there is none @param {string} language @param {string} missing what to say then
   * @param {(line: number) => boolean} mapped @param {string[] | null} [labels]
   */
  show(text, language, missing, mapped, labels = null) {
    this.mapped = mapped;
    this.cursor = 0;
    fill(this.empty, text === null ? missing : "");
    this.empty.hidden = text !== null;
    this.element.hidden = text === null;
    this.setText(text ?? "", language, labels);
  }

  /** @override @param {number} row */
  renderRow(row) {
    const element = super.renderRow(row);
    const line = this.layout.line[row] + 1;
    const tint = this.tint(line);
    if (tint !== null) element.style.setProperty("--tint", tint);
    if (this.heat) element.firstElementChild?.after(heatCell(this.heat, line, this.layout.from[row] === 0));
    this.paintRow(element, line);
    return element;
  }

  /** @override */
  roomForColumns() {
    return super.roomForColumns() - (this.heat ? HEAT_COLUMNS : 0);
  }

  /** @param {HTMLElement} element @param {number} line */
  paintRow(element, line) {
    const { pinned, preview, loose } = this.marks;
    element.classList.toggle("pinned", pinned.has(line));
    element.classList.toggle("preview", preview.has(line));
    element.classList.toggle("loose", loose && (pinned.has(line) || preview.has(line)));
    element.classList.toggle("cursor", line === this.cursor);
    element.classList.toggle("unmapped", !this.mapped(line));
  }

  /** @param {Marks} marks */
  mark(marks) {
    this.marks = marks;
    this.repaint();
    this.drawTicks();
  }

  repaint() {
    for (const element of this.list.shown.values()) this.paintRow(element, Number(element.dataset.line));
  }

  /** Draw ticks at the marked lines next to the scroll bar. */
  drawTicks() {
    const { pinned, preview } = this.marks;
    const scrolls = this.layout.length * ROW > this.body.clientHeight;
    const lines = scrolls ? [...new Set([...pinned, ...preview])].slice(0, MOST_TICKS) : [];
    fill(
      this.ticks,
      lines.map((line) =>
        h("span", {
          class: pinned.has(line) ? "tick" : "tick tick-preview",
          style: { top: `${(100 * this.rowOf(line)) / this.layout.length}%` },
        }),
      ),
    );
  }

  /** @override @param {number} line */
  goTo(line) {
    this.moveTo(Math.max(1, Math.min(line, this.lines.length)));
    this.options.onpreview(this.cursor);
  }

  /** @param {number} line */
  moveTo(line) {
    this.cursor = line;
    this.reveal(line);
    this.repaint();
  }

  /** Return the line that keys start from: the cursor, or the first visible line. */
  get here() {
    return this.cursor || this.lineOfRow(this.seen().first);
  }

  /** Go to the next line with a counterpart. @param {number} by */
  nextMapped(by) {
    const from = this.cursor || (by > 0 ? this.here - 1 : this.here);
    for (let line = from + by; line >= 1 && line <= this.lines.length; line += by)
      if (this.mapped(line)) return line;
    return null;
  }

  /** @param {KeyboardEvent} event */
  keys(event) {
    if (typing(event) || event.target !== this.body) return;
    const page = this.list.page;
    const steps = /** @type {Record<string, number>} */ ({
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -Infinity,
      End: Infinity,
    });
    const step = steps[event.key];
    if (step !== undefined) {
      const from = this.cursor || (step > 0 ? this.here - 1 : this.here);
      this.goTo(from + step);
    } else if (event.key === "m" || event.key === "M") {
      const line = this.nextMapped(event.key === "m" ? 1 : -1);
      if (line !== null) this.goTo(line);
    } else if (event.key === "Enter" || event.key === " ") {
      this.cursor = this.here;
      this.options.onpin(this.cursor);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Return the mapped line nearest to the middle of the visible area, and its height. @returns {{line: number, height: number} | null} */
  anchor() {
    const { first, last } = this.seen();
    const middle = (first + last) / 2;
    let best = 0,
      distance = Infinity;
    for (let row = Math.max(0, first); row <= Math.min(last, this.layout.length - 1); row++) {
      const line = this.lineOfRow(row);
      if (Math.abs(row - middle) < distance && this.mapped(line))
        [best, distance] = [line, Math.abs(row - middle)];
    }
    return best
      ? { line: best, height: this.rowOf(best) * ROW - this.body.scrollTop * this.list.scale }
      : null;
  }
}
