// The first screen: what the log says, most important first; then what took the time.
import { findingList } from "../../lib/finding/card.js";
import { afterPaint, append, fill, h, rich } from "../../lib/page/dom.js";
import { bytes, count, plural, time } from "../../lib/page/format.js";
import { shareBar, statusBadge } from "../../lib/page/figures.js";
import { leadsOf } from "../shared/finding-leads.js";
import { facts, functionName, logName, modelOf, placeOf } from "../shared/model.js";
import { compileLink } from "../shared/parts.js";
import { runStrip, tiles } from "./tiles.js";

const SLOWEST = 8;

/** @param {import("../frame/viewer.js").Context} context @returns {Promise<import("../frame/viewer.js").View>} */
export async function openOverview({ bundle, log, state }) {
  const several = bundle.logs.length > 1;
  const [model, found, ranks, logs] = await Promise.all([modelOf(log), log.findings(), bundle.manifest.ranks ? ranksOf(bundle) : null, several ? import("./logs.js") : null]);
  const ofAll = ranks?.found && state.current.log === ""; // nobody asked for this log: the ranks come first
  const known = facts(model);
  const findings = h("section", { "aria-label": "Findings" });
  const show = (/** @type {string} */ wanted) => fill(findings, found ? findingsPart(model, found, state, wanted)
    : h("p", { class: "note" }, "This bundle was made before findings were part of it: build it again to see them."));
  let shown = "";
  show(shown);
  const element = h("div", { class: "page overview" },
    ofAll ? ranks.headline() : [headline(log, found, 1), ranks?.line()],
    logs?.logTable(bundle, log, state),
    ofAll && headline(log, found, 2),
    found && tiles({ log, state, found, phases: known.phases }),
    runStrip(model, state, found?.summary.wall_us ?? null),
    model.frames.length === 0 && !found?.summary.compile_count && nothingCompiled(model, state),
    findings,
  );
  afterPaint(() => append(element, [compilesPart(model, known, state)])); // it is below the first screen
  return {
    element, title: "Overview",
    update: ({ item }) => {
      if (item === shown) return;
      show((shown = item));
      findings.querySelector("[aria-current]")?.scrollIntoView({ block: "start" });
    },
  };
}

/** @param {import("../../lib/bundle/bundle.js").Bundle} bundle of several ranks */
async function ranksOf(bundle) {
  const { ranksFound, ranksHeadline, ranksLine } = await import("./ranks.js");
  const found = await ranksFound(bundle);
  return { found, headline: () => found && ranksHeadline(bundle, found), line: () => ranksLine(bundle, found) };
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

/** What came of them, and where the time went. @param {any} model @param {ReturnType<typeof facts>} known @param {any} state */
function compilesPart(model, known, state) {
  if (model.frames.length === 0) return null;
  const total = known.slowest.reduce((sum, { us }) => sum + us, 0);
  return h("section", { class: "slowest" }, h("h2", null, "Compiles"),
    h("ul", { class: "facts-line" }, Object.entries(known.statuses).map(([status, n]) =>
      h("li", null, h("a", { href: state.link({ view: "compiles", status }) }, statusBadge(status), ` ${count(n)}`)))),
    total > 0 && h("table", { class: "plain" },
      h("thead", null, h("tr", null, ["Slowest", "Time", `Of ${time(total)}, forward and backward`, "Function"].map((title, i) => h("th", { scope: "col", class: i === 1 ? "number" : null }, title)))),
      h("tbody", null, known.slowest.slice(0, SLOWEST).map(({ last, rows, us }) => h("tr", null,
        h("td", null, compileLink(model, rows[rows.length - 1], state)),
        h("td", { class: "number" }, time(us)),
        h("td", { class: "bar-cell" }, shareBar(us, total)),
        h("td", null, functionName(last), " ", where(model, last)))))));
}
