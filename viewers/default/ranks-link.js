// The way to the multi-rank viewer, for bundles with the analyses of several ranks.
import { h } from "../lib/dom.js";

/** Null when there is nothing to compare, or the bundle has no address that could be handed on. @param {import("../lib/bundle.js").Bundle} bundle @param {string} text */
export function ranksLink(bundle, text) {
  if (!bundle.source.url || !bundle.manifest.ranks) return null;
  const url = new URL("../multirank/", location.href);
  url.search = location.search;
  return h("a", { href: url.href, class: "ranks-link", title: "What differs between the ranks, and who waits for whom" }, text);
}
