// Text of changes and differences. Each has a sign and a word, so that color is not needed.
import { h } from "../lib/page/dom.js";
import { time } from "../lib/page/format.js";

/** @typedef {import("./document.js").Change} Change */
/** @typedef {import("./document.js").Pair} Pair */
/** @typedef {import("./document.js").Compared} Compared */
/** @typedef {"bad" | "good" | "plain"} Tone */

/** Sign and word. @type {Record<string, [string, string]>} */
const CHANGES = {
  new: ["+", "new"],
  gone: ["−", "gone"],
  worse: ["▲", "worse"],
  better: ["▼", "better"],
  changed: ["≠", "changed"],
};

/** Whether a change is bad, good or neutral. "New" is bad except for severity info. @param {Change} change @returns {Tone} */
export function toneOf({ change, severity, kind }) {
  if (change === "worse" || (change === "new" && severity !== "info")) return "bad";
  if (change === "better" || (change === "gone" && kind === "finding")) return "good";
  return "plain";
}

/** @param {Change} change */
export function changeSign(change) {
  const [sign, word] = Object.hasOwn(CHANGES, change.change) ? CHANGES[change.change] : ["≠", change.change];
  return h(
    "span",
    { class: `change-sign tone-${toneOf(change)}` },
    h("span", { "aria-hidden": "true" }, `${sign} `),
    word,
  );
}

/** "+1.2 s", "−300 ms", "–" when unknown. @param {number | null} us */
export const difference = (us) =>
  us === null ? "–" : us === 0 ? "±0" : `${us > 0 ? "+" : "−"}${time(Math.abs(us))}`;

/** Build a colored difference: more time is bad. @param {number | null} us @param {Tone} [tone] */
export const differenceText = (us, tone = us === null || us === 0 ? "plain" : us > 0 ? "bad" : "good") =>
  h("span", { class: `difference tone-${tone}` }, difference(us));

/** Return new minus base; null when one is not recorded. @param {number | null | undefined} base @param {number | null | undefined} other */
export const minus = (base, other) =>
  typeof base !== "number" || typeof other !== "number" ? null : other - base;

/** Return the name of a pair of logs. @param {Pair} pair */
export function pairName({ base, new: other, rank }) {
  const id = (other ?? base)?.id ?? "";
  return `${rank === null ? "" : `rank ${rank} · `}${id}${base && other ? "" : ` (${base ? "base" : "new"} only)`}`;
}

/** "[0/0] → [0/0_1]", or of one side. @param {Compared} compile */
export function idsText({ base, new: other }) {
  if (base && other)
    return base.compile === other.compile ? `[${other.compile}]` : `[${base.compile}] → [${other.compile}]`;
  return other ? `[${other.compile}] new only` : `[${base?.compile}] base only`;
}

/** Cache names. @type {Record<string, string>} */
export const CACHES = { aot_autograd: "AOTAutograd", fx_graph: "FX graph" };
