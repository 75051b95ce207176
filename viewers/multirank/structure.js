// The structure of the job as a picture: a part per role, a cell per rank, and signs on the ranks that differ.
import { words } from "../lib/bundle/ranks.js";
import { afterPaint, append, fill, h } from "../lib/page/dom.js";
import { marking, partsOf, severities } from "./structure-data.js";
import { bySeverity, directions, functionOf, lineText, rankText, structureText } from "./structure-words.js";

/** @typedef {import("./data.js").Model} Model */
/** @typedef {import("../lib/page/hash-state.js").HashState} State */
/** @typedef {import("./structure-data.js").Part} Part */
/** @typedef {"error" | "warning"} Mark */

const LINES_AT_ONCE = 4; // of small cells, drawn in one task

/** @type {Record<Mark | "silent" | "missing", string>} */
const SIGNS = { error: "✖", warning: "▲", silent: "∅", missing: "·" };

/** Build the picture with its words. @param {Model} model @param {State} state @returns {{element: HTMLElement, select: (rank: string) => void}} */
export function structurePart(model, state) {
  const found = marking(model.result?.findings ?? []);
  const marks = severities(found);
  const { parts, numbered } = partsOf({ ...model, missing: model.result?.job.missing ?? [] });
  const picture = parts.length ? new Picture(model, state, parts, { numbered, marks }) : null;
  const element = h(
    "section",
    { "class": "structure", "aria-label": "Structure of the job" },
    picture?.element,
    h(
      "div",
      { class: "structure-words" },
      h("p", null, structureText(model, parts)),
      signs(parts, marks, numbered),
    ),
    tablePart(model, parts, found, numbered),
  );
  return { element, select: (rank) => picture?.select(rank) };
}

/** Build the table, when it is opened. @param {Model} model @param {Part[]} parts @param {import("./structure-data.js").Finding[]} found @param {boolean} each one row per rank */
function tablePart(model, parts, found, each) {
  const summary = h("summary", null, "As a table");
  const open = async () => {
    const { structureTable } = await import("./structure-table.js");
    fill(details, summary, structureTable(model, parts, found, each));
  };
  const details = h("details", null, summary);
  details.addEventListener("toggle", open, { once: true });
  return details;
}

/** Build the legend: only what the picture shows. @param {Part[]} parts @param {Map<number, Mark>} marks @param {boolean} numbered */
function signs(parts, marks, numbered) {
  const swatch = (/** @type {string} */ kind, /** @type {string} */ text) =>
    h(
      "span",
      { "class": `structure-picture ${numbered ? "numbered" : "small"}`, "aria-hidden": "true" },
      h("span", { class: `structure-part ${kind}` }, h("span", { class: `structure-cell ${kind}` }, text)),
    );
  const items = [
    ...bySeverity(marks).map(([severity, ranks]) =>
      h("li", null, swatch(severity, numbered ? SIGNS[severity] : ""), ` ${severity}: ${words(ranks)}`),
    ),
    ...parts
      .filter(({ kind }) => kind !== "role")
      .map(({ kind, name }) => h("li", null, swatch(kind, ""), ` ${name}`)),
    ...directions(parts).map(([sign, text]) =>
      h("li", null, h("span", { "class": "sign", "aria-hidden": "true" }, sign), ` ${text}`),
    ),
  ];
  return items.length > 0 && h("ul", { "class": "legend", "aria-label": "Signs" }, items);
}

class Picture {
  /** @param {Model} model @param {State} state @param {Part[]} parts @param {{numbered: boolean, marks: Map<number, Mark>}} look */
  constructor(model, state, parts, { numbered, marks }) {
    this.model = model;
    this.state = state;
    this.marks = marks;
    this.numbered = numbered;
    /** Ranks by line, in the order of the picture. @type {number[][]} */
    this.lines = parts.flatMap(({ bands }) => bands.flat());
    /** @type {Map<number, HTMLElement>} */
    this.cells = new Map();
    /** Draw the cells of the lines that have none yet. @type {(() => void)[]} */
    this.undrawn = [];
    this.chosen = Number(state.current.rank || NaN);
    const all = this.lines.flat();
    /** The rank that Tab leads to. */
    this.current = all.includes(this.chosen) ? this.chosen : all[0];
    this.element = h(
      "div",
      {
        "class": `structure-picture ${numbered ? "numbered" : "small"}`,
        "role": "listbox",
        "aria-label": "Ranks by role",
        "style": { "--digits": Math.max(2, ...parts.map(({ ranks }) => String(ranks.at(-1)?.[1]).length)) },
      },
      parts.map((part) => this.part(part)),
    );
    if (numbered) this.draw();
    else afterPaint(() => this.draw());
    const rankOf = (/** @type {Event} */ event) => {
      const cell = /** @type {Element} */ (event.target).closest("[role=option]");
      return cell ? Number(/** @type {HTMLElement} */ (cell).dataset.rank) : null;
    };
    this.element.addEventListener("click", (/** @type {Event} */ event) => {
      const rank = rankOf(event);
      if (rank !== null) this.choose(rank);
    });
    this.element.addEventListener("pointerover", (/** @type {Event} */ event) => {
      const rank = rankOf(event);
      const cell = rank === null ? null : this.cells.get(rank);
      if (cell && rank !== null && !cell.title) cell.title = rankText(model, parts, rank, marks.get(rank));
    });
    this.element.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.key(event));
  }

  /** Draw some lines, and the next ones after a paint: a thousand cells take too long for one task. */
  draw() {
    for (const line of this.undrawn.splice(0, this.numbered ? this.undrawn.length : LINES_AT_ONCE)) line();
    if (this.undrawn.length) afterPaint(() => this.draw());
  }

  /** @param {Part} part */
  part({ name, role, ranks, kind, bands, beside }) {
    const label = role === null ? null : functionOf(this.model, role);
    return h(
      "div",
      { "class": `structure-part ${kind}`, "role": "group", "aria-label": `${name}: ${words(ranks)}` },
      h(
        "div",
        { "class": "structure-name", "aria-hidden": "true" },
        name,
        label !== null && h("code", { title: label }, label),
      ),
      h(
        "div",
        { class: `structure-bands${beside ? " beside" : ""}` },
        bands.map((lines) =>
          h(
            "div",
            { class: "structure-band" },
            lines.map((line) => {
              const element = h(
                "div",
                { class: "structure-line", style: { "--cells": line.length } },
                !this.numbered &&
                  h("span", { "class": "structure-range", "aria-hidden": "true" }, lineText(line)),
              );
              this.undrawn.push(() =>
                append(
                  element,
                  line.map((rank) => this.cell(rank, kind)),
                ),
              );
              return element;
            }),
          ),
        ),
      ),
    );
  }

  /** @param {number} rank @param {Part["kind"]} kind */
  cell(rank, kind) {
    const mark = this.marks.get(rank);
    const cell = document.createElement("div");
    const silence = kind === "missing" ? ", no log" : kind === "silent" ? ", compiled nothing" : "";
    cell.className = `structure-cell${mark ? ` ${mark}` : ""}`;
    cell.setAttribute("role", "option");
    cell.setAttribute("aria-selected", String(rank === this.chosen));
    cell.setAttribute("aria-label", `rank ${rank}${mark ? `, ${mark}` : ""}${silence}`);
    cell.tabIndex = rank === this.current ? 0 : -1;
    cell.dataset.rank = String(rank);
    if (this.numbered) cell.textContent = mark ? `${SIGNS[mark]} ${rank}` : String(rank);
    this.cells.set(rank, cell);
    return cell;
  }

  /** Select a rank, or no rank if it was selected. @param {number} rank */
  choose(rank) {
    this.focus(rank);
    const same = this.state.current.rank === String(rank);
    this.state.go(this.state.patched({ rank: same ? "" : String(rank) }));
  }

  /** Show which rank is selected. @param {string} chosen */
  select(chosen) {
    for (const cell of this.element.querySelectorAll("[aria-selected=true]"))
      cell.setAttribute("aria-selected", "false");
    this.chosen = Number(chosen || NaN);
    this.cells.get(this.chosen)?.setAttribute("aria-selected", "true");
  }

  /** Move the focus, and the tab stop, to a rank. @param {number} rank */
  focus(rank) {
    this.cells.get(this.current)?.setAttribute("tabindex", "-1");
    this.current = rank;
    const cell = this.cells.get(rank);
    cell?.setAttribute("tabindex", "0");
    cell?.focus();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.metaKey || event.altKey) return;
    const at = this.lines.findIndex((line) => line.includes(this.current));
    const line = this.lines[at];
    const place = line.indexOf(this.current);
    const all = this.lines.flat();
    const flat = all.indexOf(this.current);
    const vertical = (/** @type {number} */ by) => {
      const next = this.lines[at + by];
      return next?.[Math.min(place, next.length - 1)];
    };
    /** @type {Record<string, () => number | undefined>} */
    const moves = {
      ArrowLeft: () => all[flat - 1],
      ArrowRight: () => all[flat + 1],
      ArrowUp: () => vertical(-1),
      ArrowDown: () => vertical(1),
      Home: () => (event.ctrlKey ? all[0] : line[0]),
      End: () => (event.ctrlKey ? all : line).at(-1),
    };
    if (Object.hasOwn(moves, event.key)) this.focus(moves[event.key]() ?? this.current);
    else if (event.key === "Enter" || event.key === " ") this.choose(this.current);
    else if (event.key === "Escape" && this.state.current.rank) this.choose(Number(this.state.current.rank));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
