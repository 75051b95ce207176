// Failures, compiles that did not end, and restarts: what was found, and under it the records with their tracebacks.
import { compileArtifacts } from "../../lib/bundle/artifacts.js";
import { frameList, tracebackView } from "../../lib/code/traceback.js";
import { emptyPage, listDetail } from "../../lib/list/list-detail.js";
import { placeText } from "../../lib/finding/card.js";
import { fill, h, plain } from "../../lib/page/dom.js";
import { cutMiddle } from "../../lib/page/cut-middle.js";
import { count, firstLine } from "../../lib/page/format.js";
import { cards } from "../shared/finding-leads.js";
import { compilesOf, findingsOf, functionName, modelOf, numberOf, placeOf } from "../shared/model.js";
import { compileLink, pairs, recordLink, sourceLine } from "../shared/parts.js";
import { framePlace, programFrame } from "../shared/program-line.js";
import { isUntold, untoldPage } from "../shared/untold.js";

/** @typedef {import("../../lib/finding/card.js").Finding} Finding */
/** @typedef {{id: string, finding: Finding | null, rows: any[]}} Item a finding with the rows of the failure table that show it, or a row that none is about */

const OF_FINDINGS = ["failure", "unfinished-compile", "restart"];
const MOST_ROWS = 50;
/** Kinds of rows of the failure table. @type {Record<string, string>} */
const KINDS = {
  compile: "failed compile",
  backward: "failed backward compile",
  exception: "exception",
  eager_backward: "backward not compiled ahead",
  export: "failed export",
  fx_interpreter: "graph could not be run",
  make_fx: "make_fx failed",
  restart: "restart",
};

/** @param {import("../frame/viewer.js").Context} context @returns {Promise<import("../frame/viewer.js").View>} */
export async function openFailures({ log, state }) {
  const [model, found, table] = await Promise.all([modelOf(log), findingsOf(log), log.table("failures")]);
  const items = itemsOf(found?.findings ?? [], table ?? []);
  const stacks = items.some((item) => stackOf(item) !== null) ? await log.stacks() : null;
  if (items.length === 0) {
    if (isUntold(log, "failures")) return untoldPage("Failures", "failures");
    return emptyPage(
      "No failures",
      "Compiles that failed or are unfinished, exceptions and restarts would be here, with the line of the program and the traceback. Nothing of the kind is in this log.",
    );
  }
  const kinds = [...new Set(items.map(kindOf))];
  const place = (/** @type {number} */ i) => placeIn(model, stacks, items[i]);
  return listDetail({
    state,
    name: "failures",
    label: "Failures",
    noun: ["row", "rows"],
    length: items.length,
    id: (i) => items[i].id,
    title: (i) => `${kindOf(items[i])} ${nameIn(model, items[i])} ${textOf(items[i])}`,
    text: (i) =>
      [
        kindOf(items[i]),
        nameIn(model, items[i]),
        textOf(items[i]),
        place(i),
        ...items[i].rows.flatMap((row) => [row.type, row.reason, row.file, row.source_line]),
      ].join("\n"),
    choices:
      kinds.length > 1
        ? [
            {
              key: "type",
              label: "Kind",
              all: "all kinds",
              options: kinds.map((kind) => [kind, kind]),
              fits: (i, value) => kindOf(items[i]) === value,
            },
          ]
        : [],
    columns: [
      { id: "kind", title: "Kind", sort: (i) => kindOf(items[i]), cell: (i) => kindBadge(items[i]) },
      {
        id: "place",
        title: "Line",
        least: "6rem",
        class: "mono",
        sort: (i) => place(i) || null,
        cell: (i) => cutMiddle(place(i) || "–"),
      },
      {
        id: "function",
        title: "Function",
        least: "8rem",
        sort: (i) => nameIn(model, items[i]),
        cell: (i) => cutMiddle(nameIn(model, items[i])),
      },
      {
        id: "what",
        title: "What",
        least: "8rem",
        sort: (i) => textOf(items[i]),
        cell: (i) => h("span", { title: textOf(items[i]) }, textOf(items[i])),
      },
      {
        id: "times",
        title: "Times",
        number: true,
        sort: (i) => items[i].finding?.count ?? 1,
        cell: (i) => count(items[i].finding?.count ?? 1),
      },
    ],
    detail: (i) => failureDetail({ log, state }, model, found, items[i]),
  });
}

/** @param {Finding[]} findings @param {any[]} rows of the failure table @returns {Item[]} */
function itemsOf(findings, rows) {
  const items = findings
    .filter(({ kind }) => OF_FINDINGS.includes(kind))
    .map((finding) => ({
      id: finding.fingerprint,
      finding: /** @type {Finding | null} */ (finding),
      rows: /** @type {any[]} */ ([]),
    }));
  const ofEvent = new Map(
    items.flatMap(
      (item) => item.finding?.events.map((event) => /** @type {[number, Item]} */ ([event, item])) ?? [],
    ),
  );
  rows.forEach((row, at) => {
    const item = ofEvent.get(row.event);
    if (item) item.rows.push(row);
    else items.push({ id: String(at), finding: null, rows: [row] });
  });
  return items;
}

/** @param {Item} item */
function kindOf({ finding, rows: [first] }) {
  if (finding?.kind === "failure")
    return KINDS[/** @type {string} */ (finding.details.phase)] ?? finding.kind;
  return finding ? finding.kind.replaceAll("-", " ") : KINDS[first.kind];
}

/** @param {Item} item */
function textOf({ finding, rows: [first] }) {
  return finding
    ? plain(finding.title)
    : [first.type?.replace(/^.*\./, ""), firstLine(first.reason)].filter(Boolean).join(": ");
}

/** @param {any} model @param {Item} item */
function nameIn(model, { finding, rows: [first] }) {
  const compile =
    model.compiles[(finding && compilesOf(model, finding)[0]) ?? (first ? numberOf(model, first) : -1)];
  return (
    finding?.function ?? (compile && compile.id !== null ? functionName(compile) : (first?.function ?? "–"))
  );
}

/** The stack whose innermost line of the program is the place, when neither the finding nor the record names one. @param {Item} item @returns {number | null} */
const stackOf = ({ finding, rows: [first] }) =>
  (finding?.file ?? first?.file ?? null) === null ? (first?.stack ?? null) : null;

/** @param {any} model @param {import("../../lib/bundle/stacks.js").Stacks | null} stacks @param {Item} item */
function placeIn(model, stacks, item) {
  const {
    finding,
    rows: [first],
  } = item;
  if (finding?.file) return placeText(finding) ?? "";
  if (first?.file) return `${model.short(first.file)}:${first.line}`;
  if (stacks && stackOf(item) !== null) return framePlace(model, programFrame(stacks, stackOf(item)));
  return first ? placeOf(model, model.compiles[numberOf(model, first)]) : "";
}

/** @param {Item} item */
function kindBadge(item) {
  const [tone, sign] =
    (item.finding?.kind ?? item.rows[0].kind) === "restart" ? ["break", "↺"] : ["error", "✖"];
  return h(
    "span",
    { class: `status status-${tone}` },
    h("span", { "class": "sign", "aria-hidden": "true" }, sign),
    " ",
    kindOf(item),
  );
}

/** @param {{log: any, state: any}} context @param {any} model @param {any} found @param {Item} item */
function failureDetail({ log, state }, model, found, { finding, rows }) {
  const about = (/** @type {Finding} */ other) =>
    finding ? other === finding : other.compiles.includes(rows[0].compile);
  const told = new Set(); // what torch wrote twice is shown once
  const compiles = [...new Set(rows.map((row) => numberOf(model, row)))].slice(0, MOST_ROWS);
  return [
    cards(model, state, found, about),
    rows.slice(0, MOST_ROWS).map((row) => recordOf({ log, state }, model, row, told, finding !== null)),
    compiles.map((index) =>
      wholeTraceback(
        { log, state },
        model,
        index,
        rows.find((row) => numberOf(model, row) === index && row.reason !== null)?.reason ?? "",
      ),
    ),
    rows.length > MOST_ROWS && h("p", { class: "dim" }, `and ${count(rows.length - MOST_ROWS)} more records`),
  ];
}

/** One row of the table: what torch wrote, and where. @param {{log: any, state: any}} context @param {any} model @param {any} row @param {Set<string>} told messages that stand above @param {boolean} folded whether a finding stands above it */
function recordOf({ log, state }, model, row, told, folded) {
  const compile = model.compiles[numberOf(model, row)];
  const again = row.reason === null || told.has(row.reason.trim());
  const message =
    !again && h("pre", { class: "wrapped message" }, row.type && `${row.type}: `, row.reason.trim());
  if (!again) told.add(row.reason.trim());
  return h(
    "section",
    { class: "evidence" },
    h(
      "h3",
      null,
      KINDS[row.kind],
      " ",
      compileLink(model, numberOf(model, row), state),
      " ",
      row.function ?? compile.function ?? "",
    ),
    message && folded ? h("details", null, h("summary", null, "The whole message"), message) : message,
    sourceLine(row),
    row.user_traceback && [h("h4", null, "Traceback of the program"), tracebackView(row.user_traceback)],
    row.stack !== null && callers(log, row.stack),
    pairs([
      ["In the log", [recordLink(row.event, state), row.reason === null && row.type && ` ${row.type}`]],
      [
        "Called by",
        row.stack !== null || compile.stack === null || compile.id === null
          ? null
          : h(
              "a",
              { href: state.link({ view: "compile", compile: compile.key, artifact: "~stack" }) },
              "the stack of the compile",
            ),
      ],
    ]),
  );
}

/** The traceback with the frames of torch, where torch wrote one. @param {{log: any, state: any}} context @param {any} model @param {number} index @param {string} told */
function wholeTraceback({ log, state }, model, index, told) {
  const place = h("section", { class: "evidence" });
  const show = async () => {
    const artifact = (await compileArtifacts(log, model.compiles[index])).find(
      (row) => row.name === "dynamo_error" && row.sha256 !== null,
    );
    if (!artifact) return;
    const href = state.link({
      view: "compile",
      compile: model.compiles[index].key,
      artifact: artifact.address,
    });
    fill(
      place,
      h("h4", null, "Full traceback ", h("a", { href }, "as torch wrote it")),
      tracebackView(await log.text(artifact), told),
    );
  };
  show().catch((error) => fill(place, h("p", { class: "dim" }, firstLine(error.message))));
  return place;
}

/** @param {any} log @param {number} stack */
function callers(log, stack) {
  const place = h("div");
  log.stacks().then(
    (/** @type {any} */ stacks) =>
      fill(
        place,
        frameList(
          stacks.stack(stack).map((/** @type {any} */ frame) => ({ ...frame, name: frame.function })),
        ),
      ),
    (/** @type {Error} */ error) => fill(place, h("p", { class: "dim" }, firstLine(error.message))),
  );
  return [h("h4", null, "Called from"), place];
}
