// "Running now": which compile is open, in which span, for how long, on which ranks; and what was last where none is.
import { fill, h } from "../page/dom.js";
import { count, plural } from "../page/format.js";
import { shortFile } from "../page/paths.js";
import { since, tick } from "./clock.js";
import { groupsOf, idOf, lastRead, liveLogs, whose } from "./running-data.js";

export { soFar } from "./running-data.js";

/** @typedef {import("../bundle/bundle.js").Bundle} Bundle */
/** @typedef {import("./running-data.js").Group} Group */
/** @typedef {import("./running-data.js").LiveLog} LiveLog */
/** @typedef {import("./running-data.js").Running} Running */
/** @typedef {{href: (logId: string, attempt: Running) => string | null, level?: number}} Leads href: where a compile is shown; level: of the heading */

const FIRST = 6; // rows before the button

/** The section, or null of a bundle that does not grow. @param {Bundle} bundle @param {Leads} leads @returns {HTMLElement | null} */
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

/** The same section with the state as it is now. @param {HTMLElement} element @param {Bundle} bundle @param {Leads} leads */
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
    `all ${count(groups.length)}`,
  );
  const idle = logs.filter(({ running }) => running.length === 0);
  fill(
    element,
    h(`h${level}`, null, "Running now"),
    groups.length > 0 &&
      h(
        "ul",
        { "class": "running-list", "aria-label": "Compiles that are open" },
        shown.map((group) => row(bundle, group, logs.length > 1, leads)),
      ),
    shown.length < groups.length && more,
    idle.length > 0 && idleLine(bundle, idle, logs.length > 1),
    logs.length === 0 &&
      h("p", { class: "dim" }, "No log yet: the first appears when the program writes it."),
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
    h("b", null, compile.function ?? (id === null ? "a compile without an id" : "a function without a name")),
  ];
  return h(
    "li",
    { class: "running-row", style: { "--depth": depth } },
    h("span", { class: "running-clock number", title: "Since it began" }, clock(begun)),
    h(
      "div",
      null,
      h(
        "p",
        null,
        to === null ? name : h("a", { href: to }, name),
        " ",
        compile.file !== null &&
          h(
            "span",
            { class: "place", title: compile.file },
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
    ? h("span", { title: "The log does not tell when it began" }, "–")
    : h("span", { role: "timer", dataset: { since: us } }, since(us));

/** What is said when no record came for a while. @param {LiveLog[]} logs */
function quiet(logs) {
  const read = lastRead(logs);
  if (read === null) return null;
  const newest = logs.find(({ read_epoch_us: us }) => us === read[0]);
  return h(
    "p",
    { class: "note", dataset: { quiet: read[0] }, hidden: true },
    "No record for ",
    clock(read[0]),
    "; the last was ",
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

/** What has no compile open. @param {Bundle} bundle @param {LiveLog[]} logs @param {boolean} several */
function idleLine(bundle, logs, several) {
  const read = lastRead(logs);
  const who = several && [" on ", whose(bundle, logs)];
  const oldest = logs.find(({ read_epoch_us: us }) => us === read?.[1]);
  const far = read !== null && read[0] - read[1] > 1_000_000;
  return h(
    "p",
    { class: "running-idle" },
    `No compile open`,
    who,
    read === null
      ? "; no record yet"
      : [
          "; last record: ",
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

/** What went wrong with following. @param {Bundle} bundle */
function problems({ manifest }) {
  const found = manifest.live?.problems ?? [];
  return (
    found.length > 0 &&
    h(
      "div",
      { class: "note", role: "alert" },
      h("p", null, h("b", null, plural(found.length, "problem"), " with following the logs")),
      h(
        "ul",
        null,
        found.slice(-FIRST).map(({ message }) => h("li", null, message)),
      ),
    )
  );
}
