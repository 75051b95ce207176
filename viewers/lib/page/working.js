// Shows long-running work with progress and a Cancel button, and its errors.
import { fill, h } from "./dom.js";
import { bytes } from "./format.js";
import { errorBox } from "./load.js";

/** @typedef {{signal: AbortSignal, onprogress: (done_bytes: number, total_bytes: number) => void}} Work */

/** Return whether the user cancelled it. @param {any} error */
export const isCancelled = (error) => error?.name === "AbortError" || error?.code === "cancelled";

/**
 * Show progress in an element. Returns or throws what ``run`` does, which must end soon after the signal.
 * @template T @param {Element} place @param {string} label @param {(work: Work) => Promise<T>} run
 * @returns {Promise<T>}
 */
export async function working(place, label, run) {
  const stop = new AbortController();
  const bar = /** @type {HTMLProgressElement} */ (h("progress", { "aria-label": label }));
  const far = h("span", { class: "number dim" });
  const cancel = h("button", { class: "tool", onclick: () => stop.abort() }, "Cancel");
  fill(
    place,
    h(
      "div",
      { class: "working" },
      h("p", { role: "status" }, `${label} …`),
      h("div", { class: "working-bar" }, bar, cancel),
      h("p", null, far),
    ),
  );
  cancel.focus();
  const onprogress = (/** @type {number} */ done, /** @type {number} */ total) => {
    if (total > 0) bar.value = Math.min(1, done / total);
    far.textContent = done < total ? `${bytes(done)} of ${bytes(total)}` : `${bytes(total)} read`;
  };
  try {
    return await run({ signal: stop.signal, onprogress });
  } finally {
    fill(place);
  }
}

/**
 * Build a box with the error and the hint.
 * @param {unknown} error @param {string} [what] what failed to open
 */
export function failure(error, what) {
  const { name } = /** @type {Error} */ (error),
    [message, hint] = sentencesOf(error);
  if (!["PythonError", "StoreError", "BundleError", "Error"].includes(name)) return errorBox(error);
  return h(
    "div",
    { class: "error-box", role: "alert" },
    h("strong", null, what ? `Can't open ${what}` : "Can't open this"),
    h("p", null, message),
    hint && h("p", null, hint),
  );
}

/** Return the error, and the hint if there is one. @param {any} error */
export const sentencesOf = ({ name, message, hint }) =>
  [name === "PythonError" ? sentence(message) : message, hint && sentence(hint)].filter(Boolean);

/**
 * Start a message of the package with a capital and end it with a period, except for file names and commands.
 * @param {string} text
 */
function sentence(text) {
  const begun = /^[a-z]+ /.test(text) ? text[0].toUpperCase() + text.slice(1) : text;
  return /[.!?:]$|^.*: tlparse-bundle [\w-]+( [\w-]+)*$/s.test(begun) ? begun : `${begun}.`;
}
