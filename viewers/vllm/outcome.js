// The outcomes of pieces: sign, word and explanation.
import { h } from "../lib/page/dom.js";
import { count } from "../lib/page/format.js";

/** @type {Record<string, [string, string, string]>} */
const OUTCOMES = {
  compiled: ["●", "compiled", "Inductor generated its code during this start."],
  inductor_loaded: ["◐", "code loaded", "AOTAutograd traced it; its code came from Inductor's cache."],
  loaded: ["○", "loaded", "Loaded completely from a cache."],
  reused: ["↺", "reused", "Uses the code of an equal piece."],
  failed: ["✖", "failed", "Its compile failed."],
  unfinished: ["?", "unfinished", "The log ends during this piece."],
};
export const ORDER = [...Object.keys(OUTCOMES), ""];

/** @param {string | null} outcome @returns {[string, string, string]} sign, word, meaning */
export const outcomeOf = (outcome) =>
  outcome !== null && Object.hasOwn(OUTCOMES, outcome)
    ? OUTCOMES[outcome]
    : ["·", outcome || "not recorded", "Outcome not recorded."];

/** @param {string | null} outcome */
export function outcomeBadge(outcome) {
  const [sign, word, meaning] = outcomeOf(outcome);
  return h(
    "span",
    {
      class: `outcome outcome-${outcome && Object.hasOwn(OUTCOMES, outcome) ? outcome : "none"}`,
      title: meaning,
    },
    h("span", { "aria-hidden": "true" }, sign),
    " ",
    word,
  );
}

/** "10 compiled, 2 reused" @param {Map<string, number>} counts */
export const countsText = (counts) =>
  ORDER.filter((key) => counts.has(key))
    .map((key) => `${count(counts.get(key))} ${outcomeOf(key)[1]}`)
    .join(", ");
