// The failures view: failures, unfinished compiles and restarts, each with its records and tracebacks.
import { compileArtifacts } from "../../lib/bundle/artifacts.js";
import { frameList, tracebackView } from "../../lib/code/traceback.js";
import { emptyPage, listDetail } from "../../lib/list/list-detail.js";
import { placeText } from "../../lib/finding/card.js";
import { kindTitle } from "../../lib/finding/kind-titles.js";
import { fill, h, plain } from "../../lib/page/dom.js";
import { cutMiddle } from "../../lib/page/cut-middle.js";
import { count, firstLine } from "../../lib/page/format.js";
import { cards } from "../shared/finding-leads.js";
import { compilesOf, findingsOf, functionName, modelOf, numberOf, placeOf } from "../shared/model.js";
import { compileLink, pairs, placeCell, recordLink, sourceLine } from "../shared/parts.js";
import { framePlace, programFrame } from "../shared/program-line.js";
import { isNotRecorded, notRecordedPage } from "../shared/not-recorded.js";

/** @typedef {import("../../lib/finding/card.js").Finding} Finding */
/** @typedef {{id: string, finding: Finding | null, rows: any[]}} Item a finding with its rows of the failure table, or a row without a finding */

const OF_FINDINGS = ["failure", "unfinished-compile", "restart"];
const MOST_ROWS = 50;
/** Kinds of rows of the failure table. @type {Record<string, string>} */
const KINDS = {
  compile: "failed compile",
  backward: "failed backward compile",
  exception: "exception",
  eager_backward: "backward not compiled ahead",
  export: "failed export",
  decompositions: "run_decompositions failed",
  fx_interpreter: "graph could not be run",
  make_fx: "make_fx failed",
  compile_worker: "compile workers failed",
  restart: "restart",
};

/** @param {import("../frame/viewer.js").Context} context @returns {Promise<import("../frame/viewer.js").View>} */
export async function openFailures({ log, state }) {
  const [model, found, table] = await Promise.all([modelOf(log), findingsOf(log), log.table("failures")]);
  const items = itemsOf(found?.findings ?? [], table ?? []);
  const stacks = items.some((item) => stackOf(item) !== null) ? await log.stacks() : null;
  if (items.length === 0) {
    if (isNotRecorded(log, "failures")) return notRecordedPage("Failures", "failures");
    return emptyPage("No failures", "No failed or unfinished compiles, no restarts. Nothing to fix.");
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
        place(i).text,
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
        title: "Location",
        least: "6rem",
        class: "mono",
        sort: (i) => place(i).text || null,
        cell: (i) => placeCell(place(i).file, place(i).line, place(i).text),
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
        title: "Problem",
        least: "8rem",
        sort: (i) => textOf(items[i]),
        cell: (i) => h("span", { title: textOf(items[i]) }, textOf(items[i])),
      },
      {
        id: "times",
        title: "Count",
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
  return finding ? kindTitle(finding.kind) : KINDS[first.kind];
}

/** @param {Item} item */
function textOf({ finding, rows: [first] }) {
  return finding
    ? plain(finding.title).replace(`${finding.function} failed to compile: `, "") // other columns have both
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

/** Return the stack to take the location from, or null when the finding or the record names a file. @param {Item} item @returns {number | null} */
const stackOf = ({ finding, rows: [first] }) =>
  (finding?.file ?? first?.file ?? null) === null ? (first?.stack ?? null) : null;

/**
 * @param {any} model @param {import("../../lib/bundle/stacks.js").Stacks | null} stacks @param {Item} item
 * @returns {{file: string | null, line: number | null, text: string}}
 */
function placeIn(model, stacks, item) {
  const {
    finding,
    rows: [first],
  } = item;
  if (finding?.file) return { file: finding.file, line: finding.line, text: placeText(finding) ?? "" };
  if (first?.file)
    return { file: first.file, line: first.line, text: `${model.short(first.file)}:${first.line}` };
  const frame = stacks && stackOf(item) !== null ? programFrame(stacks, stackOf(item)) : null;
  if (frame) return { file: frame.file, line: frame.line, text: framePlace(model, frame) };
  const compile = first && model.compiles[numberOf(model, first)];
  return {
    file: compile?.file ?? null,
    line: compile?.line ?? null,
    text: compile ? placeOf(model, compile) : "",
  };
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
  const shownMessages = new Set(); // repeated messages are shown once
  const compiles = [...new Set(rows.map((row) => numberOf(model, row)))].slice(0, MOST_ROWS);
  return [
    cards(model, state, found, about),
    rows
      .slice(0, MOST_ROWS)
      .map((row) => recordOf({ log, state }, model, row, shownMessages, finding !== null)),
    compiles.map((index) =>
      fullTraceback(
        { log, state },
        model,
        index,
        rows.find((row) => numberOf(model, row) === index && row.reason !== null)?.reason ?? "",
      ),
    ),
    rows.length > MOST_ROWS && h("p", { class: "dim" }, `and ${count(rows.length - MOST_ROWS)} more records`),
  ];
}

/** Return one row of the table: message, location, traceback. @param {{log: any, state: any}} context @param {any} model @param {any} row @param {Set<string>} shownMessages messages that are already on the page @param {boolean} folded true below the card of a finding */
function recordOf({ log, state }, model, row, shownMessages, folded) {
  const compile = model.compiles[numberOf(model, row)];
  const isNew = row.reason !== null && !shownMessages.has(row.reason.trim());
  const message =
    isNew && h("pre", { class: "wrapped message" }, row.type && `${row.type}: `, row.reason.trim());
  if (isNew) shownMessages.add(row.reason.trim());
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
    message && folded && h("h4", null, "Exception, as printed"),
    message,
    sourceLine(row),
    row.user_traceback && [h("h4", null, "User traceback"), tracebackView(row.user_traceback)],
    row.stack !== null && callers(log, row.stack),
    pairs([
      ["Record", [recordLink(row.event, state), row.reason === null && row.type && ` ${row.type}`]],
      [
        "Called from",
        row.stack !== null || compile.stack === null || compile.id === null
          ? null
          : h(
              "a",
              { href: state.link({ view: "compile", compile: compile.key, artifact: "~stack" }) },
              "stack of the compile",
            ),
      ],
    ]),
  );
}

/** Return the traceback with torch's frames, if torch recorded one. @param {{log: any, state: any}} context @param {any} model @param {number} index @param {string} message the error message, which is not repeated */
function fullTraceback({ log, state }, model, index, message) {
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
      h("h4", null, "Full traceback ", h("a", { href }, "as recorded")),
      tracebackView(await log.text(artifact), message),
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
