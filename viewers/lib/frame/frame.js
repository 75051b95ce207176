// The frame of a viewer: on the left its views, above where we are and what one can do; the page itself is beside.
import { fill, h } from "../page/dom.js";
import { count } from "../page/format.js";
import { skipLink } from "../page/page.js";
import { rememberScrolling, restoreScrolling } from "../page/scroll-memory.js";
import { icon } from "./icons.js";

/**
 * @typedef {object} Item a view, or a viewer
 * @property {string} id
 * @property {string} title
 * @property {string} icon
 * @property {string} href
 * @property {number} [count] of what is to be seen there; none and 0 are not shown
 * @property {"error" | "warning"} [tone] of the count: only for what is bad
 */
/** @typedef {{title: string, items: Item[]}} Group without a title: the items stand alone */
/** @typedef {{name: string, home: string, homeTitle: string, groups: Group[], here: string}} Views here: the id of the item that is shown */

const NARROW = "(max-width: 1100px)";

export class Frame {
  /**
   * @param {HTMLElement} main @param {import("../page/hash-state.js").HashState} state
   * @param {{folded?: boolean}} [options] folded: only the signs of the views, however wide the page is
   */
  constructor(main, state, { folded = false } = {}) {
    this.main = main;
    this.drawn = "";
    this.side = h("nav", { class: "side", id: "views", "aria-label": "Views", tabindex: "-1" });
    this.where = h("div", { class: "shell-where" });
    this.tools = h("div", { class: "shell-tools" });
    this.button = h("button", { class: "tool drawer-button", "aria-label": "Views", "aria-controls": "views", "aria-expanded": "false", onclick: () => this.drawer(!this.open) }, icon("menu"));
    this.bar = h("header", { class: "shell" }, this.button, this.where, this.tools);
    this.shade = h("div", { class: "drawer-shade", onclick: () => this.drawer(false) });
    rememberScrolling(main);
    state.onreturn(() => restoreScrolling(main));
    const narrow = matchMedia(NARROW);
    const fold = () => this.side.classList.toggle("slim", folded || narrow.matches);
    narrow.addEventListener("change", fold);
    fold();
    this.side.addEventListener("click", (/** @type {Event} */ event) => /** @type {Element} */ (event.target).closest("a") && this.drawer(false));
    this.side.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.key(event));
  }

  /** What goes into the page, in the order of the keyboard: a link past it is in front. */
  get elements() {
    return [skipLink(this.main), this.side, this.bar, this.shade, this.main];
  }

  /** Only what changed is drawn, so that the focus stays on what was clicked. @param {Views} views */
  draw({ name, home, homeTitle, groups, here }) {
    const known = JSON.stringify([name, home, groups.map((group) => [group.title, group.items.map((item) => [item.id, item.title])])]);
    if (known !== this.drawn) {
      const focused = this.side.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).dataset.view : undefined;
      fill(this.side, h("a", { class: "brand", href: home, title: homeTitle, dataset: { view: "home" } }, icon("bundle"), h("span", { class: "side-name" }, name)), groups.map(groupOf));
      this.drawn = known;
      if (focused !== undefined) this.link(focused)?.focus();
    }
    for (const item of groups.flatMap((group) => group.items)) {
      const link = this.link(item.id);
      if (!link) continue;
      link.setAttribute("href", item.href);
      if (item.id === here) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
      fill(/** @type {Element} */ (link.querySelector(".side-count")), item.count ? count(item.count) : "");
      link.dataset.tone = item.count ? item.tone ?? "" : "";
    }
  }

  /** @param {string} id @returns {HTMLElement | undefined} */
  link(id) {
    return [...this.side.querySelectorAll("a")].find((link) => link.dataset.view === id);
  }

  get open() {
    return "drawer" in document.body.dataset;
  }

  /** On a narrow page the views are in a drawer. @param {boolean} open */
  drawer(open) {
    if (open === this.open) return;
    if (open) document.body.dataset.drawer = "";
    else delete document.body.dataset.drawer;
    this.button.setAttribute("aria-expanded", String(open));
    /** @type {HTMLElement | null} */ (open ? this.side.querySelector("[aria-current]") ?? this.side.querySelector("a") : this.button)?.focus();
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
  title && h("h2", { class: "side-title", "aria-hidden": "true" }, h("span", null, title)),
  h("ul", { "aria-label": title || null }, items.map((item) => h("li", null, h("a", { href: item.href, title: item.title, dataset: { view: item.id } },
    icon(item.icon), h("span", { class: "side-name" }, item.title), h("span", { class: "side-count", "aria-hidden": "true" }))))),
];
