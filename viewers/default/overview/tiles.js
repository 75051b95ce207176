// The numbers of a log at a glance. A tile has a colour only when something is bad; each leads to its view.
import { plain } from "../../lib/finding/rich.js";
import { fill, h } from "../../lib/page/dom.js";
import { count, plural, time } from "../../lib/page/format.js";
import { shares, tile } from "../../lib/page/figures.js";

const NONE = "none recorded", UNTOLD = "this torch does not record them";

/** @typedef {NonNullable<import("../../lib/bundle/log.js").Findings>} Found */

/** @param {{log: import("../../lib/bundle/log.js").Log, state: any, found: Found, phases: {id: string, title: string, us: number}[]}} about */
export function tiles({ log, state, found: { summary, findings }, phases }) {
  const of = (/** @type {string[]} */ ...kinds) => findings.filter(({ kind }) => kinds.includes(kind));
  const caches = h("li", null);
  const readCaches = () => log.table("caches").then((table) => fill(caches, cacheTile(table?.caches ?? [], state)), () => fill(caches, tile({ number: "–", noun: "caches", note: "not readable", href: state.link({ view: "caches" }) })));
  requestAnimationFrame(() => setTimeout(readCaches)); // a large table for one number: the page is drawn before
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
