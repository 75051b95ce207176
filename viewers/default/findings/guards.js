// The guards view: guards of each compile by kind and source, and the time of one check.
import { compileArtifacts } from "../../lib/bundle/artifacts.js";
import { Grid } from "../../lib/list/grid.js";
import { emptyPage, listDetail } from "../../lib/list/list-detail.js";
import { table } from "../../lib/list/table.js";
import { cutMiddle } from "../../lib/page/cut-middle.js";
import { fill, h, searchField } from "../../lib/page/dom.js";
import { count, plural } from "../../lib/page/format.js";
import { shareBar } from "../../lib/page/figures.js";
import { cards, shownBy } from "../shared/finding-leads.js";
import { IN_METRICS, IN_METRICS_HELP, IN_DUMP, IN_DUMP_HELP } from "../shared/guard-counts.js";
import { findingsOf, functionName, idText, modelOf, numberOf } from "../shared/model.js";
import { compileLink, pairs, recordLink } from "../shared/parts.js";

const MOST_KINDS = 4;

/** "61.3 µs" @param {number | null} us */
export const latency = (us) => (us === null ? "–" : `${us < 100 ? us.toFixed(1) : count(Math.round(us))} µs`);

/** @typedef {import("../../../schema/bundle.d.ts").GuardTrees} Tree */
/** @typedef {import("../../../schema/bundle.d.ts").Guards} Guard */

/** [kind, number], the most frequent first. @param {Tree} tree @returns {[string, number][]} */
export const kindCounts = (tree) => Object.entries(tree.counts).sort((a, b) => b[1] - a[1]);

/** @param {import("../frame/viewer.js").Context} context @returns {Promise<import("../frame/viewer.js").View>} */
export async function openGuards({ log, state }) {
  const [model, table, found] = await Promise.all([modelOf(log), log.table("guard_trees"), findingsOf(log)]);
  const trees = /** @type {Tree[]} */ (table ?? []);
  if (trees.length === 0) {
    return emptyPage("No guards", "torch logs the guards when a compile ends (dynamo_cpp_guards_str).");
  }
  const compile = (/** @type {number} */ i) => model.compiles[numberOf(model, trees[i])];
  const kinds = (/** @type {number} */ i) =>
    kindCounts(trees[i])
      .slice(0, MOST_KINDS)
      .map(([kind, n]) => `${kind} ${count(n)}`)
      .join(", ");
  const extreme = (/** @type {"guard_count" | "latency_us"} */ cell) =>
    trees.reduce((at, tree, i) => ((tree[cell] ?? -1) > (trees[at][cell] ?? -1) ? i : at), 0);
  const extremeItem = (/** @type {string} */ words, /** @type {number} */ i, /** @type {string} */ value) =>
    h(
      "li",
      null,
      `${words}: `,
      h(
        "a",
        { href: state.link({ view: "guards", item: String(trees[i].event) }) },
        `${idText(compile(i))} ${functionName(compile(i))}`,
      ),
      ` ${value}`,
    );
  const biggest = extreme("guard_count"),
    slowest = extreme("latency_us");
  let inner = /** @type {HTMLElement | null} */ (null);
  const view = listDetail({
    state,
    name: "guards",
    label: "Guards of the compiles",
    noun: ["compile", "compiles"],
    length: trees.length,
    share: 0.4,
    id: (i) => String(trees[i].event),
    title: (i) =>
      `${idText(compile(i))} ${functionName(compile(i))} ${plural(trees[i].guard_count, "guard")} in the ${trees[i].form} dump`,
    text: (i) => [idText(compile(i)), functionName(compile(i)), compile(i).file, kinds(i)].join("\n"),
    above:
      trees.length > 1 &&
      h(
        "div",
        { class: "intro" },
        h(
          "ul",
          { class: "facts-line" },
          extremeItem("Most guards", biggest, `${count(trees[biggest].guard_count)} in the dump`),
          trees[slowest].latency_us !== null &&
            extremeItem("Slowest check", slowest, latency(trees[slowest].latency_us)),
        ),
      ),
    columns: [
      { id: "compile", title: "Compile", class: "mono", sort: (i) => i, cell: (i) => idText(compile(i)) },
      {
        id: "function",
        title: "Function",
        least: "7rem",
        sort: (i) => functionName(compile(i)),
        cell: (i) => [
          cutMiddle(functionName(compile(i))),
          trees[i].form === "list" && h("span", { class: "dim" }, " aliasing"),
        ],
      },
      {
        id: "guards",
        title: "In dump",
        number: true,
        sort: (i) => trees[i].guard_count,
        cell: (i) => count(trees[i].guard_count),
        help: IN_DUMP_HELP,
      },
      {
        id: "torch",
        title: "In metrics",
        number: true,
        sort: (i) => compile(i).guard_count,
        cell: (i) => count(compile(i).guard_count),
        help: IN_METRICS_HELP,
      },
      {
        id: "latency",
        title: "Check time",
        number: true,
        sort: (i) => trees[i].latency_us,
        cell: (i) => latency(trees[i].latency_us),
        help: "Time of one check of all these guards, measured by torch",
      },
    ],
    detail: (i) => [
      cards(
        model,
        state,
        found,
        (finding) => finding.kind === "guard-cost" && shownBy(trees[i].event)(finding),
      ),
      guardDetail({ log, state }, model, trees[i], (element) => {
        inner = element;
      }),
    ],
  });
  return {
    ...view,
    title: "Guards",
    key: (event) => {
      // g focuses the filter of the guards
      if (event.key !== "g" || !inner) return false;
      inner.focus();
      return true;
    },
  };
}

/** @param {{log: any, state: any}} context @param {any} model @param {Tree} tree @param {(field: HTMLElement) => void} onfilter called with the filter field */
function guardDetail({ log, state }, model, tree, onfilter) {
  const index = numberOf(model, tree);
  const { key, guard_count: made } = model.compiles[index];
  let guards = /** @type {Guard[]} */ ([]); // filled when loaded
  const cells = (/** @type {number} */ i) => {
    const { kind, source, file, line, function: name } = guards[i];
    return {
      kind: kind ?? "",
      source: source ?? "",
      place: file === null ? "" : `${file}:${line}`,
      in: name ?? "",
    };
  };
  const text = (/** @type {number} */ i) => guards[i].text;
  let address = "dynamo_cpp_guards_str";
  const lineOf = (/** @type {number} */ i) => String(tree.payload_lines[i] + 1);
  const line = (/** @type {number} */ i) =>
    state.link({ view: "compile", compile: key, artifact: address, line: lineOf(i) });
  const grid = new Grid({
    label: "Guards",
    sort: state.current.by,
    onsort: (by) => state.replace({ by }),
    onselect: (i) => state.replace({ line: lineOf(i) }),
    name: (i) => `${cells(i).kind} ${cells(i).source}`,
    onopen: (i) => state.go(line(i)),
    columns: [
      {
        id: "kind",
        title: "Kind",
        least: "14rem",
        sort: (i) => cells(i).kind,
        cell: (i) =>
          h(
            "a",
            { href: line(i), tabindex: "-1", title: `${cells(i).kind}: show it in the guard tree` },
            cutMiddle(cells(i).kind || "guard"),
          ),
      },
      {
        id: "source",
        title: "Source",
        least: "6rem",
        class: "mono",
        sort: (i) => cells(i).source || null,
        cell: (i) => h("span", { title: cells(i).source }, cells(i).source || "–"),
      },
      {
        id: "place",
        title: "Location",
        least: "7rem",
        class: "mono",
        sort: (i) => cells(i).place || null,
        cell: (i) =>
          cutMiddle(cells(i).place || "–", cells(i).place && `${cells(i).place} in ${cells(i).in}`),
      },
      {
        id: "text",
        title: "Guard",
        least: "45ch",
        class: "mono",
        cell: (i) => h("span", { title: text(i) }, text(i)),
      },
    ],
  });
  const total = h("span", { class: "dim", role: "status" });
  const show = (/** @type {string} */ query) => {
    const wanted = query.toLowerCase(),
      all = guards.map((_, i) => i);
    const fit = wanted
      ? all.filter((i) => {
          const c = cells(i);
          return `${c.kind}\n${c.source}\n${c.place}\n${c.in}\n${text(i)}`.toLowerCase().includes(wanted);
        })
      : all;
    fill(
      total,
      fit.length === all.length
        ? plural(all.length, "guard")
        : `${count(fit.length)} of ${plural(all.length, "guard")}`,
      tree.guards.length < tree.guard_count && `, the first of ${count(tree.guard_count)} in the record`,
    );
    grid.show(fit, state.current.line === "" ? -1 : all.findIndex((i) => lineOf(i) === state.current.line));
  };
  const filter = searchField("Filter guards", "Filter by kind, source, location, text", (query) => {
    state.replace({ guard: query });
    show(query);
  });
  filter.value = state.current.guard;
  onfilter(filter);
  const note = h("span", { class: "dim" });
  log.table("guards").then(
    (/** @type {Guard[]} */ rows) => {
      guards = tree.guards.map((id) => rows[id]);
      show(filter.value);
    },
    (/** @type {Error} */ error) => fill(note, `Can't read the guards. ${error.message}`),
  );
  addressOf(log, tree).then((found) => {
    address = found;
    show(filter.value);
  });
  return h(
    "div",
    { class: "fill guard-detail" },
    h("h2", null, compileLink(model, index, state), " ", functionName(model.compiles[index])),
    pairs([
      [
        tree.form === "list" ? "Guards in the list dump" : IN_DUMP,
        `${count(tree.guard_count)}, on ${plural(tree.manager_count, "object")}`,
      ],
      [
        IN_METRICS,
        [
          count(made),
          " ",
          made !== null && made !== tree.guard_count && h("span", { class: "dim" }, IN_METRICS_HELP),
        ],
      ],
      ["Check time", latency(tree.latency_us)],
      ["Record", recordLink(tree.event, state)],
    ]),
    table(
      [
        {
          title: "Guards by kind",
          cell: ([kind]) =>
            h(
              "button",
              {
                class: "sort",
                title: "Show only this kind",
                onclick: () => {
                  filter.value = kind;
                  state.replace({ guard: kind });
                  show(kind);
                },
              },
              kind,
            ),
          sort: ([kind]) => kind,
        },
        { title: "Number", number: true, cell: ([, n]) => count(n), sort: ([, n]) => n },
        { title: "Share", class: "bar-cell", cell: ([, n]) => shareBar(n, tree.guard_count) },
      ],
      kindCounts(tree),
      { class: "kinds" },
    ),
    h("div", { class: "toolbar" }, filter, total, note),
    grid.element,
  );
}

/** Return the address of the artifact of a tree. @param {any} log @param {Tree} tree */
async function addressOf(log, tree) {
  const artifacts = await compileArtifacts(log, tree);
  const artifact = artifacts.find((row) => row.event === tree.event);
  return artifact?.address ?? (await log.event(tree.event)).name;
}
