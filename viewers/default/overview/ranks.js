// The summary of all ranks, above that of one log.
import { words } from "../../lib/bundle/ranks.js";
import { findingCard } from "../../lib/finding/card.js";
import { h, rich } from "../../lib/page/dom.js";
import { count, plural } from "../../lib/page/format.js";
import { isLeftOut } from "../../lib/page/left-out.js";
import { ranksAddress, ranksLink } from "../shared/finding-leads.js";

/** @typedef {import("../../lib/bundle/bundle.js").Bundle} Bundle */
/** @typedef {import("../../lib/live/running-data.js").RanksFound} Found */

const FIRST = 3;

/** Return the findings across ranks; null when a redacted bundle omits them or they can't be read (the multirank viewer says why). @param {Bundle} bundle @returns {Promise<Found | null>} */
export async function ranksFound(bundle) {
  const { job } = bundle.manifest;
  const findings = job ? await bundle.rankTable("rank_findings").catch(() => null) : null;
  if (!job || !findings) return null;
  return bundle.manifest.growing
    ? (await import("../../lib/live/running-data.js")).ranksNow(bundle, { job, findings })
    : { job, findings };
}

/** Return the headline and the first findings across ranks. @param {Bundle} bundle @param {Found} found */
export function ranksHeadline(bundle, { job, findings }) {
  const roots = findings.filter(({ because_of: cause }) => cause === null);
  const shown = roots.filter(({ severity }, i) => i === 0 || severity !== "info").slice(0, FIRST);
  const title = () => ranksAddress(bundle);
  return h(
    "section",
    { "class": "ranks-verdict", "aria-label": "All ranks" },
    h(
      "header",
      { class: "headline" },
      h("h1", null, rich(job.text)),
      h(
        "ul",
        { class: "facts-line" },
        h("li", null, words(job.ranks)),
        job.runs.length > 1 && h("li", null, `run ${job.run} of ${count(job.runs.length)}`),
        findings.length > 0 && h("li", null, plural(findings.length, "finding")),
        h("li", null, ranksLink(bundle, "Compare the ranks ›")),
      ),
    ),
    shown.length > 0 &&
      h(
        "ol",
        { "class": "findings", "aria-label": "Findings of all ranks" },
        shown.map((finding) => h("li", null, findingCard(finding, { title }, { level: 2 }))),
      ),
  );
}

/** Return the headline in one line, for the overview of a log that the address names. @param {Bundle} bundle @param {Found | null} found */
export function ranksLine(bundle, found) {
  return h(
    "p",
    { class: "ranks-line" },
    h("b", null, "All ranks: "),
    found
      ? rich(found.job.text)
      : isLeftOut(bundle, "findings")
        ? "the findings are not included in this redacted bundle."
        : "the findings can't be read.",
    " ",
    ranksLink(bundle, "Compare the ranks ›"),
  );
}
