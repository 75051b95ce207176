// Loads data into a part of the page: shows progress and errors, and drops stale results.
import { fill, h } from "./dom.js";

const LONG = 2_000; // characters shown of a message

/**
 * Return whether an error is a bug in the viewer, not a message about a bundle or URL.
 * @param {unknown} error
 */
const isFault = (error) =>
  [TypeError, RangeError, ReferenceError, SyntaxError, URIError].some((kind) => error instanceof kind);

const PASSING_MS = 5_000;

/**
 * Return whether an error is about a replaced state; the page then reads the newest one.
 * @param {unknown} error
 */
const isPassing = (error) => /** @type {any} */ (error)?.passing === true;

/** @param {unknown} error @param {() => void} [retry] */
export function errorBox(error, retry) {
  if (isFault(error)) console.error(error);
  const box = () =>
    errorSentence(error, retry && h("button", { class: "tool", onclick: retry }, "Try again"));
  if (!isPassing(error)) return box();
  const note = h("p", { class: "note", role: "status" }, "The log has grown. Reading the new records …");
  setTimeout(() => note.isConnected && note.replaceWith(box()), PASSING_MS);
  return note;
}

/** @param {unknown} error @param {any} button */
function errorSentence(error, button) {
  const message = error instanceof Error ? error.message : String(error);
  return h(
    "div",
    { class: "error-box", role: "alert" },
    h("strong", null, "Can't show this"),
    h("p", null, message.length > LONG ? `${message.slice(0, LONG)}…` : message),
    isFault(error) && [
      h(
        "p",
        null,
        "Run ",
        h("code", null, "tlparse-bundle validate"),
        " on the bundle. If it finds no errors, this is a bug in the viewer.",
      ),
      h(
        "details",
        null,
        h("summary", null, "Where"),
        h("pre", null, String(/** @type {Error} */ (error).stack).slice(0, LONG)),
      ),
    ],
    button,
  );
}

/** Show uncaught errors and rejections at the top of the page from now on. */
export function watchErrors() {
  /** @type {HTMLElement | null} */
  let box = null;
  const tell = (/** @type {Event} */ event, /** @type {unknown} */ error) => {
    if (error === null || error === undefined || /** @type {any} */ (error).name === "AbortError") return;
    if (isPassing(error)) return event.preventDefault();
    if (!isFault(error)) event.preventDefault(); // the page shows it, so the console need not
    box?.remove();
    box = errorSentence(error, h("button", { class: "tool", onclick: () => box?.remove() }, "Close"));
    (document.querySelector("main") ?? document.body).prepend(/** @type {HTMLElement} */ (box));
  };
  addEventListener("error", (event) => tell(event, event.error));
  addEventListener("unhandledrejection", (event) => tell(event, event.reason));
}

/**
 * Load into an element, one thing at a time: a new call aborts the previous one.
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
    // Fast loads should not flicker.
    const timer = setTimeout(
      () =>
        mine.signal.aborted || fill(root, h("p", { class: "loading", role: "status" }, `Loading ${label} …`)),
      120,
    );
    try {
      const value = await load(mine.signal);
      clearTimeout(timer);
      if (!mine.signal.aborted) show(value);
    } catch (error) {
      clearTimeout(timer);
      if (!mine.signal.aborted)
        fill(
          root,
          errorBox(error, () => run(label, load, show)),
        );
    }
  };
}
