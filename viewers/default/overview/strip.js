// When the compiles ran, the whole run from left to right. A click leads to the timeline of a compile.
import { h } from "../../lib/page/dom.js";
import { time } from "../../lib/page/format.js";
import { compileLabel } from "../shared/model.js";

const SLICES = 400; // as many as can be told apart
const WORST = ["error", "missing", "break"];

/** Null where the log does not tell when compiles began. @param {import("../shared/model.js").Model} model @param {any} state @param {number | null} wallUs */
export function runStrip({ frames }, state, wallUs) {
  const known = frames.filter(({ last }) => last.start_epoch_us !== null && last.compile_time_us > 0);
  if (known.length < 2) return null;
  const begin = known.reduce((least, { last }) => Math.min(least, last.start_epoch_us), Infinity);
  const end = Math.max(begin + (wallUs ?? 0), known.reduce((most, { last }) => Math.max(most, last.start_epoch_us + last.compile_time_us), 0));
  const bars = merged(known.map(({ last, rows }) => ({
    from: (last.start_epoch_us - begin) / (end - begin), share: last.compile_time_us / (end - begin), us: last.compile_time_us, compile: last, index: rows[rows.length - 1],
    tone: WORST.includes(last.status) ? last.status : last.recompile_reason !== null ? "recompile" : "ok",
  })));
  return h("figure", { class: "strip", "aria-label": "Compiles over the run" },
    h("div", { class: "strip-bars", "aria-hidden": "true" }, bars.map((bar) => h("a", {
      class: `strip-bar strip-${bar.tone}`, tabindex: "-1", href: state.link({ view: "timeline", compile: bar.compile.key }), title: words(bar),
      style: { left: `${100 * bar.from}%`, width: `${100 * bar.share}%` },
    }))),
    h("figcaption", null, h("span", null, "0"), h("a", { href: state.link({ view: "timeline" }) }, "Timeline of the run"), h("span", null, time(end - begin))));
}

/** @param {{compile: any, us: number, tone: string}} bar */
const words = ({ compile, us, tone }) => `${compileLabel(compile)}${tone === "recompile" ? ", recompile" : ""}, ${time(us)}`;

/** Bars narrower than a slice stand for all in it: the worst of them. @template {{from: number, share: number, tone: string}} T @param {T[]} bars @returns {T[]} */
function merged(bars) {
  const weight = (/** @type {T} */ bar) => [...WORST, "recompile", "ok"].indexOf(bar.tone) * -10 + bar.share;
  /** @type {Map<number, T>} */
  const slices = new Map();
  const wide = bars.filter((bar) => {
    if (bar.share > 2 / SLICES) return true;
    const at = Math.floor(bar.from * SLICES);
    const other = slices.get(at);
    if (!other || weight(bar) > weight(other)) slices.set(at, bar);
    return false;
  });
  return [...wide.sort((a, b) => b.share - a.share).slice(0, SLICES), ...slices.values()];
}
