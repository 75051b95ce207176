// The guards of each compile: how many, of which kinds, on what, and how long one check of all takes.
import { compileArtifacts } from "../../lib/bundle/artifacts.js";
import { Grid } from "../../lib/list/grid.js";
import { emptyPage, listDetail } from "../../lib/list/list-detail.js";
import { cutMiddle } from "../../lib/page/cut-middle.js";
import { fill, h, searchField } from "../../lib/page/dom.js";
import { count, plural } from "../../lib/page/format.js";
import { shareBar } from "../../lib/page/figures.js";
import { cards, shownBy } from "../shared/finding-leads.js";
import { BY_TORCH, BY_TORCH_HELP, IN_DUMP, IN_DUMP_HELP } from "../shared/guard-counts.js";
import { functionName, idText, modelOf } from "../shared/model.js";
import { compileLink, pairs, recordLink } from "../shared/parts.js";
import { withoutPlace } from "../shared/program-line.js";

const MOST_KINDS = 4;

/** "61.3 µs" @param {number | null} us */
export const latency = (us) => (us === null ? "–" : `${us < 100 ? us.toFixed(1) : count(Math.round(us))} µs`);

/** The guard table, also for the page of a compile. @param {any} log */
export const guardsOf = (log) => log.table("guards");

/** [kind, number], the most frequent first. @param {any} list a row of 'lists' @returns {[string, number][]} */
export const kindCounts = (list) => /** @type {[string, number][]} */ (Object.entries(list.counts)).sort((a, b) => b[1] - a[1]);

/** @param {import("../frame/viewer.js").Context} context @returns {Promise<import("../frame/viewer.js").View>} */
export async function openGuards({ log, state }) {
  const [model, table, found] = await Promise.all([modelOf(log), guardsOf(log), log.findings()]);
  const trees = table?.trees ?? [];
  if (trees.length === 0) {
    return emptyPage("No guards", "What torch checks before it runs compiled code again would be here: each guard with its source and the line of the program. torch writes them when a compile ends (dynamo_cpp_guards_str).");
  }
  const lists = table.lists;
  const compile = (/** @type {number} */ i) => model.compiles[trees[i].compile_index];
  const all = trees.reduce((/** @type {number} */ n, /** @type {any} */ tree) => n + tree.guard_count, 0);
  const kinds = (/** @type {number} */ i) => kindCounts(lists[trees[i].list_index]).slice(0, MOST_KINDS).map(([kind, n]) => `${kind} ${count(n)}`).join(", ");
  const extreme = (/** @type {"guard_count" | "latency_us"} */ cell) => trees.reduce((/** @type {number} */ at, /** @type {any} */ tree, /** @type {number} */ i) => ((tree[cell] ?? -1) > (trees[at][cell] ?? -1) ? i : at), 0);
  const extremeItem = (/** @type {string} */ words, /** @type {number} */ i, /** @type {string} */ value) =>
    h("li", null, `${words}: `, h("a", { href: state.link({ view: "guards", item: String(trees[i].event_index) }) }, `${idText(compile(i))} ${functionName(compile(i))}`), ` ${value}`);
  const biggest = extreme("guard_count"), slowest = extreme("latency_us");
  let inner = /** @type {HTMLElement | null} */ (null);
  const view = listDetail({
    state, name: "guards", label: "Guards of the compiles", noun: ["compile", "compiles"], length: trees.length, share: 0.4, id: (i) => String(trees[i].event_index),
    title: (i) => `${idText(compile(i))} ${functionName(compile(i))} ${plural(trees[i].guard_count, "guard")} in the ${trees[i].form} dump`,
    text: (i) => [idText(compile(i)), functionName(compile(i)), compile(i).filename, kinds(i)].join("\n"),
    above: trees.length > 1 && h("div", { class: "intro" }, h("ul", { class: "facts-line" },
      extremeItem("most guards", biggest, `${count(trees[biggest].guard_count)} in the dump`), trees[slowest].latency_us !== null && extremeItem("slowest check", slowest, latency(trees[slowest].latency_us)))),
    columns: [
      { id: "compile", title: "Compile", class: "mono", sort: (i) => i, cell: (i) => idText(compile(i)) },
      { id: "function", title: "Function", least: "7rem", sort: (i) => functionName(compile(i)), cell: (i) => cutMiddle(functionName(compile(i))) },
      { id: "guards", title: "In the dump", number: true, sort: (i) => trees[i].guard_count, cell: (i) => count(trees[i].guard_count), help: IN_DUMP_HELP },
      { id: "torch", title: "By torch", number: true, sort: (i) => compile(i).guard_count, cell: (i) => count(compile(i).guard_count), help: BY_TORCH_HELP },
      { id: "latency", title: "One check", number: true, sort: (i) => trees[i].latency_us, cell: (i) => latency(trees[i].latency_us), help: "How long one check of all these guards takes, as torch measured it" },
      { id: "bar", title: "Share", width: "6.5rem", cell: (i) => shareBar(trees[i].guard_count, all), help: `Of ${plural(all, "guard")} in all dumps` },
      { id: "kinds", title: "Kinds", least: "8rem", cell: (i) => h("span", { title: kinds(i) }, trees[i].form === "list" ? "about aliasing" : kinds(i)) },
    ],
    detail: (i) => [cards(model, state, found, (finding) => finding.kind === "guard-cost" && shownBy(trees[i].event_index)(finding)),
      guardDetail({ log, state }, model, table, trees[i], (element) => { inner = element; })],
  });
  return {
    ...view, title: "Guards",
    key: (event) => { // the filter of the guards, from anywhere in the detail
      if (event.key !== "g" || !inner) return false;
      inner.focus();
      return true;
    },
  };
}

/** @param {{log: any, state: any}} context @param {any} model @param {any} table @param {any} tree @param {(field: HTMLElement) => void} tell */
function guardDetail({ log, state }, model, table, tree, tell) {
  const { guards, kinds, sources, places } = table;
  const list = table.lists[tree.list_index];
  const key = model.compiles[tree.compile_index].key;
  const first = list.first_guard;
  const made = model.compiles[tree.compile_index].guard_count;
  const cells = (/** @type {number} */ i) => {
    const place = guards.place_index[first + i];
    return {
      kind: kinds[guards.kind_index[first + i]] ?? "", source: sources[guards.source_index[first + i]] ?? "",
      place: place < 0 ? "" : `${places.file[place]}:${places.line[place]}`, in: place < 0 ? "" : places.function[place],
    };
  };
  let lines = /** @type {string[] | null} */ (null); // the payload, when it is there
  const text = (/** @type {number} */ i) => (lines?.[guards.payload_line[first + i]] ?? "").replace(/^(?:\| )*\+- (?:\w+: )?/, "").trim();
  let address = "dynamo_cpp_guards_str";
  const lineOf = (/** @type {number} */ i) => String(guards.payload_line[first + i] + 1);
  const line = (/** @type {number} */ i) => state.link({ view: "compile", compile: key, artifact: address, line: lineOf(i) });
  const grid = new Grid({
    label: "Guards", sort: state.current.by, onsort: (by) => state.replace({ by }), onselect: (i) => state.replace({ line: lineOf(i) }), name: (i) => `${cells(i).kind} ${cells(i).source}`,
    onopen: (i) => state.go(line(i)),
    columns: [
      { id: "kind", title: "Kind", least: "6rem", sort: (i) => cells(i).kind, cell: (i) => h("a", { href: line(i), tabindex: "-1", title: `${cells(i).kind}: its line in the tree` }, cutMiddle(cells(i).kind || "guard")) },
      { id: "source", title: "On", least: "6rem", class: "mono", sort: (i) => cells(i).source || null, cell: (i) => h("span", { title: cells(i).source }, cells(i).source || "–") },
      { id: "place", title: "Line of the program", least: "7rem", class: "mono", sort: (i) => cells(i).place || null, cell: (i) => cutMiddle(cells(i).place || "–", cells(i).place && `${cells(i).place} in ${cells(i).in}`) },
      { id: "text", title: "Guard", least: "7rem", class: "mono", cell: (i) => h("span", { title: text(i) }, withoutPlace(text(i))) },
    ],
  });
  const total = h("span", { class: "dim", role: "status" });
  const all = Array.from({ length: list.row_count }, (_, i) => i);
  const show = (/** @type {string} */ query) => {
    const wanted = query.toLowerCase();
    const fit = wanted ? all.filter((i) => { const c = cells(i); return `${c.kind}\n${c.source}\n${c.place}\n${c.in}\n${text(i)}`.toLowerCase().includes(wanted); }) : all;
    fill(total, fit.length === all.length ? plural(all.length, "guard") : `${count(fit.length)} of ${plural(all.length, "guard")}`,
      list.row_count < tree.guard_count && ` (the first of ${count(tree.guard_count)}; the record has all)`);
    grid.show(fit, state.current.line === "" ? -1 : all.findIndex((i) => lineOf(i) === state.current.line));
  };
  const filter = searchField("Filter guards", "Filter by kind, source, text, line", (query) => { state.replace({ guard: query }); show(query); });
  filter.value = state.current.guard;
  tell(filter);
  const note = h("span", { class: "dim" });
  show(filter.value);
  readLines(log, tree).then((found) => { lines = found.lines; address = found.address; show(filter.value); }, (error) => fill(note, `The texts could not be read. ${error.message}`));
  return h("div", { class: "fill guard-detail" },
    h("h2", null, compileLink(model, tree.compile_index, state), " ", functionName(model.compiles[tree.compile_index])),
    pairs([[tree.form === "list" ? "Guards in the list dump" : IN_DUMP, `${count(tree.guard_count)}, on ${plural(list.manager_count, "object")}`],
      [BY_TORCH, [count(made), " ", made !== null && made !== tree.guard_count && h("span", { class: "dim" }, BY_TORCH_HELP)]], ["One check of all", latency(tree.latency_us)], ["What torch wrote", recordLink(tree.event_index, state)]]),
    h("table", { class: "plain kinds" }, h("caption", { class: "dim" }, `Guards by kind, of ${count(tree.guard_count)}`), h("tbody", null, kindCounts(list).map(([kind, n]) => h("tr", null,
      h("td", null, h("button", { class: "sort", title: "Only these", onclick: () => { filter.value = kind; state.replace({ guard: kind }); show(kind); } }, kind)),
      h("td", { class: "number" }, count(n)), h("td", { class: "bar-cell" }, shareBar(n, tree.guard_count)))))),
    h("div", { class: "toolbar" }, filter, total, note), grid.element);
}

/** The lines of the record, and the address of the artifact. @param {any} log @param {any} tree */
async function readLines(log, tree) {
  const artifacts = await compileArtifacts(log, tree.compile_index);
  const artifact = artifacts.find((row) => row.event === tree.event_index) ?? await log.event(tree.event_index);
  return { lines: ((await log.text(artifact)) ?? "").split("\n"), address: artifact.address ?? artifact.name };
}
