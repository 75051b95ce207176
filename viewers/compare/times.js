// Compile time by phase and by span, base above new. All bars of a list share one scale.
import { h } from "../lib/page/dom.js";
import { time } from "../lib/page/format.js";
import { differenceText, minus } from "./words.js";

/** @typedef {import("./document.js").Pair} Pair */

const MOST_SPANS = 8;
/** @type {Record<string, string>} */
const PHASES = {
  dynamo: "Dynamo",
  aot_autograd: "AOTAutograd",
  inductor: "Inductor",
  backward: "Backward (compiled later)",
};

/** @param {Pair} pair */
export function phaseBars({ phases }) {
  // Time before Inductor is AOTAutograd's; for other backends it is the time of the backend.
  const isInductor = phases.some(({ phase, base_us, new_us }) => phase === "inductor" && (base_us || new_us));
  const title = (/** @type {string} */ phase) =>
    phase === "aot_autograd" && !isInductor ? "Backend" : (PHASES[phase] ?? phase);
  const rows = phases
    .filter(({ base_us: base, new_us: other }) => base || other)
    .map(({ phase, base_us: base, new_us: other }) => ({ name: title(phase), base, other }));
  return h(
    "section",
    null,
    h("h2", null, "Compile time by phase"),
    rows.length ? bars(rows, "Compile time by phase") : h("p", { class: "dim" }, "Not recorded."),
  );
}

/** The spans that changed most. @param {import("./viewer.js").Context} context */
export function spanBars({ run: { document }, pair, state }) {
  const { spans } = document.logs[pair];
  const rows = spans
    .map(({ name, base_us: base, new_us: other }) => ({ name, base, other }))
    .filter(({ base, other }) => base !== other)
    .sort((a, b) => Math.abs(b.other - b.base) - Math.abs(a.other - a.base))
    .slice(0, MOST_SPANS);
  return h(
    "section",
    null,
    h("h2", null, "Spans that changed most"),
    rows.length
      ? [
          bars(rows, "Spans that changed most"),
          h("p", null, h("a", { href: state.link({ view: "timeline" }) }, "All spans ›")),
        ]
      : h("p", { class: "dim" }, spans.length ? "None." : "Not recorded."),
  );
}

/** @param {{name: string, base: number | null, other: number | null}[]} rows @param {string} label */
function bars(rows, label) {
  const most = Math.max(1, ...rows.flatMap(({ base, other }) => [base ?? 0, other ?? 0]));
  const bar = (/** @type {string} */ which, /** @type {number | null} */ us) =>
    h(
      "span",
      { class: "bar-line" },
      h("span", { class: "bar-which" }, which),
      h(
        "span",
        { "class": "bar-room", "aria-hidden": "true" },
        us !== null && us > 0 && h("span", { class: `bar-${which}`, style: { "--part": us / most } }),
      ),
      h("span", { class: "number" }, time(us)),
    );
  return h(
    "ul",
    { "class": "bars", "aria-label": label },
    rows.map(({ name, base, other }) =>
      h(
        "li",
        null,
        h(
          "div",
          { class: "bar-head" },
          h("span", { class: "bar-name" }, name),
          differenceText(minus(base, other)),
        ),
        bar("base", base),
        bar("new", other),
      ),
    ),
  );
}
