// Shows a finding of any kind. All sentences come from the bundle; this module adds order and links.
import { codeSnippet } from "../code/snippet.js";
import { afterPaint, append, h, plain, rich } from "../page/dom.js";
import { count, plural, time } from "../page/format.js";
import { placeLink } from "../page/place-link.js";
import { kindTitle } from "./kind-titles.js";

/** @typedef {import("../../../schema/bundle.d.ts").Findings} Finding of a log */
/** @typedef {import("../../../schema/bundle.d.ts").RankFindings} RankFinding of several ranks */
/**
 * @typedef {object} Leads the viewer's links to what a finding names; missing ones are not shown
 * @property {(finding: Finding) => string | null} [title] address of its list
 * @property {(compiles: string[]) => any} [compiles] links to compiles, by their keys
 * @property {(index: number) => any} [record] link to an event
 * @property {(index: number) => any} [span] link to a row of the span table
 * @property {(id: number) => any} [cause] link to the finding that caused this one
 * @property {(finding: Finding) => string | null} [file] whole path of its file, which is shortened in a finding
 * @property {(finding: Finding) => any[]} [links] more links
 */
/** @typedef {{level?: number, whole?: boolean}} CardOptions level: of the heading; whole: fold nothing */

/** Sign and word. @type {Record<string, [string, string]>} */
const SEVERITIES = { error: ["✖", "error"], warning: ["▲", "warning"], info: ["●", "info"] };
const MOST_LINKS = 12;
const MOST_TEXT = 420; // characters before the fold
const IN_SIGHT = 5; // cards on the first screen

/** "model.py:12", or null. @param {{file: string | null, line: number | null}} place */
export const placeText = ({ file, line }) =>
  file === null ? null : line === null ? file : `${file}:${line}`;

/** @param {string} severity */
export function severitySign(severity) {
  const [sign, word] = SEVERITIES[severity] ?? SEVERITIES.info;
  return h(
    "span",
    { class: `finding-sign severity-${Object.hasOwn(SEVERITIES, severity) ? severity : "info"}` },
    h("span", { "aria-hidden": "true" }, sign),
    h("span", { class: "visually-hidden" }, `${word}: `),
  );
}

/**
 * @param {Finding | RankFinding} shown @param {Leads} [leads] @param {CardOptions} [options]
 * @returns {HTMLElement}
 */
export function findingCard(shown, leads = {}, { level = 3, whole = false } = {}) {
  const finding = "spans" in shown ? shown : { ...shown, compiles: [], events: [], spans: [] }; // a finding over ranks has no rows of a log
  const href = leads.title?.(finding) ?? null;
  const title = rich(finding.title);
  return h(
    "article",
    { "class": "finding", "dataset": { kind: finding.kind }, "aria-label": plain(finding.title) },
    h(
      "div",
      { class: "finding-head" },
      h(`h${level}`, null, severitySign(finding.severity), href === null ? title : h("a", { href }, title)),
      finding.cost_us !== null &&
        h(
          "p",
          { class: "finding-cost" },
          h("b", null, time(finding.cost_us)),
          finding.cost_of && [" ", h("span", { class: "dim" }, rich(finding.cost_of))],
        ),
    ),
    h(
      "p",
      { class: "finding-about" },
      about(finding, !("spans" in shown), leads.file?.(finding) ?? finding.file),
    ),
    findingText(finding.text, whole),
    finding.remedies.length > 0 && h("ul", { class: "remedies" }, finding.remedies.map(remedy)),
    evidence(finding, leads),
  );
}

/** Build the place, kind and count. @param {Finding} finding @param {boolean} ofRanks @param {string | null} file its whole path, if known */
function about(finding, ofRanks, file) {
  const place = placeText(finding);
  const { function: name } = finding;
  const parts = [
    place &&
      h(
        "span",
        { class: "place" },
        placeLink(file, finding.line, place),
        name !== null && !finding.title.includes(name) && ` in ${name}`,
      ),
    h("span", null, kindTitle(finding.kind, ofRanks)),
    finding.count > 1 && h("span", { class: "number" }, plural(finding.count, "time")),
  ].filter(Boolean);
  return parts.map((part, i) => [i > 0 && " · ", part]);
}

/**
 * Build the paragraphs of a finding: the first ones, and a fold with the others.
 * @param {string} text @param {boolean} whole
 */
export function findingText(text, whole) {
  const paragraphs = text.split("\n\n").filter((part) => part.trim());
  let length = 0;
  const fits = whole
    ? paragraphs.length
    : paragraphs.findIndex((part) => (length += part.length) > MOST_TEXT);
  const cut = fits < 0 ? paragraphs.length : Math.max(1, fits);
  const show = (/** @type {string} */ part) =>
    /^`[^`]+`$/.test(part)
      ? h("pre", { class: "finding-code" }, codeSnippet(part.slice(1, -1)))
      : h("p", { class: "finding-text" }, rich(part));
  return [
    paragraphs.slice(0, cut).map(show),
    cut < paragraphs.length &&
      h("details", null, h("summary", null, "Details"), paragraphs.slice(cut).map(show)),
  ];
}

/** @param {Finding["remedies"][number]} remedy */
function remedy({ text, code, source }) {
  const copy = async () => code !== null && (await import("../page/hand-over.js")).copyText(button, code);
  const button = h("button", { class: "tool copy", title: "Copy", onclick: copy }, "Copy");
  return h(
    "li",
    null,
    source === "torch"
      ? h("span", { class: "remedy-source" }, "torch")
      : h("span", { "class": "remedy-sign", "aria-hidden": "true" }, "→"),
    h(
      "div",
      null,
      rich(text),
      code !== null && h("div", { class: "remedy-code" }, codeSnippet(code), button),
    ),
  );
}

/** Build the links to its evidence. @param {Finding} finding @param {Leads} leads */
function evidence(finding, leads) {
  const { compiles, events, spans, because_of: cause } = finding;
  const many = (
    /** @type {string} */ noun,
    /** @type {number[]} */ indexes,
    /** @type {((index: number) => any) | undefined} */ link,
  ) => {
    if (!link || indexes.length === 0) return null;
    const links = indexes.slice(0, MOST_LINKS).map((index) => [" ", link(index)]);
    const more =
      indexes.length > MOST_LINKS &&
      h("span", { class: "dim" }, ` and ${count(indexes.length - MOST_LINKS)} more`);
    return indexes.length === 1
      ? h("span", null, links)
      : h("details", null, h("summary", null, plural(indexes.length, noun)), links, more);
  };
  const parts = [
    leads.compiles &&
      compiles.length > 0 &&
      h("span", { class: "finding-compiles" }, leads.compiles(compiles)),
    cause !== null &&
      leads.cause &&
      h("span", null, h("span", { class: "dim" }, "caused by "), leads.cause(cause)),
    many("span", spans, leads.span),
    many("record", events, leads.record),
    ...(leads.links?.(finding) ?? []),
  ].filter(Boolean);
  return parts.length > 0 && h("div", { class: "finding-evidence" }, parts);
}

/** Return the findings that stand right below their cause. @param {Finding[]} findings */
function consequencesIn(findings) {
  const consequences = new Set();
  /** @type {number | null} */
  let cause = null;
  for (const finding of findings)
    if (cause !== null && finding.because_of === cause) consequences.add(finding);
    else cause = finding.id;
  return consequences;
}

/**
 * List findings in order: the first ones, and a button that shows the others. Cards below the first screen
 * are drawn after it.
 * @param {Finding[]} findings
 * @param {Leads} leads
 * @param {CardOptions & {label: string, most?: number, wanted?: string, atOnce?: boolean}} options wanted:
 *   the fingerprint of the finding in the address; atOnce: nothing is drawn later
 */
export function findingList(
  findings,
  leads,
  { label, most = 10, wanted = "", atOnce: whole = false, ...options },
) {
  const consequences = consequencesIn(findings);
  const item = (/** @type {Finding} */ finding) => {
    const isConsequence = consequences.has(finding);
    return h(
      "li",
      {
        "id": `finding-${finding.fingerprint}`,
        "class": isConsequence ? "consequence" : null,
        "aria-current": finding.fingerprint === wanted ? "true" : null,
      },
      findingCard(finding, isConsequence ? { ...leads, cause: undefined } : leads, options),
    );
  };
  const shown =
    findings.findIndex((finding) => finding.fingerprint === wanted) < most ? most : findings.length;
  const atOnce = findings.slice(0, wanted || whole ? shown : Math.min(shown, IN_SIGHT)).map(item);
  const list = h("ol", { "class": "findings", "aria-label": label }, atOnce);
  if (atOnce.length < shown)
    afterPaint(() => atOnce.at(-1)?.after(...findings.slice(atOnce.length, shown).map(item)));
  if (findings.length <= shown) return list;
  const more = h(
    "button",
    {
      class: "tool",
      onclick: () => {
        more.remove();
        append(list, findings.slice(shown).map(item));
        list.children[shown]?.querySelector("a, button, summary")?.focus();
      },
    },
    `Show all ${count(findings.length)}`,
  );
  return h("div", null, list, more);
}
