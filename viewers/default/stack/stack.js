// The stack view: call stacks of the compiles as a tree or flame graph, and the selected frame or compile.
import { Tree } from "../../lib/list/tree.js";
import { cutMiddle } from "../../lib/page/cut-middle.js";
import { fill, h, searchField } from "../../lib/page/dom.js";
import { count, plural, time } from "../../lib/page/format.js";
import { errorBox } from "../../lib/page/load.js";
import { fileShortener } from "../../lib/page/paths.js";
import { split } from "../../lib/page/splitter.js";
import { shareBar, statusBadge } from "../../lib/page/figures.js";
import { placeLink } from "../../lib/page/place-link.js";
import { compileSummary } from "../compile/summary.js";
import { functionName, idText, modelOf } from "../shared/model.js";
import { compileLink } from "../shared/parts.js";
import { frameDetail } from "./frame-detail.js";
import { groupedStacks, GROUPS } from "./groups.js";
import { compileRow, trieRows } from "./trie.js";

const WIDTHS = [
  ["", "compile time"],
  ["count", "number of compiles"],
]; // of the flame graph

/** @param {import("../frame/viewer.js").Context} context @returns {Promise<import("../frame/viewer.js").View>} */
export async function openStack(context) {
  const { log, state } = context;
  const [model, stacks] = await Promise.all([modelOf(log), log.stacks()]);
  if (stacks.parent.length === 0 && model.frames.length === 0) return nothing();
  const short = fileShortener([...new Set(stacks.rows.map((frame) => frame.file))]);
  let trie = groupedStacks(stacks, state.current.group, short);
  const label = (/** @type {number} */ stack) => {
    const frame = stacks.frame(stack);
    return trie.title ? trie.title(stack) : `${frame.function} ${short(frame.file)}:${frame.line}`;
  };
  const detail = h("section", { "class": "pane detail", "aria-label": "Selection", "tabindex": "0" });
  const total = h("span", { "class": "dim", "aria-live": "polite" });
  const open = (/** @type {number} */ compile) =>
    state.go(state.link({ view: "compile", compile: model.compiles[compile].key }));
  let whole = 0,
    drawn = "";

  /** @type {Tree<import("./trie.js").Row>} */
  const tree = new Tree({
    label: "Stacks of the compiles",
    render: (row) =>
      row.compile >= 0 ? compileCells(model, row, whole) : frameCells(model, stacks, trie, short, row, whole),
    rowClass: (row) => (row.compile >= 0 ? "is-compile" : "is-frame"),
    toggle: (rows, wide) => {
      const closed = closedSet(state.current.closed);
      for (const row of rows) wide ? closed.delete(row.stack) : closed.add(row.stack);
      state.replace({ closed: [...closed].sort((a, b) => a - b).join(",") }, true);
    },
    onselect: (row) => select(row),
    onopen: (row) => row.compile >= 0 && open(row.compile),
  });
  /** @type {ReturnType<typeof import("./flame.js").stackFlame> | null} */
  let flame = null;

  const select = (/** @type {{stack: number, compile: number} | null} */ row) => {
    if (!row) state.replace({ compile: "", stack: "" });
    else if (row.compile >= 0) state.replace({ compile: model.compiles[row.compile].key, stack: "" });
    else state.replace({ compile: "", stack: String(row.stack) });
    showDetail(row);
  };
  const showDetail = (/** @type {any} */ row) => {
    if (!row) fill(detail, h("p", { class: "dim" }, "No stacks recorded."));
    else if (row.compile >= 0) fill(detail, compileSummary(context, model, row.compile));
    else fill(detail, frameDetail(context, model, stacks, trie, label, short, row.stack));
  };

  const filter = searchField("Filter stacks", "Filter by function, file, id", (q) =>
    state.replace({ q }, true),
  );
  const problems = toggle("Only problems", () =>
    state.replace({ problems: problems.checked ? "1" : "" }, true),
  );
  const torch = toggle("Hide torch frames", () =>
    state.replace({ torch: torch.checked ? "hide" : "" }, true),
  );
  const group = choice("Group frames", GROUPS, (value) =>
    state.replace({ group: value, stack: "", closed: "" }, true),
  );
  const width = choice("Box width", WIDTHS, (value) => state.replace({ width: value }, true));
  const shape = (/** @type {string} */ value, /** @type {string} */ title) =>
    h(
      "button",
      {
        "class": "tool",
        "dataset": { shape: value },
        "aria-pressed": "false",
        "onclick": () => state.replace({ shape: value }, true),
      },
      title,
    );
  const shapes = [shape("", "Tree"), shape("flame", "Flame graph")];
  const note = h("p", { class: "dim padded", hidden: true });
  const body = h("div", { class: "fill" });
  const without = model.compiles.flatMap((compile, i) =>
    compile.id !== null && compile.stack === null ? [i] : [],
  );
  const left = h(
    "section",
    { "class": "pane", "aria-label": "Stacks" },
    h("h1", { class: "visually-hidden" }, "Stacks of the compiles"),
    h(
      "div",
      { class: "toolbar" },
      h("span", { "role": "group", "aria-label": "Shape", "class": "pair" }, shapes),
      filter,
      h("label", null, problems, " Only problems"),
      h("label", null, torch, " Hide torch frames"),
      group,
      width,
      total,
    ),
    body,
    note,
    without.length > 0 &&
      h(
        "section",
        { class: "below" },
        h("h2", null, "Compiles without a recorded stack"),
        h(
          "ul",
          null,
          without.map((i) =>
            h("li", null, compileLink(model, i, state), " ", functionName(model.compiles[i])),
          ),
        ),
      ),
  );

  /** @param {Record<string, string>} current @param {string | undefined} active */
  const drawTree = (current, active) => {
    const result = trieRows(model, trie, {
      problems: problems.checked,
      hideTorch: torch.checked,
      query: current.q,
      closed: closedSet(current.closed),
      label,
    });
    whole = result.rows.reduce((sum, row) => sum + (row.depth === 0 ? row.time : 0), 0);
    tree.show(result.rows, active ?? "");
    const withStack =
      model.compiles.length - without.length - (model.compiles.some((c) => c.id === null) ? 1 : 0);
    fill(
      total,
      result.shown === withStack
        ? plural(result.shown, model.counted)
        : `${count(result.shown)} of ${plural(withStack, model.counted)}`,
    );
    if (tree.list.active >= 0 && !tree.element.contains(document.activeElement))
      tree.list.reveal(tree.list.active);
  };
  /** @param {Record<string, string>} current */
  const drawFlame = async (current) => {
    const wanted = drawn;
    const { stackBoxes, stackFlame } = await import("./flame.js");
    if (wanted !== drawn) return;
    flame ??= stackFlame(model, { onselect: (row) => select(row), onopen: open });
    if (body.firstChild !== flame.element) fill(body, flame.element);
    const boxes = stackBoxes(model, trie, {
      problems: problems.checked,
      hideTorch: torch.checked,
      width: current.width,
      label,
    });
    flame.show(boxes, current.width, current.q);
    fill(total, plural(boxes.compile.filter((i) => i >= 0).length, model.counted));
    note.hidden = boxes.left === 0 && boxes.flame.length > 0;
    flame.mark(state.current);
    fill(
      note,
      boxes.left > 0
        ? `Not shown: ${plural(boxes.left, model.counted)} without a compile time. Choose “number of compiles” to show ${boxes.left === 1 ? "it" : "them"}.`
        : "No compiles match the filter.",
    );
  };

  const first = defaultCompile(model);
  let shownQuery = "";
  const element = split("stack", left, detail, { label: "Width of the tree", size: "max(380px, 55vw)" });
  return {
    element,
    title: "Stack",
    search: () => filter,
    close: () => flame?.chart.close(),
    update: (current) => {
      if (shownQuery !== current.q) filter.value = current.q; // keeps text that is still being typed
      shownQuery = current.q;
      problems.checked = current.problems === "1";
      torch.checked = current.torch === "hide";
      group.value = current.group;
      width.value = current.width;
      const flat = current.shape === "flame";
      const key = JSON.stringify([
        current.q,
        current.problems,
        current.torch,
        current.closed,
        current.group,
        current.shape,
        flat && current.width,
      ]);
      const active = current.compile
        ? `c${current.compile}`
        : current.stack
          ? `s${current.stack}`
          : undefined;
      const fresh = key !== drawn;
      if (fresh) {
        drawn = key;
        trie = groupedStacks(stacks, current.group, short);
        for (const button of shapes)
          button.setAttribute("aria-pressed", String(button.dataset.shape === (flat ? "flame" : "")));
        width.hidden = !flat;
        element.classList.toggle("stacked-panes", flat); // the flame graph takes the full width
        note.hidden = true;
        if (!flat && body.firstChild !== tree.element) fill(body, tree.element);
      }
      if (flat) {
        if (fresh) drawFlame(current).catch((error) => fill(body, errorBox(error)));
        else flame?.mark(current);
      } else if (fresh || active !== tree.rows[tree.list.active]?.id) drawTree(current, active);
      const index = current.compile ? model.byKey.get(current.compile) : undefined;
      const stack =
        /^\d+$/.test(current.stack) && Number(current.stack) < stacks.parent.length
          ? Number(current.stack)
          : -1;
      showDetail(
        index !== undefined
          ? compileRow(model, index, 0)
          : stack >= 0
            ? { compile: -1, stack }
            : first === undefined
              ? null
              : compileRow(model, first, 0),
      );
    },
  };
}

/** @returns {import("../frame/viewer.js").View} */
function nothing() {
  return {
    title: "Stack",
    element: h(
      "div",
      { class: "page" },
      h("h1", null, "No stacks"),
      h(
        "p",
        null,
        "torch logs the call stack when a compile starts (dynamo_start). To record one, run a program that calls torch.compile: ",
        h("code", null, "TORCH_TRACE=/tmp/trace python train.py"),
        ".",
      ),
    ),
  };
}

/** @param {string} label @param {() => void} onchange */
const toggle = (label, onchange) => h("input", { "type": "checkbox", "aria-label": label, onchange });

/** @param {string} label @param {string[][]} options @param {(value: string) => void} onchange */
const choice = (label, options, onchange) =>
  h(
    "select",
    {
      "aria-label": label,
      "title": label,
      "onchange": (/** @type {any} */ event) => onchange(event.target.value),
    },
    options.map(([value, title]) => h("option", { value }, title)),
  );

/** @param {string} text */
const closedSet = (text) => new Set(text.split(",").filter(Boolean).map(Number));

/** Return the compile to select first: a failed one, or the slowest. @param {any} model @returns {number | undefined} */
function defaultCompile({ compiles }) {
  const indexes = compiles.flatMap((/** @type {any} */ compile, /** @type {number} */ index) =>
    compile.id === null ? [] : [index],
  );
  return (
    indexes.find((/** @type {number} */ index) => compiles[index].status === "failed") ??
    indexes.reduce(
      (/** @type {number | undefined} */ best, /** @type {number} */ index) =>
        best === undefined || compiles[index].total_us > compiles[best].total_us ? index : best,
      undefined,
    )
  );
}

/** @param {any} row @param {number} whole */
function timeCells(row, whole) {
  return [
    h("span", { class: "tree-time" }, row.time ? time(row.time) : ""),
    shareBar(row.time || null, whole),
  ];
}

/** @param {any} model @param {any} stacks @param {import("./groups.js").Trie} trie @param {any} short @param {any} row @param {number} whole */
function frameCells(model, stacks, trie, short, row, whole) {
  const frame = stacks.frame(row.stack);
  const words = trie.title
    ? h("b", null, trie.title(row.stack))
    : [
        h("b", null, frame.function),
        " ",
        placeLink(frame.file, frame.line, cutMiddle(`${short(frame.file)}:${frame.line}`, ""), {
          tabindex: -1,
        }),
        " ",
        h("code", null, frame.code ?? ""),
      ];
  return [
    h(
      "span",
      {
        class: "tree-text tree-frame",
        style: { "padding-left": `${row.depth * 16}px` },
        title: trie.title
          ? frame.file
          : `${frame.file ?? "(unknown file)"}:${frame.line} in ${frame.function}`,
      },
      words,
    ),
    row.expanded === false && h("span", { class: "dim" }, plural(row.compiles, model.counted)),
    timeCells(row, whole),
  ];
}

/** @param {any} model @param {any} row @param {number} whole */
function compileCells(model, row, whole) {
  const compile = model.compiles[row.compile];
  return [
    h(
      "span",
      { class: "tree-text", style: { "padding-left": `${row.depth * 16}px` } },
      statusBadge(compile.status),
      " ",
      h("b", { class: "mono" }, idText(compile)),
      " ",
      functionName(compile),
      compile.recompile_reason !== null && [
        " ",
        h("span", { class: "tag", title: compile.recompile_reason }, "↻ recompile"),
      ],
    ),
    timeCells(row, whole),
  ];
}
