// A run as a letter: one column to read, print or paste into a mail. It has no state.
import { placeText } from "../lib/finding/card.js";
import { fill, h } from "../lib/page/dom.js";
import { plural, time } from "../lib/page/format.js";
import { LEFT_OUT } from "../lib/page/left-out.js";
import { errorBox, watchErrors } from "../lib/page/load.js";
import { openPageBundle } from "../lib/page/open-bundle.js";

/** @typedef {import("../../schema/bundle.d.ts").Findings} Finding */
/** @typedef {Pick<Finding, "title" | "text" | "file" | "line" | "cost_us" | "remedies" | "because_of">} LetterFinding a finding of a log or of all ranks */

const MOST = 8; // findings per log

watchErrors();
try {
  const bundle = await openPageBundle();
  document.title = "Letter · tlparse-bundle";
  const letters = await Promise.all(bundle.logs.slice(0, 20).map(letter));
  const together = await ranksLetter(bundle);
  fill(
    document.body,
    h(
      "main",
      { "tabindex": "0", "aria-label": "Letter" },
      h("h1", null, "What torch.compile did"),
      together,
      letters,
      bundle.logs.length > 20 &&
        h("p", { class: "dim" }, `${plural(bundle.logs.length - 20, "more log")} not included.`),
    ),
  );
} catch (error) {
  fill(
    document.body,
    h("main", { class: "stopped" }, h("h1", null, "Can't open the bundle"), errorBox(error)),
  );
}

/** @param {import("../lib/bundle/log.js").Log} log */
async function letter(log) {
  const findings = await log.findings();
  if (!findings) return h("section", null, h("h2", null, log.summary.source.name), h("p", null, LEFT_OUT));
  const causes = findings.filter(({ because_of }) => because_of === null).slice(0, MOST); // without consequences
  return h(
    "section",
    { "aria-label": log.summary.source.name },
    h("h2", null, log.rank === null ? log.summary.source.name : `Rank ${log.rank}`),
    h("p", { class: "says" }, plain(log.summary.summary.text)),
    causes.map(paragraph),
    findings.length > causes.length &&
      h(
        "p",
        { class: "dim" },
        `${plural(findings.length - causes.length, "further finding")} in the default viewer.`,
      ),
  );
}

/** @param {LetterFinding} finding */
function paragraph(finding) {
  const place = placeText(/** @type {Finding} */ (finding));
  const [remedy] = finding.remedies;
  return h(
    "article",
    null,
    h(
      "p",
      null,
      h("strong", null, plain(finding.title)),
      place && ` (${place})`,
      ". ",
      finding.cost_us !== null && `Cost: ${time(finding.cost_us)}. `,
      plain(finding.text),
    ),
    remedy && h("p", { class: "remedy" }, plain(remedy.text), remedy.code && h("code", null, remedy.code)),
  );
}

/** @param {import("../lib/bundle/bundle.js").Bundle} bundle */
async function ranksLetter(bundle) {
  const { job } = bundle.manifest;
  const findings = job && (await bundle.rankTable("rank_findings"));
  if (!findings) return null;
  return h(
    "section",
    { "aria-label": "All ranks" },
    h("h2", null, "All ranks together"),
    h("p", { class: "says" }, plain(job.text)),
    findings.slice(0, MOST).map(paragraph),
  );
}

/** Remove the backticks around code. @param {string} text */
function plain(text) {
  return text.replaceAll("`", "");
}
