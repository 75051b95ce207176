// Every record of the log. This is the place where nothing is hidden.
import { describe } from "../../lib/bundle/artifacts.js";
import { Grid } from "../../lib/list/grid.js";
import { fill, h, searchField } from "../../lib/page/dom.js";
import { bytes, count, plural, time } from "../../lib/page/format.js";
import { split } from "../../lib/page/splitter.js";
import { idText, modelOf } from "../shared/model.js";
import { searchMetadata } from "./record-search.js";
import { openRecord } from "./record.js";

const MOST_NAMED = 500_000; // records; in longer logs those of the timeline stay without the name of their span

/** @param {import("../frame/viewer.js").Context} context @returns {Promise<import("../frame/viewer.js").View>} */
export async function openEvents(context) {
  const { bundle, log, state } = context;
  const model = await modelOf(log);
  const { directory, compiles } = model;
  if (directory.event_count === 0) {
    return { title: "Events", element: h("div", { class: "page" }, h("h1", null, "No records"),
      h("p", null, "Each record that torch wrote would be a row here. This log holds none; see Diagnostics for what it holds instead.")) };
  }
  const table = await log.eventTable(0, directory.event_count, {});
  const { kinds } = directory;
  const detail = h("section", { class: "pane detail", "aria-label": "Record" });
  const record = openRecord(context, model, detail);
  const total = h("span", { class: "dim", role: "status" });
  const type = select("Type", "all types", types(kinds), () => state.go(state.patched({ type: type.value })));
  const compile = searchField("Compile id", "Compile id", (id) => state.replace({ compile: id }, true), { class: "narrow", list: "compile-ids" });
  const ids = h("datalist", { id: "compile-ids" }, compiles.slice(0, 2_000).map((c) => h("option", { value: c.key })));
  const filter = searchField("Filter records", "Text in names and metadata", (q) => state.replace({ q }, true));
  const choose = (/** @type {number} */ i) => {
    state.replace({ event: String(i) });
    record.show(i);
  };
  /** Names of the spans that records of the timeline begin and end. @type {Map<number, string>} */
  const spanNames = new Map();
  if (table.length <= MOST_NAMED) Promise.all([log.table("spans"), log.table("instants")]).then(([spans, instants]) => { if (nameSpans(spans ?? [], instants ?? [], spanNames)) grid.list.redraw(); }, () => {}); // the timeline tells what went wrong
  const grid = new Grid({
    label: "Records", columns: columns(table, model, kinds, bundle, spanNames), sort: state.current.sort,
    onselect: choose, onopen: choose, onsort: (sort) => state.replace({ sort }),
    name: (i) => `${count(i)} ${kinds[table.columns.kind_index[i]].type} ${kinds[table.columns.kind_index[i]].name ?? ""}`,
  });
  const left = h("section", { class: "pane", "aria-label": "Records" }, h("div", { class: "toolbar" }, filter, type, compile, ids, total), grid.element);
  const element = split("events", left, detail, { label: "Width of the table", size: "max(420px, 55vw)" });

  let drawn = "";
  let search = /** @type {AbortController | null} */ (null);
  const apply = (/** @type {any} */ current) => {
    search?.abort();
    const base = narrow(table, kinds, compiles, current);
    const show = (/** @type {number[]} */ rows, /** @type {string} */ note) => {
      grid.show(rows, current.event === "" ? grid.selected : Number(state.current.event));
      fill(total, rows.length === table.length ? plural(rows.length, "record") : `${count(rows.length)} of ${plural(table.length, "record")}`, note && `, ${note}`);
    };
    if (!current.q) return show(base, "");
    search = new AbortController();
    const { signal } = search;
    searchMetadata(log, table, kinds, base, current.q, signal, show).catch((error) => {
      if (!signal.aborted) fill(total, `The search stopped: ${error.message}`);
    });
  };
  return {
    element, title: "Records", search: () => filter, close: () => { search?.abort(); record.close(); },
    update: (current) => {
      if (document.activeElement !== filter) filter.value = current.q;
      if (document.activeElement !== compile) compile.value = current.compile;
      type.value = current.type;
      if (grid.sort !== current.sort) {
        grid.sort = current.sort;
        grid.drawHeader();
        drawn = "";
      }
      const key = JSON.stringify([current.q, current.type, current.compile]);
      if (key !== drawn) apply(current);
      drawn = key;
      const event = current.event === "" ? -1 : Number(current.event);
      if (event >= 0 && grid.selected !== event) grid.arrange(event);
      record.show(event < 0 ? grid.order[0] ?? -1 : event); // the first until another one is chosen
    },
  };
}

/** @param {any[]} kinds @returns {[string, string][]} value and words; a type, or a type and a name */
function types(kinds) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  const add = (/** @type {string} */ key, /** @type {number} */ n) => counts.set(key, (counts.get(key) ?? 0) + n);
  for (const kind of kinds) {
    add(kind.type, kind.event_count);
    if (kind.name !== null) add(`${kind.type}:${kind.name}`, kind.event_count);
  }
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, n]) => [key, `${key.replace(":", " › ")} (${count(n)})`]);
}

/** @param {string} label @param {string} all @param {[string, string][]} options @param {() => void} onchange */
function select(label, all, options, onchange) {
  return h("select", { "aria-label": label, onchange }, h("option", { value: "" }, all), options.slice(0, 2_000).map(([value, text]) => h("option", { value }, text)));
}

/** The rows of a type and a compile. @param {any} table @param {any[]} kinds @param {any[]} compiles @param {any} current */
function narrow(table, kinds, compiles, current) {
  const kindFits = kinds.map((kind) => !current.type || kind.type === current.type || `${kind.type}:${kind.name}` === current.type);
  const wanted = current.compile.trim().replace(/^\[|\]$/g, "");
  const compileFits = compiles.map((compile) => !wanted || compile.key === wanted || compile.id === wanted);
  const { kind_index: kind, compile_index: compile } = table.columns;
  const rows = [];
  for (let i = 0; i < table.length; i++) if (kindFits[kind[i]] && compileFits[compile[i]]) rows.push(i);
  return rows;
}

/** @param {any[]} spans @param {any[]} instants @param {Map<number, string>} into @returns {boolean} whether there are any */
function nameSpans(spans, instants, into) {
  for (const { name, begin_event: begin, end_event: end } of spans) {
    into.set(begin, `${name} begins`);
    if (end !== null) into.set(end, `${name} ends`);
  }
  for (const { name, event } of instants) into.set(event, name);
  return into.size > 0;
}

/** @param {any} table @param {any} model @param {any[]} kinds @param {any} bundle @param {Map<number, string>} spanNames @returns {import("../../lib/list/grid.js").Column[]} */
function columns(table, model, kinds, bundle, spanNames) {
  const c = table.columns;
  const kind = (/** @type {number} */ i) => kinds[c.kind_index[i]];
  const words = kinds.map(({ type, name }) => `${type} ${name ?? ""}`);
  const place = new Map([...words].sort().map((word, at) => [word, at]));
  const order = words.map((word) => place.get(word));
  return [
    { id: "index", title: "#", number: true, cell: (i) => count(i), sort: (i) => i, help: "Place in the log, from 0" },
    { id: "time", title: "Time", number: true, cell: (i) => time(c.time_us[i]), sort: (i) => c.time_us[i], help: "After the first record" },
    { id: "type", title: "Type and name", least: "10rem", sort: (i) => order[c.kind_index[i]],
      cell: (i) => h("span", { title: `${kind(i).type} ${kind(i).name ?? ""}\n${describe(bundle.manifest, kind(i)).help}` },
        kind(i).name === null && !spanNames.has(i) ? kind(i).type : [h("span", { class: "dim" }, kind(i).type), " ", kind(i).name ?? spanNames.get(i)]) },
    { id: "compile", title: "Compile", class: "mono", cell: (i) => (model.compiles[c.compile_index[i]].id === null ? "–" : idText(model.compiles[c.compile_index[i]])), sort: (i) => c.compile_index[i] },
    { id: "line", title: "Line", number: true, cell: (i) => count(c.line[i]), sort: (i) => c.line[i], help: "Line in the log" },
    { id: "size", title: "Record", number: true, cell: (i) => bytes(c.size_bytes[i]), sort: (i) => c.size_bytes[i], help: "Bytes in the log, payload included" },
    { id: "payload", title: "Payload", number: true, cell: (i) => (c.blob_index[i] < 0 ? "" : bytes(c.payload_size_bytes[i])), sort: (i) => c.payload_size_bytes[i] },
  ];
}
