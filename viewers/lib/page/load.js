// Loading into a part of the page: says what is loaded, keeps errors on the screen, drops what is stale.
import { fill, h } from "./dom.js";

const LONG = 2_000; // characters of a message that are shown

/** A fault of the program, not something that it says about a bundle or an address. @param {unknown} error */
const isFault = (error) =>
  [TypeError, RangeError, ReferenceError, SyntaxError, URIError].some((kind) => error instanceof kind);

const PASSING_MS = 5_000;

/** Of a state that is gone by now; the page reads the newest one. @param {unknown} error */
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

/** From now on, what fails where nobody looks after it is said at the top of the page: in an event, or behind one. */
export function watchErrors() {
  /** @type {HTMLElement | null} */
  let box = null;
  const tell = (/** @type {Event} */ event, /** @type {unknown} */ error) => {
    if (error === null || error === undefined || /** @type {any} */ (error).name === "AbortError") return;
    if (isPassing(error)) return event.preventDefault();
    if (!isFault(error)) event.preventDefault(); // a sentence in the page is enough
    box?.remove();
    box = errorSentence(error, h("button", { class: "tool", onclick: () => box?.remove() }, "Close"));
    (document.querySelector("main") ?? document.body).prepend(/** @type {HTMLElement} */ (box));
  };
  addEventListener("error", (event) => tell(event, event.error));
  addEventListener("unhandledrejection", (event) => tell(event, event.reason));
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
