// Two bundles of the list that are chosen to be compared. Base is the one that was built first, until they are swapped.
import { fill, h } from "../lib/page/dom.js";

/** @typedef {import("./rows.js").BundleRow} BundleRow */

export class Choice {
  /** @param {BundleRow[]} bundles @param {URL} list what their addresses are relative to */
  constructor(bundles, list) {
    this.bundles = bundles;
    this.list = list;
    /** @type {string[]} names, the last chosen last */
    this.names = [];
    this.swapped = false;
    this.element = h("p", { class: "choice", role: "status" });
    this.draw();
  }

  /** A box to choose a bundle by. @param {BundleRow} row */
  box({ name }) {
    return h("input", { type: "checkbox", checked: this.names.includes(name), "aria-label": `Compare ${name}`, dataset: { compare: name }, onchange: (/** @type {any} */ event) => this.choose(name, event.target.checked) });
  }

  /** Of three the first one goes. @param {string} name @param {boolean} chosen */
  choose(name, chosen) {
    this.names = [...this.names.filter((other) => other !== name), ...(chosen ? [name] : [])].slice(-2);
    this.swapped = false;
    for (const box of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("input[data-compare]"))) box.checked = this.names.includes(box.dataset.compare ?? "");
    this.draw();
  }

  /** Base and new. */
  get pair() {
    const rows = this.names.flatMap((name) => this.bundles.find((row) => row.name === name) ?? []);
    rows.sort((a, b) => (a.built_us ?? 0) - (b.built_us ?? 0));
    return this.swapped ? rows.reverse() : rows;
  }

  draw() {
    const [base, other] = this.pair;
    if (!base) return void fill(this.element, h("span", { class: "dim" }, "Choose two bundles to compare them."));
    if (!other) return void fill(this.element, h("span", { class: "dim" }, `Choose another one to compare ${base.name} with.`));
    const url = new URL("viewers/compare/", this.list);
    for (const [side, row] of Object.entries({ base, new: other })) url.searchParams.set(side, new URL(row.url, this.list).pathname);
    const swap = h("button", { class: "tool", onclick: () => {
      this.swapped = !this.swapped;
      this.draw();
      /** @type {HTMLElement | null} */ (this.element.querySelector("button"))?.focus();
    } }, "⇄ Swap");
    fill(this.element, h("a", { class: "tool compare-link", href: url.href }, `Compare ${base.name} → ${other.name}`), swap);
  }
}
