// How changes and differences are said: always with a sign and a word, colour only on top.
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

/** Whether it is for the worse: of a severity that is noted only, "new" and "gone" say neither. @param {Change} change @returns {Tone} */
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

/** The same with its colour: more time is bad. @param {number | null} us @param {Tone} [tone] */
export const differenceText = (us, tone = us === null || us === 0 ? "plain" : us > 0 ? "bad" : "good") =>
  h("span", { class: `difference tone-${tone}` }, difference(us));

/** New minus base; null when one is unknown. @param {number | null | undefined} base @param {number | null | undefined} other */
export const minus = (base, other) =>
  typeof base !== "number" || typeof other !== "number" ? null : other - base;

/** How a pair of logs is called. @param {Pair} pair */
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

/** The names of the caches. @type {Record<string, string>} */
export const CACHES = { aot_autograd: "AOTAutograd", fx_graph: "FX graph" };
