// The findings of one compile, and its rows in tables: failures, graph breaks, guard failures, caches and guards.
import { fill, h } from "../../lib/page/dom.js";
import { count, plural, time } from "../../lib/page/format.js";
import { CACHES, cacheReason, outcomeBadge } from "../findings/cache-names.js";
import { kindCounts, latency } from "../findings/guards.js";
import { cards } from "../shared/finding-leads.js";
import { compilesOf, findingsOf, numberOf } from "../shared/model.js";
import { recordLink, sourceLine } from "../shared/parts.js";
import { sameFunction } from "./relatives.js";

const MOST_KINDS = 6;
const MOST_SHOWN = 20;

/**
 * Build the problems of a compile; 'instead' is shown if the tables can't be read.
 * @param {import("../frame/viewer.js").Context} context @param {any} model @param {number} index @param {() => any} instead
 */
export function compileProblems({ log, state }, model, index, instead) {
  const root = h("div", { class: "compile-findings" });
  const attempts = attemptsOf(model, index);
  const { compile } = model.compiles[index];
  Promise.all([
    findingsOf(log),
    log.table("failures"),
    log.table("graph_breaks"),
    log.table("graph_break_records"),
  ]).then(
    ([found, failures, breaks, breakRecords]) => {
      const about = (found?.findings ?? []).filter((finding) => finding.compiles.includes(compile));
      const own = new Set(about.filter((finding) => isOwn(model, index, finding)));
      fill(
        root,
        cards(model, state, found, (finding) => own.has(finding), { level: 2, whole: false }),
        wholeRun(
          about.filter((finding) => !own.has(finding)),
          state,
        ),
        records(
          (failures ?? [])
            .filter((/** @type {any} */ row) => attempts.has(numberOf(model, row)))
            .slice(0, MOST_SHOWN)
            .map((/** @type {any} */ row) => failureRow(row, state)),
          breakRows(model, breaks ?? [], breakRecords ?? [], attempts, state),
          found !== null,
        ),
      );
    },
    (error) => fill(root, instead(), h("p", { class: "dim" }, error.message)),
  );
  return root;
}

/** Build its caches and guards. @param {import("../frame/viewer.js").Context} context @param {any} model @param {number} index */
export function compileCachesAndGuards({ log, state }, model, index) {
  const root = h("div", { class: "compile-facts" });
  const attempts = attemptsOf(model, index);
  Promise.all([log.table("caches"), log.table("guard_trees")]).then(
    ([caches, guards]) =>
      fill(
        root,
        guardList(
          (guards ?? []).filter((/** @type {any} */ tree) => attempts.has(numberOf(model, tree))),
          state,
        ),
        cacheList(model, caches ?? [], attempts, state),
      ),
    (error) => fill(root, h("p", { class: "dim" }, error.message)),
  );
  return root;
}

/** Return whether a finding is about this compile rather than the whole run: it has a place in the program, or names only compiles of this function. @param {any} model @param {number} index @param {import("../shared/finding-leads.js").Finding} finding */
const isOwn = (model, index, finding) =>
  finding.file !== null ||
  compilesOf(model, finding).every((other) => sameFunction(model.compiles[other], model.compiles[index]));

/** Link the findings about the whole run that name this compile. @param {import("../shared/finding-leads.js").Finding[]} findings @param {any} state */
const wholeRun = (findings, state) =>
  findings.length > 0 &&
  h(
    "p",
    null,
    h(
      "a",
      { href: state.link({ view: "overview", item: findings[0].fingerprint }) },
      `${plural(findings.length, "finding")} of the whole run also ${findings.length > 1 ? "name" : "names"} this compile`,
    ),
  );

/** Return the attempts of the same compile. @param {any} model @param {number} index @returns {Set<number>} */
export function attemptsOf(model, index) {
  const compile = model.compiles[index];
  if (compile.id === null) return new Set([index]);
  const key = compile.compile;
  return new Set(
    model.frames.find((/** @type {any} */ frame) => frame.last.compile === key)?.rows ?? [index],
  );
}

/** @param {string} tone @param {string} sign @param {any} title @param {...any} parts */
const box = (tone, sign, title, ...parts) =>
  h(
    "section",
    { class: `verdict tone-${tone}` },
    h("h2", null, h("span", { "class": `sign status-${tone}`, "aria-hidden": "true" }, sign), " ", title),
    parts,
  );

/** Build torch's text about failures and breaks, folded if findings are shown. @param {any[]} failures @param {any[]} breaks @param {boolean} folded */
function records(failures, breaks, folded) {
  const rows = [...failures, ...breaks];
  return folded && rows.length > 0
    ? h("details", null, h("summary", null, `Records (${count(rows.length)})`), rows)
    : rows;
}

/** Build torch's text about a failure or a restart. @param {any} row of the failure table @param {any} state */
function failureRow(row, state) {
  const [tone, sign] = row.kind === "restart" ? ["break", "↺"] : ["error", "✖"];
  return box(
    tone,
    sign,
    [row.kind.replaceAll("_", " "), row.type && `: ${row.type}`],
    row.reason !== null && h("pre", { class: "wrapped" }, row.reason.trim()),
    sourceLine(row),
    h("p", null, recordLink(row.event, state)),
  );
}

/** @param {any} model @param {any[]} breaks @param {any[]} breakRecords @param {Set<number>} attempts @param {any} state */
function breakRows(model, breaks, breakRecords, attempts, state) {
  const here = new Set(
    breakRecords
      .filter((record) => attempts.has(numberOf(model, record)))
      .map((record) => record.graph_break),
  );
  return breaks
    .filter((row) => here.has(row.id))
    .slice(0, MOST_SHOWN)
    .map((row) =>
      box(
        "break",
        "✂",
        ["Graph break: ", h("a", { href: state.link({ view: "breaks", item: String(row.id) }) }, row.reason)],
        sourceLine(row),
      ),
    );
}

/** @param {any} model @param {any[]} caches @param {Set<number>} attempts @param {any} state */
function cacheList(model, caches, attempts, state) {
  const rows = caches.filter((row) => attempts.has(numberOf(model, row)));
  if (rows.length === 0) return null;
  return h(
    "section",
    null,
    h("h2", null, "Caches"),
    h(
      "ul",
      null,
      rows
        .slice(0, MOST_SHOWN)
        .map((row) =>
          h(
            "li",
            null,
            h(
              "a",
              { href: state.link({ view: "caches", item: String(row.event) }) },
              CACHES[row.cache] ?? row.cache,
            ),
            " ",
            outcomeBadge(row.outcome),
            row.time_saved_us !== null && ` saved ${time(row.time_saved_us)}`,
            " ",
            h("span", { class: "dim" }, cacheReason(row)),
          ),
        ),
    ),
    rows.length > MOST_SHOWN && h("p", { class: "dim" }, `and ${count(rows.length - MOST_SHOWN)} more`),
  );
}

/** @param {import("../../../schema/bundle.d.ts").GuardTrees[]} trees @param {any} state */
function guardList(trees, state) {
  if (trees.length === 0) return null;
  return h(
    "section",
    null,
    h("h2", null, "Guards"),
    h(
      "ul",
      null,
      trees.map((tree) =>
        h(
          "li",
          null,
          h(
            "a",
            { href: state.link({ view: "guards", item: String(tree.event) }) },
            `${plural(tree.guard_count, "guard")} in the ${tree.form} dump`,
          ),
          tree.latency_us !== null && `, check time ${latency(tree.latency_us)}`,
          " ",
          h(
            "span",
            { class: "dim" },
            kindCounts(tree)
              .slice(0, MOST_KINDS)
              .map(([kind, n]) => `${kind} ${count(n)}`)
              .join(", "),
          ),
        ),
      ),
    ),
  );
}
