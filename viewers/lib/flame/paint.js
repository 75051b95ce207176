// Draws a flame chart, or its minimap, on a canvas.
import { inSight, tickStep } from "./data.js";

/** @typedef {import("./data.js").Flame} Flame */
/**
 * @typedef {{hues: string[], dim: string, text: string, faint: string, line: string, back: string, accent:
 *   string, found: string}} Colors
 */
/**
 * @typedef {{from: number, to: number, top: number}} Sight the visible range, and pixels above the first row
 */

export const ROW = 18;
export const RULER = 20;
const HUES = 15;
const FONT = "11px ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const SMALLEST_TEXT = 22; // pixels

/**
 * Return the colors of the theme, since a canvas can't use custom properties.
 * @param {Element} where @returns {Colors}
 */
export function colorsAt(where) {
  const probe = document.createElement("span");
  where.append(probe);
  const of = (/** @type {string} */ name) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const colors = {
    hues: Array.from({ length: HUES }, (_, i) => of(`--hue-${i}`)),
    dim: of("--bg-3"),
    text: of("--text"),
    faint: of("--dim"),
    line: of("--line"),
    back: of("--bg"),
    accent: of("--accent"),
    found: of("--found-now"),
  };
  probe.remove();
  return colors;
}

/**
 * Size a canvas in device pixels.
 * @param {HTMLCanvasElement} canvas @param {number} width @param {number} height
 */
export function prepare(canvas, width, height) {
  const ratio = globalThis.devicePixelRatio || 1;
  const wide = Math.round(width * ratio),
    high = Math.round(height * ratio);
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
  }
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return pen;
}

/**
 * @param {CanvasRenderingContext2D} pen @param {Flame} flame @param {Sight} sight @param {number} width
 * @param {number} height @param {Colors} colors
 * @param {{lit: Int32Array[] | null, selected: number, hover: number, ruler: ((x: number, step: number) =>
 *   string) | null}} state
 */
export function paint(pen, flame, sight, width, height, colors, state) {
  const head = state.ruler ? RULER : 0;
  const scale = (sight.to - sight.from) / width || 1;
  pen.font = FONT;
  pen.textBaseline = "middle";
  const letter = pen.measureText("0").width || 7;
  const place = (/** @type {number} */ row) => head + row * ROW - sight.top;
  const first = Math.max(0, Math.floor(sight.top / ROW)),
    last = Math.min(flame.rows.length, Math.ceil((sight.top + height - head) / ROW));
  if (state.ruler) {
    pen.fillStyle = colors.dim;
    for (const at of ticks(sight, width).places) pen.fillRect(at, RULER, 1, height);
  }
  const draw = (/** @type {Int32Array} */ boxes, /** @type {number} */ row, /** @type {boolean} */ lit) => {
    const y = place(row);
    inSight(flame, boxes, sight.from, scale, width, (box, left, wide) => {
      const x = Math.max(left, -1),
        w = Math.min(left + wide, width + 1) - x;
      pen.fillStyle = lit ? colors.hues[flame.hue[box]] : colors.dim;
      const mark = flame.marked?.[box];
      pen.fillRect(x, y, Math.max(w - (w > 3 ? 0.6 : 0), mark === 2 ? 3 : 1), ROW - 1);
      if (mark === 1 && w > 3) dashed(pen, x, y, w, colors.text);
      if (w < SMALLEST_TEXT) return;
      const room = Math.floor((w - 6) / letter);
      const label = flame.label(box);
      pen.fillStyle = lit ? colors.text : colors.faint;
      pen.fillText(label.length > room ? `${label.slice(0, room - 1)}…` : label, x + 3, y + ROW / 2);
    });
  };
  for (let row = first; row < last; row++) {
    draw(flame.rows[row], row, state.lit === null);
    if (state.lit) draw(state.lit[row], row, true);
    const title = flame.titles?.get(row);
    if (title) {
      pen.fillStyle = colors.faint;
      pen.fillText(title, 4, place(row) + ROW / 2);
    }
  }
  for (const [box, color, thick] of /** @type {[number, string, number][]} */ ([
    [state.hover, colors.faint, 1],
    [state.selected, colors.accent, 2],
  ])) {
    if (box < 0) continue;
    const x = (flame.from[box] - sight.from) / scale,
      w = Math.max((flame.to[box] - flame.from[box]) / scale, 3);
    pen.strokeStyle = color;
    pen.lineWidth = thick;
    pen.strokeRect(
      Math.max(x, -4) + thick / 2,
      place(flame.row[box]) + thick / 2,
      Math.min(w, width + 8) - thick,
      ROW - 1 - thick,
    );
  }
  if (state.ruler) ruler(pen, sight, width, colors, state.ruler);
}

/**
 * @param {CanvasRenderingContext2D} pen @param {number} x @param {number} y @param {number} w
 * @param {string} color
 */
function dashed(pen, x, y, w, color) {
  pen.strokeStyle = color;
  pen.lineWidth = 1;
  pen.setLineDash([4, 3]);
  pen.strokeRect(x + 0.5, y + 0.5, w - 1.5, ROW - 2);
  pen.setLineDash([]);
}

/** @param {Sight} sight @param {number} width */
function ticks({ from, to }, width) {
  const step = tickStep(to - from, width / 110);
  const values = [],
    places = [];
  for (let n = Math.ceil(from / step); n * step <= to; n++) {
    values.push(n * step);
    places.push(Math.round(((n * step - from) / (to - from)) * width));
  }
  return { step, values, places };
}

/**
 * @param {CanvasRenderingContext2D} pen @param {Sight} sight @param {number} width @param {Colors} colors
 * @param {(x: number, step: number) => string} show
 */
function ruler(pen, sight, width, colors, show) {
  const { step, values, places } = ticks(sight, width);
  pen.fillStyle = colors.back;
  pen.fillRect(0, 0, width, RULER);
  pen.fillStyle = colors.line;
  pen.fillRect(0, RULER - 1, width, 1);
  places.forEach((at, i) => {
    pen.fillStyle = colors.line;
    pen.fillRect(at, 12, 1, 7);
    pen.fillStyle = colors.faint;
    pen.fillText(show(values[i], step), at + 3, 9);
  });
}

/**
 * Draw the minimap.
 * @param {CanvasRenderingContext2D} pen @param {Flame} flame @param {number} width @param {number} height
 * @param {Colors} colors @param {Int32Array[] | null} lit
 */
export function paintSmall(pen, flame, width, height, colors, lit) {
  const scale = flame.end / width || 1;
  const step = Math.min(height / Math.max(1, flame.rows.length), 4);
  const draw = (/** @type {Int32Array} */ boxes, /** @type {number} */ row, /** @type {boolean} */ bright) =>
    inSight(flame, boxes, 0, scale, width, (box, left, wide) => {
      pen.fillStyle = bright ? colors.hues[flame.hue[box]] : colors.dim;
      pen.fillRect(left, row * step, Math.max(wide, 1), Math.max(step, 1));
    });
  flame.rows.forEach((boxes, row) => draw(boxes, row, lit === null));
  lit?.forEach((boxes, row) => draw(boxes, row, true));
}
