// The findings of the ranks: each with the findings that follow from it, and links to evidence.
import { holds, lowest, size } from "../lib/bundle/ranks.js";
import { findingCard } from "../lib/finding/card.js";
import { append, h } from "../lib/page/dom.js";
import { count } from "../lib/page/format.js";
import { awayLink, compileKey } from "./data.js";

/** @typedef {import("./data.js").Model} Model */
/** @typedef {import("../lib/page/hash-state.js").HashState} State */
/** @typedef {import("../../schema/bundle.d.ts").RankFindings} Finding */

const MOST = 12,
  MOST_FOLLOWING = 3; // findings shown at once
const ALIGNED = new Set([
  "collectives",
  "collective-mismatch",
  "collective-waits",
  "collective-order",
  "unmatched-transfer",
  "group-differs",
  "missing-wait",
  "collective-parity",
]);
const TIMED = new Set([
  "straggler",
  "late-start",
  "cached-before",
  "cut-log",
  "unfinished-compile",
  "never-began",
  "failure",
]);
const NOT_COMPARED = new Set([
  "straggler",
  "late-start",
  "execution-order",
  "never-began",
  "unfinished-compile",
]);

/** Return the numbers of the findings about a rank; of all findings without one. @param {Model} model @param {number | null} rank */
export const findingsOf = (model, rank) =>
  (model.result?.findings ?? []).flatMap((finding, i) =>
    rank === null || isAbout(finding, rank) ? [i] : [],
  );

/** Return whether a finding is about a rank, not only compares others with it and many more. @param {Finding} finding @param {number} rank */
const isAbout = ({ ranks, others }, rank) =>
  holds(ranks, rank) || (holds(others, rank) && size(others) <= size(ranks));

/** Build the list of findings, with consequences below their cause. @param {Model} model @param {State} state @param {number | null} rank only findings about it */
export function findingTree(model, state, rank) {
  const findings = model.result?.findings ?? [];
  const shown = new Set(findingsOf(model, rank));
  const following = findings.map((_, i) => [...shown].filter((n) => findings[n].because_of === i));
  const item = (/** @type {number} */ i) =>
    h(
      "li",
      null,
      findingCard(findings[i], { links: () => links(model, state, findings[i]) }, { level: 2 }),
      following[i].length > 0 && foldedList(following[i], item, MOST_FOLLOWING, "Consequences"),
    );
  return foldedList(
    [...shown].filter((i) => !shown.has(findings[i].because_of ?? -1)),
    item,
    MOST,
    "Findings",
  );
}

/** Build a list of the first items, with a button that shows the rest. @param {number[]} items @param {(one: number) => HTMLElement} render @param {number} most @param {string} label */
function foldedList(items, render, most, label) {
  const list = h("ul", { "class": "findings", "aria-label": label }, items.slice(0, most).map(render));
  if (items.length > most) {
    const all = () => {
      list.lastElementChild?.remove();
      append(list, items.slice(most).map(render));
      list.children[most]?.querySelector("a, button, summary")?.focus();
    };
    list.append(
      h(
        "li",
        { class: "more-findings" },
        h("button", { class: "tool", onclick: all }, `${count(items.length - most)} more`),
      ),
    );
  }
  return list;
}

/** Links from a finding to its evidence. @param {Model} model @param {State} state @param {Finding} finding */
function links(
  model,
  state,
  { kind, ranks, others, rank_compile: column, compile: key, others_compile: theirKey, details },
) {
  const here = lowest(ranks),
    other = lowest(others);
  const own = (/** @type {string} */ text, /** @type {Record<string, string>} */ to) =>
    h("a", { href: state.link(to) }, text);
  const place = column === null ? "" : String(column);
  const both =
    column !== null &&
    other >= 0 &&
    compileKey(model, other, column) !== null &&
    compileKey(model, here, column) !== null;
  return [
    both &&
      !NOT_COMPARED.has(kind) &&
      own("compare ›", {
        view: "compare",
        column: place,
        left: String(other),
        right: String(here),
        artifact: artifactOf(kind, details),
      }),
    ALIGNED.has(kind) && own("collectives ›", { view: "collectives", column: place }),
    kind === "execution-order" && own("execution order ›", { view: "execution" }),
    TIMED.has(kind) && own("timeline ›", { view: "timeline", rank: String(here) }),
    awayLink(model, here, key, key === null ? `rank ${here} ›` : `[${key}] of rank ${here} ›`),
    key === null && theirKey !== null && awayLink(model, other, theirKey, `[${theirKey}] of rank ${other} ›`),
  ].filter(Boolean);
}

/** Return the artifact that shows a difference best; empty for the default. @param {string} kind @param {any} details */
function artifactOf(kind, details) {
  if (typeof details.line?.artifact === "string") return details.line.artifact;
  if (kind === "collectives") return "inductor_collective_schedule";
  if (kind === "tensors") return "inductor_runtime_and_tensor_meta";
  if (kind === "guard") return "dynamo_cpp_guards_str";
  return details.stage === "dynamo" ? "dynamo_output_graph" : "";
}
