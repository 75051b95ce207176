// The table of all compiles of a log, with attempts folded below their compile.
import { Grid } from "../../lib/list/grid.js";
import { cutMiddle } from "../../lib/page/cut-middle.js";
import { fill, h, searchField } from "../../lib/page/dom.js";
import { count, firstLine, plural, time } from "../../lib/page/format.js";
import { STATUSES, shareBar, statusBadge } from "../../lib/page/figures.js";
import { IN_METRICS, IN_METRICS_HELP } from "../shared/guard-counts.js";
import { compileLabel, functionName, idText, modelOf, placeOf, summaryOf } from "../shared/model.js";
import { compilePlace } from "../shared/parts.js";
import { withoutPlace } from "../shared/program-line.js";

/** @param {import("../frame/viewer.js").Context} context @returns {Promise<import("../frame/viewer.js").View>} */
export async function openCompiles({ log, state }) {
  const model = await modelOf(log);
  const { compiles } = model;
  /** Earlier attempts by the row of the last attempt. @type {Map<number, number[]>} */
  const attempts = new Map(model.frames.map(({ rows }) => [rows[rows.length - 1], rows.slice(0, -1)]));
  const lastOf = new Map(
    model.frames.flatMap(({ rows }) =>
      rows.map((row) => /** @type {[number, number]} */ ([row, rows[rows.length - 1]])),
    ),
  );
  const unfolded = () => new Set(state.current.open.split(",").filter(Boolean));
  const fold = (/** @type {number} */ row, /** @type {boolean | null} */ wanted) => {
    const last = lastOf.get(row) ?? row,
      open = unfolded(),
      { key } = compiles[last];
    if (!attempts.get(last)?.length || open.has(key) === wanted) return;
    if (!open.delete(key)) open.add(key);
    state.replace({ open: [...open].join(","), compile: key }, true);
    grid.list.focusActive();
  };
  const filter = searchField("Filter compiles", "Filter by id, function, file, reason", (q) =>
    state.replace({ q }, true),
  );
  const status = h(
    "select",
    { "aria-label": "Status", "onchange": () => state.go(state.patched({ status: status.value })) },
    h("option", { value: "" }, "any status"),
    Object.entries(STATUSES).map(([id, { word }]) => h("option", { value: id }, word)),
  );
  const total = h("span", { "class": "dim", "aria-live": "polite" });
  const open = (/** @type {number} */ i) =>
    state.go(state.link({ view: "compile", compile: compiles[i].key }));
  const grid = new Grid({
    label: "Compiles",
    columns: columns(model, state, attempts, unfolded, fold),
    sort: state.current.sort,
    name: (i) => compileLabel(compiles[i]),
    onopen: open,
    onsort: (sort) => state.replace({ sort }),
    onselect: (i) => state.replace({ compile: compiles[i].key }),
    below: (i) => (unfolded().has(compiles[i].key) ? (attempts.get(i) ?? []) : []),
    onfold: fold,
  });
  grid.element.addEventListener("dblclick", () => grid.selected >= 0 && open(grid.selected));
  const texts = compiles.map((c) =>
    [
      idText(c),
      c.function,
      c.file,
      c.recompile_reason,
      c.failure_type,
      c.failure_reason,
      ...c.restart_reasons,
    ]
      .join("\n")
      .toLowerCase(),
  );
  const element = h(
    "div",
    { class: "fill" },
    h("div", { class: "toolbar" }, filter, status, total),
    grid.element,
  );
  if (model.frames.length === 0) {
    return {
      title: "Compiles",
      element: h(
        "div",
        { class: "page" },
        h("h1", null, "No compiles"),
        h(
          "p",
          null,
          "To record compiles, run a program that calls torch.compile: ",
          h("code", null, "TORCH_TRACE=/tmp/trace python train.py"),
          ".",
        ),
      ),
    };
  }
  return {
    element,
    title: "Compiles",
    search: () => filter,
    update: (current) => {
      if (filter.value !== current.q) filter.value = current.q;
      status.value = current.status;
      const wanted = current.q.toLowerCase();
      const fits = (/** @type {number} */ i) =>
        texts[i].includes(wanted) && (!current.status || compiles[i].status === current.status);
      const whole = model.order.filter((i) => (lastOf.get(i) ?? i) === i);
      const fit = whole.filter((i) => fits(i) || attempts.get(i)?.some(fits));
      fill(
        total,
        fit.length === whole.length
          ? plural(fit.length, "row")
          : `${count(fit.length)} of ${plural(whole.length, "row")}`,
      );
      if (grid.sort !== current.sort) {
        grid.sort = current.sort;
        grid.drawHeader();
      }
      const asked = model.byKey.get(current.compile) ?? -1;
      const last = lastOf.get(asked) ?? asked;
      grid.show(fit, asked < 0 || unfolded().has(compiles[last].key) ? asked : last);
    },
  };
}

/**
 * @param {any} model @param {any} state @param {Map<number, number[]>} attempts @param {() => Set<string>} unfolded @param {(row: number, wanted: boolean | null) => void} fold
 * @returns {import("../../lib/list/grid.js").Column[]}
 */
function columns(model, state, attempts, unfolded, fold) {
  const { compiles } = model;
  const whole = summaryOf(model.log).compile_us ?? 0;
  const get = (/** @type {string} */ field) => (/** @type {number} */ i) => compiles[i][field];
  const number = (
    /** @type {string} */ id,
    /** @type {string} */ title,
    /** @type {string} */ field,
    /** @type {string} */ help,
  ) => ({
    id,
    title,
    help,
    number: true,
    cell: (/** @type {number} */ i) => count(compiles[i][field]),
    sort: get(field),
  });
  return [
    {
      id: "id",
      title: "Compile",
      class: "mono",
      sort: (i) => (compiles[i].id === null ? null : i),
      help: "Last attempt of each compile. Expand a row for earlier attempts.",
      cell: (i) => [
        h(
          "a",
          {
            href: state.link({ view: "compile", compile: compiles[i].key }),
            tabindex: "-1",
            class: attempts.has(i) || compiles[i].id === null ? null : "attempt",
          },
          idText(compiles[i]),
        ),
        (attempts.get(i)?.length ?? 0) > 0 &&
          foldButton(
            plural((attempts.get(i)?.length ?? 0) + 1, "attempt"),
            unfolded().has(compiles[i].key),
            () => fold(i, null),
          ),
      ],
    },
    {
      id: "function",
      title: "Function",
      least: "8rem",
      sort: (i) => functionName(compiles[i]),
      cell: (i) => cutMiddle(functionName(compiles[i])),
    },
    {
      id: "file",
      title: "Location",
      least: "8rem",
      class: "mono",
      sort: (i) => placeOf(model, compiles[i]),
      cell: (i) => compilePlace(model, compiles[i]),
    },
    { id: "status", title: "Status", sort: get("status"), cell: (i) => statusBadge(compiles[i].status) },
    {
      id: "time",
      title: "Compile time",
      number: true,
      sort: get("total_us"),
      cell: (i) => time(compiles[i].total_us),
      help: "Forward, backward and restarts. All attempts of a compile show the same time.",
    },
    {
      id: "bar",
      title: "Share",
      width: "6.5rem",
      help: `Share of ${time(whole)}, the time of all compiles`,
      cell: (i) => shareBar(compiles[i].total_us, whole),
    },
    number("ops", "Ops", "graph_op_count", "Operations in the last graph of the compile"),
    number("guards", "Guards", "guard_count", `${IN_METRICS}: ${IN_METRICS_HELP}`),
    number("breaks", "Graph breaks", "graph_break_count", "Graph breaks recorded with this compile id"),
    number("artifacts", "Artifacts", "artifact_count", "Recorded graphs, code, guards, reasons and others"),
    {
      id: "reason",
      title: "Reason",
      help: "Failure, recompile or restart reason from the compilation metrics",
      least: "8rem",
      sort: (i) => reason(compiles[i]) || null,
      cell: (i) => h("span", { title: reason(compiles[i]) }, withoutPlace(firstLine(reason(compiles[i])))),
    },
  ];
}

/** @param {string} words @param {boolean} open @param {() => void} onclick */
const foldButton = (words, open, onclick) =>
  h(
    "button",
    {
      "class": "attempts",
      "tabindex": "-1",
      "aria-expanded": String(open),
      onclick,
      "title": "Show or hide attempts (→ ←)",
    },
    h("span", { "aria-hidden": "true" }, open ? "▾ " : "▸ "),
    words,
  );

/** @param {any} compile */
function reason(compile) {
  if (compile.failure_type !== null) return `${compile.failure_type}: ${compile.failure_reason ?? ""}`;
  return compile.recompile_reason ?? compile.restart_reasons.join("; ");
}
