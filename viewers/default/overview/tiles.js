// A log at a glance: its numbers, and when its compiles ran. A tile has a colour only when something is bad; each leads to its view.
import { afterPaint, fill, h, plain } from "../../lib/page/dom.js";
import { shares, tile } from "../../lib/page/figures.js";
import { count, plural, time } from "../../lib/page/format.js";
import { compileLabel } from "../shared/model.js";

const NONE = "none recorded", UNTOLD = "this torch does not record them";

/** @typedef {NonNullable<import("../../lib/bundle/log.js").Findings>} Found */

/** @param {{log: import("../../lib/bundle/log.js").Log, state: any, found: Found, phases: {id: string, title: string, us: number}[]}} about */
export function tiles({ log, state, found: { summary, findings }, phases }) {
  const of = (/** @type {string[]} */ ...kinds) => findings.filter(({ kind }) => kinds.includes(kind));
  const caches = h("li", null);
  const readCaches = () => log.table("caches").then((table) => fill(caches, cacheTile(table?.caches ?? [], state)), () => fill(caches, tile({ number: "–", noun: "caches", note: "not readable", href: state.link({ view: "caches" }) })));
  afterPaint(readCaches); // a large table for one number
  const { failure_count: failed, unfinished_count: open, recompile_count: recompiles, graph_break_count: breaks } = summary;
  const again = of("recompile");
  return h("ul", { class: "tiles", "aria-label": "At a glance" },
    h("li", { class: "tile-wide" }, tile({ number: summary.compile_time_us === null ? "–" : time(summary.compile_time_us), noun: "compiling", href: state.link({ view: "timeline" }), more: shares(phases, "in the metrics"),
      note: summary.compile_count ? `${plural(summary.compile_count, "compile")} of ${plural(summary.function_count, "function")}` : "no compiles" })),
    h("li", null, failed === 0 && open > 0
      ? tile({ number: count(open), noun: "unfinished", tone: "error", href: state.link({ view: "failures" }), note: name(of("unfinished-compile")[0]) })
      : tile({ number: count(failed), noun: failed === 1 ? "failure" : "failures", tone: "error", href: state.link({ view: "failures" }),
        note: [failed > 0 && exception(of("failure")[0]), open > 0 && `${count(open)} unfinished`].filter(Boolean).join(", ") || NONE })),
    h("li", null, tile({ number: count(recompiles), noun: recompiles === 1 ? "recompile" : "recompiles", tone: "recompile", href: state.link({ view: "recompiles" }),
      note: recompiles === null ? UNTOLD : recompiles ? [again.length > 0 && plural(again.length, "cause"), cost(again)].filter(Boolean).join(", ") : NONE })),
    h("li", null, tile({ number: count(breaks), noun: breaks === 1 ? "graph break" : "graph breaks", tone: "break", href: state.link({ view: "breaks" }),
      note: breaks === null ? UNTOLD : breaks === 0 ? NONE : summary.graph_break_place_count === null ? "" : `at ${plural(summary.graph_break_place_count, "place")}` })),
    caches);
}

/** @param {any[]} rows of the cache table @param {any} state */
function cacheTile(rows, state) {
  const of = (/** @type {string} */ outcome) => rows.filter((row) => row.outcome === outcome).length;
  const [hits, misses, bypasses] = [of("hit"), of("miss"), of("bypass")];
  const asked = hits + misses;
  if (asked === 0) return tile({ number: "–", noun: "cache hits", note: bypasses ? plural(bypasses, "bypass", "bypasses") : "no lookups recorded", href: state.link({ view: "caches" }) });
  const note = [plural(misses, "miss", "misses"), plural(hits, "hit"), bypasses && plural(bypasses, "bypass", "bypasses")].filter(Boolean).join(", ");
  return tile({ number: `${Math.round((100 * hits) / asked)} %`, noun: "cache hits", note, href: state.link({ view: "caches" }) });
}

/** The type of the exception, as torch names it, or what the finding says. @param {any} finding */
function exception(finding) {
  if (!finding) return "";
  const type = String(finding.details.exception_type ?? finding.details.type ?? "");
  return type ? type.replace(/^.*\./, "") : plain(finding.title);
}

/** @param {any} finding */
const name = (finding) => finding?.function ?? (finding ? plain(finding.title) : "");

/** @param {any[]} findings */
function cost(findings) {
  const us = findings.reduce((sum, finding) => sum + (finding.cost_us ?? 0), 0);
  return us > 0 ? time(us) : "";
}

// The whole run from left to right. A click leads to the timeline of a compile.

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
