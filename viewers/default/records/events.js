// The records view: every record of the log.
import { describe } from "../../lib/bundle/artifacts.js";
import { attemptKey } from "../../lib/bundle/log.js";
import { Grid } from "../../lib/list/grid.js";
import { fill, h, searchField } from "../../lib/page/dom.js";
import { bytes, count, plural, time } from "../../lib/page/format.js";
import { split } from "../../lib/page/splitter.js";
import { idText, modelOf, numberOf } from "../shared/model.js";
import { searchMetadata } from "./record-search.js";
import { openRecord } from "./record.js";

const MOST_NAMED = 500_000; // records; in longer logs timeline records have no span name

/** @param {import("../frame/viewer.js").Context} context @returns {Promise<import("../frame/viewer.js").View>} */
export async function openEvents(context) {
  const { bundle, log, state } = context;
  const model = await modelOf(log);
  const { directory, compiles } = model;
  if (directory.event_count === 0) {
    return {
      title: "Records",
      element: h(
        "div",
        { class: "page" },
        h("h1", null, "No records"),
        h("p", null, "This log has no records. Diagnostics shows what it contains."),
      ),
    };
  }
  const events = await log.events();
  const { kinds } = directory;
  const detail = h("section", { "class": "pane detail", "aria-label": "Record" });
  const record = openRecord(context, model, detail);
  const total = h("span", { class: "dim", role: "status" });
  const type = select("Type", "all types", types(kinds), () => state.go(state.patched({ type: type.value })));
  const compile = searchField("Compile id", "Compile id", (id) => state.replace({ compile: id }, true), {
    class: "narrow",
    list: "compile-ids",
  });
  const ids = h(
    "datalist",
    { id: "compile-ids" },
    compiles.slice(0, 2_000).map((c) => h("option", { value: c.key })),
  );
  const filter = searchField("Filter records", "Text in names and metadata", (q) =>
    state.replace({ q }, true),
  );
  const choose = (/** @type {number} */ i) => {
    state.replace({ event: String(i) });
    record.show(i);
  };
  /** Names of the spans that timeline records begin or end. @type {Map<number, string>} */
  const spanNames = new Map();
  if (events.length <= MOST_NAMED)
    Promise.all([log.table("spans"), log.table("instants")]).then(
      ([spans, instants]) => {
        if (nameSpans(spans ?? [], instants ?? [], spanNames)) grid.list.redraw();
      },
      () => {},
    ); // the timeline reports the error
  const grid = new Grid({
    label: "Records",
    columns: columns(events, model, kinds, bundle, spanNames),
    sort: state.current.sort,
    onselect: choose,
    onopen: choose,
    onsort: (sort) => state.replace({ sort }),
    name: (i) => `${count(i)} ${events[i].type} ${events[i].name ?? ""}`,
  });
  const left = h(
    "section",
    { "class": "pane", "aria-label": "Records" },
    h("div", { class: "toolbar" }, filter, type, compile, ids, total),
    grid.element,
  );
  const element = split("events", left, detail, { label: "Width of the table", size: "max(420px, 55vw)" });

  let drawn = "";
  let search = /** @type {AbortController | null} */ (null);
  const apply = (/** @type {any} */ current) => {
    search?.abort();
    const base = narrow(events, model, current);
    const show = (/** @type {number[]} */ rows, /** @type {string} */ note) => {
      grid.show(rows, current.event === "" ? grid.selected : Number(state.current.event));
      fill(
        total,
        rows.length === events.length
          ? plural(rows.length, "record")
          : `${count(rows.length)} of ${plural(events.length, "record")}`,
        note && `, ${note}`,
      );
    };
    if (!current.q) return show(base, "");
    search = new AbortController();
    const { signal } = search;
    searchMetadata(log, events, base, current.q, signal, show).catch((error) => {
      if (!signal.aborted) fill(total, `Search failed: ${error.message}`);
    });
  };
  return {
    element,
    title: "Records",
    search: () => filter,
    close: () => {
      search?.abort();
      record.close();
    },
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
      record.show(event < 0 ? (grid.order[0] ?? -1) : event); // the first one by default
    },
  };
}

/** @param {any[]} kinds @returns {[string, string][]} value and label of a type, or of a type and a name */
function types(kinds) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  const add = (/** @type {string} */ key, /** @type {number} */ n) =>
    counts.set(key, (counts.get(key) ?? 0) + n);
  for (const kind of kinds) {
    add(kind.type, kind.event_count);
    if (kind.name !== null) add(`${kind.type}:${kind.name}`, kind.event_count);
  }
  return [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, n]) => [key, `${key.replace(":", " › ")} (${count(n)})`]);
}

/** @param {string} label @param {string} all @param {[string, string][]} options @param {() => void} onchange */
function select(label, all, options, onchange) {
  return h(
    "select",
    { "aria-label": label, onchange },
    h("option", { value: "" }, all),
    options.slice(0, 2_000).map(([value, text]) => h("option", { value }, text)),
  );
}

/** @typedef {import("../../lib/bundle/log.js").Event} Event */

/** Return the rows of a type and a compile. @param {Event[]} events @param {import("../shared/model.js").Model} model @param {any} current */
function narrow(events, model, { type, compile }) {
  const wanted = compile.trim().replace(/^\[|\]$/g, "");
  const keys = new Set(
    model.compiles.filter(({ key, id }) => key === wanted || id === wanted).map(attemptKey),
  );
  const rows = [];
  for (let i = 0; i < events.length; i++) {
    const event = events[i];
    if (type && event.type !== type && `${event.type}:${event.name}` !== type) continue;
    if (!wanted || keys.has(attemptKey(event))) rows.push(i);
  }
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

/**
 * @param {Event[]} events @param {import("../shared/model.js").Model} model @param {any[]} kinds @param {any} bundle @param {Map<number, string>} spanNames
 * @returns {import("../../lib/list/grid.js").Column[]}
 */
function columns(events, model, kinds, bundle, spanNames) {
  const kindOf = new Map(kinds.map((kind) => [`${kind.type} ${kind.name ?? ""}`, kind]));
  const word = (/** @type {number} */ i) => `${events[i].type} ${events[i].name ?? ""}`;
  const place = new Map([...kindOf.keys()].sort().map((text, at) => [text, at]));
  const compile = (/** @type {number} */ i) => model.compiles[numberOf(model, events[i])];
  return [
    {
      id: "index",
      title: "#",
      number: true,
      cell: (i) => count(i),
      sort: (i) => i,
      help: "Position in the log, from 0",
    },
    {
      id: "time",
      title: "Time",
      number: true,
      cell: (i) => time(events[i].time_us),
      sort: (i) => events[i].time_us,
      help: "Time since the first record",
    },
    {
      id: "type",
      title: "Type and name",
      least: "10rem",
      sort: (i) => place.get(word(i)),
      cell: (i) => {
        const { type, name } = events[i],
          kind = kindOf.get(word(i));
        return h(
          "span",
          { title: `${word(i)}\n${kind ? describe(bundle.manifest, kind).help : ""}` },
          name === null && !spanNames.has(i)
            ? type
            : [h("span", { class: "dim" }, type), " ", name ?? spanNames.get(i)],
        );
      },
    },
    {
      id: "compile",
      title: "Compile",
      class: "mono",
      cell: (i) => (events[i].compile === null || !compile(i) ? "–" : idText(compile(i))),
      sort: (i) => numberOf(model, events[i]),
    },
    {
      id: "line",
      title: "Log line",
      number: true,
      cell: (i) => count(events[i].line),
      sort: (i) => events[i].line,
      help: "Line number in the log",
    },
    {
      id: "size",
      title: "Size",
      number: true,
      cell: (i) => bytes(events[i].size_bytes),
      sort: (i) => events[i].size_bytes,
      help: "Size in the log, including the payload",
    },
    {
      id: "payload",
      title: "Payload size",
      number: true,
      cell: (i) => (events[i].blob === null ? "" : bytes(events[i].payload_size_bytes)),
      sort: (i) => events[i].payload_size_bytes ?? 0,
    },
  ];
}
