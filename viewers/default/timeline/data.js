// The span table as boxes of a chart: rows, colors, self times, compiles. Needs no page.
import { byRow } from "../../lib/flame/data.js";
import { numberOf } from "../shared/model.js";
import { CHARTED, phaseOfSpan } from "../shared/phases.js";

export const HUES = 10; // colors of compiles
const NONE = 10; // color of what belongs to no compile or phase

/** @typedef {import("../../../schema/bundle.d.ts").Spans} SpanRow */
/** @typedef {import("../../../schema/bundle.d.ts").Instants} InstantRow */
/** @typedef {import("../../../schema/bundle.d.ts").SpanTotals} TotalRow */
/** @typedef {{count: number[], total_us: number[], self_us: number[]}} Sums by name */
/**
 * The boxes of the chart: box i is span i, or instant i - spanCount.
 * @typedef {object} Timeline
 * @property {import("../../lib/flame/data.js").Flame} flame
 * @property {SpanRow[]} spans
 * @property {InstantRow[]} instants
 * @property {string[]} names
 * @property {Int32Array} name position in names, for each box
 * @property {Int32Array} parent for each span; -1 for none
 * @property {Sums} sums of the whole log
 * @property {number} spanCount
 * @property {Float64Array} own self time of each span, in µs
 * @property {{phase: Uint8Array, compile: Uint8Array, name: Uint8Array}} hues
 * @property {Int32Array} compile index in model.compiles, for each box
 * @property {Int32Array} group index in groups, for each box; the attempts of a compile share one
 * @property {Group[]} groups
 */
/** @typedef {{compile: number, hue: number, spans: number, total: number, from: number, to: number}} Group compile: index of its last attempt */

const LONGEST_NAME = 1_000; // limit of the format

/** @param {SpanRow[]} spans @param {InstantRow[]} instants @param {TotalRow[]} totals @param {any} model @returns {Timeline} */
export function timelineOf(spans, instants, totals, model) {
  const spanCount = spans.length;
  const length = spanCount + instants.length;
  const { names, name } = namesOf([spans, instants], length);
  let first = Infinity;
  for (const span of spans) first = Math.min(first, span.start_epoch_us);
  for (const instant of instants) first = Math.min(first, instant.time_epoch_us);
  const from = new Float64Array(length),
    compile = new Int32Array(length),
    parent = new Int32Array(spanCount);
  spans.forEach((span, i) => {
    from[i] = span.start_epoch_us - first;
    compile[i] = numberOf(model, span);
    parent[i] = span.parent ?? -1;
  });
  instants.forEach((instant, i) => {
    from[spanCount + i] = instant.time_epoch_us - first;
    compile[spanCount + i] = numberOf(model, instant);
  });
  const { group, groups } = groupsOf(compile, model.compiles);
  const to = endings(spans, parent, from, group, groups.length);
  const depth = depths(parent);
  const { row, height, titles } = rowsOf(spans, depth, instants.length, length);
  const rows = byRow(row, from, height);
  for (const boxes of rows) {
    // An estimated end must not reach into the next box.
    for (let i = boxes.length - 2; i >= 0; i--)
      if (to[boxes[i]] > from[boxes[i + 1]]) to[boxes[i]] = Math.max(from[boxes[i]], from[boxes[i + 1]]);
  }
  const hues = {
    phase: phaseHues(spans, parent, depth, length),
    compile: new Uint8Array(length),
    name: new Uint8Array(length),
  };
  const marked = new Uint8Array(length);
  let end = 1;
  for (let i = 0; i < length; i++) {
    hues.compile[i] = groups[group[i]].hue;
    hues.name[i] = name[i] % HUES;
    marked[i] = i >= spanCount ? 2 : spans[i].repair === null ? 0 : 1;
    if (to[i] > end) end = to[i];
  }
  for (let i = 0; i < spanCount; i++) {
    const at = groups[group[i]];
    at.spans++;
    at.from = Math.min(at.from, from[i]);
    at.to = Math.max(at.to, to[i]);
    if (parent[i] < 0 || group[parent[i]] !== group[i]) at.total += spans[i].duration_us ?? 0;
  }
  const label = (/** @type {number} */ box) => names[name[box]];
  const flame = { length, from, to, row, hue: hues.phase, marked, label, rows, end, titles };
  return {
    flame,
    spans,
    instants,
    names,
    name,
    parent,
    sums: sumsOf(totals, names),
    spanCount,
    own: ownTimes(spans, parent),
    hues,
    compile,
    group,
    groups,
  };
}

/** Return the distinct names, and the index of each box's name. @param {{name: string}[][]} lists @param {number} length */
function namesOf(lists, length) {
  /** @type {Map<string, number>} */
  const numbers = new Map();
  const name = new Int32Array(length);
  let box = 0;
  for (const rows of lists) {
    for (const row of rows) {
      let number = numbers.get(row.name);
      if (number === undefined) numbers.set(row.name, (number = numbers.size));
      name[box++] = number;
    }
  }
  return { names: [...numbers.keys()].map((text) => text.slice(0, LONGEST_NAME)), name };
}

/** @param {TotalRow[]} totals @param {string[]} names @returns {Sums} */
function sumsOf(totals, names) {
  const ofName = new Map(totals.map((row) => [row.name.slice(0, LONGEST_NAME), row]));
  const column = (/** @type {"count" | "total_us" | "self_us"} */ key) =>
    names.map((name) => ofName.get(name)?.[key] ?? 0);
  return { count: column("count"), total_us: column("total_us"), self_us: column("self_us") };
}

/** Group boxes by compile, in order of appearance. @param {Int32Array} compile @param {any[]} compiles */
function groupsOf(compile, compiles) {
  const keys = compiles.map((row) => (row.id === null ? "" : row.compile));
  const last = new Map(keys.map((key, index) => [key, index]));
  /** @type {Map<string, number>} */
  const indexes = new Map();
  /** @type {Group[]} */
  const groups = [];
  let colored = 0;
  const ofRow = new Int32Array(compiles.length).fill(-1);
  const group = compile.map((index) => {
    if (ofRow[index] >= 0) return ofRow[index];
    const key = keys[index] ?? "";
    let at = indexes.get(key);
    if (at === undefined) {
      indexes.set(key, (at = groups.length));
      groups.push({
        compile: key === "" ? index : (last.get(key) ?? index),
        hue: key === "" ? NONE : colored++ % HUES,
        spans: 0,
        total: 0,
        from: Infinity,
        to: 0,
      });
    }
    return (ofRow[index] = at);
  });
  return { group, groups };
}

/** Return the ends of all boxes. A span without an end extends to the last event of its compile, within its parent. @param {SpanRow[]} spans @param {Int32Array} parent @param {Float64Array} from @param {Int32Array} group @param {number} groupCount */
function endings(spans, parent, from, group, groupCount) {
  const to = Float64Array.from(from);
  const last = new Float64Array(groupCount);
  for (let i = 0; i < from.length; i++) {
    if (i < spans.length) to[i] += spans[i].duration_us ?? 0;
    last[group[i]] = Math.max(last[group[i]], to[i]);
  }
  const open = [];
  for (let i = 0; i < spans.length; i++) if (spans[i].duration_us === null) open.push(i);
  for (const i of open) to[i] = Math.max(from[i], last[group[i]]);
  for (let round = 0, changed = true; changed && round < 64; round++) {
    changed = false;
    for (const i of open) {
      const above = parent[i];
      if (above >= 0 && to[i] > to[above]) {
        to[i] = Math.max(from[i], to[above]);
        changed = true;
      }
    }
  }
  return to;
}

/** Return the nesting depth of each span. Parents may come after their children. @param {Int32Array} parent */
function depths(parent) {
  const depth = new Int32Array(parent.length).fill(-1);
  for (let i = 0; i < parent.length; i++) {
    const above = parent[i];
    if (above < 0 || depth[above] >= 0) {
      depth[i] = above < 0 ? 0 : depth[above] + 1;
      continue;
    }
    const path = [];
    let at = i;
    for (; at >= 0 && depth[at] < 0; at = parent[at]) path.push(at);
    let below = at < 0 ? 0 : depth[at] + 1;
    for (let k = path.length - 1; k >= 0; k--) depth[path[k]] = below++;
  }
  return depth;
}

/** Assign rows: instants first, then one row per depth in each lane. @param {SpanRow[]} spans @param {Int32Array} depth @param {number} instants @param {number} length */
function rowsOf(spans, depth, instants, length) {
  /** @type {number[]} */
  const deepest = [];
  depth.forEach((d, i) => {
    deepest[spans[i].lane] = Math.max(deepest[spans[i].lane] ?? 0, d);
  });
  const titles = new Map();
  let height = instants ? 1 : 0;
  const first = deepest.map((most, lane) => {
    if (deepest.length > 1) titles.set(height++, lane ? `lane ${lane} (concurrent)` : "lane 0");
    const at = height;
    height += (most ?? 0) + 1;
    return at;
  });
  const row = new Int32Array(length);
  for (let i = 0; i < depth.length; i++) row[i] = first[spans[i].lane] + depth[i];
  return { row, height, titles };
}

/** Return the color of each box's phase: that of the nearest span around it that begins one. @param {SpanRow[]} spans @param {Int32Array} parent @param {Int32Array} depth @param {number} length */
function phaseHues(spans, parent, depth, length) {
  const phases = /** @type {(string | null)[]} */ (new Array(spans.length).fill(null));
  const outerFirst = Int32Array.from(spans, (_, i) => i).sort((a, b) => depth[a] - depth[b]);
  for (const i of outerFirst)
    phases[i] = phaseOfSpan(spans[i].name, parent[i] < 0 ? null : phases[parent[i]]);
  const hues = new Uint8Array(length).fill(NONE);
  phases.forEach((phase, i) => {
    if (phase !== null) hues[i] = CHARTED.indexOf(phase);
  });
  return hues;
}

/** Return the self time of each span: its duration without nested spans. @param {SpanRow[]} spans @param {Int32Array} parent */
function ownTimes(spans, parent) {
  const own = Float64Array.from(spans, (span) => span.duration_us ?? 0);
  const ended = Int32Array.from(parent); // nearest enclosing span that has an end; paths are compressed
  for (let i = 0; i < own.length; i++) {
    let above = ended[i];
    while (above >= 0 && spans[above].duration_us === null) above = ended[above];
    for (let at = i, next = ended[at]; next !== above; at = next, next = ended[at]) ended[at] = above;
    if (above >= 0) own[above] -= spans[i].duration_us ?? 0;
  }
  return own.map((us) => Math.max(0, us));
}

/** Return the boxes that match a query (in quotes: the whole name) and a compile, by row; null when all do. @param {Timeline} line @param {string} query @param {number} group */
export function litRows(line, query, group) {
  const wanted = query.trim().toLowerCase();
  if (!wanted && group < 0) return null;
  const whole = /^"(.*)"$/.exec(wanted)?.[1];
  const names = line.names.map((name) =>
    whole === undefined ? name.toLowerCase().includes(wanted) : name.toLowerCase() === whole,
  );
  return byRow(
    line.flame.row,
    line.flame.from,
    line.flame.rows.length,
    (box) => names[line.name[box]] && (group < 0 || line.group[box] === group),
  );
}

/** Return the event number of a box's begin, which is its address. @param {Timeline} line @param {number} box */
export const eventOf = (line, box) =>
  box < line.spanCount ? line.spans[box].begin_event : line.instants[box - line.spanCount].event;

/** @param {Timeline} line @param {string} event an event number, or 's' and a span id @returns {number} -1 for none */
export function boxOfEvent(line, event) {
  if (/^s\d+$/.test(event)) return Number(event.slice(1)) < line.spanCount ? Number(event.slice(1)) : -1;
  if (!/^\d+$/.test(event)) return -1;
  const wanted = Number(event);
  const span = line.spans.findIndex(({ begin_event: begin }) => begin === wanted);
  if (span >= 0) return span;
  const instant = line.instants.findIndex(({ event: at }) => at === wanted);
  return instant < 0 ? -1 : line.spanCount + instant;
}

/**
 * Sum times by span name, for one group or (-1) all spans. With a range, count only the time within it.
 * @param {Timeline} line @param {number} group @param {[number, number] | null} [range] in µs @returns {Sums}
 */
export function sumsByName(line, group, range = null) {
  if (group < 0 && range === null) return line.sums;
  const { spans, name, parent } = line;
  const { from, to } = line.flame;
  const zero = () => new Array(line.names.length).fill(0);
  const sums = { count: zero(), total_us: zero(), self_us: zero() };
  if (range === null) {
    for (let i = 0; i < line.spanCount; i++) {
      if (line.group[i] !== group) continue;
      sums.count[name[i]]++;
      sums.total_us[name[i]] += spans[i].duration_us ?? 0;
      sums.self_us[name[i]] += line.own[i];
    }
    return sums;
  }
  const own = new Float64Array(line.spanCount);
  const within = (/** @type {number} */ i) =>
    spans[i].duration_us === null ? 0 : Math.max(0, Math.min(to[i], range[1]) - Math.max(from[i], range[0]));
  for (let i = 0; i < line.spanCount; i++) {
    const us = within(i);
    own[i] += us;
    let above = parent[i];
    while (above >= 0 && spans[above].duration_us === null) above = parent[above]; // as in ownTimes()
    if (above >= 0) own[above] -= us;
  }
  for (let i = 0; i < line.spanCount; i++) {
    if (to[i] < range[0] || from[i] > range[1] || (group >= 0 && line.group[i] !== group)) continue;
    sums.count[name[i]]++;
    sums.total_us[name[i]] += within(i);
    sums.self_us[name[i]] += Math.max(0, own[i]);
  }
  return sums;
}

/** Return the longest span of the name with the most self time, in one group or (-1) all spans and in a range; -1 without spans. @param {Timeline} line @param {number} group @param {[number, number] | null} range */
export function heaviest(line, group, range) {
  const { self_us: sums } = sumsByName(line, group, range);
  const { name } = line;
  const { from, to } = line.flame;
  let best = -1;
  const more = (/** @type {number} */ i) =>
    best < 0 || (name[i] === name[best] ? line.own[i] > line.own[best] : sums[name[i]] > sums[name[best]]);
  const within = (/** @type {number} */ i) =>
    (group < 0 || line.group[i] === group) && (range === null || (to[i] >= range[0] && from[i] <= range[1]));
  for (let i = 0; i < line.spanCount; i++) if (within(i) && more(i)) best = i;
  return best;
}
