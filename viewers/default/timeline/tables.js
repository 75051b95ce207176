// Tables below the timeline: times by span name, and compiles with their colors.
import { Grid } from "../../lib/list/grid.js";
import { cutMiddle } from "../../lib/page/cut-middle.js";
import { fill, h } from "../../lib/page/dom.js";
import { count, time } from "../../lib/page/format.js";
import { shareBar, statusBadge } from "../../lib/page/figures.js";
import { functionName, idText } from "../shared/model.js";
import { compileLink } from "../shared/parts.js";
import { sumsByName } from "./data.js";

const BY_SELF_TIME = "-own"; // default order

export class TimelineTables {
  /** @param {any} model @param {import("./data.js").Timeline} line @param {import("../../lib/page/hash-state.js").HashState} state */
  constructor(model, line, state) {
    this.line = line;
    this.sums = line.sums;
    this.whole = 1;
    const { names } = line;
    this.names = new Grid({
      label: "Times by span",
      sort: BY_SELF_TIME,
      name: (row) => names[row],
      onsort: (sort) => state.replace({ sort }, true),
      onselect: (row) => state.replace({ q: `"${names[row]}"` }, true),
      columns: [
        {
          id: "name",
          title: "Span",
          least: "9rem",
          class: "mono",
          cell: (row) => cutMiddle(names[row]),
          sort: (row) => names[row],
        },
        {
          id: "count",
          title: "Count",
          number: true,
          cell: (row) => count(this.sums.count[row]),
          sort: (row) => this.sums.count[row],
        },
        {
          id: "total",
          title: "Total time",
          number: true,
          cell: (row) => time(this.sums.total_us[row]),
          sort: (row) => this.sums.total_us[row],
          help: "Including nested spans. A span nested in one of the same name counts twice.",
        },
        {
          id: "own",
          title: "Self time",
          number: true,
          cell: (row) => time(this.sums.self_us[row]),
          sort: (row) => this.sums.self_us[row],
          help: "Without nested spans",
        },
        {
          id: "share",
          title: "Share",
          width: "6.5rem",
          help: "Share of the self time of all visible spans",
          cell: (row) => shareBar(this.sums.self_us[row], this.whole),
        },
      ],
    });
    const of = (/** @type {number} */ row) => model.compiles[line.groups[row].compile];
    this.compiles = new Grid({
      label: "Compiles in the timeline",
      name: (row) => `${idText(of(row))} ${functionName(of(row))}`,
      onsort: (sort) => state.replace({ sort }, true),
      onselect: (row) => state.replace({ compile: of(row).key, range: "", span: "" }, true),
      onopen: (row) => state.go(state.link({ view: "compile", compile: of(row).key })),
      columns: [
        {
          id: "color",
          title: "",
          help: "Color, when boxes are colored by compile",
          width: "1rem",
          cell: (row) =>
            state.current.hue === "compile" &&
            h("span", {
              "class": "swatch hue",
              "aria-hidden": "true",
              "style": { "--hue": `var(--hue-${line.groups[row].hue})` },
            }),
        },
        {
          id: "compile",
          title: "Compile",
          cell: (row) => compileLink(model, line.groups[row].compile, state),
          sort: (row) => row,
        },
        {
          id: "function",
          title: "Function",
          least: "8rem",
          cell: (row) => cutMiddle(functionName(of(row))),
          sort: (row) => functionName(of(row)),
        },
        {
          id: "status",
          title: "Status",
          cell: (row) => statusBadge(of(row).status),
          sort: (row) => of(row).status ?? "",
        },
        {
          id: "spans",
          title: "Spans",
          number: true,
          cell: (row) => count(line.groups[row].spans),
          sort: (row) => line.groups[row].spans,
        },
        {
          id: "total",
          title: "Total time",
          number: true,
          cell: (row) => time(line.groups[row].total),
          sort: (row) => line.groups[row].total,
          help: "Duration of its outermost spans",
        },
      ],
    });
    this.tab = (/** @type {string} */ by, /** @type {string} */ title) =>
      h(
        "button",
        {
          "aria-pressed": "false",
          "dataset": { by },
          "onclick": () => state.replace({ by, sort: "" }, true),
        },
        title,
      );
    this.tabs = h(
      "div",
      { class: "tabs small" },
      this.tab("", "Times by span"),
      this.tab("compile", "Compiles"),
    );
    this.body = h("div", { class: "fill" });
    this.element = h("section", { "class": "pane", "aria-label": "Totals" }, this.tabs, this.body);
    this.shown = "";
  }

  /** @param {Record<string, string>} current @param {number} group index, or -1 for all @param {[number, number] | null} range visible range, null for everything */
  update(current, group, range) {
    const by = current.by === "compile" ? "compile" : "";
    const grid = by ? this.compiles : this.names;
    const key = JSON.stringify([by, group, by ? current.hue : range?.map(Math.round)]);
    const sort = current.sort || (by ? "" : BY_SELF_TIME);
    const resorted = grid.sort !== sort;
    if (resorted) {
      grid.sort = sort;
      grid.drawHeader();
    }
    const named = by ? group : this.nameOf(current.q);
    if (key !== this.shown) {
      this.shown = key;
      for (const button of this.tabs.children)
        button.setAttribute("aria-pressed", String(button.dataset.by === by));
      if (this.body.firstChild !== grid.element) fill(this.body, grid.element);
      if (by)
        grid.show(
          this.line.groups.map((_, i) => i),
          named,
        );
      else {
        this.sums = sumsByName(this.line, group, range);
        this.whole = this.sums.self_us.reduce(
          (/** @type {number} */ sum, /** @type {number} */ us) => sum + us,
          0,
        );
        grid.show(
          this.line.names.flatMap((/** @type {string} */ _, /** @type {number} */ i) =>
            this.sums.count[i] ? [i] : [],
          ),
          named,
        );
      }
    } else if (resorted || named !== grid.selected) grid.arrange(named);
  }

  /** Return the index of the name that the query has in quotes, or -1. @param {string} q */
  nameOf(q) {
    const whole = /^"(.*)"$/s.exec(q)?.[1];
    return whole === undefined ? -1 : this.line.names.indexOf(whole);
  }
}
