// Buffers as areas, those of one source line side by side.
import { h } from "../../lib/page/dom.js";
import { bytes } from "../../lib/page/format.js";
import { percent } from "../../lib/page/figures.js";

const WIDTH = 100; // of the layout, in units of which a rectangle is shown as percent
const HEIGHT = 30;
const MOST = 300; // rectangles

/** @typedef {{x: number, y: number, width: number, height: number}} Box */

/**
 * Return a box for each size, largest first, as square as possible (Bruls, Huizing, van Wijk: Squarified Treemaps).
 * @param {number[]} sizes descending, positive @param {Box} box @returns {Box[]}
 */
export function squarified(sizes, box) {
  const boxes = /** @type {Box[]} */ ([]);
  let { x, y, width, height } = box;
  let left = sizes.reduce((sum, size) => sum + size, 0);
  let begin = 0;
  while (begin < sizes.length && left > 0 && width > 0 && height > 0) {
    const side = Math.min(width, height);
    const scale = (width * height) / left;
    let end = begin,
      sum = 0,
      worst = Infinity;
    while (end < sizes.length) {
      const next = sum + sizes[end] * scale;
      const thick = next / side;
      const ratio = Math.max(
        (sizes[begin] * scale) / thick / thick,
        (thick * thick) / (sizes[end] * scale || 1),
      );
      if (ratio > worst) break;
      [worst, sum, end] = [ratio, next, end + 1];
    }
    const thick = sum / side;
    let along = 0;
    for (const size of sizes.slice(begin, end)) {
      const length = (size * scale) / thick;
      boxes.push(
        width <= height
          ? { x: x + along, y, width: length, height: thick }
          : { x, y: y + along, width: thick, height: length },
      );
      along += length;
      left -= size;
    }
    if (width <= height) [y, height] = [y + thick, height - thick];
    else [x, width] = [x + thick, width - thick];
    begin = end;
  }
  return boxes;
}

/**
 * Build the treemap of buffers, grouped by a text such as their source line. It is a picture: a table has the same
 * buffers for the keyboard.
 * @param {any[]} buffers with a size, largest first
 * @param {{groupOf: (buffer: any) => string, describe: (buffer: any) => string, onopen: (buffer: any) => void}} options
 */
export function treemap(buffers, { groupOf, describe, onopen }) {
  const groups = new Map(/** @type {[string, any[]][]} */ ([]));
  for (const buffer of buffers.slice(0, MOST)) {
    const name = groupOf(buffer);
    const group = groups.get(name);
    if (group) group.push(buffer);
    else groups.set(name, [buffer]);
  }
  const total = buffers.reduce((sum, buffer) => sum + buffer.bytes, 0);
  const sized = [...groups]
    .map(([name, list]) => ({ name, list, size: list.reduce((sum, { bytes: own }) => sum + own, 0) }))
    .sort((a, b) => b.size - a.size);
  const boxes = squarified(
    sized.map(({ size }) => size),
    { x: 0, y: 0, width: WIDTH, height: HEIGHT },
  );
  const cell = (/** @type {any} */ buffer, /** @type {string} */ name, /** @type {boolean} */ isFirst) =>
    h(
      "div",
      {
        class: `treemap-cell role-${buffer.role}`,
        title: `${describe(buffer)}\n${name}\n${percent(buffer.bytes, total)} of ${bytes(total)}`,
        onclick: () => onopen(buffer),
      },
      h("b", null, bytes(buffer.bytes)),
      h("span", null, isFirst ? name : buffer.name),
      h("span", null, buffer.role),
    );
  const words = sized.slice(0, 3).map(({ name, size }) => `${name} ${bytes(size)}`);
  return h(
    "div",
    { "class": "treemap", "role": "img", "aria-label": `Buffers by source line: ${words.join(", ")}` },
    sized.map(({ name, list }, i) => {
      const box = boxes[i];
      if (!box) return null;
      const inner = squarified(
        list.map((buffer) => buffer.bytes),
        { x: 0, y: 0, width: box.width, height: box.height },
      );
      return h(
        "div",
        { class: "treemap-group", style: placed(box, WIDTH, HEIGHT) },
        h(
          "div",
          { class: "treemap-inner" },
          list.map(
            (buffer, at) =>
              inner[at] &&
              h(
                "div",
                { class: "treemap-box", style: placed(inner[at], box.width, box.height) },
                cell(buffer, name, at === 0),
              ),
          ),
        ),
      );
    }),
  );
}

/** @param {Box} box @param {number} width @param {number} height of the box around */
const placed = (box, width, height) => ({
  left: `${(100 * box.x) / width}%`,
  top: `${(100 * box.y) / height}%`,
  width: `${(100 * box.width) / width}%`,
  height: `${(100 * box.height) / height}%`,
});
