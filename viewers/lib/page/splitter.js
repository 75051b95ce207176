// Two panes and a bar between them that can be dragged or moved with the arrow keys. The size is remembered.
import { h } from "./dom.js";
import { store, stored } from "./remember.js";

const STEP = 24;

/**
 * @param {string} name of the remembered size
 * @param {HTMLElement} first @param {HTMLElement} second
 * @param {{label: string, size: number, min?: number}} options size of the first pane in pixels
 */
export function split(name, first, second, { label, size, min = 160 }) {
  const key = `tlparse-bundle.${name}`;
  const bar = h("div", { role: "separator", class: "split-bar", tabindex: "0", "aria-orientation": "vertical", "aria-label": label });
  const element = h("div", { class: "split" }, first, bar, second);
  let width = Number(stored(key)) || size;

  const apply = (/** @type {number} */ wanted) => {
    const most = (element.clientWidth || 10_000) - min;
    width = Math.round(Math.max(min, Math.min(wanted, most)));
    element.style.setProperty("--first", `${width}px`);
    bar.setAttribute("aria-valuenow", String(width));
    bar.setAttribute("aria-valuemin", String(min));
  };
  const keep = () => store(key, String(width));

  bar.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
    bar.setPointerCapture(event.pointerId);
    const start = width - event.clientX;
    const move = (/** @type {PointerEvent} */ e) => apply(start + e.clientX);
    bar.addEventListener("pointermove", move);
    bar.addEventListener("pointerup", () => { bar.removeEventListener("pointermove", move); keep(); }, { once: true });
  });
  bar.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    apply(width + (event.key === "ArrowRight" ? STEP : -STEP));
    keep();
  });
  element.style.setProperty("--first", `${width}px`);
  bar.setAttribute("aria-valuenow", String(width));
  return element;
}
