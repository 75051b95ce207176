// The run from left to right, with a bar for each compile in the colors of its phases. A click opens the timeline of
// the compile.
import { h } from "../../lib/page/dom.js";
import { time } from "../../lib/page/format.js";
import { compileLabel } from "../shared/model.js";
import { legendOf, phasesOf } from "../shared/phases.js";

const SLICES = 400; // narrower bars can't be distinguished
const WORST = ["failed", "unfinished", "skipped", "recompile"]; // marked below the bar

/** @typedef {{from: number, share: number, us: number, compile: any, tone: string}} Bar */

/** Return the strip, or null when fewer than two compiles have a start time. @param {import("../shared/model.js").Model} model @param {any} state @param {number | null} wallUs */
export function runStrip({ frames }, state, wallUs) {
  const timed = frames.filter(({ last }) => last.start_epoch_us !== null && last.total_us > 0);
  if (timed.length < 2) return null;
  const begin = timed.reduce((least, { last }) => Math.min(least, last.start_epoch_us), Infinity);
  const end = Math.max(
    begin + (wallUs ?? 0),
    timed.reduce((most, { last }) => Math.max(most, last.start_epoch_us + last.total_us), 0),
  );
  const bars = merged(
    timed.map(({ last }) => ({
      from: (last.start_epoch_us - begin) / (end - begin),
      share: last.total_us / (end - begin),
      us: last.total_us,
      compile: last,
      tone: WORST.includes(last.status) ? last.status : last.recompile_reason !== null ? "recompile" : "",
    })),
  );
  return h(
    "figure",
    { "class": "strip", "aria-label": "Compiles over the run" },
    h(
      "div",
      { "class": "strip-bars", "aria-hidden": "true" },
      bars.map((bar) =>
        h("a", {
          class: bar.tone ? `strip-bar strip-${bar.tone}` : "strip-bar",
          tabindex: "-1",
          href: state.link({ view: "timeline", compile: bar.compile.key }),
          title: tooltip(bar),
          style: {
            left: `${100 * bar.from}%`,
            width: `${100 * bar.share}%`,
            ...colors(phasesOf(bar.compile)),
          },
        }),
      ),
    ),
    h(
      "figcaption",
      null,
      h("span", null, "0"),
      legend(bars),
      h("a", { href: state.link({ view: "timeline" }) }, "Timeline"),
      h("span", null, time(end - begin)),
    ),
  );
}

/** Return a background with the phases side by side. @param {{id: string, us: number}[]} phases @returns {Record<string, string>} */
function colors(phases) {
  const whole = phases.reduce((sum, { us }) => sum + us, 0);
  let at = 0;
  const stops = phases.map(({ id, us }) => {
    const from = (100 * at) / whole;
    at += us;
    return `var(--${id}) ${from.toFixed(2)}% ${((100 * at) / whole).toFixed(2)}%`;
  });
  return stops.length > 0 ? { background: `linear-gradient(90deg, ${stops.join(", ")})` } : {};
}

/** @param {Bar[]} bars */
function legend(bars) {
  const phases = new Set(bars.flatMap(({ compile }) => phasesOf(compile).map(({ id }) => id)));
  const tones = WORST.filter((tone) => bars.some((bar) => bar.tone === tone));
  return h(
    "span",
    { class: "legend" },
    legendOf([...phases]).map(([id, title, help]) =>
      h(
        "span",
        { title: help },
        h("span", { "class": `swatch phase-${id}`, "aria-hidden": "true" }),
        ` ${title}`,
      ),
    ),
    tones.map((tone) =>
      h(
        "span",
        null,
        h("span", { "class": `swatch strip-mark strip-${tone}`, "aria-hidden": "true" }),
        ` ${tone}`,
      ),
    ),
  );
}

/** @param {Bar} bar */
const tooltip = ({ compile, us, tone }) =>
  `${compileLabel(compile)}${tone === "recompile" ? ", recompile" : ""}, ${time(us)}`;

/** Replace the narrow bars of each slice by the worst of them. @param {Bar[]} bars @returns {Bar[]} */
function merged(bars) {
  const weight = (/** @type {Bar} */ bar) => [...WORST, ""].indexOf(bar.tone) * -10 + bar.share;
  /** @type {Map<number, Bar>} */
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
