// Flight Recorder dumps in the Collectives view: the call that each rank is in, by process group.
import { each, lowest, toRuns, words } from "../lib/bundle/ranks.js";
import { tableBox } from "../lib/list/table.js";
import { append, h } from "../lib/page/dom.js";
import { count, plural } from "../lib/page/format.js";
import { placeLink } from "../lib/page/place-link.js";
import { awayLink } from "./data.js";
import { functionName } from "./names.js";

/** @typedef {import("../../schema/bundle.d.ts").FlightRecorderGroups} Group */
/** @typedef {import("../../schema/bundle.d.ts").FlightRecorderPositions} Position */
/** @typedef {import("../lib/bundle/ranks.js").Runs} Runs */
/** @typedef {{ranks: Runs, position: Position | null, missing: boolean}} Line ranks of a group that are in the same call; null without a dump */

const MOST = 8; // groups before a button

/** Build the section; null for a bundle without dumps. @param {import("./data.js").Model} model */
export async function flightRecorderPart(model) {
  const [groups, positions] = /** @type {[Group[] | null, Position[] | null]} */ (
    await Promise.all(
      ["flight_recorder_groups", "flight_recorder_positions"].map((name) => model.bundle.rankTable(name)),
    )
  );
  if (!groups?.length || !positions) return null;
  /** @type {Map<number, Position[]>} */
  const byGroup = new Map();
  for (const position of positions)
    byGroup.set(position.group, [...(byGroup.get(position.group) ?? []), position]);
  const parts = (/** @type {Group[]} */ some) =>
    some.map((group) => groupTable(model, group, linesOf(group, byGroup.get(group.id) ?? [])));
  const open = groups.filter((group) => group.state !== "finished").length;
  const list = h("div", null, parts(groups.slice(0, MOST)));
  const more = h(
    "button",
    {
      class: "tool",
      onclick: () => {
        more.remove();
        append(list, parts(groups.slice(MOST)));
      },
    },
    `${count(groups.length - MOST)} more`,
  );
  return h(
    "section",
    { "class": "flight-recorder", "aria-label": "Flight Recorder" },
    h(
      "h2",
      null,
      "Flight Recorder ",
      h(
        "span",
        { class: "dim" },
        open
          ? `ranks wait or differ in ${count(open)} of ${plural(groups.length, "group")}`
          : `${plural(groups.length, "group")}, no rank waits`,
      ),
    ),
    h(
      "p",
      { class: "dim" },
      "The call that each rank was in when it wrote its dump, compiled and eager calls alike.",
    ),
    list,
    groups.length > MOST && more,
  );
}

/** Group the ranks that are in the same call: those that others wait for first. @param {Group} group @param {Position[]} positions @returns {Line[]} */
function linesOf(group, positions) {
  const missing = new Set(each(group.missing));
  /** @type {Map<string, {position: Position, ranks: number[], missing: boolean}>} */
  const lines = new Map();
  for (const position of positions) {
    const { rank, state, sequence, operation, recorded_state: recorded } = position;
    const place = [position.origin, position.compile, position.function, position.file, position.line];
    const key = JSON.stringify([missing.has(rank), state, sequence, operation, recorded, ...place]);
    const line = lines.get(key) ?? { position, ranks: [], missing: missing.has(rank) };
    line.ranks.push(rank);
    lines.set(key, line);
  }
  const found = [...lines.values()].map((line) => ({ ...line, ranks: toRuns(line.ranks) }));
  return [
    ...found.filter((line) => line.missing),
    ...found.filter((line) => !line.missing),
    ...(group.no_dump.length ? [{ ranks: group.no_dump, position: null, missing: false }] : []),
  ];
}

/** @param {import("./data.js").Model} model @param {Group} group @param {Line[]} lines */
function groupTable(model, group, lines) {
  const name = group.description === "undefined" || !group.description ? group.group : group.description;
  return h(
    "section",
    { "aria-label": `Group ${name}, ${words(group.ranks)}` },
    h(
      "h3",
      null,
      h("code", null, name),
      " ",
      h(
        "span",
        { class: "dim" },
        name !== group.group && ["group ", h("code", null, group.group), ", "],
        words(group.ranks),
        group.ranks_from === "callers" && " that call in it",
      ),
      ": ",
      h("span", { class: group.state === "finished" ? null : "unequal" }, verdict(group)),
    ),
    tableBox(`Calls in group ${name}`, columns(model, group), lines),
  );
}

/** @param {Group} group */
function verdict({ state, operation, sequence, missing, no_dump: without }) {
  const call = `${operation ?? "call"} #${count(sequence ?? 0)}`;
  if (state === "differs") return `the ranks make different calls as #${count(sequence ?? 0)}`;
  if (state === "missing") return `${words(missing)} ${isOne(missing) ? "has" : "have"} not called ${call}`;
  if (state === "unknown")
    return `${words(without)} ${isOne(without) ? "has" : "have"} no dump and may not have called ${call}`;
  if (state === "waiting") return `all ranks are in ${call}`;
  return sequence === null ? "no calls" : "all calls have finished";
}

/** @param {Runs} runs */
const isOne = (runs) => runs.length === 1 && runs[0][0] === runs[0][1];

/** @param {import("./data.js").Model} model @param {Group} group @returns {import("../lib/list/table.js").TableColumn<Line>[]} */
const columns = (model, group) => [
  { title: "Ranks", cell: ({ ranks }) => words(ranks), sort: ({ ranks }) => ranks[0][0] },
  {
    title: "State",
    class: ({ missing }) => (missing ? "unequal" : null),
    cell: (line) => [
      stateText(line),
      line.position?.state === "waiting" &&
        line.position.recorded_state &&
        h("span", { class: "dim" }, ` (${line.position.recorded_state})`),
    ],
    sort: stateText,
  },
  {
    title: "Call",
    class: ({ position }) =>
      position &&
      position.state !== "none" &&
      group.state === "differs" &&
      position.operation !== group.operation
        ? "unequal"
        : null,
    cell: ({ position, missing }) =>
      position && [
        missing && position.state !== "none" && h("span", { class: "dim" }, "last: "),
        h("code", null, callOf(position)),
      ],
    sort: ({ position }) => position && callOf(position),
  },
  { title: "Made by", cell: ({ position, ranks }) => position && madeBy(model, ranks, position) },
  { title: "At", cell: ({ position }) => position && (placeOf(position) ?? "–") },
];

/** @param {Line} line */
const stateText = ({ position, missing }) =>
  position === null
    ? "no dump"
    : missing
      ? "not called"
      : position.state === "waiting"
        ? "waits"
        : position.state === "none"
          ? "no call"
          : "finished";

/** @param {Position} position */
const callOf = ({ operation, sequence }) =>
  operation === null ? "–" : `${operation} #${count(sequence ?? 0)}`;

/** @param {Position} position */
const placeOf = ({ file, line }) =>
  file === null
    ? null
    : placeLink(file, line, h("code", null, `${shortFile(file)}${line === null ? "" : `:${line}`}`));

/** @param {import("./data.js").Model} model @param {Runs} ranks @param {Position} position */
function madeBy(model, ranks, position) {
  const { compile, origin, function: name, state } = position;
  if (compile !== null)
    return [
      h("code", null, functionName(compiledFunction(model, position))),
      " ",
      awayLink(model, lowest(ranks), compile, `[${compile}] ›`) ?? `[${compile}]`,
    ];
  if (origin === "eager") return ["eager, in ", h("code", null, name ?? "unknown function")];
  if (origin === "compiled") return ["compiled code of ", h("code", null, name ?? "unknown function")];
  return state === "none" ? "–" : "unknown";
}

/** @param {import("./data.js").Model} model @param {Position} position */
const compiledFunction = (model, { rank_compile: column, function: name }) =>
  (column === null ? null : model.columns[column]?.function) ?? name;

/** @param {string} file */
const shortFile = (file) => file.split(/[\\/]/).slice(-2).join("/");
