// The first screen: headline and tiles, findings by importance, slowest compiles.
import { findingList } from "../../lib/finding/card.js";
import { table } from "../../lib/list/table.js";
import { cutMiddle } from "../../lib/page/cut-middle.js";
import { afterPaint, append, h, rich } from "../../lib/page/dom.js";
import { shareBar, statusBadge } from "../../lib/page/figures.js";
import { bytes, count, plural, time } from "../../lib/page/format.js";
import { LEFT_OUT } from "../../lib/page/left-out.js";
import { leadsOf } from "../shared/finding-leads.js";
import { attemptKey, attemptName } from "../../lib/bundle/log.js";
import { facts, findingsOf, functionName, logName, modelOf } from "../shared/model.js";
import { compileLink, compilePlace } from "../shared/parts.js";
import { codeLinks } from "./code-links.js";
import { runStrip } from "./strip.js";
import { tiles } from "./tiles.js";

const SLOWEST = 8;
const MOST = 10; // findings shown before "Show all"

/** @param {import("../frame/viewer.js").Context} context @returns {Promise<import("../frame/viewer.js").View>} */
export async function openOverview(context) {
  const { state } = context;
  const ofAll = state.current.log === ""; // no log in the address: the ranks come first
  let page = await pageOf(context, ofAll);
  let shown = "",
    most = MOST;
  let findings = page.findings(shown, { most });
  const element = h("div", { class: "page overview" }, page.top(), findings);
  afterPaint(() => append(element, [page.below()])); // below the first screen
  const showFindings = (/** @type {HTMLElement} */ fresh) => {
    findings.replaceWith(fresh);
    findings = fresh;
  };
  return {
    element,
    title: "Overview",
    update: ({ item }) => {
      if (item === shown) return;
      showFindings(page.findings((shown = item), { most }));
      findings.querySelector("[aria-current]")?.scrollIntoView({ block: "start" });
    },
    grown: async (newer) => {
      const [next, { patch }] = await Promise.all([pageOf(newer, ofAll), import("../../lib/live/patch.js")]);
      return () => {
        page = next;
        if (findings.querySelectorAll(".findings > li").length > most) most = Infinity; // the reader expanded the list
        patch(
          element,
          h("div", null, page.top(), page.findings(shown, { most, atOnce: true }), page.below()),
        );
        findings = element.querySelector(":scope > [data-part=findings]") ?? findings;
      };
    },
  };
}

/** Load what the overview shows of one state of the log; return functions that draw its parts. @param {import("../frame/viewer.js").Context} context @param {boolean} ofAll */
async function pageOf({ bundle, log, state }, ofAll) {
  const [model, found, ranks, logs, live] = await Promise.all([
    modelOf(log),
    findingsOf(log),
    bundle.manifest.rank_tables ? ranksOf(bundle) : null,
    bundle.logs.length > 1 ? import("./logs.js") : null,
    bundle.manifest.growing ? import("../../lib/live/running.js") : null,
  ]);
  const ranksFirst = ofAll && ranks?.found,
    summary = facts(model);
  const href = (
    /** @type {string} */ id,
    /** @type {import("../../lib/live/running-data.js").Running} */ open,
  ) =>
    id === log.id && model.byAttempt.has(attemptKey(open))
      ? state.link({ view: "compile", compile: attemptName(open) })
      : id === log.id
        ? null
        : state.link({ log: id });
  return {
    top: () => [
      live?.runningNow(bundle, { href }),
      ranksFirst ? ranks.headline() : [headline(log, found, 1), ranks?.line()],
      logs?.logTable(bundle, log, state, live),
      ranksFirst && headline(log, found, 2),
      found && tiles({ log, state, found, phases: summary.phases }),
      runStrip(model, state, found?.summary.wall_us ?? null),
      model.frames.length === 0 &&
        !found?.summary.compile_count &&
        !runs(bundle) &&
        nothingCompiled(model, state),
    ],
    /** @param {string} wanted fingerprint of the finding in the address @param {{most: number, atOnce?: boolean}} options */
    findings: (wanted, options) =>
      h(
        "section",
        { "aria-label": "Findings", "dataset": { part: "findings" } },
        found
          ? findingsPart(model, found, state, { wanted, ...options })
          : h("p", { class: "note" }, `Findings. ${LEFT_OUT}`),
      ),
    below: () => compilesPart(model, summary, state),
  };
}

/** True while a compile is running, so that the page doesn't say that nothing was compiled. @param {import("../../lib/bundle/bundle.js").Bundle} bundle */
const runs = ({ manifest }) =>
  manifest.growing === true && (manifest.live?.logs ?? []).some(({ running }) => running.length > 0);

/** @param {import("../../lib/bundle/bundle.js").Bundle} bundle of several ranks */
async function ranksOf(bundle) {
  const { ranksFound, ranksHeadline, ranksLine } = await import("./ranks.js");
  const found = await ranksFound(bundle);
  return {
    found,
    headline: () => found && ranksHeadline(bundle, found),
    line: () => ranksLine(bundle, found),
  };
}

/** @param {import("../../lib/bundle/log.js").Log} log @param {import("../shared/finding-leads.js").Findings} found @param {number} level of the heading */
function headline(log, found, level) {
  const { source, torch_version: torch, event_count: events, rank } = log.summary;
  return h(
    "header",
    { class: "headline" },
    h(
      `h${level}`,
      null,
      level > 1 && [h("span", { class: "dim" }, logName(log)), " "],
      found ? rich(found.summary.text) : source.name,
    ),
    h(
      "ul",
      { class: "facts-line" },
      h("li", null, torch ? `torch ${torch}` : "torch version not recorded"),
      h("li", null, rank === null ? "no rank" : `rank ${rank}`),
      h("li", null, `${plural(events, "record")}, ${bytes(source.size_bytes)}`),
      h("li", { class: "path" }, source.name),
    ),
  );
}

/** @param {any} model @param {NonNullable<import("../shared/finding-leads.js").Findings>} found @param {any} state @param {{wanted: string, most: number, atOnce?: boolean}} options */
function findingsPart(model, found, state, options) {
  if (found.findings.length === 0) return null;
  return [
    h("h2", { class: "visually-hidden" }, "Findings"),
    findingList(found.findings, leadsOf(model, state, found), { label: "Findings", ...options }),
  ];
}

/** @param {any} model @param {any} state */
function nothingCompiled(model, state) {
  const { event_count: events } = model.log.summary;
  return h(
    "section",
    { class: "empty" },
    events
      ? h(
          "p",
          null,
          "The log has records, but none belong to a compile. ",
          h("a", { href: state.link({ view: "events" }) }, "All records"),
        )
      : h("p", null, "The log has no records."),
    h(
      "p",
      null,
      "To record compiles, run a program that calls torch.compile: ",
      h("code", null, "tlparse-bundle run -- python train.py"),
    ),
  );
}

/** Return the number of compiles by status, and a table of the slowest. @param {any} model @param {ReturnType<typeof facts>} summary @param {any} state */
function compilesPart(model, summary, state) {
  if (model.frames.length === 0) return null;
  const total = model.log.summary.summary.compile_us ?? 0;
  return h(
    "section",
    { class: "slowest" },
    h("h2", null, "Compiles"),
    h(
      "ul",
      { class: "facts-line" },
      Object.entries(summary.statuses).map(([status, n]) =>
        h(
          "li",
          null,
          h("a", { href: state.link({ view: "compiles", status }) }, statusBadge(status), ` ${count(n)}`),
        ),
      ),
      summary.refused > 0 && h("li", { class: "dim" }, `${count(summary.refused)} refused by Dynamo`),
    ),
    summary.slowest.length > 0 &&
      table(
        [
          {
            title: "Slowest",
            cell: ({ rows }) => compileLink(model, rows[rows.length - 1], state),
            sort: ({ rows }) => rows[0],
          },
          { title: "Compile time", number: true, cell: ({ us }) => time(us), sort: ({ us }) => us },
          { title: `Share of ${time(total)}`, class: "bar-cell", cell: ({ us }) => shareBar(us, total) },
          { title: "Open", class: "code-links", cell: ({ rows }) => codeLinks(model, rows, state) },
          {
            title: "Function",
            sort: ({ last }) => functionName(last),
            cell: ({ last }) =>
              h(
                "div",
                { class: "function-place" },
                cutMiddle(functionName(last)),
                " ",
                compilePlace(model, last),
              ),
          },
        ],
        summary.slowest.slice(0, SLOWEST),
      ),
  );
}
