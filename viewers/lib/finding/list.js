// Findings in their order, the first ones open to see, the others behind a button.
import { append, h } from "../page/dom.js";
import { count } from "../page/format.js";
import { findingCard } from "./card.js";

/**
 * @param {import("./card.js").Finding[]} findings
 * @param {import("./card.js").Leads} leads
 * @param {import("./card.js").CardOptions & {label: string, most?: number, wanted?: string}} options wanted: the fingerprint of the one that the address names
 */
export function findingList(findings, leads, { label, most = 10, wanted = "", ...options }) {
  const item = (/** @type {import("./card.js").Finding} */ finding) =>
    h("li", { id: `finding-${finding.fingerprint}`, "aria-current": finding.fingerprint === wanted ? "true" : null }, findingCard(finding, leads, options));
  const shown = findings.findIndex((finding) => finding.fingerprint === wanted) < most ? most : findings.length;
  const list = h("ol", { class: "findings", "aria-label": label }, findings.slice(0, shown).map(item));
  if (findings.length <= shown) return list;
  const more = h("button", { class: "tool", onclick: () => {
    more.remove();
    append(list, findings.slice(shown).map(item));
    list.children[shown]?.querySelector("a, button, summary")?.focus();
  } }, `all ${count(findings.length)}`);
  return h("div", null, list, more);
}
