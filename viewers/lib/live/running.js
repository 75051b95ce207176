// "Running now": the open compiles with their span, duration and ranks, or the last record.
import { fill, h } from "../page/dom.js";
import { count, plural } from "../page/format.js";
import { shortFile } from "../page/paths.js";
import { placeLink } from "../page/place-link.js";
import { since, tick } from "./clock.js";
import { groupsOf, idOf, lastRead, liveLogs, whose } from "./running-data.js";

export { soFar } from "./running-data.js";

/** @typedef {import("../bundle/bundle.js").Bundle} Bundle */
/** @typedef {import("./running-data.js").Group} Group */
/** @typedef {import("./running-data.js").LiveLog} LiveLog */
/** @typedef {import("./running-data.js").Running} Running */
/**
 * @typedef {{href: (logId: string, attempt: Running) => string | null, level?: number}} Leads href: where a
 *   compile is shown; level: of the heading
 */

const FIRST = 6; // rows before the button

/**
 * Build the section; null for a bundle that does not grow.
 * @param {Bundle} bundle @param {Leads} leads @returns {HTMLElement | null}
 */
export function runningNow(bundle, leads) {
  if (!bundle.manifest.growing) return null;
  const element = h("section", {
    "class": "running",
    "aria-label": "Running now",
    "dataset": { part: "running" },
  });
  drawRunning(element, bundle, leads);
  return element;
}

/** Update the section. @param {HTMLElement} element @param {Bundle} bundle @param {Leads} leads */
export function drawRunning(element, bundle, leads) {
  const { level = 2 } = leads;
  const logs = liveLogs(bundle);
  const groups = groupsOf(logs);
  const all = element.dataset.all === "true";
  const shown = all ? groups : groups.slice(0, FIRST);
  const more = h(
    "button",
    {
      class: "tool",
      onclick: () => {
        element.dataset.all = "true";
        drawRunning(element, bundle, leads);
      },
    },
    `Show all ${count(groups.length)}`,
  );
  const idle = logs.filter(({ running }) => running.length === 0);
  fill(
    element,
    h(`h${level}`, null, "Running now"),
    groups.length > 0 &&
      h(
        "ul",
        { "class": "running-list", "aria-label": "Open compiles" },
        shown.map((group) => row(bundle, group, logs.length > 1, leads)),
      ),
    shown.length < groups.length && more,
    idle.length > 0 && idleLine(bundle, idle, logs.length > 1),
    logs.length === 0 && h("p", { class: "dim" }, "No log yet. It appears when the program writes it."),
    problems(bundle),
  );
  tick(element);
}

/** @param {Bundle} bundle @param {Group} group @param {boolean} several logs @param {Leads} leads */
function row(bundle, group, several, { href }) {
  const { compile, logs, spans, since_us: begun, span_since_us: inner, depth } = group;
  const to = href(logs[0].id, compile);
  const id = idOf(compile);
  const name = [
    id !== null && [h("span", { class: "mono" }, `[${id}]`), " "],
    h("b", null, compile.function ?? (id === null ? "no compile id" : "unnamed function")),
  ];
  return h(
    "li",
    { class: "running-row", style: { "--depth": depth } },
    h("span", { class: "running-clock number", title: "Time since it started" }, clock(begun)),
    h(
      "div",
      null,
      h(
        "p",
        null,
        to === null ? name : h("a", { href: to }, name),
        " ",
        compile.file !== null &&
          placeLink(
            compile.file,
            compile.line,
            `${shortFile(compile.file)}${compile.line === null ? "" : `:${compile.line}`}`,
          ),
        several &&
          h(
            "span",
            { class: "running-ranks" },
            whose(bundle, logs),
            logs.length > 1 && h("span", { class: "dim" }, ` · ${count(logs.length)}`),
          ),
      ),
      spans.length > 0 &&
        h(
          "p",
          { class: "running-spans" },
          spans.map((span, i) => [
            i > 0 && h("span", { "class": "dim", "aria-hidden": "true" }, " › "),
            h("code", { class: i === spans.length - 1 ? "running-span" : null }, span),
          ]),
          spans.length > 1 && inner !== null && h("span", { class: "dim" }, " for ", clock(inner)),
        ),
      quiet(logs),
    ),
  );
}

/** @param {number | null} us */
const clock = (us) =>
  us === null
    ? h("span", { title: "Start not recorded" }, "–")
    : h("span", { role: "timer", dataset: { since: us } }, since(us));

/** Build the note about a log without new records. @param {LiveLog[]} logs */
function quiet(logs) {
  const read = lastRead(logs);
  if (read === null) return null;
  const newest = logs.find(({ read_epoch_us: us }) => us === read[0]);
  return h(
    "p",
    { class: "note", dataset: { quiet: read[0] }, hidden: true },
    "No record for ",
    clock(read[0]),
    ". Last record: ",
    lastRecord(newest),
    ".",
  );
}

/** @param {LiveLog | undefined} log */
function lastRecord(log) {
  const last = log?.last_record ?? null;
  return last === null
    ? "none"
    : [
        h("code", null, last.kind),
        last.compile !== null && [" of ", h("span", { class: "mono" }, `[${idOf(last)}]`)],
      ];
}

/**
 * Build the line for logs without an open compile.
 * @param {Bundle} bundle @param {LiveLog[]} logs @param {boolean} several
 */
function idleLine(bundle, logs, several) {
  const read = lastRead(logs);
  const who = several && [" on ", whose(bundle, logs)];
  const oldest = logs.find(({ read_epoch_us: us }) => us === read?.[1]);
  const far = read !== null && read[0] - read[1] > 1_000_000;
  return h(
    "p",
    { class: "running-idle" },
    "No open compile",
    who,
    read === null
      ? ", no record yet"
      : [
          ". Last record: ",
          lastRecord(logs.find(({ read_epoch_us: us }) => us === read[0])),
          ", ",
          clock(read[0]),
          " ago",
        ],
    far &&
      oldest &&
      read !== null &&
      h("span", { class: "dim" }, ` (${whose(bundle, [oldest])}: `, clock(read[1]), " ago)"),
    ".",
  );
}

/** Build the problems with following the logs. @param {Bundle} bundle */
function problems({ manifest }) {
  const list = manifest.live?.problems ?? [];
  return (
    list.length > 0 &&
    h(
      "div",
      { class: "note", role: "alert" },
      h("p", null, h("b", null, plural(list.length, "problem"), " following the logs")),
      h(
        "ul",
        null,
        list.slice(-FIRST).map(({ message }) => h("li", null, message)),
      ),
    )
  );
}
