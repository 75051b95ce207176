// Boxes in rows, and which of them to draw. No page needed.
//
// Boxes of one row do not overlap, so a row sorted by start is also sorted by end, and a binary search
// finds the visible boxes: the cost of drawing depends on pixels, not on boxes.

/**
 * @typedef {object} Flame
 * @property {number} length number of boxes
 * @property {ArrayLike<number>} from start of each box
 * @property {ArrayLike<number>} to end of each box
 * @property {ArrayLike<number>} row
 * @property {ArrayLike<number>} hue index of the palette's color
 * @property {ArrayLike<number> | null} [marked] 1: dashed, 2: a moment, drawn with a minimum width
 * @property {(box: number) => string} label
 * @property {Int32Array[]} rows boxes of each row, in order
 * @property {number} end the right end of everything
 * @property {Map<number, string>} [titles] text above a row
 */

/**
 * Return the boxes of each row, sorted by start.
 * @param {ArrayLike<number>} row @param {ArrayLike<number>} from @param {number} height
 * @param {(box: number) => boolean} [wanted]
 */
export function byRow(row, from, height, wanted) {
  const counts = new Int32Array(height);
  for (let i = 0; i < row.length; i++) if (!wanted || wanted(i)) counts[row[i]]++;
  const rows = Array.from(counts, (count) => new Int32Array(count));
  counts.fill(0);
  for (let i = 0; i < row.length; i++) if (!wanted || wanted(i)) rows[row[i]][counts[row[i]]++] = i;
  for (const boxes of rows) {
    for (let i = 1; i < boxes.length; i++) {
      if (from[boxes[i]] >= from[boxes[i - 1]]) continue;
      boxes.sort((a, b) => from[a] - from[b] || a - b);
      break;
    }
  }
  return rows;
}

/**
 * Return the first index in a row, from 'first' on, whose box ends at or after x.
 * @param {Int32Array} boxes @param {ArrayLike<number>} to @param {number} x @param {number} [first]
 */
function firstEnding(boxes, to, x, first = 0) {
  let low = first,
    high = boxes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (to[boxes[middle]] < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Call visit(box, left, width) in pixels for the visible boxes of a row, once for boxes that share a pixel.
 * @param {Flame} flame @param {Int32Array} boxes @param {number} from @param {number} scale units of a pixel
 * @param {number} pixels
 * @param {(box: number, left: number, width: number) => void} visit
 */
export function inSight(flame, boxes, from, scale, pixels, visit) {
  const { from: begin, to: end } = flame;
  for (let at = firstEnding(boxes, end, from); at < boxes.length;) {
    const box = boxes[at];
    const left = (begin[box] - from) / scale;
    if (left > pixels) return;
    const width = (end[box] - begin[box]) / scale;
    visit(box, left, width);
    at++;
    if (width >= 1 || at >= boxes.length) continue;
    const next = from + (Math.floor(Math.max(left, 0)) + 1) * scale; // start of the next pixel
    if (end[boxes[at]] < next) at = firstEnding(boxes, end, next, at);
  }
}

/**
 * Return the box of a row at x, within a tolerance; -1 for none.
 * @param {Flame} flame @param {Int32Array | undefined} boxes @param {number} x @param {number} about
 */
export function boxAt(flame, boxes, x, about) {
  if (!boxes?.length) return -1;
  const at = firstEnding(boxes, flame.to, x);
  const distance = (/** @type {number} */ i) => {
    const box = boxes[i];
    return box === undefined ? Infinity : Math.max(flame.from[box] - x, x - flame.to[box], 0);
  };
  const best = distance(at - 1) < distance(at) ? at - 1 : at;
  return distance(best) <= about ? boxes[best] : -1;
}

/**
 * Return the next box in order (step 1) or the previous one (-1); -1 at the end.
 * @param {Int32Array} order boxes in order @param {number} box @param {number} step
 */
export function neighbour(order, box, step) {
  const at = order.indexOf(box);
  if (at >= 0) return order[at + step] ?? -1;
  return order[step > 0 ? 0 : order.length - 1] ?? -1;
}

/**
 * Return a round distance for the marks of an axis.
 * @param {number} span @param {number} marks approximate number of marks
 */
export function tickStep(span, marks) {
  const raw = span / Math.max(1, marks);
  const power = 10 ** Math.floor(Math.log10(Math.max(raw, 1e-9)));
  return (raw / power <= 1 ? 1 : raw / power <= 2 ? 2 : raw / power <= 5 ? 5 : 10) * power;
}

/**
 * Clamp a range to 0 to end, with a width of at least 'least'.
 * @param {number} from @param {number} to @param {number} end @param {number} least
 * @returns {[number, number]}
 */
export function clampRange(from, to, end, least) {
  let width = Math.min(Math.max(to - from, least), end);
  if (!Number.isFinite(width) || width <= 0) width = end;
  const start = Math.max(0, Math.min(from + (to - from - width) / 2, end - width));
  return [start, start + width];
}
