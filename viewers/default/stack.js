// The stacks that led to the compiles: tree on the left, what is selected on the right.
import { fill, h, searchField } from "../lib/dom.js";
import { count, fileShortener, plural, time } from "../lib/format.js";
import { split } from "../lib/splitter.js";
import { statusBadge } from "../lib/status.js";
import { Tree } from "../lib/tree.js";
import { functionName, idText, modelOf } from "./model.js";
import { compileLink, compileLinks, shareBar } from "./parts.js";
import { compileSummary } from "./summary.js";
import { compileRow, trieRows } from "./trie.js";

/** @param {import("./main.js").Context} context @returns {Promise<import("./main.js").View>} */
export async function openStack(context) {
  const { log, state } = context;
  const [model, stacks] = await Promise.all([modelOf(log), log.stacks()]);
  const short = fileShortener(stacks.frames.file.map((/** @type {number} */ i) => stacks.strings[i] ?? null));
  const label = (/** @type {number} */ stack) => {
    const frame = stacks.frame(stacks.frameOf[stack]);
    return `${frame.name} ${short(frame.file)}:${frame.line}`;
  };
  const detail = h("section", { class: "pane detail", "aria-label": "Selection", tabindex: "0" });
  const total = h("span", { class: "dim", "aria-live": "polite" });
  let longest = 0;

  /** @type {Tree<import("./trie.js").Row>} */
  const tree = new Tree({
    label: "Stacks of the compiles",
    render: (row) => (row.compile >= 0 ? compileCells(model, row, longest) : frameCells(stacks, short, row, longest)),
    rowClass: (row) => (row.compile >= 0 ? "is-compile" : "is-frame"),
    toggle: (rows, open) => {
      const closed = closedSet(state.current.closed);
      for (const row of rows) open ? closed.delete(row.stack) : closed.add(row.stack);
      state.replace({ closed: [...closed].sort((a, b) => a - b).join(",") }, true);
    },
    onselect: (row) => select(row),
    onopen: (row) => row.compile >= 0 && state.go(state.link({ view: "compile", compile: model.compiles[row.compile].key })),
  });

  const select = (/** @type {any} */ row) => {
    if (row.compile >= 0) state.replace({ compile: model.compiles[row.compile].key, stack: "" });
    else state.replace({ compile: "", stack: String(row.stack) });
    showDetail(row);
  };
  const showDetail = (/** @type {any} */ row) => {
    if (!row) fill(detail, h("p", { class: "dim" }, "Select a frame or a compile in the tree. ↑ and ↓ walk, Enter opens a compile."));
    else if (row.compile >= 0) fill(detail, compileSummary(context, model, row.compile));
    else fill(detail, frameDetail(model, stacks, row.stack, state));
  };

  const filter = searchField("Filter stacks", "Filter by function, file, id", (q) => state.replace({ q }, true));
  const problems = toggle("Only problems", () => state.replace({ problems: problems.checked ? "1" : "" }, true));
  const torch = toggle("Hide torch frames", () => state.replace({ torch: torch.checked ? "hide" : "" }, true));
  const without = model.compiles.flatMap((compile, i) => (compile.id !== null && compile.stack_index === null ? [i] : []));
  const left = h("section", { class: "pane", "aria-label": "Stacks" },
    h("div", { class: "toolbar" }, filter, h("label", null, problems, " Only problems"), h("label", null, torch, " Hide torch frames"), total),
    tree.element,
    without.length > 0 && h("section", { class: "below" }, h("h2", null, "Compiled without a recorded stack"),
      h("ul", null, without.map((i) => h("li", null, compileLink(model, i, state), " ", functionName(model.compiles[i]))))));
  if (stacks.parent.length === 0 && model.compiles.length === 0) {
    return { title: "Stack", element: h("div", { class: "page" }, h("h1", null, "No stacks"),
      h("p", null, "The call stack of each compile would be here; torch writes it when a compile starts (dynamo_start). Record a program that calls torch.compile with ",
        h("code", null, "TORCH_TRACE=/tmp/trace"), ".")) };
  }

  let drawn = "";
  return {
    element: split("stack", left, detail, { label: "Width of the tree", size: Math.max(380, Math.round(innerWidth * 0.55)) }),
    title: "Stack",
    search: () => filter,
    update: (current) => {
      if (filter.value !== current.q) filter.value = current.q;
      problems.checked = current.problems === "1";
      torch.checked = current.torch === "hide";
      const key = JSON.stringify([current.q, current.problems, current.torch, current.closed]);
      const active = current.compile ? `c${current.compile}` : current.stack ? `s${current.stack}` : undefined;
      if (key !== drawn || active !== tree.rows[tree.list.active]?.id) {
        drawn = key;
        const result = trieRows(model, stacks, {
          problems: problems.checked, hideTorch: torch.checked, query: current.q, closed: closedSet(current.closed), label,
        });
        longest = result.rows.reduce((most, row) => Math.max(most, row.time), 0);
        tree.show(result.rows, active);
        const withStack = model.compiles.length - without.length - (model.compiles.some((c) => c.id === null) ? 1 : 0);
        fill(total, result.shown === withStack ? plural(result.shown, "compile") : `${count(result.shown)} of ${plural(withStack, "compile")}`);
        if (tree.list.active >= 0 && !tree.element.contains(document.activeElement)) tree.list.reveal(tree.list.active);
      }
      const index = current.compile ? model.byKey.get(current.compile) : undefined;
      showDetail(index !== undefined ? compileRow(model, index, 0) : tree.rows[tree.list.active]);
    },
  };
}

/** @param {string} label @param {() => void} onchange */
const toggle = (label, onchange) => h("input", { type: "checkbox", "aria-label": label, onchange });

/** @param {string} text */
const closedSet = (text) => new Set(text.split(",").filter(Boolean).map(Number));

/** @param {any} row @param {number} longest */
function timeCells(row, longest) {
  return [h("span", { class: "tree-time" }, row.time ? time(row.time) : ""), shareBar(row.time, longest)];
}

/** @param {any} stacks @param {any} short @param {any} row @param {number} longest */
function frameCells(stacks, short, row, longest) {
  const frame = stacks.frame(stacks.frameOf[row.stack]);
  return [
    h("span", { class: "tree-text", style: { "padding-left": `${row.depth * 16}px` }, title: `${frame.file ?? "(unknown file)"}:${frame.line} in ${frame.name}` },
      h("b", null, frame.name), " ", h("span", { class: "place" }, `${short(frame.file)}:${frame.line}`), " ", h("code", null, frame.loc ?? "")),
    row.expanded === false && h("span", { class: "dim" }, plural(row.compiles, "compile")),
    timeCells(row, longest),
  ];
}

/** @param {any} model @param {any} row @param {number} longest */
function compileCells(model, row, longest) {
  const compile = model.compiles[row.compile];
  return [
    h("span", { class: "tree-text", style: { "padding-left": `${row.depth * 16}px` } },
      statusBadge(compile.status), " ", h("b", { class: "mono" }, idText(compile)), " ", functionName(compile),
      compile.recompile_reason !== null && h("span", { class: "tag", title: compile.recompile_reason }, "↻ recompile")),
    timeCells(row, longest),
  ];
}

/** @param {any} model @param {any} stacks @param {number} stack @param {any} state */
function frameDetail(model, stacks, stack, state) {
  const frame = stacks.frame(stacks.frameOf[stack]);
  const below = model.compiles.flatMap((/** @type {any} */ compile, /** @type {number} */ i) => {
    for (let at = compile.stack_index ?? -1; at >= stack; at = stacks.parent[at]) if (at === stack) return [i];
    return [];
  });
  return [
    h("h2", null, frame.name),
    h("dl", { class: "pairs" }, h("dt", null, "File"), h("dd", { class: "path" }, `${frame.file ?? "(unknown file)"}:${frame.line}`),
      h("dt", null, "Line"), h("dd", null, frame.loc ? h("code", null, frame.loc) : h("span", { class: "dim" }, "not in the log"))),
    h("h3", null, `${plural(below.length, "compile")} below`), compileLinks(model, below, state),
  ];
}
