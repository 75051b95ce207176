// The details of a piece: outcome, code, artifacts, and vLLM's passes.
import { compileArtifacts } from "../lib/bundle/artifacts.js";
import { attemptName } from "../lib/bundle/log.js";
import { table } from "../lib/list/table.js";
import { fill, h } from "../lib/page/dom.js";
import { bytes, count, plural, time } from "../lib/page/format.js";
import { inViewer } from "../lib/page/page.js";
import { counterpart, nameOf } from "./data.js";
import { outcomeBadge, outcomeOf } from "./outcome.js";

/** @typedef {import("./data.js").Start} Start */
/** @typedef {import("./data.js").Piece} Piece */

/** @param {Start} start @param {Piece} piece @param {Start | null} other @param {import("../lib/page/hash-state.js").HashState} state */
export function pieceDetail(start, piece, other, state) {
  const { row } = piece;
  const link = (/** @type {number} */ id) =>
    h("a", { href: state.patched({ piece: String(id) }) }, nameOf(start.pieces[id]));
  const links = (/** @type {number[]} */ ids) => ids.map((id, i) => [i > 0 && ", ", link(id)]);
  const theirs = other ? counterpart(other, piece, start.tables.backends[row.backend].prefix) : null;
  /** @type {[string, any][]} */
  const facts = [
    ["Outcome", [outcomeBadge(row.outcome), " ", h("span", { class: "dim" }, outcomeOf(row.outcome)[2])]],
    ["Time", row.duration_us === null ? "not recorded" : time(row.duration_us)],
    ...(row.inductor_time_us === null
      ? []
      : [/** @type {[string, any]} */ (["in Inductor", time(row.inductor_time_us)])]),
    ...(row.load_time_us === null
      ? []
      : [/** @type {[string, any]} */ (["loading", time(row.load_time_us)])]),
    ...(row.outcome === "reused"
      ? [
          /** @type {[string, any]} */ ([
            "Code from",
            row.reused !== null
              ? link(row.reused)
              : row.equal_to.length
                ? ["one of ", links(row.equal_to)]
                : "not recorded",
          ]),
        ]
      : []),
    ...(row.outcome !== "reused" && row.equal_to.length
      ? [/** @type {[string, any]} */ (["Equal graphs before it", links(row.equal_to)])]
      : []),
    ...(theirs
      ? [
          /** @type {[string, any]} */ ([
            "In the compared log",
            [
              outcomeBadge(theirs.row.outcome),
              ` ${time(theirs.row.duration_us)}`,
              theirs.row.code_hash !== null &&
                row.code_hash !== null &&
                h(
                  "span",
                  { class: "dim" },
                  theirs.row.code_hash === row.code_hash ? ", same code" : ", different code",
                ),
            ],
          ]),
        ]
      : []),
    ...(piece.namedBy === null
      ? []
      : [
          /** @type {[string, any]} */ ([
            "Name",
            `from log ${piece.namedBy}, which has a piece with the same code`,
          ]),
        ]),
    ...(row.aot_id === null ? [] : [/** @type {[string, any]} */ (["AOT id", h("code", null, row.aot_id)])]),
  ];
  const list = h("div", null);
  void artifacts(start, piece).then(
    (element) => fill(list, element),
    (error) => fill(list, h("p", { class: "note" }, String(error.message ?? error))),
  );
  return h(
    "section",
    { "class": "piece", "aria-labelledby": "piece" },
    h("h2", { id: "piece", tabindex: "-1" }, h("code", null, nameOf(piece))),
    h(
      "dl",
      { class: "facts" },
      facts.map(([term, what]) => [h("dt", null, term), h("dd", null, what)]),
    ),
    passes(start, piece),
    list,
  );
}

/** @param {Start} start @param {Piece} piece */
async function artifacts({ log }, { row }) {
  if (row.events.length === 0)
    return h("p", { class: "dim" }, "No artifacts: nothing was compiled or loaded for this piece.");
  const wanted = new Set(row.events),
    all = await compileArtifacts(log, row);
  const own = all.filter((/** @type {any} */ artifact) => wanted.has(artifact.event));
  return [
    h("h3", null, `Artifacts `, h("span", { class: "dim" }, count(row.events.length))),
    h(
      "ul",
      { "class": "artifact-list", "aria-label": "Artifacts" },
      own.map((/** @type {any} */ artifact) => {
        const href = inViewer(log.bundle, "default", {
          log: log.id,
          view: "compile",
          compile: attemptName(row),
          artifact: artifact.address,
        });
        return h(
          "li",
          null,
          href ? h("a", { href, class: "away" }, artifact.name) : artifact.name,
          h("span", { class: "dim number" }, bytes(artifact.size_bytes)),
        );
      }),
    ),
  ];
}

/** @param {Start} start @param {Piece} piece */
function passes({ log, tables }, { id, row }) {
  const all = tables.passes.filter((one) => one.piece === id);
  if (all.length === 0) return null;
  const idle = all.filter((one) => one.is_equal),
    busy = all.filter((one) => !one.is_equal);
  const record = (/** @type {number} */ event) =>
    inViewer(log.bundle, "default", { log: log.id, view: "events", event: String(event) });
  const name = (/** @type {any} */ one) => {
    const href = record(one.event);
    return [
      one.number !== null && h("span", { class: "dim" }, `${one.number} `),
      href ? h("a", { href, class: "away" }, one.name) : one.name,
    ];
  };
  return [
    h("h3", null, "vLLM passes ", h("span", { class: "dim" }, count(all.length))),
    busy.length > 0 &&
      table(
        [
          { title: "Pass", head: true, cell: name, sort: (one) => one.number },
          {
            title: "Nodes",
            number: true,
            cell: (one) =>
              one.base_node_count === null
                ? count(one.node_count)
                : `${count(one.base_node_count)} → ${count(one.node_count)}`,
            sort: (one) => one.node_count,
          },
          { title: "Added", cell: (one) => calls(one.added, "+") },
          { title: "Removed", cell: (one) => calls(one.removed, "−") },
        ],
        busy,
        { label: "Passes that changed the graph", class: "passes" },
      ),
    busy.some(
      (one) =>
        one.base_node_count === one.node_count &&
        !Object.keys(one.added).length &&
        !Object.keys(one.removed).length,
    ) &&
      h("p", { class: "dim" }, "If no call is added or removed, the graph text differs in something else."),
    idle.length > 0 &&
      h(
        "details",
        null,
        h("summary", null, `${plural(idle.length, "pass", "passes")} without changes`),
        h(
          "ul",
          null,
          idle.map((one) => h("li", null, name(one))),
        ),
      ),
    row.events.length > 0 &&
      h(
        "p",
        { class: "dim" },
        "Each pass is compared with the previous graph. The first difference includes torch's own passes.",
      ),
  ];
}

/** @param {Record<string, number>} counts @param {string} sign */
const calls = (counts, sign) =>
  h(
    "ul",
    null,
    Object.entries(counts).map(([op, n]) => h("li", null, `${sign}${count(n)} `, h("code", null, op))),
  );
