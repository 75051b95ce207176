// The diagnostics view: lines of the log that were damaged, skipped, repaired or assumed.
import { Grid } from "../../lib/list/grid.js";
import { fill, h, searchField } from "../../lib/page/dom.js";
import { count, plural } from "../../lib/page/format.js";
import { diagnosticsList, severityBadge } from "./diagnostics-list.js";

/** @param {import("../frame/viewer.js").Context} context @returns {Promise<import("../frame/viewer.js").View>} */
export async function openDiagnostics({ bundle, log, state }) {
  const rows = [...ofRanks(bundle), ...(await log.table("diagnostics"))];
  if (rows.length === 0) {
    return {
      title: "Diagnostics",
      element: h(
        "div",
        { class: "page" },
        h("h1", null, "No diagnostics"),
        h("p", null, "Every line of this log was parsed. Nothing to fix."),
      ),
    };
  }
  const filter = searchField("Filter diagnostics", "Filter", (q) => state.replace({ q }, true));
  const total = h("span", { "class": "dim", "aria-live": "polite" });
  const grid = new Grid({
    label: "Diagnostics",
    sort: state.current.sort,
    onsort: (sort) => state.replace({ sort }),
    onselect: (i) => state.replace({ item: String(i) }),
    columns: [
      {
        id: "severity",
        title: "Severity",
        cell: (i) => severityBadge(rows[i].severity),
        sort: (i) => rows[i].severity,
      },
      { id: "code", title: "Code", cell: (i) => rows[i].code, sort: (i) => rows[i].code, class: "mono" },
      {
        id: "line",
        title: "Log line",
        number: true,
        cell: (i) => count(rows[i].line),
        sort: (i) => rows[i].line,
      },
      {
        id: "byte",
        title: "Byte offset",
        number: true,
        cell: (i) => count(rows[i].byte_offset),
        sort: (i) => rows[i].byte_offset,
      },
      {
        id: "count",
        title: "Count",
        number: true,
        cell: (i) => count(rows[i].count),
        sort: (i) => rows[i].count,
      },
      { id: "event", title: "Record", number: true, cell: (i) => event(rows[i], state) },
      {
        id: "message",
        title: "Message",
        least: "16rem",
        cell: (i) => h("span", { title: rows[i].message }, rows[i].message),
      },
    ],
    onopen: (i) =>
      rows[i].event !== null && state.go(state.link({ view: "events", event: String(rows[i].event) })),
  });
  const found = /** @type {[string, any][]} */ (Object.entries(counts(rows)));
  const element = h(
    "div",
    { class: "fill" },
    h(
      "div",
      { class: "intro" },
      diagnosticsList(bundle, found, (code) => state.link({ view: "diagnostics", q: code })),
    ),
    h("div", { class: "toolbar" }, filter, total),
    grid.element,
  );
  return {
    element,
    title: "Diagnostics",
    search: () => filter,
    update: ({ q, item }) => {
      if (filter.value !== q) filter.value = q;
      const wanted = q.toLowerCase();
      const fit = rows.flatMap((row, i) =>
        `${row.code} ${row.message} ${row.severity}`.toLowerCase().includes(wanted) ? [i] : [],
      );
      fill(
        total,
        fit.length === rows.length
          ? plural(rows.length, "row")
          : `${count(fit.length)} of ${plural(rows.length, "row")}`,
      );
      grid.show(fit, item === "" ? -1 : Number(item));
    },
  };
}

/** Return the problems in comparing ranks, as rows. @param {any} bundle */
const ofRanks = ({ manifest }) =>
  Object.entries(manifest.diagnostics ?? {}).flatMap(([code, messages]) =>
    /** @type {string[]} */ (messages).map((message) => ({
      code,
      severity: manifest.diagnostic_codes[code]?.severity ?? "warning",
      message,
      line: null,
      byte_offset: null,
      event: null,
      count: 1,
    })),
  );

/** Count the rows by code. @param {any[]} rows */
function counts(rows) {
  const found = /** @type {Record<string, number>} */ ({});
  for (const { code, count: n } of rows) found[code] = (Object.hasOwn(found, code) ? found[code] : 0) + n;
  return found;
}

/** @param {any} row @param {any} state */
function event(row, state) {
  return row.event === null
    ? "–"
    : h(
        "a",
        { href: state.link({ view: "events", event: String(row.event) }), tabindex: "-1" },
        count(row.event),
      );
}
