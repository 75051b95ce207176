// The first screen: what ran, and what went wrong.
import { fill, h } from "../../lib/page/dom.js";
import { bytes, count, plural, time } from "../../lib/page/format.js";
import { statusBadge } from "../../lib/page/status.js";
import { logName } from "../frame/shell.js";
import { diagnosticsList } from "../records/diagnostics-list.js";
import { facts, functionName, modelOf, placeOf } from "../shared/model.js";
import { compileLink, phaseBar, shareBar } from "../shared/parts.js";
import { provenanceSection } from "../shared/provenance-link.js";
import { ranksLink, ranksSummary } from "../shared/ranks-link.js";
import { answers, cacheSection } from "./answers.js";

const SLOWEST = 8;

/** @param {import("../main.js").Context} context @returns {Promise<import("../main.js").View>} */
export async function openOverview({ bundle, log, state }) {
  const model = await modelOf(log);
  const known = facts(model);
  const element = h("div", { class: "page" },
    headline(model, known),
    bundle.logs.length > 1 && logTable(bundle, log, state),
    model.frames.length === 0 && nothingCompiled(model, state),
    model.log.summary.event_count > 0 && answers(model, known, state),
    model.frames.length > 0 && [
      timeSection(model, known, state),
      cacheSection(model, state),
    ],
    provenanceSection(model, state),
    kindSection(model, state),
    diagnosticsSection(bundle, log, state),
  );
  return { element, title: "Overview" };
}

/** @param {any} model @param {ReturnType<typeof facts>} known */
function headline(model, known) {
  const { source, torch_version: torch, event_count: events, rank } = model.log.summary;
  const title = model.frames.length === 0 ? "No compiles in this log"
    : `${plural(model.frames.length, "compile")} of ${plural(known.functions, "function")} in ${time(known.total)}`;
  return h("header", { class: "headline" }, h("h1", null, title),
    h("ul", { class: "facts-line" },
      h("li", null, torch ? `torch ${torch}` : "torch version not in the log"),
      h("li", null, rank === null ? "no rank" : `rank ${rank}`),
      h("li", null, `${plural(events, "record")}, ${bytes(source.size_bytes)}`),
      h("li", { class: "path" }, source.name)));
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
  const all = known.phases.reduce((total, phase) => total + phase.us, 0);
  const longest = known.slowest[0]?.last.compile_time_us ?? 0;
  return h("div", { class: "columns" },
    h("section", null, h("h2", null, "Compile time"),
      all === 0 ? h("p", { class: "dim" }, "The log has no compile times. They come with the compilation metrics at the end of each compile.")
        : phaseBar(known.phases),
      h("h2", null, "Statuses"),
      h("ul", { class: "facts-line" }, Object.entries(known.statuses).map(([status, n]) =>
        h("li", null, h("a", { href: state.link({ view: "compiles", status }) }, statusBadge(status), ` ${count(n)}`))))),
    known.slowest.length > 0 && h("section", null, h("h2", null, "Slowest"),
      h("table", { class: "plain" }, h("tbody", null, known.slowest.slice(0, SLOWEST).map(({ last, rows }) => h("tr", null,
        h("td", null, compileLink(model, rows[rows.length - 1], state)),
        h("td", { class: "wide" }, functionName(last), " ", where(model, last)),
        h("td", { class: "number" }, time(last.compile_time_us)),
        h("td", { class: "bar-cell" }, shareBar(last.compile_time_us, longest))))))));
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

/** @param {any} bundle @param {any} log @param {any} state */
function diagnosticsSection(bundle, log, state) {
  const found = Object.entries(log.summary.diagnostics);
  if (found.length === 0) return null;
  return h("section", null, h("h2", null, "Diagnostics"),
    diagnosticsList(bundle, found, (/** @type {string} */ code) => state.link({ view: "diagnostics", q: code })));
}

/** @param {any} bundle @param {any} log @param {any} state */
function logTable(bundle, log, state) {
  const titles = ["Log", "Torch", "Compile ids", "Statuses", "Compile time", "Records", "Size", "Diagnostics"];
  const body = h("tbody", null, bundle.logs.map((/** @type {any} */ l) => {
    const row = l.summary;
    return h("tr", { class: l.id === log.id ? "here" : null },
      h("td", { class: "wide" }, h("a", { href: state.patched({ log: l.id }), "aria-current": l.id === log.id ? "true" : null }, logName(l))),
      h("td", null, row.torch_version ?? "–"),
      h("td", { class: "number" }, count(row.compile_count)),
      h("td", null, Object.entries(row.statuses).map(([status, n]) => [statusBadge(status), ` ${count(/** @type {number} */ (n))}  `]).flat()),
      h("td", { class: "number" }, time(row.compile_time_us)),
      h("td", { class: "number" }, count(row.event_count)),
      h("td", { class: "number" }, bytes(row.source.size_bytes)),
      h("td", { class: "number" }, count(Object.values(row.diagnostics).reduce((/** @type {number} */ a, b) => a + /** @type {number} */ (b), 0))));
  }));
  return h("section", null, h("h2", null, `${plural(bundle.logs.length, "log")} in this bundle`, " ", ranksLink(bundle, "What differs between the ranks ›"), " ", ranksSummary(bundle)),
    h("div", { class: "table-box", tabindex: "0", role: "region", "aria-label": "Logs" },
      h("table", { class: "plain" }, h("thead", null, h("tr", null, titles.map((title, i) =>
        h("th", { scope: "col", class: [2, 4, 5, 6, 7].includes(i) ? "number" : null }, title)))), body)));
}
