// The choice of two bundles to compare. Base is the older one unless swapped.
import { fill, h } from "../lib/page/dom.js";

/** @typedef {import("./rows.js").BundleRow} BundleRow */
/** @typedef {{base: string, new: string, url: string}} Made a comparison of a site: names of two bundles, and where it lies */

export class Choice {
  /** @param {BundleRow[]} bundles @param {URL} list what their addresses are relative to @param {Made[] | null} made those that there are; null where a server makes them */
  constructor(bundles, list, made) {
    this.bundles = bundles;
    this.list = list;
    this.made = made;
    /** @type {string[]} names, the last chosen last */
    this.names = [];
    this.swapped = false;
    this.element = h("p", { class: "choice", role: "status" });
    this.draw();
  }

  /** Build the checkbox of a bundle. @param {BundleRow} row */
  box({ name }) {
    return h("input", {
      "type": "checkbox",
      "checked": this.names.includes(name),
      "aria-label": `Compare ${name}`,
      "dataset": { compare: name },
      "onchange": (/** @type {any} */ event) => this.choose(name, event.target.checked),
    });
  }

  /** Choose a bundle. A third choice replaces the first one. @param {string} name @param {boolean} chosen */
  choose(name, chosen) {
    this.names = [...this.names.filter((other) => other !== name), ...(chosen ? [name] : [])].slice(-2);
    this.swapped = false;
    for (const box of /** @type {NodeListOf<HTMLInputElement>} */ (
      document.querySelectorAll("input[data-compare]")
    ))
      box.checked = this.names.includes(box.dataset.compare ?? "");
    this.draw();
  }

  /** Return base and new, on a site in the order of its comparison. */
  get pair() {
    const rows = this.names.flatMap((name) => this.bundles.find((row) => row.name === name) ?? []);
    rows.sort((a, b) => (a.built_us ?? 0) - (b.built_us ?? 0));
    if (rows.length === 2 && !this.found(rows) && this.found([rows[1], rows[0]])) rows.reverse();
    return this.swapped ? rows.reverse() : rows;
  }

  /** Return the comparison of a site; undefined when a server compares. @param {BundleRow[]} pair */
  found([base, other]) {
    return this.made?.find((one) => one.base === base.name && one.new === other.name);
  }

  /** Return the address of a comparison; null when the site does not have it. @param {BundleRow} base @param {BundleRow} other */
  address(base, other) {
    const made = this.found([base, other]);
    if (this.made && !made) return null;
    const url = new URL("viewers/compare/", this.list);
    for (const [side, row] of Object.entries({ base, new: other }))
      url.searchParams.set(side, new URL(row.url, this.list).pathname);
    if (made) url.searchParams.set("comparison", new URL(made.url, this.list).pathname);
    return url.href;
  }

  draw() {
    const [base, other] = this.pair;
    if (!base)
      return void fill(this.element, h("span", { class: "dim" }, "Choose two bundles to compare them."));
    if (!other)
      return void fill(
        this.element,
        h("span", { class: "dim" }, `Choose a second bundle to compare with ${base.name}.`),
      );
    if (this.made && !this.found([base, other]))
      return void fill(
        this.element,
        h(
          "span",
          { class: "dim" },
          `This site has no comparison of ${base.name} and ${other.name}. To compare them, run: `,
        ),
        h("code", null, `tlparse-bundle compare ${base.name} ${other.name} --open`),
      );
    const swap =
      (!this.made || this.found([other, base])) &&
      h(
        "button",
        {
          class: "tool",
          onclick: () => {
            this.swapped = !this.swapped;
            this.draw();
            /** @type {HTMLElement | null} */ (this.element.querySelector("button"))?.focus();
          },
        },
        "⇄ Swap",
      );
    fill(
      this.element,
      h(
        "a",
        { class: "tool compare-link", href: this.address(base, other) },
        `Compare ${base.name} → ${other.name}`,
      ),
      swap,
    );
  }
}
