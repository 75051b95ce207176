// The way to the multi-rank viewer, for bundles with the analyses of several ranks.
import { lowest, size, words } from "../../lib/bundle/ranks.js";
import { fill, h } from "../../lib/page/dom.js";
import { inViewer } from "../../lib/page/page-bundle.js";

/** @typedef {import("../../lib/bundle/bundle.js").Bundle} Bundle */

/** Null when there is nothing to compare, or the bundle has no address that could be handed on. @param {Bundle} bundle @param {string} text */
export function ranksLink(bundle, text) {
  const href = inViewer(bundle, "multirank");
  if (href === null || !bundle.manifest.ranks) return null;
  return h("a", { href, class: "ranks-link", title: "What differs between the ranks, and who waits for whom" }, text);
}

/** Which ranks differ, once that is known; null for a bundle of one rank. @param {Bundle} bundle */
export function ranksSummary(bundle) {
  if (!bundle.manifest.ranks) return null;
  const told = h("span", { class: "dim" });
  bundle.ranks("verdict").then((verdict) => verdict && fill(told, summary(verdict)), () => {}); // the viewer of the ranks tells what went wrong
  return told;
}

/** @param {any} verdict see schema/ranks_verdict.schema.json */
function summary({ statements, ranks }) {
  if (!statements.length) return `the ${size(ranks)} ranks agree`;
  const [first] = statements;
  const verb = size(first.ranks) === 1 ? "differs" : "differ";
  const rest = statements.filter((/** @type {any} */ st) => lowest(st.ranks) !== lowest(first.ranks)).length;
  return `${words(first.ranks)} ${first.kind === "straggler" ? "held the others up" : first.kind === "missing_rank" ? "left no log" : first.kind === "unfinished_compile" ? "did not finish" : verb}${rest ? ", and more" : ""}`;
}
