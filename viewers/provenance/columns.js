// Panes side by side, with splitters that move by mouse or arrow keys. Any pane can be hidden.
import { fill, h } from "../lib/page/dom.js";
import { store, stored } from "../lib/page/remember.js";

const KEY = "tlparse-bundle.provenance.columns";
const LEAST = 0.15; // as a fraction of the equal width
const STEP = 0.08;

/** @param {HTMLElement[]} panes */
export function columns(panes) {
  const known = (stored(KEY) ?? "").split(" ").map(Number);
  const weights = panes.map((_, i) => (known.length === panes.length && known[i] >= LEAST ? known[i] : 1));
  const element = h("div", { class: "panes" });
  /** @type {number[]} */
  let shown = [];
  /** @type {any[]} */
  let bars = [];

  const apply = () => {
    const tracks = shown.map((i) => `minmax(0, ${weights[i]}fr)`).join(" 5px ");
    element.style.setProperty("--tracks", tracks);
    bars.forEach((bar, b) =>
      bar.setAttribute(
        "aria-valuenow",
        String(Math.round((100 * weights[shown[b]]) / (weights[shown[b]] + weights[shown[b + 1]]))),
      ),
    );
  };
  /** @param {number} left @param {number} right @param {number} by */
  const shift = (left, right, by) => {
    const most = weights[left] + weights[right] - LEAST;
    const wanted = Math.max(LEAST, Math.min(most, weights[left] + by));
    weights[right] += weights[left] - wanted;
    weights[left] = wanted;
    apply();
  };
  const keep = () => store(KEY, weights.map((weight) => weight.toFixed(3)).join(" "));

  /** @param {number} left @param {number} right */
  const bar = (left, right) => {
    const one = h("div", {
      "role": "separator",
      "class": "split-bar",
      "tabindex": "0",
      "aria-orientation": "vertical",
      "aria-valuemin": "0",
      "aria-valuemax": "100",
      "aria-label": `Width of ${panes[left].getAttribute("aria-label")}`,
    });
    one.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
      one.setPointerCapture(event.pointerId);
      let x = event.clientX;
      const move = (/** @type {PointerEvent} */ e) => {
        const total = shown.reduce((sum, i) => sum + weights[i], 0);
        shift(left, right, ((e.clientX - x) * total) / Math.max(1, element.clientWidth));
        x = e.clientX;
      };
      one.addEventListener("pointermove", move);
      one.addEventListener(
        "pointerup",
        () => {
          one.removeEventListener("pointermove", move);
          keep();
        },
        { once: true },
      );
    });
    one.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      event.preventDefault();
      shift(left, right, event.key === "ArrowRight" ? STEP : -STEP);
      keep();
    });
    return one;
  };

  return {
    element,
    /** @param {(index: number) => boolean} visible */
    show(visible) {
      const now = panes.map((_, i) => i).filter(visible);
      if (now.join() === shown.join() && element.firstChild) return;
      const tops = panes.map((pane) => pane.querySelector(".virtual")?.scrollTop ?? 0);
      shown = now;
      bars = shown.slice(1).map((right, i) => bar(shown[i], right));
      fill(element, shown.map((i, at) => [at > 0 && bars[at - 1], panes[i]]).flat());
      apply();
      // Elements lose their scroll position when they leave the page.
      panes.forEach((pane, i) => {
        const box = pane.querySelector(".virtual");
        if (box && tops[i]) box.scrollTop = tops[i];
      });
    },
  };
}
