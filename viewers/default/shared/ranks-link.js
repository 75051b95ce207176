// The way to the multi-rank viewer, for bundles with the analyses of several ranks.
import { h } from "../../lib/page/dom.js";
import { inViewer } from "../../lib/page/page-bundle.js";

/** @typedef {import("../../lib/bundle/bundle.js").Bundle} Bundle */

/** Null when there is nothing to compare, or the bundle has no address that could be handed on. @param {Bundle} bundle @param {string} text */
export function ranksLink(bundle, text) {
  const href = ranksAddress(bundle);
  return href === null ? null : h("a", { href, class: "ranks-link", title: "What differs between the ranks, and who waits for whom" }, text);
}

/** @param {Bundle} bundle @param {Record<string, string>} [state] of the other viewer */
export const ranksAddress = (bundle, state) => (bundle.manifest.ranks ? inViewer(bundle, "multirank", state) : null);
