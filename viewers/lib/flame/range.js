// The minimap of a flame chart, with the visible range marked. Drag to select a range, or drag the mark to
// move it.
import { h } from "../page/dom.js";
import { colorsAt, paintSmall, prepare } from "./paint.js";

const EDGE = 6; // pixels on each side of an edge that drag it

export class FlameRange {
  /** @param {import("./chart.js").FlameChart} chart */
  constructor(chart) {
    this.chart = chart;
    this.canvas = h("canvas", { class: "flame-canvas" });
    this.mark = h("div", { class: "flame-mark" });
    // For the pointer only, since the chart has keys for the same.
    this.element = h(
      "div",
      {
        "class": "flame-range",
        "aria-hidden": "true",
        "onpointerdown": (/** @type {PointerEvent} */ e) => this.press(e),
      },
      this.canvas,
      this.mark,
    );
    this.due = 0;
    new ResizeObserver(() => this.draw()).observe(this.element);
    chart.followers.push(() => this.draw());
  }

  draw() {
    this.due ||= requestAnimationFrame(() => {
      this.due = 0;
      if (!this.element.isConnected) return;
      const { clientWidth: width, clientHeight: height } = this.element;
      paintSmall(
        prepare(this.canvas, width, height),
        this.chart.flame,
        width,
        height,
        colorsAt(this.element),
        this.chart.lit,
      );
      this.place();
    });
  }

  place() {
    const { from, to, flame } = this.chart;
    this.mark.hidden = from <= 0 && to >= flame.end;
    this.mark.style.left = `${(100 * from) / flame.end}%`;
    this.mark.style.width = `${(100 * (to - from)) / flame.end}%`;
  }

  /** @param {PointerEvent} event */
  press(event) {
    const frame = this.element.getBoundingClientRect();
    const { chart } = this;
    const unit = chart.flame.end / frame.width;
    const x = event.clientX - frame.left;
    const { from, to } = chart;
    const left = from / unit,
      right = to / unit;
    const all = to - from > chart.flame.end * 0.999;
    const near = (/** @type {number} */ edge) => !all && Math.abs(x - edge) < EDGE && right - left > 3 * EDGE;
    const inside = !all && x > left && x < right;
    const over = new AbortController();
    this.element.setPointerCapture(event.pointerId);
    const move = (/** @type {PointerEvent} */ e) => {
      const now = e.clientX - frame.left;
      const by = (now - x) * unit;
      if (near(left)) chart.look(Math.min(from + by, to), to);
      else if (near(right)) chart.look(from, Math.max(to + by, from));
      else if (inside)
        chart.look(
          from + Math.max(-from, Math.min(by, chart.flame.end - to)),
          to + Math.max(-from, Math.min(by, chart.flame.end - to)),
        );
      else if (Math.abs(now - x) > 3) chart.look(Math.min(x, now) * unit, Math.max(x, now) * unit);
    };
    const done = (/** @type {PointerEvent} */ e) => {
      over.abort();
      const half = (to - from) / 2;
      if (Math.abs(e.clientX - frame.left - x) <= 3 && !inside && !all)
        chart.look(x * unit - half, x * unit + half);
    };
    this.element.addEventListener("pointermove", /** @type {any} */ (move), { signal: over.signal });
    for (const type of ["pointerup", "pointercancel"])
      this.element.addEventListener(type, /** @type {any} */ (done), { signal: over.signal });
  }
}
