// Details of the selected span or instant, and a guide to the timeline.
import { table } from "../../lib/list/table.js";
import { fill, h } from "../../lib/page/dom.js";
import { count, plural, time } from "../../lib/page/format.js";
import { loader } from "../../lib/page/load.js";
import { shareBar } from "../../lib/page/figures.js";
import { placeLink } from "../../lib/page/place-link.js";
import { functionName, idText, placeOf } from "../shared/model.js";
import { compileLink } from "../shared/parts.js";
import { eventOf } from "./data.js";

/** @typedef {import("./data.js").Timeline} Timeline */

const MOST_INSIDE = 12;
const MOST_ARGUMENTS = 60;
const LONGEST_VALUE = 2_000;

/** @type {Record<string, {brief: string, whole: string}>} */
const REPAIRS = {
  misnested: {
    brief: "overlaps other spans",
    whole:
      "Overlaps a span in another lane. Several threads ran, but torch logs all of them as one thread, so this span is in a separate lane. Its caller is not recorded.",
  },
  unended: {
    brief: "never ended",
    whole:
      "No end recorded: the process stopped, or an exception ended the span. It is drawn up to the last event of its compile.",
  },
  backwards: {
    brief: "ends before it begins",
    whole: "The clock was set back during this span. It is drawn with duration 0.",
  },
};

/** Repairs of the timeline, by the code of a diagnostic. @type {[code: string, singular: string, plural: string, action: string][]} */
const ANOMALIES = [
  ["timeline-misnested", "span overlaps others", "spans overlap others", "drawn in separate lanes"],
  ["timeline-unended", "span never ended", "spans never ended", "drawn up to the last event of the compile"],
  [
    "timeline-backwards",
    "span ends before it begins",
    "spans end before they begin",
    "drawn with duration 0",
  ],
  ["timeline-unbegun", "end has no begin", "ends have no begin", "not drawn"],
  ["timeline-invalid-time", "event has an invalid time", "events have an invalid time", "not drawn"],
  ["timeline-other-phase", "event has an unknown phase", "events have an unknown phase", "not drawn"],
];

/** @param {Timeline} line @param {any} model @param {number} box */
export function spanWords(line, model, box) {
  const compile = model.compiles[line.compile[box]];
  const name = line.flame.label(box);
  const whose = `${idText(compile)} ${functionName(compile)}`;
  if (box >= line.spanCount) return `${name}, instant at ${time(line.flame.from[box])}, ${whose}`;
  return `${name}, ${durationText(line, box)}, self time ${time(line.own[box])}, ${whose}`;
}

/** @param {Timeline} line @param {number} box */
const durationText = (line, box) =>
  line.spans[box].duration_us === null ? "never ended" : time(line.spans[box].duration_us);

/** @param {Timeline} line @param {any} model @param {number} box */
export function spanTip(line, model, box) {
  const compile = model.compiles[line.compile[box]];
  const repair = box < line.spanCount ? line.spans[box].repair : null;
  return [
    h("b", null, line.flame.label(box)),
    h(
      "div",
      null,
      box < line.spanCount
        ? [durationText(line, box), h("span", { class: "dim" }, ` · self time ${time(line.own[box])}`)]
        : h("span", { class: "dim" }, `instant at ${time(line.flame.from[box])}`),
    ),
    h(
      "div",
      null,
      h("span", { class: "mono" }, idText(compile)),
      " ",
      functionName(compile),
      " ",
      placeLink(compile.file, compile.line, placeOf(model, compile)),
    ),
    repair !== null && h("div", { class: "note" }, REPAIRS[repair].brief),
  ];
}

/**
 * @param {import("../frame/viewer.js").Context} context @param {any} model @param {Timeline} line @param {Element} root
 * @param {import("../../../schema/bundle.d.ts").Diagnostics[]} diagnostics @param {{select: (box: number) => void, fit: (box: number) => void}} actions
 */
export function spanDetail(context, model, line, root, diagnostics, actions) {
  const args = h("div", null);
  const load = loader(args);
  let waiting = 0;
  return (/** @type {number} */ box, first = false) => {
    // first: selected by default
    clearTimeout(waiting);
    if (box < 0) return fill(root, guide(line, diagnostics));
    const span = box < line.spanCount;
    const repair = span ? line.spans[box].repair : null;
    const compile = model.compiles[line.compile[box]];
    const end = span ? line.spans[box].end_event : line.instants[box - line.spanCount].event;
    fill(args);
    fill(
      root,
      first && h("p", { class: "dim" }, "Longest span of the name with the most self time"),
      h("h2", null, line.flame.label(box)),
      h(
        "p",
        null,
        compileLink(model, line.compile[box], context.state),
        " ",
        functionName(compile),
        " ",
        placeLink(compile.file, compile.line, placeOf(model, compile)),
      ),
      repair !== null && h("p", { class: "note" }, REPAIRS[repair].whole),
      h(
        "dl",
        { class: "pairs" },
        span && row("Duration", h("b", null, durationText(line, box))),
        span && row("Self time", time(line.own[box])),
        row(span ? "Start" : "Time", time(line.flame.from[box])),
        span && row("Inside", above(line, box, actions.select)),
        row("Records", [
          eventLink(context, eventOf(line, box), span ? "begin" : "record"),
          span && " ",
          span &&
            (end === null ? h("span", { class: "dim" }, "no end recorded") : eventLink(context, end, "end")),
        ]),
      ),
      h(
        "p",
        null,
        h(
          "button",
          { class: "tool", onclick: () => actions.fit(box), title: "Zoom to this box (f)" },
          "Zoom to fit",
        ),
      ),
      span && inside(line, box),
      args,
      guide(line, diagnostics),
    );
    if (end !== null)
      waiting = setTimeout(
        () =>
          load(
            "the arguments",
            (signal) => argumentsOf(context.log, end, signal),
            (values) => fill(args, argumentList(values)),
          ),
        150,
      );
  };
}

/** @param {string} title @param {any} value */
const row = (title, value) => [h("dt", null, title), h("dd", null, value)];

/** @param {import("../frame/viewer.js").Context} context @param {number} event @param {string} word */
const eventLink = ({ state }, event, word) =>
  h(
    "a",
    { href: state.link({ view: "events", event: String(event) }), title: `Record ${event}` },
    `${word} ${event}`,
  );

/** Return the enclosing spans as buttons. @param {Timeline} line @param {number} box @param {(box: number) => void} select */
function above(line, box, select) {
  const path = [];
  for (let at = line.parent[box]; at >= 0 && path.length < 100; at = line.parent[at]) path.push(at);
  if (path.length === 0) return h("span", { class: "dim" }, "no span");
  return path
    .reverse()
    .map((at, i) => [
      i > 0 && " › ",
      h("button", { class: "as-link", onclick: () => select(at) }, line.flame.label(at)),
    ]);
}

/** Return a table of the spans directly inside a span, summed by name. @param {Timeline} line @param {number} box */
function inside(line, box) {
  const { parent, name, spans } = line;
  /** @type {Map<number, {us: number, n: number}>} */
  const sums = new Map();
  for (let i = 0; i < line.spanCount; i++) {
    if (parent[i] !== box) continue;
    const sum = sums.get(name[i]) ?? { us: 0, n: 0 };
    sums.set(name[i], { us: sum.us + (spans[i].duration_us ?? 0), n: sum.n + 1 });
  }
  if (sums.size === 0) return null;
  const whole = spans[box].duration_us ?? 0;
  const rows = [...sums].sort((a, b) => b[1].us - a[1].us);
  return [
    h("h3", null, "Directly inside"),
    table(
      [
        {
          title: "Span",
          class: "wide",
          cell: ([index, { n }]) => [
            line.names[index],
            n > 1 && h("span", { class: "dim" }, ` × ${count(n)}`),
          ],
          sort: ([index]) => line.names[index],
          foot: h("span", { class: "dim" }, "self time"),
        },
        {
          title: "Time",
          number: true,
          cell: ([, { us }]) => time(us),
          sort: ([, { us }]) => us,
          foot: time(line.own[box]),
        },
        {
          title: "Share",
          class: "bar-cell",
          cell: ([, { us }]) => shareBar(us, whole),
          foot: shareBar(line.own[box], whole),
        },
      ],
      rows.slice(0, MOST_INSIDE),
    ),
    rows.length > MOST_INSIDE &&
      h("p", { class: "dim" }, `and ${count(rows.length - MOST_INSIDE)} more names`),
  ];
}

/** Return the arguments that torch logged with an event. @param {import("../../lib/bundle/log.js").Log} log @param {number} eventIndex @param {AbortSignal} signal */
async function argumentsOf(log, eventIndex, signal) {
  const event = await log.event(eventIndex, { signal });
  const text = event && (await log.text(event, { signal }));
  const args = text === null ? null : JSON.parse(text).args;
  return args !== null && typeof args === "object" ? Object.entries(args) : [];
}

/** @param {[string, any][]} values */
function argumentList(values) {
  if (values.length === 0) return [];
  const text = (/** @type {any} */ value) =>
    (typeof value === "string" ? value : JSON.stringify(value)).slice(0, LONGEST_VALUE);
  return [
    h("h3", null, "Arguments"),
    h(
      "dl",
      { class: "pairs" },
      values
        .slice(0, MOST_ARGUMENTS)
        .map(([key, value]) => row(key, h("code", null, text(value))))
        .flat(),
    ),
    values.length > MOST_ARGUMENTS &&
      h("p", { class: "dim" }, `and ${count(values.length - MOST_ARGUMENTS)} more in the record`),
  ];
}

/** @param {Timeline} line @param {import("../../../schema/bundle.d.ts").Diagnostics[]} diagnostics */
function guide(line, diagnostics) {
  const anomalies = ANOMALIES.flatMap(([code, one, many, action]) => {
    const row = diagnostics.find((diagnostic) => diagnostic.code === code);
    return row ? [`${plural(row.count, one, many)} (${action})`] : [];
  });
  return [
    anomalies.length > 0 && [
      h("h3", null, "Repaired, drawn dashed"),
      h(
        "ul",
        null,
        anomalies.map((text) => h("li", { class: "note" }, text)),
      ),
    ],
    h(
      "details",
      { class: "guide" },
      h("summary", null, "How to read the timeline"),
      h(
        "p",
        null,
        "Each box is a span, as wide as its duration. Boxes below it are nested spans. Its color is the phase of the compile.",
      ),
      line.instants.length > 0 &&
        h("p", null, "Marks in the first row are instants, events without a duration such as cache hits."),
      h("h3", null, "Keys"),
      h(
        "p",
        null,
        h("kbd", null, "← →"),
        " move, ",
        h("kbd", null, "+"),
        " ",
        h("kbd", null, "−"),
        " zoom, ",
        h("kbd", null, "0"),
        " show all, ",
        h("kbd", null, "n"),
        " ",
        h("kbd", null, "N"),
        " next and previous span, ",
        h("kbd", null, "Enter"),
        " open its compile. Scroll to zoom, drag to move, and drag in the ruler or the overview to select a range.",
      ),
      h("h3", null, "In Perfetto"),
      h(
        "p",
        null,
        "“Download trace” saves the events as torch logged them. In ",
        h("code", null, "ui.perfetto.dev"),
        " (or ",
        h("code", null, "chrome://tracing"),
        "), choose “Open trace file” and select the file. This page doesn't upload anything.",
      ),
      h(
        "p",
        { class: "dim" },
        `${plural(line.spanCount, "span")}, ${plural(line.instants.length, "instant")}`,
      ),
    ),
  ];
}
