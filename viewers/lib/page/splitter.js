// Two panes with a bar to drag or move with the arrow keys. The chosen size is stored.
import { h } from "./dom.js";
import { store, stored } from "./remember.js";

const STEP = 24;

/**
 * @param {string} name of the stored size
 * @param {HTMLElement} first @param {HTMLElement} second
 * @param {{label: string, size: string, min?: number}} options size: CSS length, the first pane's default
 *   width
 */
export function split(name, first, second, { label, size, min = 160 }) {
  const key = `tlparse-bundle.${name}`;
  const bar = h("div", {
    "role": "separator",
    "class": "split-bar",
    "tabindex": "0",
    "aria-orientation": "vertical",
    "aria-label": label,
  });
  const element = h("div", { class: "split" }, first, bar, second);
  const storedSize = Number(stored(key));

  const apply = (/** @type {number} */ wanted) => {
    const most = (element.clientWidth || 10_000) - min;
    element.style.setProperty("--first", `${Math.round(Math.max(min, Math.min(wanted, most)))}px`);
  };
  const keep = () => store(key, String(first.offsetWidth));

  bar.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
    bar.setPointerCapture(event.pointerId);
    const start = first.offsetWidth - event.clientX;
    const move = (/** @type {PointerEvent} */ e) => apply(start + e.clientX);
    bar.addEventListener("pointermove", move);
    bar.addEventListener(
      "pointerup",
      () => {
        bar.removeEventListener("pointermove", move);
        keep();
      },
      { once: true },
    );
  });
  bar.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    apply(first.offsetWidth + (event.key === "ArrowRight" ? STEP : -STEP));
    keep();
  });
  element.style.setProperty("--first", storedSize ? `${storedSize}px` : size);
  bar.setAttribute("aria-valuemin", String(min));
  bar.setAttribute("aria-valuenow", "0");
  new ResizeObserver(() => bar.setAttribute("aria-valuenow", String(first.offsetWidth))).observe(first);
  return element;
}
