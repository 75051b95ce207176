// Work that takes a while: what is done, how far it is, and a button that ends it. And the words when it fails.
import { fill, h } from "./dom.js";
import { bytes } from "./format.js";
import { errorBox } from "./load.js";

/** @typedef {{signal: AbortSignal, onprogress: (done_bytes: number, total_bytes: number) => void}} Work */

/** Whether somebody ended it. @param {any} error */
export const isCancelled = (error) => error?.name === "AbortError" || error?.code === "cancelled";

/**
 * Shows in a place what is under way. What it gives, or throws, is that of ``run``, which ends soon after the signal.
 * @template T @param {Element} place @param {string} label @param {(work: Work) => Promise<T>} run @returns {Promise<T>}
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

/** What went wrong, and what to try. @param {unknown} error @param {string} [what] that it befell */
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

/** What went wrong; then what to try, if that is known. @param {any} error */
export const sentencesOf = ({ name, message, hint }) =>
  [name === "PythonError" ? sentence(message) : message, hint && sentence(hint)].filter(Boolean);

/** Words of the package begin small and end without a full stop; the name of a file stays as it is, and a command. @param {string} text */
function sentence(text) {
  const begun = /^[a-z]+ /.test(text) ? text[0].toUpperCase() + text.slice(1) : text;
  return /[.!?:]$|^.*: tlparse-bundle [\w-]+( [\w-]+)*$/s.test(begun) ? begun : `${begun}.`;
}
