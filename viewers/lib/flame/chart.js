// A flame chart on a canvas: zoom with the wheel, + - and by dragging in the ruler; pan by dragging and with
// the arrows.
//
// Screen readers can't read a canvas: a live region announces the selected box, and the view that shows
// a chart has a table with the same data.
import { cut, fill, h, typing } from "../page/dom.js";
import { boxAt, clampRange, neighbour } from "./data.js";
import { colorsAt, paint, prepare, ROW, RULER } from "./paint.js";

/** @typedef {import("./data.js").Flame} Flame */

/** @type {Flame} */
const EMPTY = { length: 0, from: [], to: [], row: [], hue: [], label: () => "", rows: [], end: 1 };

export class FlameChart {
  /**
   * @param {{label: string, least?: number, ruler?: (x: number, step: number) => string, tell: (box: number)
   *   => string,
   *   tip: (box: number) => any[], onselect: (box: number) => void, onopen: (box: number) => void, onsight?: () => void}} options
   *   least: the narrowest range; tell: describes a box; tip: the tooltip of a box; onselect gets -1 for none
   */
  constructor(options) {
    this.options = options;
    this.flame = EMPTY;
    this.from = 0;
    this.to = 1;
    this.selected = -1;
    this.hover = -1;
    /** @type {Int32Array[] | null} highlighted boxes by row; null for all */
    this.lit = null;
    /** @type {Int32Array | null} the boxes that n and N visit */
    this.order = null;
    /** @type {import("./paint.js").Colors | null} */
    this.colors = null;
    this.due = 0;
    this.canvas = h("canvas", { class: "flame-canvas" });
    this.space = h("div", { class: "flame-space" });
    this.tip = h("div", { class: "flame-tip", role: "presentation", hidden: true });
    this.told = h("p", { class: "visually-hidden", role: "status" });
    this.scroller = h(
      "div",
      {
        "class": "flame-scroll",
        "tabindex": "0",
        "role": "application",
        "aria-label": options.label,
        "aria-roledescription": "flame chart",
        "onkeydown": (/** @type {KeyboardEvent} */ event) => this.key(event),
        "onscroll": () => this.draw(),
        "onpointerdown": (/** @type {PointerEvent} */ event) => this.press(event),
        "onpointermove": (/** @type {PointerEvent} */ event) => this.point(event),
        "onpointerleave": () => this.point(null),
        "ondblclick": () => this.fit(),
      },
      this.canvas,
      this.space,
    );
    this.scroller.addEventListener("wheel", (/** @type {WheelEvent} */ event) => this.wheel(event), {
      passive: false,
    });
    this.element = h("div", { class: "flame" }, this.scroller, this.tip, this.told);
    new ResizeObserver(() => this.draw()).observe(this.scroller);
    /** @type {(() => void)[]} other users of the theme's colors */
    this.followers = [];
    this.recolor = () => {
      this.colors = null;
      this.draw();
      for (const follow of this.followers) follow();
    };
    this.themes = new MutationObserver(this.recolor);
    this.themes.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    this.scheme = matchMedia("(prefers-color-scheme: dark)");
    this.scheme.addEventListener("change", this.recolor);
  }

  close() {
    this.themes.disconnect();
    this.scheme.removeEventListener("change", this.recolor);
  }

  /** @param {Flame} flame */
  show(flame) {
    this.flame = flame;
    this.lit = this.order = null;
    this.hover = -1;
    this.space.style.height = `${this.wanted}px`;
    [this.from, this.to] = [0, flame.end];
    this.draw();
  }

  /** @param {Int32Array[] | null} lit */
  light(lit) {
    this.lit = lit;
    this.order = null;
    this.draw();
  }

  get head() {
    return this.options.ruler ? RULER : 0;
  }

  /** Return the height that shows every row. */
  get wanted() {
    return this.flame.rows.length * ROW + this.head + 4;
  }

  get width() {
    return Math.max(1, this.scroller.clientWidth);
  }

  get height() {
    return Math.max(1, this.scroller.clientHeight);
  }

  get scale() {
    return (this.to - this.from) / this.width;
  }

  draw() {
    this.due ||= requestAnimationFrame(() => {
      this.due = 0;
      if (this.element.isConnected) this.paintNow();
    });
  }

  paintNow() {
    const { width, height } = this;
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.colors ??= colorsAt(this.element);
    const state = {
      lit: this.lit,
      selected: this.selected,
      hover: this.hover,
      ruler: this.options.ruler ?? null,
    };
    paint(
      prepare(this.canvas, width, height),
      this.flame,
      { from: this.from, to: this.to, top: this.scroller.scrollTop },
      width,
      height,
      this.colors,
      state,
    );
  }

  /** @param {number} from @param {number} to */
  look(from, to) {
    [this.from, this.to] = clampRange(from, to, this.flame.end, this.options.least ?? this.flame.end / 1e6);
    this.point(null); // the box under the pointer has moved
    this.draw();
    this.options.onsight?.();
  }

  /** @param {number} factor above 1: zoom in @param {number} [at] fixed position */
  zoom(factor, at = (this.from + this.to) / 2) {
    this.look(at - (at - this.from) / factor, at + (this.to - at) / factor);
  }

  /** @param {number} part fraction of the visible range */
  pan(part) {
    const by = (this.to - this.from) * part;
    this.look(this.from + by, this.to + by);
  }

  /** Zoom to a box, with a margin. */
  fit(box = this.selected) {
    if (box < 0) return this.look(0, this.flame.end);
    const { from, to } = this.flame;
    const room = Math.max(to[box] - from[box], this.options.least ?? 0) * 0.04;
    this.look(from[box] - room, to[box] + room);
    this.reveal(box);
  }

  /** @param {number} box */
  reveal(box) {
    const y = this.flame.row[box] * ROW;
    const room = this.height - this.head - ROW;
    const { scrollTop } = this.scroller;
    if (y < scrollTop) this.scroller.scrollTop = y;
    else if (y > scrollTop + room) this.scroller.scrollTop = y - room + ROW;
    const { from, to } = this.flame;
    if (from[box] > this.to || to[box] < this.from || to[box] - from[box] < this.scale * 3) {
      const half = Math.min((this.to - this.from) / 2, Math.max((to[box] - from[box]) * 10, this.scale));
      const middle = (from[box] + to[box]) / 2;
      this.look(middle - half, middle + half);
    }
    this.draw();
  }

  /** Mark a box without calling onselect. @param {number} box */
  mark(box) {
    if (box === this.selected) return;
    this.selected = box;
    this.draw();
  }

  /** @param {number} box */
  select(box) {
    this.mark(box);
    this.told.textContent = box < 0 ? "" : cut(this.options.tell(box));
    if (box >= 0) this.reveal(box);
    this.options.onselect(box);
  }

  /** @param {number} step */
  walk(step) {
    const { flame } = this;
    this.order ??= Int32Array.from((this.lit ?? flame.rows).flatMap((row) => Array.from(row))).sort(
      (a, b) => flame.from[a] - flame.from[b] || flame.row[a] - flame.row[b],
    );
    const next = neighbour(this.order, this.selected, step);
    if (next >= 0) this.select(next);
  }

  /** Select the box beside, above or below. @param {number} across @param {number} down */
  beside(across, down) {
    if (this.selected < 0) return this.walk(1);
    const { flame, selected } = this;
    const row = flame.rows[flame.row[selected] + down];
    if (across) {
      const next = neighbour(flame.rows[flame.row[selected]], selected, across);
      if (next >= 0) this.select(next);
      return;
    }
    const middle = (flame.from[selected] + flame.to[selected]) / 2;
    const wide = (flame.to[selected] - flame.from[selected]) / 2;
    const next = boxAt(flame, row, down < 0 ? middle : flame.from[selected], down < 0 ? 0 : wide * 2);
    if (next >= 0) this.select(next);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (typing(event)) return;
    const scroll = (/** @type {number} */ rows) => {
      this.scroller.scrollTop += rows * ROW;
    };
    /** @type {Record<string, () => void>} */
    const keys = {
      "ArrowLeft": () => this.pan(-0.15),
      "ArrowRight": () => this.pan(0.15),
      "ArrowUp": () => scroll(-3),
      "ArrowDown": () => scroll(3),
      "PageUp": () => this.pan(-0.9),
      "PageDown": () => this.pan(0.9),
      "+": () => this.zoom(1.5),
      "=": () => this.zoom(1.5),
      "-": () => this.zoom(1 / 1.5),
      "0": () => this.look(0, this.flame.end),
      "f": () => this.fit(),
      "n": () => this.walk(1),
      "N": () => this.walk(-1),
      "Escape": () => this.select(-1),
      "Enter": () => this.selected >= 0 && this.options.onopen(this.selected),
    };
    /** @type {Record<string, () => void>} */
    const shifted = {
      ArrowLeft: () => this.beside(-1, 0),
      ArrowRight: () => this.beside(1, 0),
      ArrowUp: () => this.beside(0, -1),
      ArrowDown: () => this.beside(0, 1),
    };
    const run =
      (event.shiftKey && shifted[event.key]) || (Object.hasOwn(keys, event.key) ? keys[event.key] : null);
    if (!run) return;
    event.preventDefault();
    event.stopPropagation();
    run();
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    if (event.shiftKey && !event.deltaX) return; // the browser scrolls
    event.preventDefault();
    const x = event.clientX - this.scroller.getBoundingClientRect().left;
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.pan(event.deltaX / this.width);
    else this.zoom(1.0025 ** -(event.deltaY * (event.deltaMode ? 30 : 1)), this.from + x * this.scale);
  }

  /** Return the box under the pointer. @param {PointerEvent} event */
  under(event) {
    const box = this.scroller.getBoundingClientRect();
    const y = event.clientY - box.top - this.head;
    if (y < 0) return -1;
    const row = Math.floor((y + this.scroller.scrollTop) / ROW);
    return boxAt(
      this.flame,
      this.flame.rows[row],
      this.from + (event.clientX - box.left) * this.scale,
      this.scale * 2,
    );
  }

  /** @param {PointerEvent | null} event */
  point(event) {
    const box = event && !event.buttons ? this.under(event) : -1;
    if (box !== this.hover) {
      this.hover = box;
      this.tip.hidden = box < 0;
      if (box >= 0) fill(this.tip, this.options.tip(box));
      this.draw();
    }
    if (box < 0 || !event) return;
    const frame = this.element.getBoundingClientRect();
    const x = event.clientX - frame.left,
      y = event.clientY - frame.top;
    this.tip.style.left = `${Math.max(0, Math.min(x + 12, frame.width - this.tip.offsetWidth - 4))}px`;
    this.tip.style.top = `${y + 18 + this.tip.offsetHeight > frame.height && y > this.tip.offsetHeight ? y - this.tip.offsetHeight - 8 : y + 18}px`;
  }

  /** Select on a click; pan on a drag, or select a range in the ruler. @param {PointerEvent} event */
  press(event) {
    const frame = this.scroller.getBoundingClientRect();
    const x = event.clientX - frame.left;
    if (event.button || x > this.scroller.clientWidth) return;
    const { from, to, scale } = this;
    const top = this.scroller.scrollTop;
    const inRuler = event.clientY - frame.top < this.head;
    const box = this.under(event);
    let moved = false;
    this.scroller.setPointerCapture(event.pointerId);
    const move = (/** @type {PointerEvent} */ e) => {
      moved ||= Math.abs(e.clientX - event.clientX) + Math.abs(e.clientY - event.clientY) > 3;
      if (!moved || inRuler) return;
      const by = (event.clientX - e.clientX) * scale;
      const held = Math.max(-from, Math.min(by, this.flame.end - to));
      this.look(from + held, to + held);
      this.scroller.scrollTop = top + event.clientY - e.clientY;
    };
    const over = new AbortController();
    const done = (/** @type {PointerEvent} */ e) => {
      over.abort();
      if (e.type === "pointercancel") return;
      const end = e.clientX - frame.left;
      if (!moved) this.select(box);
      else if (inRuler) this.look(from + Math.min(x, end) * scale, from + Math.max(x, end) * scale);
    };
    this.scroller.addEventListener("pointermove", move, { signal: over.signal });
    for (const type of ["pointerup", "pointercancel"])
      this.scroller.addEventListener(type, /** @type {any} */ (done), { signal: over.signal });
  }
}
