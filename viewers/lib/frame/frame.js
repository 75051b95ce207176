// The frame of a viewer: its views on the left, the location and the tools at the top.
import { fill, h } from "../page/dom.js";
import { count } from "../page/format.js";
import { rememberScrolling, restoreScrolling } from "../page/hash-state.js";
import { skipLink } from "../page/page.js";

/**
 * @typedef {object} Item a view, or a viewer
 * @property {string} id
 * @property {string} title
 * @property {string} icon
 * @property {string} href
 * @property {number} [count] number shown beside the title; not shown if missing or 0
 * @property {"error" | "warning"} [tone] of the count, for problems only
 */
/** @typedef {{title: string, items: Item[]}} Group without a title, only the items are shown */
/**
 * @typedef {{name: string, home: string, homeTitle: string, groups: Group[], here: string}} Views here: the
 *   id of the current item
 */

const NARROW = "(max-width: 1100px)";

export class Frame {
  /**
   * @param {HTMLElement} main @param {import("../page/hash-state.js").HashState} state
   * @param {{folded?: boolean}} [options] folded: show only the icons of the views, at any width
   */
  constructor(main, state, { folded = false } = {}) {
    this.main = main;
    this.drawn = "";
    this.side = h("nav", { "class": "side", "id": "views", "aria-label": "Views", "tabindex": "-1" });
    this.where = h("div", { class: "shell-where" });
    this.tools = h("div", { class: "shell-tools" });
    this.button = h(
      "button",
      {
        "class": "tool drawer-button",
        "aria-label": "Views",
        "aria-controls": "views",
        "aria-expanded": "false",
        "onclick": () => this.drawer(!this.open),
      },
      icon("menu"),
    );
    this.bar = h("header", { class: "shell" }, this.button, this.where, this.tools);
    this.shade = h("div", { class: "drawer-shade", onclick: () => this.drawer(false) });
    rememberScrolling(main);
    state.onreturn(() => restoreScrolling(main));
    const narrow = matchMedia(NARROW);
    const fold = () => this.side.classList.toggle("slim", folded || narrow.matches);
    narrow.addEventListener("change", fold);
    fold();
    this.side.addEventListener(
      "click",
      (/** @type {Event} */ event) =>
        /** @type {Element} */ (event.target).closest("a") && this.drawer(false),
    );
    this.side.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.key(event));
  }

  /** Return the elements for the page, in keyboard order, the skip link first. */
  get elements() {
    return [skipLink(this.main), this.side, this.bar, this.shade, this.main];
  }

  /** Draw only what changed, so the focus stays on the clicked link. @param {Views} views */
  draw({ name, home, homeTitle, groups, here }) {
    const drawing = JSON.stringify([
      name,
      home,
      groups.map((group) => [group.title, group.items.map((item) => [item.id, item.title])]),
    ]);
    if (drawing !== this.drawn) {
      const focused = this.side.contains(document.activeElement)
        ? /** @type {HTMLElement} */ (document.activeElement).dataset.view
        : undefined;
      fill(
        this.side,
        h(
          "a",
          { class: "brand", href: home, title: homeTitle, dataset: { view: "home" } },
          icon("bundle"),
          h("span", { class: "side-name" }, name),
        ),
        groups.map(groupOf),
      );
      this.drawn = drawing;
      if (focused !== undefined) this.link(focused)?.focus();
    }
    for (const item of groups.flatMap((group) => group.items)) {
      const link = this.link(item.id);
      if (!link) continue;
      link.setAttribute("href", item.href);
      if (item.id === here) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
      fill(/** @type {Element} */ (link.querySelector(".side-count")), item.count ? count(item.count) : "");
      link.dataset.tone = item.count ? (item.tone ?? "") : "";
    }
  }

  /** @param {string} id @returns {HTMLElement | undefined} */
  link(id) {
    return [...this.side.querySelectorAll("a")].find((link) => link.dataset.view === id);
  }

  get open() {
    return "drawer" in document.body.dataset;
  }

  /** Open or close the drawer with the views, on a narrow page. @param {boolean} open */
  drawer(open) {
    if (open === this.open) return;
    if (open) document.body.dataset.drawer = "";
    else delete document.body.dataset.drawer;
    this.button.setAttribute("aria-expanded", String(open));
    /** @type {HTMLElement | null} */ (
      open ? (this.side.querySelector("[aria-current]") ?? this.side.querySelector("a")) : this.button
    )?.focus();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const links = /** @type {HTMLElement[]} */ ([...this.side.querySelectorAll("a")]);
    const at = links.indexOf(/** @type {any} */ (document.activeElement));
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1 }[event.key];
    if (event.key === "Escape" && this.open) this.drawer(false);
    else if (next !== undefined && at >= 0) links[Math.max(0, Math.min(next, links.length - 1))].focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

/** @param {Group} group */
const groupOf = ({ title, items }) => [
  title && h("h2", { "class": "side-title", "aria-hidden": "true" }, h("span", null, title)),
  h(
    "ul",
    { "aria-label": title || null },
    items.map((item) =>
      h(
        "li",
        null,
        h(
          "a",
          { href: item.href, title: item.title, dataset: { view: item.id } },
          icon(item.icon),
          h("span", { class: "side-name" }, item.title),
          h("span", { "class": "side-count", "aria-hidden": "true" }),
        ),
      ),
    ),
  ),
];

// The icons of the views, as SVG so they look the same on every machine.

const SVG = "http://www.w3.org/2000/svg";

/** Strokes in a square of 16. @type {Record<string, string>} */
const PATHS = {
  home: "M2.5 7.5 8 2.5l5.5 5M4 6.5v7h8v-7",
  menu: "M2 4h12M2 8h12M2 12h12",
  bundle: "M8 1.8l5.5 3v6.4L8 14.2l-5.5-3V4.8zM2.5 4.8 8 8l5.5-3.2M8 8v6.2",
  overview: "M2.5 2.5H7V7H2.5zM9 2.5h4.5V7H9zM2.5 9H7v4.5H2.5zM9 9h4.5v4.5H9z",
  failures: "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8zM5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4",
  breaks: "M1.5 8h4M10.5 8h4M7.2 4l-1 8M9.8 4l-1 8",
  recompiles: "M13 8a5 5 0 1 1-1.6-3.7M13 2v3h-3",
  guards: "M8 1.8l5 1.8v4c0 3.2-2.1 5.4-5 6.6-2.9-1.2-5-3.4-5-6.6v-4z",
  timeline: "M2 4h6M5 8h9M3.5 12h5",
  caches:
    "M3 4c0-1.2 2.2-2 5-2s5 .8 5 2-2.2 2-5 2-5-.8-5-2v8c0 1.2 2.2 2 5 2s5-.8 5-2V4M3 8c0 1.2 2.2 2 5 2s5-.8 5-2",
  cudagraphs: "M2.5 4.5h4v3h-4zM9.5 2.5h4v3h-4zM9.5 10.5h4v3h-4zM6.5 6 9.5 4M6.5 6.5l3 5.5",
  autotuning: "M2.5 13.5h11M4 11V7M7 11V3M10 11V5M13 11V9",
  workers: "M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.1M5 11h.1M8 5h3M8 11h3",
  stack: "M8 2l6 3-6 3-6-3zM2 8l6 3 6-3M2 11l6 3 6-3",
  compiles: "M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.1M2.5 8h.1M2.5 12h.1",
  kernels:
    "M4.5 4.5h7v7h-7zM6.5 2v2.5M9.5 2v2.5M6.5 11.5V14M9.5 11.5V14M2 6.5h2.5M2 9.5h2.5M11.5 6.5H14M11.5 9.5H14",
  runtime: "M2.5 11a5.5 5.5 0 1 1 11 0M8 11l2.5-3.5M8 2v1.5M4 13.5h8",
  artifacts: "M5 2h5.5L13 4.5V11H5zM3 5v8.5h7.5M7.5 5.5h3M7.5 8h3",
  memory: "M2 13.5h12M2 11V8h3V5h3V2.5h3V9h3v2",
  provenance: "M2.5 2.5H6V6H2.5zM10 10h3.5v3.5H10zM4.2 6v5.8H10",
  vllm: "M2 3l4 10L8.5 6M8 13h2M8.5 6 10 3h4M10 8h4M10 13h4",
  symbols: "M5 3C3.3 5 3.3 11 5 13M11 3c1.7 2 1.7 8 0 10M6.5 6l3 4M9.5 6l-3 4",
  tensors: "M3 3h10v10H3zM6.3 3v10M9.7 3v10M3 6.3h10M3 9.7h10",
  ranks: "M2.5 2.5h11v3h-11zM2.5 6.5h11v3h-11zM2.5 10.5h11v3h-11z",
  records: "M4 2h5.5L13 5.5V14H4zM9.5 2v3.5H13M6 8.5h5M6 11h5",
  anatomy: "M7 3a5.5 5.5 0 1 0 6 6H7zM9.5 2a5 5 0 0 1 4.5 4.5H9.5z",
  diagnostics: "M8 2.5l6 11H2zM8 6.5V10M8 11.8v.1",
  export: "M8 2v8M5 7l3 3 3-3M3 11v2.5h10V11",
  compare: "M2.5 3H7v10H2.5zM9 3h4.5v10H9z",
  collectives: "M4 3v10M12 3v10M4 8h8M6 6 4 8l2 2M10 6l2 2-2 2",
  order: "M4 2v12M4 14l-2-2M4 14l2-2M9 3h5M9 7h5M9 11h5",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.5 10.5 14 14",
  sync: "M8 2v12M8 2 5.5 4.5M8 2l2.5 2.5M8 14l-2.5-2.5M8 14l2.5-2.5",
  source: "M5.5 4.5 2 8l3.5 3.5M10.5 4.5 14 8l-3.5 3.5",
  graph: "M8 2v3M8 11v3M5 8H2.5M13.5 8H11M5.5 5.5h5v5h-5z",
};

/** @param {string} name @returns {SVGElement} a dot for an unknown name */
export function icon(name) {
  const element = /** @type {SVGElement} */ (document.createElementNS(SVG, "svg"));
  for (const [key, value] of Object.entries({
    "class": "icon",
    "viewBox": "0 0 16 16",
    "aria-hidden": "true",
  }))
    element.setAttribute(key, value);
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", Object.hasOwn(PATHS, name) ? PATHS[name] : "M7 8a1 1 0 1 0 2 0 1 1 0 0 0-2 0z");
  element.append(path);
  return element;
}

/** Names of the icons, for the component gallery. */
export const ICONS = Object.keys(PATHS);
