// The card of one change.
import { findingText } from "../lib/finding/card.js";
import { kindTitle } from "../lib/finding/kind-titles.js";
import { h, plain, rich } from "../lib/page/dom.js";
import { plural } from "../lib/page/format.js";
import { placeLink } from "../lib/page/place-link.js";
import { changeLinks } from "./links.js";
import { changeSign, difference, toneOf } from "./words.js";

/** Unit of `count` by kind of change; compiles for all other kinds. @type {Record<string, string>} */
const COUNTED = { finding: "time", cache: "lookup", vllm: "piece" };
/** Label by kind of change. @type {Record<string, string>} */
const KINDS = {
  torch: "torch",
  setting: "setting",
  backend: "backend",
  vllm: "vLLM",
  finding: "finding",
  graph: "graph",
  compile: "compile",
  cache: "cache",
  code: "generated code",
  memory: "memory",
  run_time: "run time",
  time: "compile time",
};

/**
 * @param {import("./viewer.js").Context} context @param {number} pair position of the pair @param {import("./document.js").Change} change
 * @param {{level: number, where: string}} options where: on which ranks
 */
export function changeCard(context, pair, change, { level, where }) {
  const { kind, title, text, cost_us: cost, file, line, count, details } = change;
  const found = /** @type {{kind?: unknown}} */ (details).kind;
  const parts = [
    file !== null && placeLink(file, line),
    h(
      "span",
      null,
      kind === "finding" && typeof found === "string" ? kindTitle(found) : (KINDS[kind] ?? kind),
    ),
    count > 1 && h("span", { class: "number" }, plural(count, COUNTED[kind] ?? "compile")),
    where && h("span", null, where),
  ].filter(Boolean);
  const links = changeLinks(context, pair, change);
  return h(
    "article",
    { "class": "finding change", "dataset": { kind, tone: toneOf(change) }, "aria-label": plain(title) },
    h(
      "div",
      { class: "finding-head" },
      h(`h${Math.min(level, 6)}`, null, changeSign(change), " ", rich(title)),
      cost !== null &&
        h(
          "p",
          { class: "finding-cost" },
          h("b", { class: cost > 0 ? "tone-bad" : cost < 0 ? "tone-good" : null }, difference(cost)),
          h("span", { class: "dim" }, "compile time"),
        ),
    ),
    h(
      "p",
      { class: "finding-about" },
      parts.map((part, i) => [i > 0 && " · ", part]),
    ),
    findingText(text, false),
    links.length > 0 && h("div", { class: "finding-evidence" }, links),
  );
}
