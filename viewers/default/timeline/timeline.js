// The timeline view: spans of the log as a flame chart, and tables of times.
import { FlameChart } from "../../lib/flame/chart.js";
import { FlameRange } from "../../lib/flame/range.js";
import { debounce, fill, h, searchField } from "../../lib/page/dom.js";
import { count, plural, time } from "../../lib/page/format.js";
import { split } from "../../lib/page/splitter.js";
import { functionName, idText, modelOf } from "../shared/model.js";
import { CHARTED, legendOf } from "../shared/phases.js";
import { boxOfEvent, eventOf, heaviest, litRows, timelineOf } from "./data.js";
import { spanDetail, spanTip, spanWords } from "./detail.js";
import { TimelineTables } from "./tables.js";
import { traceButton } from "./trace.js";

const LEAST_US = 20; // narrowest range

/** Value in the address, and words. @type {Record<string, string>} */
const HUES = { "": "Color by phase", "compile": "Color by compile", "name": "Color by span" };

/** @param {import("../frame/viewer.js").Context} context @returns {Promise<import("../frame/viewer.js").View>} */
export async function openTimeline(context) {
  const { log, state } = context;
  const [model, diagnostics, spans, instants, totals] = await Promise.all([
    modelOf(log),
    log.table("diagnostics"),
    ...["spans", "instants", "span_totals"].map((name) => log.table(name)),
  ]);
  if (!spans?.length && !instants?.length) return nothing();
  const line = timelineOf(spans, instants, totals, model);

  const chart = new FlameChart({
    label: `Timeline, ${plural(line.spanCount, "span")}`,
    least: LEAST_US,
    ruler: axisText,
    tell: (box) => spanWords(line, model, box),
    tip: (box) => spanTip(line, model, box),
    onselect: (box) => {
      state.replace({ span: box < 0 ? "" : String(eventOf(line, box)) });
      detail(box < 0 ? heaviest(line, shownGroup, inSight()) : box, box < 0);
    },
    onopen: (box) =>
      state.go(state.link({ view: "compile", compile: model.compiles[line.compile[box]].key })),
    onsight: () => {
      small.place();
      sight();
      keep();
    },
  });
  const small = new FlameRange(chart);
  const side = h("section", { "class": "pane detail padded", "aria-label": "Selection", "tabindex": "0" });
  const detail = spanDetail(context, model, line, side, diagnostics, {
    select: (box) => chart.select(box),
    fit: (box) => chart.fit(box),
  });
  const tables = new TimelineTables(model, line, state);

  const seen = h("span", { class: "dim number" });
  const sight = () => fill(seen, `${time(Math.round(chart.to - chart.from))} of ${time(line.flame.end)}`);
  const keep = debounce(() => {
    if (!chart.element.isConnected) return;
    const range = inSight();
    state.replace({ range: range === null ? "" : range.map(Math.round).join("-") });
    tables.update(state.current, shownGroup, range);
    if (state.current.span === "") detail(heaviest(line, shownGroup, range), true); // the first name of the table
  }, 250);
  /** @returns {[number, number] | null} null for everything */
  const inSight = () => (chart.from <= 0 && chart.to >= line.flame.end ? null : [chart.from, chart.to]);

  const search = searchField("Find spans by name", "Find spans", (q) => state.replace({ q }, true), {
    onkeydown: (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Enter") chart.walk(event.shiftKey ? -1 : 1);
      else if (event.key === "Escape") chart.scroller.focus();
      else return;
      event.preventDefault();
    },
  });
  const found = h("span", { "class": "find-status", "aria-live": "polite" });
  const only = h("span", null);
  const button = (
    /** @type {string} */ name,
    /** @type {string} */ sign,
    /** @type {() => void} */ run,
    /** @type {string} */ key,
  ) =>
    h("button", { "class": "tool", "aria-label": name, "title": `${name} (${key})`, "onclick": run }, sign);
  const hue = h(
    "select",
    { "aria-label": "Colors", "onchange": () => state.replace({ hue: hue.value }, true) },
    Object.entries(HUES).map(([value, words]) => h("option", { value }, words)),
  );
  const legend = h("span", { class: "legend phases-legend" }, legendOf(phasesIn(line)).map(legendItem));
  const toolbar = h(
    "div",
    { class: "toolbar" },
    search,
    found,
    button("Previous span", "↑", () => chart.walk(-1), "N"),
    button("Next span", "↓", () => chart.walk(1), "n"),
    hue,
    legend,
    only,
    h("span", { class: "spring" }),
    seen,
    button("Zoom out", "−", () => chart.zoom(1 / 1.5), "-"),
    button("Zoom in", "+", () => chart.zoom(1.5), "+"),
    button("Show all", "All", () => chart.look(0, line.flame.end), "0"),
    traceButton(log),
  );

  let shownGroup = -1,
    detailGroup = -1;
  let drawn = "",
    shownQuery = "",
    shownSpan = "",
    shownRange = "";
  chart.show(line.flame);
  chart.element.style.maxHeight = `${chart.wanted + 30}px`;
  detail(heaviest(line, shownGroup, null), true);
  return {
    title: "Timeline",
    element: h(
      "div",
      { class: "fill timeline" },
      h("h1", { class: "visually-hidden" }, "Timeline"),
      toolbar,
      small.element,
      chart.element,
      split("timeline", tables.element, side, { label: "Width of the table", size: "52vw" }),
    ),
    search: () => search,
    close: () => chart.close(),
    update: (current) => {
      if (shownQuery !== current.q) search.value = current.q; // keeps text that is still being typed
      shownQuery = current.q;
      const compile = current.compile ? model.byKey.get(current.compile) : undefined;
      const group = compile === undefined ? -1 : groupOf(line, compile);
      shownGroup = group;
      const key = JSON.stringify([current.q, current.compile]);
      if (key !== drawn) {
        const asked = drawn === "" || JSON.parse(drawn)[1] !== current.compile;
        drawn = key;
        const lit =
          current.compile && group < 0
            ? line.flame.rows.map(() => new Int32Array(0))
            : litRows(line, current.q, group);
        chart.light(lit);
        fill(found, lit && `${count(lit.reduce((n, row) => n + row.length, 0))} found`);
        fill(
          only,
          current.compile &&
            onlyButton(state, compile === undefined ? null : model.compiles[compile], current.compile),
        );
        if (asked && group >= 0 && !current.range && !current.span)
          chart.look(...around(line.groups[group], line.flame.end));
      }
      if (current.range !== shownRange) {
        const range = /^(\d+)-(\d+)$/.exec(current.range);
        if (range) chart.look(Number(range[1]), Number(range[2]));
        else if (shownRange) chart.look(0, line.flame.end);
      }
      shownRange = current.range;
      tables.update(current, group, inSight());
      if (current.span !== shownSpan || (current.span === "" && group !== detailGroup)) {
        detailGroup = group;
        const box = boxOfEvent(line, current.span);
        chart.mark(box);
        detail(box < 0 && current.span === "" ? heaviest(line, shownGroup, inSight()) : box, box < 0);
        if (box >= 0) requestAnimationFrame(() => (current.range ? chart.reveal(box) : chart.fit(box)));
      }
      shownSpan = current.span;
      hue.value = Object.hasOwn(HUES, current.hue) ? current.hue : "";
      legend.hidden = hue.value !== "";
      line.flame.hue = line.hues[/** @type {"phase" | "compile" | "name"} */ (hue.value || "phase")];
      chart.draw();
      small.draw();
      sight();
    },
  };
}

/** @param {import("./data.js").Timeline} line */
const phasesIn = ({ hues }) => CHARTED.filter((_, hue) => hues.phase.includes(hue));

/** @param {[id: string, title: string, help: string]} phase */
const legendItem = ([id, title, help]) =>
  h(
    "span",
    { title: help },
    h("span", {
      "class": "swatch hue",
      "aria-hidden": "true",
      "style": { "--hue": `var(--hue-${CHARTED.indexOf(id)})` },
    }),
    ` ${title}`,
  );

/** @param {import("./data.js").Timeline} line @param {number} compile */
function groupOf(line, compile) {
  const box = line.compile.indexOf(compile);
  return box < 0 ? -1 : line.group[box];
}

/** @param {import("./data.js").Group} group @param {number} end @returns {[number, number]} */
function around({ from, to }, end) {
  const room = (to - from) * 0.05;
  return Number.isFinite(from) ? [from - room, to + room] : [0, end];
}

/** @param {any} state @param {any} compile @param {string} key */
function onlyButton(state, compile, key) {
  const words = compile ? `${idText(compile)} ${functionName(compile)}` : `[${key}] (not in this log)`;
  return h(
    "button",
    { class: "tool chip", title: "Show all compiles", onclick: () => state.replace({ compile: "" }, true) },
    `only ${words} `,
    h("span", { "aria-hidden": "true" }, "✕"),
  );
}

/** "12.35 s", with as many digits as the ruler's step needs. @param {number} us @param {number} step */
function axisText(us, step) {
  const [unit, size] = step >= 100_000 ? ["s", 1e6] : step >= 100 ? ["ms", 1e3] : ["µs", 1];
  const digits = Math.max(0, -Math.floor(Math.log10(step / size)));
  return `${(us / size).toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${unit}`;
}

/** @returns {import("../frame/viewer.js").View} */
function nothing() {
  return {
    title: "Timeline",
    element: h(
      "div",
      { class: "page" },
      h("h1", null, "No timeline"),
      h(
        "p",
        null,
        "This log has no chromium events. torch 2.5 and later log them for torch.compile, but not for torch.export.",
      ),
    ),
  };
}
