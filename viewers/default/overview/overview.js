// The first screen: what the log says, most important first; then what ran.
import { findingList } from "../../lib/finding/list.js";
import { rich } from "../../lib/finding/rich.js";
import { fill, h } from "../../lib/page/dom.js";
import { bytes, count, plural, time } from "../../lib/page/format.js";
import { statusBadge } from "../../lib/page/status.js";
import { logName } from "../frame/shell.js";
import { diagnosticsList } from "../records/diagnostics-list.js";
import { leadsOf } from "../shared/finding-leads.js";
import { facts, functionName, modelOf, placeOf } from "../shared/model.js";
import { compileLink, phaseBar, shareBar } from "../shared/parts.js";
import { provenanceSection } from "../shared/provenance-link.js";
import { logTable } from "./logs.js";
import { ranksFound, ranksHeadline, ranksLine } from "./ranks.js";

const SLOWEST = 8;

/** @param {import("../main.js").Context} context @returns {Promise<import("../main.js").View>} */
export async function openOverview({ bundle, log, state }) {
  const [model, found, ranks] = await Promise.all([modelOf(log), log.findings(), ranksFound(bundle)]);
  const ofAll = state.current.log === "" ? ranks : null; // nobody asked for this log: the ranks come first
  const known = facts(model);
  const findings = h("section", { "aria-label": "Findings" });
  const show = (/** @type {string} */ wanted) => fill(findings, found ? findingsPart(model, found, state, wanted)
    : h("p", { class: "note" }, "This bundle was made before findings were part of it: build it again to see them."));
  let shown = "";
  show(shown);
  const element = h("div", { class: "page" },
    ofAll ? ranksHeadline(bundle, ofAll) : [headline(log, found, 1), ranksLine(bundle, ranks)],
    bundle.logs.length > 1 && logTable(bundle, log, state),
    ofAll && headline(log, found, 2),
    model.frames.length === 0 && !found?.summary.compile_count && nothingCompiled(model, state),
    findings,
    model.frames.length > 0 && timeSection(model, known, state),
    provenanceSection(model, state),
    kindSection(model, state),
    diagnosticsSection(bundle, log, state),
  );
  return {
    element, title: "Overview",
    update: ({ item }) => {
      if (item === shown) return;
      show((shown = item));
      findings.querySelector("[aria-current]")?.scrollIntoView({ block: "start" });
    },
  };
}

/** @param {import("../../lib/bundle/log.js").Log} log @param {import("../shared/finding-leads.js").Findings} found @param {number} level of the heading */
function headline(log, found, level) {
  const { source, torch_version: torch, event_count: events, rank } = log.summary;
  return h("header", { class: "headline" }, h(`h${level}`, null, level > 1 && [h("span", { class: "dim" }, logName(log)), " "], found ? rich(found.summary.text) : source.name),
    h("ul", { class: "facts-line" },
      h("li", null, torch ? `torch ${torch}` : "torch version not in the log"),
      h("li", null, rank === null ? "no rank" : `rank ${rank}`),
      h("li", null, `${plural(events, "record")}, ${bytes(source.size_bytes)}`),
      h("li", { class: "path" }, source.name)));
}

/** @param {any} model @param {NonNullable<import("../shared/finding-leads.js").Findings>} found @param {any} state @param {string} wanted */
function findingsPart(model, found, state, wanted) {
  if (found.findings.length === 0) return null;
  return [h("h2", { class: "visually-hidden" }, "Findings"), findingList(found.findings, leadsOf(model, state, found), { label: "Findings", wanted })];
}

/** @param {any} model @param {any} state */
function nothingCompiled(model, state) {
  const { event_count: events } = model.log.summary;
  return h("section", { class: "empty" },
    events ? h("p", null, "Torch wrote records, but none of them belongs to a compile. ", h("a", { href: state.link({ view: "events" }) }, "All records"))
      : h("p", null, "The log has no records."),
    h("p", null, "Compiles appear here when a program that calls torch.compile runs with ",
      h("code", null, "TORCH_TRACE=/tmp/trace python train.py"), "."));
}

/** @param {any} model @param {any} compile */
const where = (model, compile) => h("span", { class: "place", title: compile.filename }, placeOf(model, compile));

/** @param {any} model @param {ReturnType<typeof facts>} known @param {any} state */
function timeSection(model, known, state) {
  const longest = known.slowest[0]?.us ?? 0;
  return h("div", { class: "columns" },
    h("section", null,
      longest > 0 && [h("h2", null, "Time by phase, in the metrics"), phaseBar(known.phases)],
      h("h2", null, "Statuses"),
      h("ul", { class: "facts-line" }, Object.entries(known.statuses).map(([status, n]) =>
        h("li", null, h("a", { href: state.link({ view: "compiles", status }) }, statusBadge(status), ` ${count(n)}`))))),
    longest > 0 && h("section", null, h("h2", null, "Slowest, forward and backward"),
      h("table", { class: "plain" }, h("tbody", null, known.slowest.slice(0, SLOWEST).map(({ last, rows, us }) => h("tr", null,
        h("td", null, compileLink(model, rows[rows.length - 1], state)),
        h("td", { class: "wide" }, functionName(last), " ", where(model, last)),
        h("td", { class: "number" }, time(us)),
        h("td", { class: "bar-cell" }, shareBar(us, longest))))))));
}

/** What takes the room. @param {any} model @param {any} state */
function kindSection(model, state) {
  const kinds = [...model.directory.kinds].sort((a, b) => b.size_bytes - a.size_bytes);
  if (kinds.length === 0) return null;
  const row = (/** @type {any} */ kind) => h("tr", null,
    h("td", { class: "wide" }, h("a", { href: state.link({ view: "events", type: kind.name === null ? kind.type : `${kind.type}:${kind.name}` }) },
      kind.name === null ? kind.type : `${kind.type} › ${kind.name}`)),
    h("td", { class: "number" }, plural(kind.event_count, "record")), h("td", { class: "number" }, bytes(kind.size_bytes)),
    h("td", { class: "bar-cell" }, shareBar(kind.size_bytes, kinds[0].size_bytes)));
  const body = h("tbody", null, kinds.slice(0, SLOWEST).map(row));
  const more = h("button", { class: "tool", onclick: () => { more.remove(); fill(body, kinds.map(row)); } }, `Show all ${count(kinds.length)} kinds`);
  return h("section", null, h("h2", null, "What the log is made of"), h("table", { class: "plain" }, body), kinds.length > SLOWEST && more);
}

/** What was repaired or could not be understood; what is merely worth knowing stands in the view of the diagnostics. @param {any} bundle @param {any} log @param {any} state */
function diagnosticsSection(bundle, log, state) {
  const found = Object.entries(log.summary.diagnostics).filter(([code]) => bundle.manifest.diagnostic_codes[code]?.severity !== "info");
  if (found.length === 0) return null;
  return h("section", null, h("h2", null, "Diagnostics"),
    diagnosticsList(bundle, found, (/** @type {string} */ code) => state.link({ view: "diagnostics", q: code })));
}
