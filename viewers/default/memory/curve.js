// The curve of live bytes over the steps of a code, with a slider for the selected step.
import { h } from "../../lib/page/dom.js";
import { bytes, count } from "../../lib/page/format.js";

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 1000;
const HEIGHT = 200;

/** @typedef {{step: number, line: number, own: number, held: number}} Point */

/**
 * Build the curve. The slider stops at each change of memory.
 * @param {Point[]} points @param {{most: number, title: string, start: number, onmove: (point: Point) => void}} options
 *   most: bytes at the top of the scale; start: index of the selected point
 */
export function memoryCurve(points, { most, title, start, onmove }) {
  const x = (/** @type {number} */ index) => (WIDTH * index) / points.length;
  const y = (/** @type {number} */ size) => HEIGHT - (HEIGHT * size) / (most || 1);
  const area = (/** @type {(point: Point) => number} */ of) =>
    `M0 ${HEIGHT}${points.map((point, i) => `L${x(i)} ${y(of(point))}H${x(i + 1)}`).join("")}V${HEIGHT}Z`;
  const mark = shape("rect", { class: "memory-mark", y: 0, height: HEIGHT, width: WIDTH / points.length });
  const picture = shape(
    "svg",
    {
      "class": "memory-curve",
      "viewBox": `0 0 ${WIDTH} ${HEIGHT}`,
      "preserveAspectRatio": "none",
      "aria-hidden": "true",
    },
    shape("path", { class: "memory-held", d: area((point) => point.own + point.held) }),
    shape("path", { class: "memory-own", d: area((point) => point.own) }),
    mark,
  );
  const slider = h("input", {
    "type": "range",
    "class": "memory-slider",
    "min": 0,
    "max": points.length - 1,
    "step": 1,
    "value": start,
    "aria-label": `${title}: line of the code`,
    "oninput": () => select(Number(slider.value)),
  });
  const select = (/** @type {number} */ index) => {
    const point = points[index];
    slider.value = String(index);
    slider.setAttribute("aria-valuetext", `line ${count(point.line)}: ${bytes(point.own + point.held)}`);
    mark.setAttribute("x", String(x(index)));
    onmove(point);
  };
  picture.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
    const box = picture.getBoundingClientRect();
    const index = Math.floor((points.length * (event.clientX - box.left)) / box.width);
    select(Math.min(points.length - 1, Math.max(0, index)));
  });
  select(start);
  return h(
    "div",
    { class: "memory-plot" },
    h("span", { class: "memory-scale dim" }, bytes(most)),
    picture,
    slider,
  );
}

/** @param {string} tag @param {Record<string, any>} attributes @param {...Element} children @returns {any} */
function shape(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}
