// Loading into a part of the page: says what is loaded, keeps errors on the screen, drops what is stale.
import { fill, h } from "./dom.js";

/** @param {unknown} error @param {() => void} [retry] */
export function errorBox(error, retry) {
  const message = error instanceof Error ? error.message : String(error);
  return h("div", { class: "error-box", role: "alert" },
    h("strong", null, "This could not be shown"), h("p", null, message),
    retry && h("button", { class: "tool", onclick: retry }, "Try again"));
}

/**
 * A place that shows one loaded thing at a time: a new call aborts the one before.
 * @param {Element} root
 */
export function loader(root) {
  /** @type {AbortController | null} */
  let current = null;
  /**
   * @template T
   * @param {string} label @param {(signal: AbortSignal) => Promise<T>} load @param {(value: T) => void} show
   */
  return async function run(label, load, show) {
    current?.abort();
    const mine = (current = new AbortController());
    // What loads at once should not flicker.
    const timer = setTimeout(() => fill(root, h("p", { class: "loading", role: "status" }, `Loading ${label} …`)), 120);
    try {
      const value = await load(mine.signal);
      clearTimeout(timer);
      if (!mine.signal.aborted) show(value);
    } catch (error) {
      clearTimeout(timer);
      if (!mine.signal.aborted) fill(root, errorBox(error, () => run(label, load, show)));
    }
  };
}
