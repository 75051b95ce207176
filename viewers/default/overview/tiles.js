// The tiles of the first screen: one number each, linked to its view, and colored only when something is wrong.
import { h, plain } from "../../lib/page/dom.js";
import { shares, tile } from "../../lib/page/figures.js";
import { count, plural, time } from "../../lib/page/format.js";
import { isLeftOut } from "../../lib/page/left-out.js";
import { oneStop } from "../../lib/page/one-stop.js";

const NOT_RECORDED = "not recorded";

/** @typedef {import("../../lib/live/running-data.js").Found} Found */

/** @param {{log: import("../../lib/bundle/log.js").Log, state: any, found: Found, phases: {id: string, title: string, us: number}[]}} about */
export function tiles({ log, state, found: { summary, findings }, phases }) {
  const of = (/** @type {string[]} */ ...kinds) => findings.filter(({ kind }) => kinds.includes(kind));
  const lacks = isLeftOut(log.bundle, "caches")
    ? "not included"
    : summary.not_recorded.includes("caches")
      ? NOT_RECORDED
      : null;
  const {
    failure_count: failed,
    unfinished_count: open,
    recompile_count: recompiles,
    recompile_cause_count: causes,
    graph_break_count: breaks,
  } = summary;
  const list = h(
    "ul",
    { "class": "tiles", "aria-label": "At a glance" },
    h(
      "li",
      { class: "tile-wide" },
      tile({
        number: summary.compile_us === null ? "–" : time(summary.compile_us),
        noun: "compile time",
        href: state.link({ view: "timeline" }),
        more: shares(phases, "in the metrics"),
        note: compiled(summary),
      }),
    ),
    h(
      "li",
      null,
      !failed && open > 0
        ? tile({
            number: count(open),
            noun: "unfinished",
            tone: "error",
            href: state.link({ view: "failures" }),
            note: name(of("unfinished-compile")[0]),
          })
        : tile({
            number: count(failed),
            noun: failed === 1 ? "failure" : "failures",
            tone: "error",
            href: state.link({ view: "failures" }),
            note:
              [failed && exception(of("failure")[0]), open > 0 && `${count(open)} unfinished`]
                .filter(Boolean)
                .join(", ") || (failed === null ? NOT_RECORDED : ""),
          }),
    ),
    h(
      "li",
      null,
      tile({
        number: count(recompiles),
        noun: recompiles === 1 ? "recompile" : "recompiles",
        tone: "recompile",
        href: state.link({ view: "recompiles" }),
        note:
          recompiles === null
            ? NOT_RECORDED
            : recompiles
              ? [causes > 0 && plural(causes, "cause"), cost(of("recompile"))].filter(Boolean).join(", ")
              : "",
      }),
    ),
    h(
      "li",
      null,
      tile({
        number: count(breaks),
        noun: breaks === 1 ? "graph break" : "graph breaks",
        tone: "break",
        href: state.link({ view: "breaks" }),
        note:
          breaks === null
            ? NOT_RECORDED
            : !breaks || summary.graph_break_place_count === null
              ? ""
              : `at ${plural(summary.graph_break_place_count, "place")}`,
      }),
    ),
    h("li", null, cacheTile(summary.cache_counts, state, lacks)),
  );
  return oneStop(list);
}

/** Return what was compiled, in the numbers of the headline. @param {Found["summary"]} summary */
function compiled({
  frame_count: frames,
  function_count: functions,
  ahead_of_time_count: ahead,
  aot_inductor_count: inductor,
  export_count: exports,
  unfinished_count: open,
  not_recorded: missing,
}) {
  const least = missing.includes("exports") ? "at least " : "";
  const parts = [
    functions > 0 && plural(functions, "function"),
    frames > 0 && plural(frames, "compile"),
    inductor > 0 && plural(inductor, "AOTInductor compile"),
    ahead > inductor && plural(ahead - inductor, "ahead-of-time compile"),
    exports > 0 && `${least}${plural(exports, "export")}`,
  ];
  return parts.filter(Boolean).join(", ") || (open > 0 ? "no compile has ended" : "no compiles");
}

/** @typedef {Record<string, Record<"hit" | "miss" | "bypass", number>>} CacheCounts by cache */

/** Return the outcomes of all caches, and the share of hits in words; null without hits and misses. @param {CacheCounts} counts */
export function lookups(counts) {
  const of = (/** @type {"hit" | "miss" | "bypass"} */ outcome) =>
    Object.values(counts).reduce((sum, by) => sum + by[outcome], 0);
  const [hits, misses, bypasses] = [of("hit"), of("miss"), of("bypass")];
  const share = hits + misses === 0 ? null : `${Math.round((100 * hits) / (hits + misses))} %`;
  return { hits, misses, bypasses, share };
}

/** @param {CacheCounts} counts @param {any} state @param {string | null} lacks note for a log without cache records */
function cacheTile(counts, state, lacks) {
  const { hits, misses, bypasses, share } = lookups(counts);
  if (share === null)
    return tile({
      number: "–",
      noun: "cache hits",
      note: bypasses ? plural(bypasses, "bypass", "bypasses") : (lacks ?? "no lookups"),
      href: state.link({ view: "caches" }),
    });
  const note = [
    plural(misses, "miss", "misses"),
    plural(hits, "hit"),
    bypasses && plural(bypasses, "bypass", "bypasses"),
  ]
    .filter(Boolean)
    .join(", ");
  return tile({ number: share, noun: "cache hits", note, href: state.link({ view: "caches" }) });
}

/** Return the exception type without its module, or else the title of the finding. @param {any} finding */
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
